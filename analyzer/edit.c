/* edit.c: a small line editor. The terminal is in raw mode only while a line is read, so that the
 * output of commands, and the keys that stop them, work as usual. */
#include "analyzer/edit.h"

#include "analyzer/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum { HISTORY_MAX = 500 };

/* Control bytes, and keys that terminals send as several bytes. */
enum key {
	KEY_NONE = 0,
	KEY_CTRL_A = 1,
	KEY_CTRL_B,
	KEY_CTRL_C,
	KEY_CTRL_D,
	KEY_CTRL_E,
	KEY_CTRL_F,
	KEY_CTRL_H = 8,
	KEY_CTRL_K = 11,
	KEY_CTRL_L,
	KEY_ENTER,
	KEY_CTRL_N,
	KEY_CTRL_P = 16,
	KEY_CTRL_U = 21,
	KEY_CTRL_W = 23,
	KEY_ESCAPE = 27,
	KEY_BACKSPACE = 127,
	KEY_DELETE = 256,
	KEY_END_OF_INPUT
};

struct edit {
	char *history[HISTORY_MAX];
	size_t count;
	/* The line being read. */
	const char *prompt;
	char *line;
	size_t len, cursor, capacity;
	size_t recalled; /* place in the history, count: the new line */
};

struct edit *edit_create(void)
{
	return memory_take(1, sizeof(struct edit));
}

void edit_destroy(struct edit *edit)
{
	for (size_t i = 0; i < edit->count; i++)
		free(edit->history[i]);
	free(edit->line);
	free(edit);
}

static int read_byte(void)
{
	unsigned char byte;

	return read(STDIN_FILENO, &byte, 1) == 1 ? byte : KEY_END_OF_INPUT;
}

/* The rest of ESC [ or ESC O: a letter, or a number and a tilde. */
static int read_sequence(void)
{
	static const struct {
		char letter;
		int key;
	} letters[] = {{'A', KEY_CTRL_P}, {'B', KEY_CTRL_N}, {'C', KEY_CTRL_F},
	               {'D', KEY_CTRL_B}, {'H', KEY_CTRL_A}, {'F', KEY_CTRL_E}};
	int byte = read_byte(), number = 0;

	if (byte != '[' && byte != 'O')
		return KEY_NONE;
	for (byte = read_byte(); byte >= '0' && byte <= '9' && number < 1000; byte = read_byte())
		number = number * 10 + byte - '0';
	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
		if (byte == letters[i].letter)
			return letters[i].key;
	if (byte != '~')
		return KEY_NONE;
	if (number == 3)
		return KEY_DELETE;
	if (number == 1 || number == 7)
		return KEY_CTRL_A;
	return number == 4 || number == 8 ? KEY_CTRL_E : KEY_NONE;
}

static int read_key(void)
{
	int byte = read_byte();

	if (byte == '\n')
		return KEY_ENTER;
	return byte == KEY_ESCAPE ? read_sequence() : byte;
}

static void show(const struct edit *edit)
{
	size_t back = 0;

	/* UTF-8 continuation bytes have no width of their own. */
	for (size_t i = edit->cursor; i < edit->len; i++)
		back += (edit->line[i] & 0xc0) != 0x80;
	printf("\r%s%.*s\033[K", edit->prompt, (int)edit->len, edit->line);
	if (back != 0)
		printf("\033[%zuD", back);
	fflush(stdout);
}

static void erase(struct edit *edit, size_t from, size_t to)
{
	memmove(edit->line + from, edit->line + to, edit->len - to);
	edit->len -= to - from;
	edit->cursor = from;
}

static void insert(struct edit *edit, char byte)
{
	edit->line = memory_grow(edit->line, edit->len + 1, &edit->capacity, 1);
	memmove(edit->line + edit->cursor + 1, edit->line + edit->cursor, edit->len - edit->cursor);
	edit->line[edit->cursor++] = byte;
	edit->len++;
}

static void recall(struct edit *edit, int step)
{
	const char *text;

	if ((step < 0 && edit->recalled == 0) || (step > 0 && edit->recalled == edit->count))
		return;
	edit->recalled = step < 0 ? edit->recalled - 1 : edit->recalled + 1;
	text = edit->recalled < edit->count ? edit->history[edit->recalled] : "";
	edit->len = edit->cursor = 0;
	while (*text != '\0')
		insert(edit, *text++);
}

static size_t step_left(const struct edit *edit)
{
	size_t at = edit->cursor;

	while (at > 0 && (edit->line[--at] & 0xc0) == 0x80)
		;
	return at;
}

static size_t step_right(const struct edit *edit)
{
	size_t at = edit->cursor;

	if (at < edit->len)
		at++;
	while (at < edit->len && (edit->line[at] & 0xc0) == 0x80)
		at++;
	return at;
}

static size_t word_left(const struct edit *edit)
{
	size_t at = edit->cursor;

	while (at > 0 && edit->line[at - 1] == ' ')
		at--;
	while (at > 0 && edit->line[at - 1] != ' ')
		at--;
	return at;
}

static void apply(struct edit *edit, int key)
{
	switch (key) {
	case KEY_CTRL_A:
		edit->cursor = 0;
		break;
	case KEY_CTRL_E:
		edit->cursor = edit->len;
		break;
	case KEY_CTRL_B:
		edit->cursor = step_left(edit);
		break;
	case KEY_CTRL_F:
		edit->cursor = step_right(edit);
		break;
	case KEY_CTRL_P:
		recall(edit, -1);
		break;
	case KEY_CTRL_N:
		recall(edit, 1);
		break;
	case KEY_CTRL_K:
		edit->len = edit->cursor;
		break;
	case KEY_CTRL_U:
		erase(edit, 0, edit->cursor);
		break;
	case KEY_CTRL_W:
		erase(edit, word_left(edit), edit->cursor);
		break;
	case KEY_CTRL_L:
		fputs("\033[H\033[2J", stdout);
		break;
	case KEY_CTRL_H:
	case KEY_BACKSPACE:
		erase(edit, step_left(edit), edit->cursor);
		break;
	case KEY_CTRL_D:
	case KEY_DELETE:
		erase(edit, edit->cursor, step_right(edit));
		break;
	default:
		if (key >= ' ' && key < KEY_DELETE)
			insert(edit, (char)key);
	}
}

static void remember(struct edit *edit, const char *line)
{
	if (line[0] == '\0' ||
	    (edit->count > 0 && strcmp(edit->history[edit->count - 1], line) == 0))
		return;
	if (edit->count == HISTORY_MAX) {
		free(edit->history[0]);
		memmove(edit->history, edit->history + 1,
		        (HISTORY_MAX - 1) * sizeof(edit->history[0]));
		edit->count--;
	}
	edit->history[edit->count++] = memory_text(line, strlen(line));
}

/* Edit until the line is done. Returns false at the end of the input. */
static int run(struct edit *edit)
{
	for (;;) {
		int key;

		show(edit);
		key = read_key();
		if (key == KEY_END_OF_INPUT || (key == KEY_CTRL_D && edit->len == 0))
			return 0;
		if (key == KEY_ENTER)
			return 1;
		if (key == KEY_CTRL_C) {
			edit->len = edit->cursor = 0;
			return 1;
		}
		apply(edit, key);
	}
}

char *edit_read_line(struct edit *edit, const char *prompt)
{
	struct termios before, raw;
	char *line;
	int is_line;

	if (tcgetattr(STDIN_FILENO, &before) != 0)
		return NULL;
	raw = before;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG | IEXTEN);
	raw.c_iflag &= ~(tcflag_t)(ICRNL | IXON);
	edit->prompt = prompt;
	edit->len = edit->cursor = 0;
	edit->recalled = edit->count;
	tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
	is_line = run(edit);
	tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
	fputc('\n', stdout);
	if (!is_line)
		return NULL;
	line = memory_text(edit->line ? edit->line : "", edit->len);
	remember(edit, line);
	return line;
}

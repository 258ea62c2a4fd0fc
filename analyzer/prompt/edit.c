/* edit.c: see edit.h (doc/decisions/89-prompt.md). The terminal is in libedit's mode only while a
 * line is read, so that the output of commands, and the keys that stop them, work as usual. So is
 * the user's locale: outside, the case of letters must not depend on it. */
#include "analyzer/prompt/edit.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/terminal.h"

#include <histedit.h>
#include <langinfo.h>
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Lines of the history; its file may grow to twice as many before the oldest ones are dropped. */
enum { HISTORY_MAX = 1000 };

struct edit {
	EditLine *line;
	History *history;
	const char *history_path;
	int kept; /* lines in the file */
	const char *prompt;
	edit_completer *complete;
	void *context;
	locale_t locale, outside; /* while a line is read, and else */
};

static struct edit *edit_of(EditLine *line)
{
	struct edit *edit = NULL;

	el_get(line, EL_CLIENTDATA, &edit);
	return edit;
}

static char *prompt_of(EditLine *line)
{
	return (char *)(uintptr_t)edit_of(line)->prompt;
}

/* ---- keys ---- */

/* Leave the line: what was typed stays on the screen, and an empty line is read. */
static unsigned char abandon(EditLine *line, int key)
{
	const LineInfo *info = el_line(line);
	FILE *out = NULL;

	(void)key;
	el_get(line, EL_GETFP, 1, &out);
	if (out)
		fputs("^C\n", out);
	el_cursor(line, (int)(info->lastchar - info->cursor));
	el_deletestr(line, (int)(info->lastchar - info->buffer));
	el_insertstr(line, "\n");
	return CC_NEWLINE;
}

static size_t width_of(const char *text)
{
	size_t width = 0;

	for (; *text != '\0'; text++)
		width += (*text & 0xc0) != 0x80; /* not the later bytes of a character */
	return width;
}

/* The words in columns, from top to bottom. */
static void list(const struct words *words, FILE *out)
{
	size_t widest = 1, columns, rows, screen = terminal_columns(stdout);

	for (size_t i = 0; i < words->count; i++)
		if (width_of(words->words[i]) > widest)
			widest = width_of(words->words[i]);
	columns = (screen > 0 ? screen : 80) / (widest + 2);
	columns = columns > 0 ? columns : 1;
	rows = (words->count + columns - 1) / columns;
	fputc('\n', out);
	for (size_t row = 0; row < rows; row++)
		for (size_t i = row; i < words->count; i += rows) {
			int is_last = i + rows >= words->count;
			size_t blanks = is_last ? 0 : widest + 2 - width_of(words->words[i]);

			fprintf(out, "%s%*s%s", words->words[i], (int)blanks, "",
			        is_last ? "\n" : "");
		}
}

/* Replace what was typed of the words by what they have in common. Returns true if the line became
 * another. */
static int replace(EditLine *line, const struct words *words, const char *typed)
{
	size_t common = words_common(words);
	char *text = memory_format("%.*s%.*s", (int)common, words->words[0],
	                           words->count == 1 && words->after != '\0' ? 1 : 0,
	                           &words->after);
	int differs = strlen(text) != words->typed || strncmp(text, typed, words->typed) != 0;

	if (differs && common >= words->typed) {
		char *old = memory_text(typed, words->typed);

		el_deletestr(line, (int)width_of(old));
		el_insertstr(line, text);
		free(old);
	} else {
		differs = 0;
	}
	free(text);
	return differs;
}

static unsigned char complete_key(EditLine *line, int key)
{
	struct edit *edit = edit_of(line);
	const LineInfo *info = el_line(line);
	char *text = memory_text(info->buffer, (size_t)(info->cursor - info->buffer));
	struct words words = {.after = ' '};
	unsigned char result = CC_REFRESH;
	FILE *out = NULL;

	(void)key;
	uselocale(edit->outside);
	edit->complete(edit->context, text, strlen(text), &words);
	words_sort(&words);
	uselocale(edit->locale);
	el_get(line, EL_GETFP, 1, &out);
	if (words.count == 0) {
		result = CC_REFRESH_BEEP;
	} else if (!replace(line, &words, text + strlen(text) - words.typed)) {
		result = CC_REDISPLAY;
		if (words.count > 1 && out)
			list(&words, out);
	}
	words_fini(&words);
	free(text);
	return result;
}

static void bind_keys(EditLine *line)
{
	static const char *const keys[][2] = {
		{"^I", "xer-complete"},       {"^C", "xer-abandon"},
		{"^R", "em-inc-search-prev"}, {"^W", "ed-delete-prev-word"},
		{"^U", "vi-kill-line-prev"},  {"\\e[1~", "ed-move-to-beg"},
		{"\\e[7~", "ed-move-to-beg"}, {"\\e[4~", "ed-move-to-end"},
		{"\\e[8~", "ed-move-to-end"}, {"\\e[3~", "ed-delete-next-char"},
		{"\\e[1;5C", "em-next-word"}, {"\\e[1;5D", "ed-prev-word"},
		{"^D", "em-delete-or-list"},
	};

	el_set(line, EL_ADDFN, "xer-complete", "complete the word", complete_key);
	el_set(line, EL_ADDFN, "xer-abandon", "begin the line again", abandon);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		el_set(line, EL_BIND, keys[i][0], keys[i][1], NULL);
	/* Ctrl-C is a key while a line is read. */
	el_set(line, EL_SETTY, "-d", "intr=", NULL);
}

/* ---- history ---- */

static void load_history(struct edit *edit)
{
	HistEvent event;

	history(edit->history, &event, H_SETSIZE, HISTORY_MAX);
	history(edit->history, &event, H_SETUNIQUE, 1);
	edit->kept = edit->history_path ? history(edit->history, &event, H_LOAD, edit->history_path)
	                                : 0;
}

/* The first line of a file of libedit's, which refuses others. */
static const char first_line[] = "_HiStOrY_V2_\n";

/* Lines are added one by one, so that several prompts may share the file. In it, a backslash begins
 * an escape as of vis(3). (H_NSAVE_FP of libedit 3.1 saves one line more than it is asked for.) */
static void append(const char *path, const char *line)
{
	FILE *file = fopen(path, "ae");
	struct stat status;

	if (!file)
		return;
	fchmod(fileno(file), 0600);
	if (fstat(fileno(file), &status) == 0 && status.st_size == 0)
		fputs(first_line, file);
	for (; *line != '\0'; line++) {
		if (*line == '\\')
			fputc('\\', file);
		fputc(*line, file);
	}
	fputc('\n', file);
	fclose(file);
}

static void remember(struct edit *edit, const char *line)
{
	HistEvent event;

	if (line[strspn(line, " \t")] == '\0' ||
	    history(edit->history, &event, H_ENTER, line) <= 0 || !edit->history_path)
		return;
	append(edit->history_path, line);
	edit->kept++;
}

/* ---- a line ---- */

/* The user's characters if they are UTF-8, as those of all reports are. */
static locale_t take_locale(void)
{
	locale_t user = newlocale(LC_CTYPE_MASK, "", (locale_t)0);

	if (user && strcmp(nl_langinfo_l(CODESET, user), "UTF-8") == 0)
		return user;
	if (user)
		freelocale(user);
	return newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

struct edit *edit_create(const char *path, edit_completer *complete, void *context)
{
	struct edit *edit = memory_take(1, sizeof(*edit));

	edit->history_path = path;
	edit->complete = complete;
	edit->context = context;
	edit->locale = take_locale();
	edit->outside = uselocale((locale_t)0);
	if (edit->locale)
		uselocale(edit->locale);
	edit->history = history_init();
	edit->line = el_init("xer_print", stdin, stdout, stderr);
	if (!edit->line || !edit->history)
		memory_fail();
	el_set(edit->line, EL_CLIENTDATA, edit);
	el_set(edit->line, EL_PROMPT, prompt_of);
	el_set(edit->line, EL_EDITOR, "emacs");
	el_set(edit->line, EL_SIGNAL, 1);
	el_set(edit->line, EL_HIST, history, edit->history);
	bind_keys(edit->line);
	el_source(edit->line, NULL);
	load_history(edit);
	uselocale(edit->outside);
	return edit;
}

void edit_destroy(struct edit *edit)
{
	HistEvent event;

	if (edit->kept > 2 * HISTORY_MAX)
		history(edit->history, &event, H_SAVE, edit->history_path);
	el_end(edit->line);
	history_end(edit->history);
	if (edit->locale)
		freelocale(edit->locale);
	free(edit);
}

char *edit_read_line(struct edit *edit, const char *prompt)
{
	const char *text;
	char *line = NULL;
	int len = 0;

	if (!isatty(STDIN_FILENO))
		return NULL;
	edit->prompt = prompt;
	if (edit->locale)
		uselocale(edit->locale);
	text = el_gets(edit->line, &len);
	if (text && len > 0) {
		line = memory_text(text, strcspn(text, "\n"));
		remember(edit, line);
	} else {
		fputc('\n', stdout);
	}
	uselocale(edit->outside);
	return line;
}

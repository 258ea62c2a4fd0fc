/* run_text.c: the text of one event: appending to it, bounded, and keeping it fit for a terminal.
 */
#include "template/run.h"

#include <errno.h>
#include <stdlib.h>

enum { TAB = 8, DIGITS_MAX = 32 };

int run_text_grow(struct template_run *run, size_t more)
{
	size_t capacity = run->capacity ? run->capacity : 1024;
	char *text;

	if (run->len + more > RUN_TEXT_MAX) {
		run_note(run, "text too long");
		run->steps = RUN_STEPS_MAX;
		return -E2BIG;
	}
	while (capacity - run->len < more)
		capacity *= 2;
	text = realloc(run->text, capacity);
	if (!text) {
		run_note(run, "out of memory");
		return -ENOMEM;
	}
	run->text = text;
	run->capacity = capacity;
	return 0;
}

void run_put_bytes(struct template_run *run, const uint8_t *bytes, size_t len)
{
	if (run_text_room(run, len) < 0)
		return;
	for (size_t i = 0; i < len && bytes[i] != 0; i++) {
		int is_control = bytes[i] < ' ' || bytes[i] == 0x7f;

		run->has_high_bytes |= bytes[i] >= 0x80;
		run->text[run->len++] = is_control ? '.' : (char)bytes[i];
	}
}

void run_put_blanks(struct template_run *run, size_t count)
{
	if (run_text_room(run, count) < 0)
		return;
	memset(run->text + run->len, ' ', count);
	run->len += count;
}

void run_put_hex(struct template_run *run, uint64_t number, unsigned digits)
{
	static const char set[] = "0123456789ABCDEF";
	char text[DIGITS_MAX];
	unsigned at = DIGITS_MAX;

	while (number != 0 || DIGITS_MAX - at < digits) {
		text[--at] = set[number & 15];
		number >>= 4;
	}
	run_put(run, text + at, DIGITS_MAX - at);
}

void run_put_unsigned(struct template_run *run, uint64_t number)
{
	char text[DIGITS_MAX];
	unsigned at = DIGITS_MAX;

	do {
		text[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number != 0);
	run_put(run, text + at, DIGITS_MAX - at);
}

void run_put_signed(struct template_run *run, int64_t number)
{
	if (number < 0)
		run_put_char(run, '-');
	run_put_unsigned(run, number < 0 ? -(uint64_t)number : (uint64_t)number);
}

void run_trim_line(struct template_run *run)
{
	while (run->len > run->line_start && run->text[run->len - 1] == ' ')
		run->len--;
	/* What is counted begins again with the next line. */
	if (run->counted > run->len)
		run->counted = run->len;
}

void run_put_newline(struct template_run *run)
{
	run_trim_line(run);
	run_put_char(run, '\n');
	run->line_start = run->len;
	run->newlines++;
}

void run_put_tab(struct template_run *run)
{
	/* A line may have a million of tabs: what is before the last one is not counted again. */
	if (run->counted < run->line_start) {
		run->counted = run->line_start;
		run->column = 0;
	}
	for (; run->counted < run->len; run->counted++)
		run->column += (run->text[run->counted] & 0xc0) != 0x80;
	run_put_blanks(run, TAB - run->column % TAB);
}

/* Length of the UTF-8 character at at[len], 0 if it is none that may be printed. */
static size_t character_length(const unsigned char *at, size_t len)
{
	size_t need = (size_t)(at[0] >= 0xc2) * 2 + (at[0] >= 0xe0) + (at[0] >= 0xf0);

	if (need == 0 || need > len || at[0] > 0xf4)
		return 0;
	for (size_t i = 1; i < need; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	if ((at[0] == 0xc2 && at[1] < 0xa0) || (at[0] == 0xe0 && at[1] < 0xa0) ||
	    (at[0] == 0xed && at[1] > 0x9f) || (at[0] == 0xf0 && at[1] < 0x90) ||
	    (at[0] == 0xf4 && at[1] > 0x8f))
		return 0;
	return need;
}

void run_clean(struct template_run *run)
{
	for (size_t i = 0; run->has_high_bytes && i < run->len;) {
		size_t len = (unsigned char)run->text[i] < 0x80
		                     ? 1
		                     : character_length((unsigned char *)run->text + i,
		                                        run->len - i);

		if (len == 0)
			run->text[i] = '.';
		i += len ? len : 1;
	}
}

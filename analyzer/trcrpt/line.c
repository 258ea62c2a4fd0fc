/* line.c: the lines of the report: columns, numbers, headings, and events without a
 * template. */
#include "analyzer/trcrpt/trcrpt.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

#include <stdlib.h>
#include <string.h>

enum {
	LEVEL_WIDTH = 8,
	TEXT_GAP = 3,
	SECOND_LINE = 6,
	BYTES_A_LINE = 32,
	NAME_WIDTH = 15,
	NUMBER_MAX = 40
};
enum { NS_A_SECOND = 1000000000, NS_A_MILLISECOND = 1000000, NS_A_MICROSECOND = 1000 };

static void reserve(struct trcrpt_line *line, size_t more)
{
	if (line->capacity - line->len >= more)
		return;
	line->capacity = (line->len + more) * 2 + 256;
	line->text = memory_resize(line->text, line->capacity, 1);
}

void trcrpt_line_put(struct trcrpt_line *line, const char *text, size_t len)
{
	reserve(line, len);
	memcpy(line->text + line->len, text, len);
	line->len += len;
}

void trcrpt_line_blanks(struct trcrpt_line *line, size_t count)
{
	reserve(line, count);
	memset(line->text + line->len, ' ', count);
	line->len += count;
}

static void put_text(struct trcrpt_line *line, const char *text)
{
	trcrpt_line_put(line, text, strlen(text));
}

/* The same, and blanks up to `width`, at least one. */
static void put_padded(struct trcrpt_line *line, const char *text, size_t len, size_t width)
{
	trcrpt_line_put(line, text, len);
	trcrpt_line_blanks(line, len < width ? width - len : 1);
}

/* `number` right-aligned in `width`, its last `decimals` digits behind a point. */
static void put_decimal(struct trcrpt_line *line, int64_t number, unsigned decimals, size_t width)
{
	uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
	char text[NUMBER_MAX];
	size_t at = NUMBER_MAX;

	for (unsigned digits = 0; rest != 0 || digits <= decimals; digits++) {
		if (digits == decimals && decimals > 0)
			text[--at] = '.';
		text[--at] = (char)('0' + rest % 10);
		rest /= 10;
	}
	if (number < 0)
		text[--at] = '-';
	if (NUMBER_MAX - at < width)
		trcrpt_line_blanks(line, width - (NUMBER_MAX - at));
	trcrpt_line_put(line, text + at, NUMBER_MAX - at);
}

static void put_hex(struct trcrpt_line *line, uint64_t number, unsigned digits)
{
	char text[20];
	int len = snprintf(text, sizeof(text), "%0*llX", (int)digits, (unsigned long long)number);

	trcrpt_line_put(line, text, (size_t)len);
}

/* ---- headings ---- */

static void put_time_headings(struct trcrpt_line *line, unsigned timestamp)
{
	switch ((enum trcrpt_timestamp)timestamp) {
	case TRCRPT_ELAPSED_DELTA:
		put_text(line, "  ELAPSED_SEC    DELTA_MSEC");
		break;
	case TRCRPT_ELAPSED:
		put_text(line, "  ELAPSED_SEC");
		break;
	case TRCRPT_MICROSECONDS:
		put_text(line, " ELAPSED_USEC  DELTA_USEC");
		break;
	case TRCRPT_NO_TIME:
		break;
	}
}

void trcrpt_line_headings(struct trcrpt_line *line, const struct trcrpt_options *options)
{
	if (options->ids)
		put_text(line, "ID  ");
	if (options->exec)
		put_padded(line, "PROCESS NAME", 12, NAME_WIDTH + 1);
	if (options->pid)
		put_padded(line, "PID", 3, 9);
	if (options->tid)
		put_padded(line, "TID", 3, 9);
	if (options->cpuid)
		put_padded(line, "CPU", 3, 4);
	put_time_headings(line, options->timestamp);
	trcrpt_line_blanks(line, options->timestamp == TRCRPT_NO_TIME ? 2 : TEXT_GAP);
	put_text(line, "APPL    SYSCALL KERNEL  INTERRUPT");
}

/* ---- events ---- */

static void put_times(struct trcrpt_line *line, unsigned timestamp, const struct trcrpt_event *at)
{
	int64_t elapsed = at->event->time_ns;

	switch ((enum trcrpt_timestamp)timestamp) {
	case TRCRPT_ELAPSED_DELTA:
		put_decimal(line, elapsed, 9, 13);
		put_decimal(line, at->delta_ns, 6, 12);
		break;
	case TRCRPT_ELAPSED:
		put_decimal(line, elapsed / NS_A_MICROSECOND, 6, 13);
		break;
	case TRCRPT_MICROSECONDS:
		put_decimal(line, elapsed, 3, 13);
		put_decimal(line, at->delta_ns, 3, 12);
		break;
	case TRCRPT_NO_TIME:
		break;
	}
}

static void put_number_padded(struct trcrpt_line *line, int64_t number, size_t width)
{
	size_t from = line->len;

	put_decimal(line, number, 0, 0);
	trcrpt_line_blanks(line, line->len - from < width ? width - (line->len - from) : 1);
}

/* The name is any bytes: what may not be printed becomes \xNN. */
static void put_program(struct trcrpt_line *line, const struct exp_info *process)
{
	char *name = text_escape(text_base(process->program));
	size_t len = strlen(name);

	put_padded(line, name, len < NAME_WIDTH ? len : NAME_WIDTH, NAME_WIDTH + 1);
	free(name);
}

static void put_fields(struct trcrpt_line *line, const struct trcrpt_options *options,
                       const struct trcrpt_event *at)
{
	char id[5];

	if (options->ids) {
		template_hook_text(at->event->hook, id);
		trcrpt_line_put(line, id, strlen(id));
		trcrpt_line_blanks(line, 4 - strlen(id));
	}
	if (options->exec)
		put_program(line, at->process);
	if (options->pid)
		put_number_padded(line, at->process->pid, 9);
	if (options->tid)
		put_number_padded(line, at->event->tid, 9);
	if (options->cpuid)
		put_number_padded(line, at->event->cpu, 4);
	put_times(line, options->timestamp, at);
}

void trcrpt_line_event(struct trcrpt_line *line, const struct trcrpt_options *options,
                       const struct trcrpt_event *at)
{
	size_t from = line->len;
	size_t margin;
	const char *text = at->text;
	const char *end = at->text + at->len;

	put_fields(line, options, at);
	margin = line->len - from + (options->timestamp == TRCRPT_NO_TIME ? 2 : TEXT_GAP);
	if (options->two_lines) {
		while (line->len > from && line->text[line->len - 1] == ' ')
			line->len--;
		trcrpt_line_put(line, "\n", 1);
		from = line->len;
		margin = SECOND_LINE;
	}
	margin += LEVEL_WIDTH * at->level;
	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *stop = newline ? newline : end;

		if (stop > text) {
			trcrpt_line_blanks(line, margin - (line->len - from));
			trcrpt_line_put(line, text, (size_t)(stop - text));
		}
		trcrpt_line_put(line, "\n", 1);
		from = line->len;
		text = stop + 1;
	}
	if (line->len > 0 && line->text[line->len - 1] != '\n')
		trcrpt_line_put(line, "\n", 1);
}

/* ---- events without a template ---- */

static unsigned digits_of(const struct template_event *entry)
{
	return entry->is_32 ? 8 : 16;
}

static uint64_t hook_word(const struct template_event *entry)
{
	uint64_t word = 0;

	for (unsigned i = 0; i < digits_of(entry) / 2; i++)
		word = word << 8 | entry->bytes[i];
	return word;
}

static void put_bytes(struct trcrpt_line *line, const uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (i % BYTES_A_LINE == 0)
			trcrpt_line_put(line, "\n", 1);
		put_hex(line, bytes[i], 2);
	}
}

void trcrpt_line_undefined(struct trcrpt_line *line, const struct template_event *entry)
{
	unsigned digits = digits_of(entry);
	uint64_t word = hook_word(entry);
	size_t word_size = digits / 2;
	size_t words = entry->is_generic ? 1 : entry->size / word_size - 1;
	char text[96];

	snprintf(text, sizeof(text), "UNDEFINED TRACE ID idx 0x%llx\ntraceid %04X hookword ",
	         (unsigned long long)entry->log_offset, entry->hook);
	put_text(line, text);
	put_hex(line, word, digits);
	snprintf(text, sizeof(text),
	         entry->is_32 ? " type %X\nhookdata %04X" : " type %04X\nhookdata %04X",
	         entry->is_32 ? (unsigned)(word >> 16 & 15) : (unsigned)(word >> 48),
	         (unsigned)(word & 0xffff));
	put_text(line, text);
	for (unsigned i = 1; i <= words; i++) {
		trcrpt_line_put(line, i == 2 ? "\n" : " ", 1);
		put_hex(line, template_event_word(entry, i), digits);
	}
	if (entry->is_generic)
		put_bytes(line, entry->bytes + 2 * word_size, entry->size - 2 * word_size);
}

void trcrpt_line_raw(struct trcrpt_line *line, const struct template_event *entry)
{
	unsigned digits = digits_of(entry);
	size_t words = entry->is_generic ? 1 : entry->size * 2 / digits - 1;

	put_hex(line, hook_word(entry), digits);
	for (unsigned i = 1; i <= words; i++) {
		trcrpt_line_put(line, " ", 1);
		put_hex(line, template_event_word(entry, i), digits);
	}
	if (entry->is_generic)
		put_bytes(line, entry->bytes + digits, entry->size - digits);
}

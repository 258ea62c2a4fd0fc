/* sink.c: owns the digits of sink.h. */
#include "analyzer/base/sink.h"

#include "experiment/base/printable.h"

void sink_decimal(struct sink *sink, uint64_t value)
{
	char digits[20], *room = sink_room(sink);
	size_t count = 0;

	do
		digits[count++] = (char)('0' + value % 10);
	while ((value /= 10) > 0);
	sink->used += count;
	while (count > 0)
		*room++ = digits[--count];
}

void sink_signed(struct sink *sink, int64_t value)
{
	if (value < 0)
		sink_byte(sink, '-');
	sink_decimal(sink, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void sink_hex(struct sink *sink, uint64_t value, unsigned digits)
{
	char *room = sink_room(sink);

	while (digits < 16 && value >> 4 * digits != 0)
		digits++;
	for (unsigned i = digits; i > 0; i--)
		*room++ = "0123456789abcdef"[value >> 4 * (i - 1) & 15];
	sink->used += digits;
}

void sink_us(struct sink *sink, uint64_t ns)
{
	unsigned rest = (unsigned)(ns % 1000);
	char *room;

	sink_decimal(sink, ns / 1000);
	room = sink_room(sink);
	room[0] = '.';
	room[1] = (char)('0' + rest / 100);
	room[2] = (char)('0' + rest / 10 % 10);
	room[3] = (char)('0' + rest % 10);
	sink->used += 4;
}

/* Length of the run of ASCII at the start of text[size] that stands for itself. */
static size_t plain_run(const char *text, size_t size)
{
	size_t run = 0;

	while (run < size && text[run] >= ' ' && text[run] < 0x7f && text[run] != '"' &&
	       text[run] != '\\')
		run++;
	return run;
}

void sink_quoted(struct sink *sink, const char *text, size_t size)
{
	size_t at = plain_run(text, size);

	sink_byte(sink, '"');
	sink_put(sink, text, at);
	while (at < size) {
		size_t step = exp_printable(text + at, size - at);

		if (step == 0) {
			sink_put(sink, "\\x", 2);
			sink_hex(sink, (unsigned char)text[at], 2);
			at++;
			continue;
		}
		if (text[at] == '"' || text[at] == '\\')
			sink_byte(sink, '\\');
		sink_put(sink, text + at, step);
		at += step;
	}
	sink_byte(sink, '"');
}

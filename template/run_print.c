/* run_print.c: format codes and macros as output, each with the blank behind it. */
#include "template/run.h"

#include <stdio.h>
#include <time.h>

enum { PRINTED_MAX = 64 };

static void put_binary(struct template_run *run, uint64_t number, unsigned bits)
{
	char text[64];

	for (unsigned i = 0; i < bits; i++)
		text[i] = (char)('0' + (number >> (bits - 1 - i) & 1));
	run_put(run, text, bits);
}

static void put_octal(struct template_run *run, uint64_t number)
{
	char text[32];

	run_put(run, text,
	        (size_t)snprintf(text, sizeof(text), "%llo", (unsigned long long)number));
}

static void put_errno(struct template_run *run, uint64_t number)
{
	const char *name = number <= INT32_MAX && number != 0 ? strerrorname_np((int)number) : NULL;

	if (name)
		run_put(run, name, strlen(name));
	else
		run_put_signed(run, (int64_t)number);
}

static void put_date(struct template_run *run, uint64_t number)
{
	time_t seconds = (time_t)number;
	struct tm broken;
	char text[PRINTED_MAX];

	if (!gmtime_r(&seconds, &broken))
		run_put_signed(run, (int64_t)number);
	else
		run_put(run, text, strftime(text, sizeof(text), "%a %b %d %H:%M:%S %Y", &broken));
}

static void put_program(struct template_run *run, uint64_t pid)
{
	const char *name = run->context.program_of
	                           ? run->context.program_of(run->context.context, (uint32_t)pid)
	                           : NULL;

	if (name)
		run_put_bytes(run, (const uint8_t *)name, strlen(name));
	else
		run_put_unsigned(run, pid);
}

static void put_name(struct template_run *run, uint64_t address)
{
	char name[512];
	size_t len = 0;

	if (run->context.name_of)
		len = run->context.name_of(run->context.context, address, name, sizeof(name));
	if (len > 0)
		run_put_bytes(run, (const uint8_t *)name,
		              len < sizeof(name) ? len : sizeof(name) - 1);
	else
		run_put_hex(run, address, 4);
}

static void put_number(struct template_run *run, uint64_t number, const struct code *code)
{
	switch (code->letter) {
	case 'X':
		if (code->size > 8)
			run_put_hex(run, 0, 2 * (code->size - 8u));
		run_put_hex(run, number, 2 * template_code_bytes(code));
		break;
	case 'D':
		run_put_signed(run, (int64_t)number);
		break;
	case 'U':
		run_put_unsigned(run, number);
		break;
	case 'o':
		put_octal(run, number);
		break;
	case 'B':
		put_binary(run, number, code->size * 8u + code->fraction);
		break;
	case 'E':
		put_errno(run, number);
		break;
	case 'T':
		put_date(run, number);
		break;
	case 'P':
		put_program(run, number);
		break;
	case 'N':
		put_name(run, number);
		break;
	}
	/* X0 alone sets no blank. */
	if (code->letter != 'X' || code->size != 0)
		run_put_char(run, ' ');
}

static enum run_end print_long_hex(struct template_run *run, const struct code *code)
{
	const uint8_t *at = run_take_bytes(run, code->size);

	if (!at)
		return RUN_ENDED;
	for (unsigned i = 0; i < code->size; i++)
		run_put_hex(run, at[run_is_big_endian(run, at) ? i : code->size - 1u - i], 2);
	run_put_char(run, ' ');
	return RUN_ON;
}

static void put_real(struct template_run *run, uint64_t bits, unsigned size)
{
	char text[PRINTED_MAX];
	uint32_t half = (uint32_t)bits;
	double number;
	float small;
	int len;

	memcpy(&small, &half, sizeof(small));
	memcpy(&number, &bits, sizeof(number));
	len = size == 4 ? snprintf(text, sizeof(text), "%0.4E ", (double)small)
	                : snprintf(text, sizeof(text), "%0.8E ", number);
	run_put(run, text, (size_t)len);
}

static enum run_end print_real(struct template_run *run, const struct code *code)
{
	const uint8_t *at = run_take_bytes(run, code->size);

	if (!at)
		return RUN_ENDED;
	put_real(run, run_read_number(at, code->size, run_is_big_endian(run, at)), code->size);
	return RUN_ON;
}

static enum run_end print_text(struct template_run *run, const struct value *value)
{
	int is_coded = value->source == VALUE_CODE || value->has_format;
	size_t before = run->len;
	const uint8_t *at;
	size_t len;

	/* "A0.n" are n blanks. */
	if (is_coded && value->code.letter == 'A' && value->code.size == 0 &&
	    value->code.has_fraction) {
		run_put_blanks(run, value->code.fraction);
		return RUN_ON;
	}
	at = run_bytes(run, value, &len);
	run_put_bytes(run, at, len);
	if (is_coded && value->code.letter == 'A' && value->code.size == 0)
		return RUN_ON;
	if (is_coded && run->len - before < value->code.fraction)
		run_put_blanks(run, value->code.fraction - (run->len - before));
	run_put_char(run, ' ');
	return RUN_ON;
}

static void move(struct template_run *run, const struct code *code)
{
	uint64_t bits = (uint64_t)code->size * 8 + code->fraction;

	switch (code->letter) {
	case 'G':
		run_move(run, bits + run->base * 8);
		break;
	case 'O':
		run_move(run, run->at + bits);
		break;
	case 'W':
		run_move(run, bits * run_word_size(run->event));
		break;
	case 'R':
		run->at = (run->at + 7) / 8 * 8;
		if (bits > run->at)
			run_note_end(run);
		run->at = bits > run->at ? 0 : run->at - bits;
		break;
	}
}

static enum run_end print_code(struct template_run *run, const struct value *value)
{
	const struct code *code = &value->code;
	uint64_t number;

	if (value->kind == KIND_MOVES) {
		move(run, code);
		return RUN_ON;
	}
	if (value->kind == KIND_TEXT)
		return print_text(run, value);
	if (value->kind == KIND_REAL)
		return print_real(run, code);
	if (code->letter == 'X' && code->size > 8)
		return print_long_hex(run, code);
	if (run_code_number(run, code, &number) != RUN_ON)
		return RUN_ENDED;
	put_number(run, number, code);
	return RUN_ON;
}

static enum run_end act(struct template_run *run, unsigned macro)
{
	char hook[5];
	char text[96];

	switch (macro) {
	case MACRO_ERROR:
		template_hook_text(run->event->hook, hook);
		run_put(run, "*** error in ", 13);
		run_put_bytes(run, (const uint8_t *)run_macro_text(run, MACRO_LOGFILE),
		              strlen(run_macro_text(run, MACRO_LOGFILE)));
		run_put(run, text,
		        (size_t)snprintf(text, sizeof(text), " at offset %llu, id %s ***",
		                         (unsigned long long)run->event->log_offset, hook));
		return RUN_ENDED;
	case MACRO_SKIP:
		return RUN_SKIPPED;
	case MACRO_STOP:
		return RUN_STOPPED;
	case MACRO_DEFAULT:
		return RUN_UNKNOWN;
	default:
		return RUN_ENDED;
	}
}

enum run_end run_print(struct template_run *run, const struct value *value)
{
	uint64_t number;

	if (value->source == VALUE_CODE)
		return print_code(run, value);
	if (value->source == VALUE_MACRO && template_macro_kind(value->macro) == MACRO_KIND_ACTION)
		return act(run, value->macro);
	if (value->kind == KIND_TEXT)
		return print_text(run, value);
	run_number(run, value, &number);
	if (value->kind == KIND_REAL) {
		put_real(run, number, value->code.size);
		return RUN_ON;
	}
	if (value->has_format) {
		put_number(run, number, &value->code);
		return RUN_ON;
	}
	run_put_hex(run, number,
	            value->source == VALUE_MACRO && value->macro == MACRO_TRACEID ? 3 : 4);
	run_put_char(run, ' ');
	return RUN_ON;
}

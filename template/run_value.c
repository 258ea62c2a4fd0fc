/* run_value.c: numbers and texts of an entry, by format codes at the data pointer and by macros.
 *
 * Below the first data word an entry is big-endian, from there on it is in the order of the machine
 * that recorded it; bits are numbered from the highest of a byte. */
#include "template/run.h"

enum { TYPE_STAMPED = 0x8000, TYPE_GENERIC = 0x4000 };

void run_note(struct template_run *run, const char *note)
{
	if (!run->note)
		run->note = note;
}

static uint64_t size_bits(const struct template_run *run)
{
	return (uint64_t)run->event->size * 8;
}

void run_note_end(struct template_run *run)
{
	run->ran_out = 1;
	if (!run->note) {
		run->note = "end of data";
		run->note_at = run->at / 8;
	}
}

void run_move(struct template_run *run, uint64_t bits)
{
	run->at = bits;
	if (bits > size_bits(run)) {
		run->at = size_bits(run);
		run_note_end(run);
	}
}

uint64_t run_read_number(const uint8_t *at, unsigned size, int is_big_endian)
{
	uint64_t number = 0;

	for (unsigned i = 0; i < size; i++)
		number = number << 8 | at[is_big_endian ? i : size - 1 - i];
	return number;
}

uint64_t template_event_word(const struct template_event *event, unsigned number)
{
	unsigned size = run_word_size(event);

	if ((number + 1) * size > event->size || (event->is_generic && number > 1))
		return 0;
	if (size == 8 && number > 0 && !event->is_big_endian &&
	    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
		uint64_t word;

		memcpy(&word, event->bytes + number * 8, sizeof(word));
		return word;
	}
	return run_read_number(event->bytes + number * size, size,
	                       event->is_big_endian || number == 0);
}

/* ---- reading by codes ---- */

const uint8_t *run_take_bytes(struct template_run *run, size_t size)
{
	uint64_t at = (run->at + 7) / 8;

	if (size > run->event->size || at > run->event->size - size) {
		run_note_end(run);
		return NULL;
	}
	run->at = (at + size) * 8;
	return run->event->bytes + at;
}

int run_is_big_endian(const struct template_run *run, const uint8_t *at)
{
	return run->event->is_big_endian || at < run->event->bytes + run_word_size(run->event);
}

/* Take as much text as is left of `size` bytes. */
static const uint8_t *take_text(struct template_run *run, size_t size, size_t *len)
{
	uint64_t at = (run->at + 7) / 8;

	if (at > run->event->size)
		at = run->event->size;
	*len = run->event->size - at < size ? run->event->size - at : size;
	run->ran_out |= *len < size;
	run->at = (at + *len) * 8;
	return run->event->bytes + at;
}

static enum run_end take_bits(struct template_run *run, unsigned count, uint64_t *out)
{
	uint64_t bits = 0;

	if (count > size_bits(run) || run->at > size_bits(run) - count) {
		run_note_end(run);
		return RUN_ENDED;
	}
	for (unsigned i = 0; i < count; i++, run->at++)
		bits = bits << 1 | (run->event->bytes[run->at / 8] >> (7 - run->at % 8) & 1);
	*out = bits;
	return RUN_ON;
}

static int is_whole_number(const struct template_run *run, const struct code *code)
{
	int is_size = code->size == 2 || code->size == 4 || code->size == 8;

	return code->fraction == 0 && is_size && run->at % 8 == 0 &&
	       run->at / 8 >= run_word_size(run->event);
}

static uint64_t extend_sign(uint64_t number, unsigned bytes)
{
	unsigned shift = bytes >= 1 && bytes < 8 ? 64 - 8 * bytes : 0;

	return (uint64_t)((int64_t)(number << shift) >> shift);
}

static uint64_t cut(uint64_t number, unsigned bytes)
{
	return bytes < 8 ? number & (((uint64_t)1 << 8 * bytes) - 1) : number;
}

enum run_end run_code_number(struct template_run *run, const struct code *code, uint64_t *out)
{
	unsigned size = template_code_bytes(code);
	const uint8_t *at;

	if (code->letter == 'B' && !is_whole_number(run, code))
		return take_bits(run, code->size * 8u + code->fraction, out);
	at = run_take_bytes(run, size);
	if (!at)
		return RUN_ENDED;
	*out = run_read_number(at, size, run_is_big_endian(run, at));
	if (code->letter == 'D' || code->letter == 'E' || code->letter == 'T')
		*out = extend_sign(*out, size);
	return RUN_ON;
}

/* ---- macros ---- */

static uint64_t data_length(const struct template_event *event)
{
	size_t word = run_word_size(event);

	return event->is_generic ? event->size - 2 * word : event->size - word;
}

static uint64_t type_of(const struct template_event *event)
{
	uint64_t words = data_length(event) / run_word_size(event);

	if (!event->is_32)
		return TYPE_STAMPED | (event->is_generic ? TYPE_GENERIC : 0);
	if (event->is_generic)
		return 8;
	if (words > 1)
		return 0xe;
	return words == 1 ? 0xa : 9;
}

static uint64_t hook_data(const struct template_event *event)
{
	return event->is_32 && event->is_generic ? data_length(event) & 0xffff : event->subhook;
}

static uint64_t macro_number(struct template_run *run, unsigned macro)
{
	const struct template_event *event = run->event;

	switch ((enum macro)macro) {
	case MACRO_D1:
	case MACRO_D2:
	case MACRO_D3:
	case MACRO_D4:
	case MACRO_D5:
		return template_event_word(event, macro - MACRO_D1 + 1);
	case MACRO_L1:
	case MACRO_L2:
	case MACRO_L3:
	case MACRO_L4:
	case MACRO_L5:
		return template_event_word(event, macro - MACRO_L1 + 1);
	case MACRO_HB:
		return event->is_generic ? data_length(event) : 0;
	case MACRO_HD:
		return hook_data(event);
	case MACRO_HL:
		return data_length(event);
	case MACRO_HT:
		return type_of(event);
	case MACRO_GENERIC:
		return event->is_generic;
	case MACRO_HOOKENV:
		return event->is_32 ? 32 : 64;
	case MACRO_TRACEENV:
		return 64;
	case MACRO_DATAPOINTER:
		return run->at / 8;
	case MACRO_BASEPOINTER:
		return run->base;
	case MACRO_TRACEID:
		return event->hook & 15 ? event->hook : event->hook >> 4;
	case MACRO_TID:
		return event->tid;
	case MACRO_PID:
		return event->pid;
	case MACRO_CPUID:
		return event->cpu;
	case MACRO_LINENO:
		return event->line + run->newlines;
	case MACRO_RELLINENO:
		return run->newlines + 1;
	case MACRO_LOGIDX:
		return event->log_offset + run->at / 8;
	case MACRO_LOGIDX0:
		return event->log_offset;
	case MACRO_EXECPATH:
	case MACRO_LOGFILE:
	case MACRO_SVC:
	case MACRO_IPADDR:
	case MACRO_BUFF:
	case MACRO_ERROR:
	case MACRO_SKIP:
	case MACRO_BREAK:
	case MACRO_STOP:
	case MACRO_DEFAULT:
	case MACROS:
		break;
	}
	return 0;
}

const char *run_macro_text(const struct template_run *run, unsigned macro)
{
	const char *text = macro == MACRO_EXECPATH ? run->event->program : run->event->log_file;

	return text ? text : "";
}

/* ---- numbers and texts of values ---- */

/* The number that a macro's format shows: its low-order bytes. */
static uint64_t formatted(uint64_t number, const struct code *code)
{
	unsigned size = template_code_bytes(code);

	if (code->letter == 'B' && code->size * 8u + code->fraction < 64)
		return number & (((uint64_t)1 << (code->size * 8u + code->fraction)) - 1);
	return code->letter == 'D' || code->letter == 'E' || code->letter == 'T'
	               ? extend_sign(number, size)
	               : cut(number, size);
}

enum run_end run_number(struct template_run *run, const struct value *value, uint64_t *out)
{
	enum run_end end = RUN_ON;

	switch ((enum value_source)value->source) {
	case VALUE_NUMBER:
		*out = value->number;
		break;
	case VALUE_CODE:
		end = run_code_number(run, &value->code, out);
		break;
	case VALUE_MACRO:
		*out = macro_number(run, value->macro);
		break;
	case VALUE_USER:
		*out = value->slot == SLOT_NONE ? 0 : run->slots[value->slot];
		break;
	}
	if (end == RUN_ON && value->has_format)
		*out = formatted(*out, &value->code);
	if (end == RUN_ON && value->has_mask)
		*out &= value->mask;
	return end;
}

/* A macro's low-order bytes as text: by A, so many of them; by S, those behind a length in the
 * first ones. They are in the order in which the machine had them in memory. */
static const uint8_t *word_text(struct template_run *run, const struct value *value, size_t *len)
{
	enum { WORD = sizeof(run->word) };
	struct value number = *value;
	uint64_t word = 0;
	size_t head = 0;

	number.has_format = 0;
	run_number(run, &number, &word);
	for (unsigned i = 0; i < WORD; i++)
		run->word[i] = (uint8_t)(word >>
		                         8 * (run->event->is_big_endian ? WORD - 1 - i : i));
	*len = value->code.size == 0 ? 1 : value->code.size < WORD ? value->code.size : WORD;
	if (value->code.letter == 'S') {
		head = value->code.size;
		*len = run_read_number(run->word, (unsigned)head, run->event->is_big_endian);
		*len = *len < WORD - head ? *len : WORD - head;
	} else if (run->event->is_big_endian) {
		head = WORD - *len;
	}
	return run->word + head;
}

const uint8_t *run_bytes(struct template_run *run, const struct value *value, size_t *len)
{
	const uint8_t *at, *zero;
	const char *text;

	if (value->source == VALUE_MACRO && template_macro_kind(value->macro) == MACRO_KIND_TEXT) {
		text = run_macro_text(run, value->macro);
		*len = strlen(text);
		return (const uint8_t *)text;
	}
	if (value->source != VALUE_CODE) {
		at = word_text(run, value, len);
		zero = memchr(at, '\0', *len);
		*len = zero ? (size_t)(zero - at) : *len;
		return at;
	}
	*len = value->code.size;
	if (value->code.letter == 'S') {
		at = run_take_bytes(run, value->code.size);
		*len = at ? run_read_number(at, value->code.size, run_is_big_endian(run, at)) : 0;
	} else if (value->code.size == 0) {
		*len = 1;
	}
	at = take_text(run, *len, len);
	zero = memchr(at, '\0', *len);
	if (zero)
		*len = (size_t)(zero - at);
	return at;
}

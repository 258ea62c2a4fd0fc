/* run.h: the state of a run, as its modules share it. */
#ifndef XER_TEMPLATE_RUN_H
#define XER_TEMPLATE_RUN_H

#include "template/internal.h"

#include <string.h>

/* What bounds the work on one event, whatever the template says. An item is sixteen steps; a round
 * of a loop, a case, a flag and an operand that are tried are one each. */
enum {
	RUN_TEXT_MAX = 1 << 20,
	RUN_STEPS_MAX = 1 << 24,
	RUN_ITEM_STEPS = 16,
	RUN_CALLS_MAX = 10,
	RUN_STILL_MAX = 65536,
	RUN_TIMERS_MAX = 1 << 16
};

/* How the items of a template went: go on, or what ends the event. */
enum run_end { RUN_ON, RUN_ENDED, RUN_SKIPPED, RUN_STOPPED, RUN_UNKNOWN };

struct run_timer {
	uint64_t key[2];
	uint64_t time_ns;
	int is_used;
};

struct template_run {
	const struct template_set *set;
	struct template_context context;
	/* Of the event. */
	const struct template_event *event;
	uint64_t at;   /* the data pointer, in bits */
	uint64_t base; /* the base pointer, in bytes */
	unsigned steps, calls;
	int ran_out;      /* a code found no data */
	uint8_t word[8];  /* of a macro that is printed as text, in the order of memory */
	const char *note; /* the first one, NULL: none */
	uint64_t note_at; /* data pointer of "end of data", in bytes */
	uint64_t slots[SLOTS_MAX];
	unsigned slots_used; /* slots[slots_used] and all behind are 0 */
	/* Of the text. */
	char *text;
	size_t len, capacity;
	size_t line_start;
	size_t counted, column; /* characters of the line before text[counted], as far as tabs
	                           wanted to know */
	unsigned newlines;
	int has_high_bytes; /* which may not be UTF-8 */
	/* Of the report. */
	struct run_timer *timers; /* a hash table of timer_capacity, a power of two */
	size_t timer_count, timer_capacity;
};

/* ---- text (run_text.c) ---- */

/* Make room for `more` bytes. Returns 0, or -E2BIG, with a note, if the text of the event becomes
 * too long. */
int run_text_grow(struct template_run *run, size_t more);

static inline int run_text_room(struct template_run *run, size_t more)
{
	return run->capacity - run->len >= more ? 0 : run_text_grow(run, more);
}

/* Append text that is fit to be printed. */
static inline void run_put(struct template_run *run, const char *text, size_t len)
{
	if (len == 0 || run_text_room(run, len) < 0)
		return;
	memcpy(run->text + run->len, text, len);
	run->len += len;
}

static inline void run_put_char(struct template_run *run, char c)
{
	if (run_text_room(run, 1) == 0)
		run->text[run->len++] = c;
}

/* Append any bytes up to the first NUL; control characters become dots. */
void run_put_bytes(struct template_run *run, const uint8_t *bytes, size_t len);
void run_put_blanks(struct template_run *run, size_t count);
void run_put_hex(struct template_run *run, uint64_t number, unsigned digits); /* at least so many */
void run_put_unsigned(struct template_run *run, uint64_t number);
void run_put_signed(struct template_run *run, int64_t number);
void run_put_newline(struct template_run *run);
void run_put_tab(struct template_run *run);

/* Take blanks off the end of the current line. */
void run_trim_line(struct template_run *run);

/* Make what is not UTF-8, or a control character in it, dots. */
void run_clean(struct template_run *run);

/* ---- values (run_value.c) ---- */

/* Note something about the event, the first time. */
void run_note(struct template_run *run, const char *note);

/* The number of a value; codes move the data pointer. Returns RUN_ON, or RUN_ENDED if the data are
 * at their end. */
enum run_end run_number(struct template_run *run, const struct value *value, uint64_t *out);

/* The text of a value of KIND_TEXT, as far as it goes: any bytes. Moves the data pointer. */
const uint8_t *run_bytes(struct template_run *run, const struct value *value, size_t *len);

/* What values are made of: the bytes of a word of the entry; a note that the data end; `size` bytes
 * at the data pointer, which goes behind them, or NULL with that note; the order of bytes there; a
 * number of up to 8 bytes; the number that a code reads; the text of a macro. */
static inline unsigned run_word_size(const struct template_event *event)
{
	return event->is_32 ? 4 : 8;
}
void run_note_end(struct template_run *run);
const uint8_t *run_take_bytes(struct template_run *run, size_t size);
int run_is_big_endian(const struct template_run *run, const uint8_t *at);
uint64_t run_read_number(const uint8_t *at, unsigned size, int is_big_endian);
enum run_end run_code_number(struct template_run *run, const struct code *code, uint64_t *out);
const char *run_macro_text(const struct template_run *run, unsigned macro);

/* ---- printing (run_print.c) ---- */

/* Print a value, with its blank; or do what it does. */
enum run_end run_print(struct template_run *run, const struct value *value);

/* Put the data pointer to a byte, or a bit, within the entry. */
void run_move(struct template_run *run, uint64_t bits);

/* ---- timers (run_timer.c) ---- */

void run_timer_start(struct template_run *run, const uint64_t key[2]);
void run_timer_end(struct template_run *run, const uint64_t key[2]);

#endif

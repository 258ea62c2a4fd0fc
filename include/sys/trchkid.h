/* sys/trchkid.h: trace events of a program, with the names of AIX: trchkid(3).
 *
 * No library need be linked: the recorder, if it is loaded, defines the one symbol to which this
 * header refers, weakly. Without it, or while nothing is recorded, a call is a load and a branch. C
 * and C++, any thread, any signal handler.
 *
 * The text of this header may be used in any program, whatever its license.
 * See doc/decisions/46-user-events.md. */
#ifndef XER_SYS_TRCHKID_H
#define XER_SYS_TRCHKID_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Hook words: the hook id in the high 16 bits, three digits and a zero or four digits; a sub-id in
 * the low 16. */
#define HKWD_USER1 0x01000000
#define HKWD_USER2 0x02000000
#define HKWD_USER3 0x03000000
#define HKWD_USER4 0x04000000
#define HKWD_USER5 0x05000000
#define HKWD_USER6 0x06000000
#define HKWD_USER7 0x07000000
#define HKWD_USER8 0x08000000
#define HKWD_USER9 0x09000000
#define HKWD_USERA 0x0A000000
#define HKWD_USERB 0x0B000000
#define HKWD_USERC 0x0C000000
#define HKWD_USERD 0x0D000000
#define HKWD_USERE 0x0E000000
#define HKWD_USERF 0x0F000000

#define TRC_GENERIC_MAX 4096 /* bytes of a generic event that are recorded, the first ones */

/* What the recorder offers. `size` grows when functions are added; no function is ever removed or
 * changed. */
struct xer_trace_table {
	size_t size;
	unsigned on; /* 0: no hook is recorded now; changes at any time */
	unsigned zero;
	void (*words)(unsigned count, unsigned word, unsigned long d1, unsigned long d2,
	              unsigned long d3, unsigned long d4, unsigned long d5);
	void (*wide)(unsigned count, unsigned word, const unsigned long long *data);
	void (*bytes)(int channel, unsigned word, unsigned long d1, size_t len, const void *buf);
	int (*turn)(int channel, int on);
	int (*turn_component)(const char *name, int on);
	int (*is_hook_on)(int channel, unsigned word);
};

/* The recorder's table, or NULL. On x86 through the GOT, which works in programs with fixed
 * addresses too. */
static __inline__ const struct xer_trace_table *xer_trace_find(void)
{
#if defined(__x86_64__)
	const struct xer_trace_table *found;

	/* Each time: a recorder that attaches changes the word. */
	__asm__ __volatile__(".weak xer_trace\n\tmov xer_trace@GOTPCREL(%%rip), %0" : "=r"(found));
	return found;
#elif defined(__i386__) && !defined(__PIC__)
	const struct xer_trace_table *found;

	__asm__(".weak xer_trace\n\tmovl xer_trace@GOT, %0" : "=r"(found));
	return found;
#else
	extern struct xer_trace_table xer_trace __attribute__((__weak__));

	return &xer_trace;
#endif
}

/* The table while something is recorded, else NULL. */
static __inline__ const struct xer_trace_table *xer_trace_now(void)
{
	const struct xer_trace_table *table = xer_trace_find();

	if (__builtin_expect(table != NULL, 0) && *(const volatile unsigned *)&table->on)
		return table;
	return NULL;
}

static __inline__ void xer_trace_words(unsigned count, unsigned long word, unsigned long d1,
                                       unsigned long d2, unsigned long d3, unsigned long d4,
                                       unsigned long d5)
{
	const struct xer_trace_table *table = xer_trace_now();

	if (table)
		table->words(count, (unsigned)word, d1, d2, d3, d4, d5);
}

#define XER_TRACE_WORD(data) ((unsigned long)(data))

/* A hook word and 0 to 5 data words: integers or pointers, of the size of a long. Every event has
 * its time: the forms with and without T are the same. */
#define TRCHKL0(hw) xer_trace_words(0, (hw), 0, 0, 0, 0, 0)
#define TRCHKL1(hw, d1) xer_trace_words(1, (hw), XER_TRACE_WORD(d1), 0, 0, 0, 0)
#define TRCHKL2(hw, d1, d2) \
	xer_trace_words(2, (hw), XER_TRACE_WORD(d1), XER_TRACE_WORD(d2), 0, 0, 0)
#define TRCHKL3(hw, d1, d2, d3) \
	xer_trace_words(3, (hw), XER_TRACE_WORD(d1), XER_TRACE_WORD(d2), XER_TRACE_WORD(d3), 0, 0)
#define TRCHKL4(hw, d1, d2, d3, d4) \
	xer_trace_words(4, (hw), XER_TRACE_WORD(d1), XER_TRACE_WORD(d2), XER_TRACE_WORD(d3), \
	                XER_TRACE_WORD(d4), 0)
#define TRCHKL5(hw, d1, d2, d3, d4, d5) \
	xer_trace_words(5, (hw), XER_TRACE_WORD(d1), XER_TRACE_WORD(d2), XER_TRACE_WORD(d3), \
	                XER_TRACE_WORD(d4), XER_TRACE_WORD(d5))
#define TRCHKL0T(hw) TRCHKL0(hw)
#define TRCHKL1T(hw, d1) TRCHKL1(hw, d1)
#define TRCHKL2T(hw, d1, d2) TRCHKL2(hw, d1, d2)
#define TRCHKL3T(hw, d1, d2, d3) TRCHKL3(hw, d1, d2, d3)
#define TRCHKL4T(hw, d1, d2, d3, d4) TRCHKL4(hw, d1, d2, d3, d4)
#define TRCHKL5T(hw, d1, d2, d3, d4, d5) TRCHKL5(hw, d1, d2, d3, d4, d5)
#define TRCHKG(hw, d1, d2, d3, d4, d5) TRCHKL5(hw, d1, d2, d3, d4, d5)
#define TRCHKGT(hw, d1, d2, d3, d4, d5) TRCHKL5(hw, d1, d2, d3, d4, d5)

/* A hook word, one data word and len bytes, to channel 0 (the system trace) or 1 to 7. */
static __inline__ void trcgen(int channel, unsigned long hw, unsigned long d1, size_t len,
                              const void *buf)
{
	const struct xer_trace_table *table = xer_trace_now();

	if (table)
		table->bytes(channel, (unsigned)hw, d1, len, buf);
}

static __inline__ void trcgent(int channel, unsigned long hw, unsigned long d1, size_t len,
                               const void *buf)
{
	trcgen(channel, hw, d1, len, buf);
}

#define TRCGEN(ch, hw, d1, len, buf) \
	trcgen((ch), (hw), XER_TRACE_WORD(d1), (size_t)(len), (const void *)(buf))
#define TRCGENT(ch, hw, d1, len, buf) TRCGEN(ch, hw, d1, len, buf)

/* The functions behind the macros: five words. */
static __inline__ void trchook(unsigned long hw, unsigned long d1, unsigned long d2,
                               unsigned long d3, unsigned long d4, unsigned long d5)
{
	xer_trace_words(5, hw, d1, d2, d3, d4, d5);
}

static __inline__ void utrchook(unsigned long hw, unsigned long d1, unsigned long d2,
                                unsigned long d3, unsigned long d4, unsigned long d5)
{
	xer_trace_words(5, hw, d1, d2, d3, d4, d5);
}

/* Five words of 64 bits, in 32-bit programs too. The hook word may have 64 bits: its low half
 * counts. */
static __inline__ void trchook64(unsigned long long hw, unsigned long long d1,
                                 unsigned long long d2, unsigned long long d3,
                                 unsigned long long d4, unsigned long long d5)
{
	const struct xer_trace_table *table = xer_trace_now();
	unsigned long long data[5];

	if (!table)
		return;
	data[0] = d1;
	data[1] = d2;
	data[2] = d3;
	data[3] = d4;
	data[4] = d5;
	table->wide(5, (unsigned)hw, data);
}

static __inline__ void utrchook64(unsigned long long hw, unsigned long long d1,
                                  unsigned long long d2, unsigned long long d3,
                                  unsigned long long d4, unsigned long long d5)
{
	trchook64(hw, d1, d2, d3, d4, d5);
}

/* Switch a channel on or off: 0 is the system trace. Returns 0, also where nothing records, or -1:
 * no such channel. */
static __inline__ int trcon(int channel)
{
	const struct xer_trace_table *table = xer_trace_find();

	return table ? table->turn(channel, 1) : 0;
}

static __inline__ int trcoff(int channel)
{
	const struct xer_trace_table *table = xer_trace_find();

	return table ? table->turn(channel, 0) : 0;
}

/* trcstart switches the system trace on and returns its channel, 0, or -1 if nothing is recorded.
 * Its arguments are ignored, since the command line of the recorder says what is traced. trcstop is
 * the same as trcoff. */
static __inline__ int trcstart(const char *arguments)
{
	const struct xer_trace_table *table = xer_trace_find();

	(void)arguments;
	return table ? table->turn(0, 1) : -1;
}

static __inline__ int trcstop(int channel)
{
	return trcoff(channel);
}

/* Switch a component trace of xcollect --component on or off, by its name. Returns 0, or -1: there
 * is none such. */
static __inline__ int trccomponent(const char *name, int on)
{
	const struct xer_trace_table *table = xer_trace_find();

	return table ? table->turn_component(name, on) : -1;
}

/* 1 if an event of this hook word would be recorded now, else 0: saves computing arguments in
 * vain. */
static __inline__ int trc_ishookon(int channel, unsigned long hw)
{
	const struct xer_trace_table *table = xer_trace_now();

	return table ? table->is_hook_on(channel, (unsigned)hw) : 0;
}

#ifdef __cplusplus
}
#endif
#endif

/* functrace_limits.c: limits of function tracing. See functrace_limits.h. Compiled for general
 * registers alone: patched sleds call it without saving others.
 * See doc/decisions/27-traced-functions.md. */
#include "libcollector/calls/functrace_limits.h"

#include "libcollector/calls/functrace_record.h"
#include "libcollector/thread/thread.h"

enum { CALLS = 1000 };

struct limits_call {
	uint64_t sp, site;
	uint32_t function;
};

static uint64_t depth_max, min_ticks;
static int has_clock;

int limits_start(int has_ticks)
{
	const struct descriptor *wanted = &col.descriptor;

	has_clock = has_ticks;
	depth_max = wanted->functrace_depth < CALLS ? wanted->functrace_depth : CALLS;
	min_ticks = col_ticks_of(wanted->functrace_min_ns);
	return depth_max != 0 || min_ticks != 0;
}

void limits_prepare(struct functrace_nesting *nesting)
{
	if (depth_max && !nesting->calls)
		nesting->calls = sys_mmap_anonymous(CALLS * sizeof(*nesting->calls));
}

static enum fdr_action action_of(uint64_t word)
{
	return (enum fdr_action)(word >> 1 & 7);
}

static uint32_t function_of(uint64_t word)
{
	return (uint32_t)word >> 4;
}

static int is_entry(uint64_t word)
{
	return action_of(word) == FDR_ENTER || action_of(word) == FDR_ENTER_ARG;
}

/* ---- depth ---- */

/* A call with the same stack pointer is an outer one into which this one was inlined, unless it is
 * the same call again, or such calls cannot be told apart (site 0). */
static void drop_left(struct functrace_nesting *nesting, uint64_t sp, uint64_t site,
                      uint32_t function)
{
	uint32_t count = nesting->count;

	while (count && nesting->calls[count - 1].sp < sp + (site == 0))
		count--;
	for (uint32_t i = count; i > 0 && nesting->calls[i - 1].sp == sp; i--)
		if (nesting->calls[i - 1].site == site &&
		    nesting->calls[i - 1].function == function)
			count = i - 1;
	if (count < nesting->count)
		nesting->over = 0;
	nesting->count = count;
}

/* Both return the number of calls around this one. */
static uint32_t open_call(struct functrace_nesting *nesting, uint64_t sp, uint64_t site,
                          uint32_t function)
{
	drop_left(nesting, sp, site, function);
	if (nesting->count == CALLS) {
		nesting->over++;
		return CALLS;
	}
	nesting->calls[nesting->count] = (struct limits_call){sp, site, function};
	return nesting->count++;
}

static uint32_t close_call(struct functrace_nesting *nesting, uint32_t function)
{
	uint32_t at = nesting->count;

	if (nesting->over) {
		nesting->over--;
		return CALLS;
	}
	while (at && nesting->calls[at - 1].function != function)
		at--;
	if (at == 0)
		return CALLS;
	nesting->count = at - 1;
	return at - 1;
}

/* In a handler that has interrupted this function itself, and without memory, everything is
 * recorded. */
static int is_admitted(struct functrace_nesting *nesting, uint64_t word, uint64_t sp, uint64_t site)
{
	uint32_t outer;

	if (nesting->is_busy || !nesting->calls)
		return 1;
	nesting->is_busy = 1;
	atomic_signal_fence(memory_order_seq_cst);
	outer = is_entry(word) ? open_call(nesting, sp, site, function_of(word))
	                       : close_call(nesting, function_of(word));
	atomic_signal_fence(memory_order_seq_cst);
	nesting->is_busy = 0;
	return outer < depth_max;
}

/* ---- short calls ---- */

int limits_erase(struct functrace_writer *writer, uint64_t word, uint64_t ticks)
{
	uint64_t *at = writer->at, *entry = at - 1;

	if (min_ticks == 0 || is_entry(word) || !writer->floor || at <= writer->floor ||
	    ticks - writer->last >= min_ticks)
		return 0;
	if ((*entry | 0xff) == UINT64_MAX)
		entry -= 2; /* it has an argument */
	if (entry < writer->floor || (*entry & 1) || !is_entry(*entry) ||
	    function_of(*entry) != function_of(word))
		return 0;
	writer->last -= *entry >> 32;
	__atomic_store_n(entry, FDR_END_OF_BUFFER, __ATOMIC_RELEASE);
	for (uint64_t *rest = entry + 1; rest <= at; rest++)
		__atomic_store_n(rest, 0, __ATOMIC_RELEASE);
	writer->at = entry;
	writer->erased++;
	return 1;
}

/* Like functrace_record, except for calls that are erased. The writer is busy. Returns 0 if more
 * than that is needed. */
static int write_short(struct functrace_writer *writer, uint64_t word)
{
	uint64_t ticks, delta;
	uint32_t cpu;

	if (!has_clock || action_of(word) == FDR_ENTER_ARG)
		return 0;
	ticks = arch_ticks_cpu(&cpu);
	delta = ticks - writer->last;
	if (writer->at >= writer->end || cpu != writer->cpu || delta > FUNCTRACE_DELTA_MAX)
		return 0;
	if (limits_erase(writer, word, ticks))
		return 1;
	writer->at[1] = FDR_END_OF_BUFFER;
	__atomic_store_n(writer->at, delta << 32 | word, __ATOMIC_RELEASE);
	writer->last = ticks;
	writer->at++;
	return 1;
}

enum limits_next limits_record(uint64_t word, uint64_t sp, uint64_t site)
{
	struct functrace_writer *writer = functrace_self;
	int is_done;

	if (!writer)
		return LIMITS_PREPARE;
	if (depth_max && !is_admitted(&writer->thread->functrace.nesting, word, sp, site))
		return LIMITS_DONE;
	if (writer->busy)
		return LIMITS_WRITE;
	writer->busy = 1;
	atomic_signal_fence(memory_order_seq_cst);
	is_done = write_short(writer, word);
	atomic_signal_fence(memory_order_seq_cst);
	writer->busy = 0;
	return is_done ? LIMITS_DONE : LIMITS_WRITE;
}

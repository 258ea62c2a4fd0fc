/* functrace_record.h: the way of a function record into the file. See functrace.h.
 * See doc/decisions/25-function-tracing.md. */
#ifndef XER_COLLECTOR_FUNCTRACE_RECORD_H
#define XER_COLLECTOR_FUNCTRACE_RECORD_H

#include "libcollector/calls/functrace.h"

enum { FUNCTRACE_DELTA_MAX = INT32_MAX /* as LLVM's runtime has it */ };

/* What col.switches->on[SOURCE_FUNCTRACE] says. */
enum functrace_mode { FUNCTRACE_OFF, FUNCTRACE_ALL, FUNCTRACE_LIMITED };

static inline int functrace_mode(void)
{
	return (int)col_on(SOURCE_FUNCTRACE);
}

/* Record an entry or exit; word: see functrace_slow. */
static inline __attribute__((always_inline)) void functrace_record(uint64_t word)
{
	struct functrace_writer *writer = functrace_self;
	uint64_t ticks, delta;
	uint64_t *at;
	uint32_t cpu;

	if (unlikely(!writer || writer->busy)) {
		functrace_interrupted(word);
		return;
	}
	writer->busy = 1;
	atomic_signal_fence(memory_order_seq_cst);
	at = writer->at;
	ticks = arch_ticks_cpu(&cpu);
	delta = ticks - writer->last;
	if (unlikely(at >= writer->end || cpu != writer->cpu || delta > FUNCTRACE_DELTA_MAX)) {
		functrace_slow(writer, word);
		return;
	}
	at[1] = FDR_END_OF_BUFFER;
	__atomic_store_n(at, delta << 32 | word, __ATOMIC_RELEASE);
	writer->last = ticks;
	writer->at = at + 1;
	atomic_signal_fence(memory_order_seq_cst);
	writer->busy = 0;
}

#endif

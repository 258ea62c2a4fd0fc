/* functrace.h: entries and exits of functions, as 8-byte FDR function records.
 *
 * A record is written by a few instructions (functrace_record.h). Their order keeps the file valid
 * at every instant: the next EndOfBuffer is written before the record replaces the old one.
 *
 * A signal may interrupt them anywhere, the handler may call traced functions, and it may never
 * return. So a *writer* is marked `busy` while it writes. Code that finds its writer busy takes
 * another one, with an extent of its own, and the thread goes on with that. The interrupted writer
 * completes its record in its own words, and is free again. So the buffers of a thread are in order
 * of their beginnings, but its extents do not follow one another. */
#ifndef XER_COLLECTOR_FUNCTRACE_H
#define XER_COLLECTOR_FUNCTRACE_H

#include "libcollector/thread/thread.h"

/* The writer that the calling thread uses; NULL before its first record. */
extern __thread struct functrace_writer *functrace_self
	__attribute__((visibility("hidden"), tls_model("initial-exec")));

/* Prepare, if calls are to be recorded, now or later: patch the program. Normal context. Without
 * memory, the stream stops. */
void functrace_open(void);

/* Begin to record calls, or resume. Signal-safe. */
void functrace_start(void);

/* Forget an earlier recording of this process: the next functrace_open and functrace_start act as
 * the first ones. */
void functrace_restart(void);

/* The recording is over, but the process goes on: restore the code of the program. */
void functrace_end(void);

/* Load objects were unloaded. Signal-safe. */
void functrace_unload(void);

/* Count the calls that were erased because they were short, and look whether others have patched
 * the code since. */
void functrace_count(void);

/* A state has a new thread, which has not run yet; the calling thread gives up its state. */
void functrace_thread_begin(struct col_thread *thread);
void functrace_thread_end(void);

/* Around a fork in the calling thread: does it interrupt a record, which the child will complete?
 * Then its memory must exist in the child (advice: MADV_DOFORK, afterwards MADV_DONTFORK), where it
 * is detached from the file. */
int functrace_is_interrupted(void);
void functrace_keep_memory(struct col_thread *self, int advice);
void functrace_cut_off(void);

/* In a forked child: the calling thread has no writer. */
void functrace_forget(void);

/* Write `word`, an fdr_function_word without its delta, if functrace_record could not: with the
 * writer that it has marked busy, or with another one. */
void functrace_slow(struct functrace_writer *writer, uint64_t word);
void functrace_interrupted(uint64_t word) __attribute__((visibility("hidden")));

/* The same for an entry with an argument. */
void functrace_argument(uint64_t word, uint64_t value) __attribute__((visibility("hidden")));

/* An event of the program. form: enum fmt_traced_form; type: its low 16 bits, if it is typed. */
struct functrace_event {
	uint64_t form, type;
	const uint8_t *data;
	uint64_t size;
};

/* Write an event. Its bytes are read before signals are blocked: if reading them faults and the
 * program has a handler for that, it runs. */
void functrace_event(const struct functrace_event *event) __attribute__((visibility("hidden")));

#endif

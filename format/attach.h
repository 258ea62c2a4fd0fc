/* attach.h: what xer_attach calls in the libcollector.so that it has loaded into a running process.
 */
#ifndef XER_FORMAT_ATTACH_H
#define XER_FORMAT_ATTACH_H

#include <stdint.h>

/* The system call that a thread is in, as the kernel tells it: of the thread that makes the calls
 * below, which was taken out of it and will go back. */
struct attach_call {
	int64_t number; /* negative: it is in none */
	uint64_t argument[6];
	uint64_t sp, pc; /* pc: behind the call */
	uint64_t fp;     /* the frame pointer */
};

/* The name of the program that calls it, as the kernel tells it. */
#define ATTACH_HELPER "xer_attach"

/* int collector_attach(const char *descriptor, const struct attach_call *call): begin to record as
 * the text says (descriptor.h). call: see above; NULL: it is not known.
 * Returns 0, -EBUSY (it is recording), -EAGAIN (a thread is still in the recording before), -EPROTO
 * or -EINVAL (the descriptor), or the -errno of what could not be opened. */
#define ATTACH_ENTRY "collector_attach"

/* int collector_detach(const char *unused, const struct attach_call *call): end the recording.
 * Returns 0, or -ENOENT if there is none. */
#define ATTACH_EXIT "collector_detach"

/* The signal of the recorder's timers: a real-time signal that programs hardly use. */
#define ATTACH_TICK_SIGNAL (__SIGRTMAX - 3)

#endif

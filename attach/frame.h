/* frame.h: the way back of a thread that was sent elsewhere, as a signal frame.
 *
 * A signal frame holds all registers, the vector state and the signal mask; rt_sigreturn(2)
 * restores them. Wherever the target is made to execute something, such a frame lies at the end of
 * it, so that the thread goes on unharmed even if this program is killed at that moment. In the
 * ordinary case the frame is not used: only ptrace(2) can make the kernel restart a system call
 * that was interrupted in a sleep with a timeout. Layout: arch/x86/include/uapi/asm/sigcontext.h
 * and asm/ucontext.h of Linux. */
#ifndef XER_ATTACH_FRAME_H
#define XER_ATTACH_FRAME_H

#include "attach/thread.h"

/* The most bytes that a frame takes, with its alignment. */
enum { FRAME_MAX = THREAD_XSTATE_MAX + 1024 };

/* Build the frame that restores `state` into bytes[FRAME_MAX], for being written to `address`, a
 * multiple of 64. With the stack pointer there, rt_sigreturn restores. Returns its size. An
 * interrupted system call is begun again. */
size_t frame_build(const struct thread_state *state, uint64_t address, unsigned char *bytes);

#endif

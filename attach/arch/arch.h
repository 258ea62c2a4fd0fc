/* arch.h: all that xer_attach knows of the processor.
 *
 * A new processor brings a header beside this one (x86_64.h) with
 *   struct arch_registers   the general registers of a thread, as ptrace(2) gives them
 *   ARCH_VECTOR_MAX         bytes: room for its vector registers
 *   ARCH_FRAME_MAX          bytes: room for a signal frame with these, and its alignment
 *   ARCH_FRAME_ALIGN        what a frame's address is a multiple of, a power of 2
 *   ARCH_RED_ZONE           bytes below the stack pointer that functions use
 *   ARCH_RETURN_BYTES       bytes of stack that a return address takes; 0: it is in a register
 * and a folder (x86_64/) with the functions and bytes of code below. They are called by one thread,
 * never by a signal handler, and return 0 or -errno where nothing else is said: -ESRCH, the thread
 * has gone or is not stopped. Nothing else in this folder names a register or an instruction. */
#ifndef XER_ATTACH_ARCH_H
#define XER_ATTACH_ARCH_H

#if defined(__x86_64__)
#include "attach/arch/x86_64.h"
#else
#error "xer_attach knows x86-64 alone"
#endif

#include "format/attach.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* All that is changed in a thread, as it was. */
struct arch_state {
	struct arch_registers registers;
	uint64_t call; /* number of the system call that it is in */
	uint64_t mask; /* of blocked signals */
	size_t vector_size;
	unsigned char vector[ARCH_VECTOR_MAX];
};

/* ---- registers of a stopped thread ---- */

int arch_registers_get(pid_t tid, struct arch_registers *out);
int arch_registers_set(pid_t tid, const struct arch_registers *registers);

/* Vector registers, in the kernel's own form. get: vector[*size], with *size bytes of room before;
 * -E2BIG: there may be more than that. */
int arch_vector_get(pid_t tid, unsigned char *vector, size_t *size);
int arch_vector_set(pid_t tid, const unsigned char *vector, size_t size);

uint64_t arch_pc(const struct arch_registers *registers);
uint64_t arch_sp(const struct arch_registers *registers);

/* The system call that the thread is in, -1: in none. One that the kernel has begun again may be
 * SYS_restart_syscall. */
int64_t arch_call(const struct arch_registers *registers);

/* The system call that the stopped thread was taken out of, and will be again when it goes on. */
void arch_interrupted_call(const struct arch_registers *registers, struct attach_call *call);

/* What a function or a system call has returned. */
uint64_t arch_result(const struct arch_registers *registers);

/* Stop the thread when it is about to execute `address`, by the processor's own means, with
 * TRAP_HWBKPT; 0: not any more. */
int arch_breakpoint_set(pid_t tid, uint64_t address);

/* ---- reading the target's code (memory.h) ---- */

/* The number of the system call that the instructions right before `pc` make; -1: they make none,
 * or do not tell. */
int64_t arch_call_before(uint64_t pc);

/* The function that the call before return address `pc` has entered, through a stub of the
 * procedure linkage table if it leads there; 0: the call does not tell. The function may have
 * jumped on, so its own frame need not be on the stack. */
uint64_t arch_called_before(uint64_t pc);

/* ---- bytes of code ---- */

struct arch_code {
	const unsigned char *bytes; /* [size] */
	size_t size;
};

/* Looked for in the C library: a system call and a return behind it; the code that its signal
 * handlers return to, which calls rt_sigreturn. */
extern const struct arch_code arch_code_call, arch_code_signal_return;

/* Put into the target: calls a function, notes its result in the control block, sets `done`, waits
 * there by ppoll for control.wait, which leaves no state in the kernel, and goes back by
 * rt_sigreturn with the frame at control.frame. It must fit into a page, and run at any address. */
extern const struct arch_code arch_code_stub;

struct arch_control {
	uint64_t done;
	uint64_t result;
	struct timespec wait;
	uint64_t frame;
};

/* ---- sending a thread elsewhere ---- Registers that are not named keep their values. The thread
 * is in no system call then, so that the kernel restarts none, and has no flags set that change
 * what instructions do. */

/* To arch_code_call at `code`, for the call `number` with four arguments (a fifth is -1, a sixth
 * 0). It returns to `return_at` with the stack pointer at `frame`; if ARCH_RETURN_BYTES is not 0,
 * the caller has written the address there, below the frame. */
struct arch_call {
	uint64_t code, return_at, frame;
	long number;
	uint64_t argument[4];
};
void arch_enter_call(struct arch_registers *registers, const struct arch_call *call);

/* To arch_code_stub at `code`, for function(first, second), on the stack that ends at `stack`, with
 * the control block at `control`. */
struct arch_start {
	uint64_t code, function, first, second, control, stack;
};
void arch_enter_function(struct arch_registers *registers, const struct arch_start *start);

/* Give vector registers in the kernel's form the modes of rounding and exceptions that functions
 * expect. */
void arch_vector_calm(unsigned char *vector);

/* How a thread that was sent elsewhere returns: a signal frame.
 *
 * A signal frame holds all registers, the vector state and the signal mask; rt_sigreturn(2)
 * restores them. Wherever the target executes something for us, such a frame is at the end of it,
 * so that the thread goes on unharmed even if this program is killed at that moment. Normally the
 * frame is not used: only ptrace(2) can make the kernel restart a system call that was interrupted
 * in a sleep with a timeout.
 *
 * Build the frame that restores `state` into bytes[ARCH_FRAME_MAX], to be written to `address`, a
 * multiple of ARCH_FRAME_ALIGN. With the stack pointer there, rt_sigreturn restores the state.
 * Returns its size. An interrupted system call is restarted. */
size_t arch_frame_build(const struct arch_state *state, uint64_t address, unsigned char *bytes);

#endif

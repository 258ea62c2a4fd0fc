/* registers.c: registers of x86-64 by ptrace(2), and where they lead a thread. See arch.h. */
#include "attach/arch/arch.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

enum {
	DIRECTION_AND_TRAP = 0x500, /* eflags */
	MXCSR_AT = 24,
	MXCSR_DEFAULT = 0x1f80
};

static int trace(enum __ptrace_request request, pid_t tid, uint64_t address, const void *data)
{
	return ptrace(request, tid, (void *)address, (void *)(uintptr_t)data) < 0 ? -errno : 0;
}

int arch_registers_get(pid_t tid, struct arch_registers *out)
{
	return trace(PTRACE_GETREGS, tid, 0, &out->user);
}

int arch_registers_set(pid_t tid, const struct arch_registers *registers)
{
	return trace(PTRACE_SETREGS, tid, 0, &registers->user);
}

int arch_vector_get(pid_t tid, unsigned char *vector, size_t *size)
{
	struct iovec room = {vector, *size};
	int error = trace(PTRACE_GETREGSET, tid, NT_X86_XSTATE, &room);

	if (error == 0 && room.iov_len == *size)
		return -E2BIG;
	*size = room.iov_len;
	return error;
}

int arch_vector_set(pid_t tid, const unsigned char *vector, size_t size)
{
	struct iovec from = {(void *)(uintptr_t)vector, size};

	return trace(PTRACE_SETREGSET, tid, NT_X86_XSTATE, &from);
}

uint64_t arch_pc(const struct arch_registers *registers)
{
	return registers->user.rip;
}

uint64_t arch_sp(const struct arch_registers *registers)
{
	return registers->user.rsp;
}

int64_t arch_call(const struct arch_registers *registers)
{
	return (int64_t)registers->user.orig_rax;
}

/* The kernel marks a call that is to go on by its result, which no program ever sees
 * (include/linux/errno.h: ERESTARTSYS to ERESTART_RESTARTBLOCK). */
void arch_interrupted_call(const struct arch_registers *registers, struct attach_call *call)
{
	enum { FIRST = -516, LAST = -512 };
	const struct user_regs_struct *user = &registers->user;
	int64_t result = (int64_t)user->rax;

	*call = (struct attach_call){
		.number = result >= FIRST && result <= LAST ? (int64_t)user->orig_rax : -1,
		.argument = {user->rdi, user->rsi, user->rdx, user->r10, user->r8, user->r9},
		.sp = user->rsp,
		.pc = user->rip,
		.fp = user->rbp};
}

uint64_t arch_result(const struct arch_registers *registers)
{
	return registers->user.rax;
}

/* ---- breakpoints: the first debug register, switched on in the control register */

static int debug_set(pid_t tid, int index, uint64_t value)
{
	return trace(PTRACE_POKEUSER, tid,
	             offsetof(struct user, u_debugreg) + (size_t)index * sizeof(uint64_t),
	             (void *)value);
}

int arch_breakpoint_set(pid_t tid, uint64_t address)
{
	enum { CONTROL = 7, LOCAL_EXECUTE_0 = 1 };
	int error;

	if (address == 0) {
		error = debug_set(tid, CONTROL, 0);
		return debug_set(tid, 0, 0) < 0 ? -ESRCH : error;
	}
	error = debug_set(tid, 0, address);
	return error < 0 ? error : debug_set(tid, CONTROL, LOCAL_EXECUTE_0);
}

/* ---- sending a thread elsewhere */

static void leave_call(struct user_regs_struct *user)
{
	user->orig_rax = (unsigned long long)-1;
	user->eflags &= ~(unsigned long long)DIRECTION_AND_TRAP;
}

void arch_enter_call(struct arch_registers *registers, const struct arch_call *call)
{
	struct user_regs_struct *user = &registers->user;

	leave_call(user);
	user->rax = (unsigned long long)call->number;
	user->rdi = call->argument[0];
	user->rsi = call->argument[1];
	user->rdx = call->argument[2];
	user->r10 = call->argument[3];
	user->r8 = (unsigned long long)-1;
	user->r9 = 0;
	user->rip = call->code;
	user->rsp = call->frame - ARCH_RETURN_BYTES;
}

void arch_enter_function(struct arch_registers *registers, const struct arch_start *start)
{
	struct user_regs_struct *user = &registers->user;

	leave_call(user);
	user->rip = start->code;
	user->rax = start->function;
	user->rdi = start->first;
	user->rsi = start->second;
	user->rbx = start->control;
	user->rbp = 0;
	user->rsp = start->stack;
}

void arch_vector_calm(unsigned char *vector)
{
	const uint32_t mxcsr = MXCSR_DEFAULT;

	memcpy(vector + MXCSR_AT, &mxcsr, sizeof(mxcsr));
}

/* stepper.c: runs a program, and interrupts a part of it by SIGUSR1 at every single
 * instruction.
 *
 *     stepper PROGRAM [ARGUMENT...]
 *
 * The program says by `int3` where it is, with a number in eax: 1 at the beginning of the part, 2
 * at the end of its handler of SIGUSR1, 3 at the end of the part. Other signals are passed on;
 * while SIGUSR1 is blocked, nothing is interrupted. Exits as the program does; prints to stderr how
 * many instructions there were. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BEGIN = 1, HANDLED = 2, END = 3, STEPS_MAX = 200000 };

/* The number in eax if an int3 has just been executed, 0 if it was something else. */
static int mark_at(pid_t pid, const struct user_regs_struct *registers)
{
	siginfo_t info;

	return ptrace(PTRACE_GETSIGINFO, pid, NULL, &info) == 0 && info.si_code == SI_KERNEL
	               ? (int)(registers->rax & 0xff)
	               : 0;
}

static int is_at_sigreturn(pid_t pid, const struct user_regs_struct *registers)
{
	return (ptrace(PTRACE_PEEKTEXT, pid, (void *)registers->rip, NULL) & 0xffff) == 0x050f &&
	       registers->rax == SYS_rt_sigreturn;
}

static int is_blocked(pid_t pid)
{
	uint64_t mask = 0;

	ptrace(PTRACE_GETSIGMASK, pid, (void *)sizeof(mask), &mask);
	return mask >> (SIGUSR1 - 1) & 1;
}

int main(int argc, char **argv)
{
	enum { OUTSIDE, STEPPING, HANDLING, RETURNING } state = OUTSIDE;
	int status = 0, is_back = 0;
	long steps = 0;
	pid_t pid = argc > 1 ? fork() : -1;

	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execvp(argv[1], argv + 1);
		_exit(126);
	}
	while (pid > 0 && waitpid(pid, &status, 0) == pid && WIFSTOPPED(status) &&
	       steps < STEPS_MAX) {
		int signal = WSTOPSIG(status), pass = signal == SIGTRAP ? 0 : signal, mark;
		struct user_regs_struct registers;

		ptrace(PTRACE_GETREGS, pid, NULL, &registers);
		mark = signal == SIGTRAP ? mark_at(pid, &registers) : 0;
		if (mark == BEGIN || mark == END) {
			state = mark == BEGIN ? STEPPING : OUTSIDE;
		} else if (mark == HANDLED) {
			state = RETURNING;
		} else if (signal == SIGTRAP && state == RETURNING) {
			if (is_back)
				state = STEPPING; /* after the instruction that was interrupted */
			is_back = is_at_sigreturn(pid, &registers);
		} else if (signal == SIGTRAP && state == STEPPING && !is_blocked(pid)) {
			pass = SIGUSR1;
			state = HANDLING;
			steps++;
		}
		ptrace(state == STEPPING || state == RETURNING ? PTRACE_SINGLESTEP : PTRACE_CONT,
		       pid, NULL, (void *)(long)pass);
	}
	fprintf(stderr, "%ld instructions\n", steps);
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

/* A program with a filter of system calls, as sandboxes install them.
 *
 * usage: forbids CALL HOW [PROGRAM ARGUMENT...]
 *
 * CALL is a name of the table below. HOW: kill (the process), thread, trap (SIGSYS), or refuse
 * (EPERM). Then it executes the program; without one it prints "end" and exits with 3. Exit status
 * 125: filters cannot be installed here. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
	const char *name;
	unsigned number;
} calls[] = {{"clone", SYS_clone}, {"wait4", SYS_wait4}, {"execve", SYS_execve},
             {"dup3", SYS_dup3},   {"setns", SYS_setns}, {"ptrace", SYS_ptrace},
             {"msync", SYS_msync}, {"mount", SYS_mount}, {"close_range", SYS_close_range}},
  ways[] = {{"kill", SECCOMP_RET_KILL_PROCESS},
            {"thread", SECCOMP_RET_KILL_THREAD},
            {"trap", SECCOMP_RET_TRAP},
            {"refuse", SECCOMP_RET_ERRNO | 1}};

int main(int argc, char **argv)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ~0u, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

	for (size_t i = 0; argc > 2 && i < sizeof(calls) / sizeof(calls[0]); i++)
		if (strcmp(calls[i].name, argv[1]) == 0)
			filter[1].k = calls[i].number;
	for (size_t i = 0; argc > 2 && i < sizeof(ways) / sizeof(ways[0]); i++)
		if (strcmp(ways[i].name, argv[2]) == 0)
			filter[2].k = ways[i].number;
	if (filter[1].k == ~0u || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		return 125;
	if (argc > 3) {
		execvp(argv[3], argv + 3);
		return 126;
	}
	puts("end");
	return 3;
}

/* Executes a program for which some system calls fail, as they do for its descendants: a seccomp
 * filter, as containers have.
 *
 * usage: refuse CALL[,CALL] ERRNO PROGRAM ARGUMENT...
 *
 * CALL is perf (perf_event_open) or ptrace. ERRNO "kill" ends who makes the call. Exit status 125:
 * filters cannot be installed here. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* For a call that is not refused: a number that no system call has. */
#define NONE 0x3fffffff

int main(int argc, char **argv)
{
	const char *calls = argc > 3 ? argv[1] : "";
	unsigned error = argc > 3 ? (unsigned)atoi(argv[2]) : 0;
	int kills = argc > 3 && strcmp(argv[2], "kill") == 0;
	unsigned perf = strstr(calls, "perf") ? SYS_perf_event_open : NONE;
	unsigned ptrace = strstr(calls, "ptrace") ? SYS_ptrace : NONE;
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, perf, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ptrace, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, kills ? SECCOMP_RET_KILL_PROCESS
	                                        : SECCOMP_RET_ERRNO | (error & SECCOMP_RET_DATA)),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

	if (argc < 4 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		return 125;
	execvp(argv[3], argv + 3);
	return 126;
}

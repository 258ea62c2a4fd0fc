/* Filters of system calls, as programs write them: which of them the recorder survives. */
#include "libcollector/process/seccomp.h"

#include <criterion/criterion.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/syscall.h>

#define NUMBER BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, action)
#define JUDGE(...) \
	({ \
		const struct sock_filter filter_[] = {__VA_ARGS__}; \
		seccomp_judge(filter_, sizeof(filter_) / sizeof(filter_[0])); \
	})

Test(filter, all_or_nothing)
{
	cr_expect_eq(JUDGE(RETURN(SECCOMP_RET_ALLOW)), SECCOMP_HARMLESS);
	cr_expect_eq(JUDGE(RETURN(SECCOMP_RET_ERRNO | 1)), SECCOMP_HARMLESS);
	cr_expect_eq(JUDGE(RETURN(SECCOMP_RET_KILL_PROCESS)), SECCOMP_HARMFUL);
	cr_expect_eq(JUDGE(RETURN(SECCOMP_RET_KILL_THREAD)), SECCOMP_HARMFUL);
	cr_expect_eq(JUDGE(RETURN(SECCOMP_RET_TRAP)), SECCOMP_HARMFUL);
	cr_expect_eq(JUDGE(RETURN(SECCOMP_RET_USER_NOTIF)), SECCOMP_HARMFUL);
}

Test(filter, one_call_is_killed)
{
	cr_expect_eq(JUDGE(NUMBER, BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
	                   RETURN(SECCOMP_RET_KILL), RETURN(SECCOMP_RET_ALLOW)),
	             SECCOMP_HARMFUL);
	cr_expect_eq(JUDGE(NUMBER, BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1),
	                   RETURN(SECCOMP_RET_KILL), RETURN(SECCOMP_RET_ALLOW)),
	             SECCOMP_HARMLESS);
}

Test(filter, architecture_is_checked_by_all_who_know)
{
	cr_expect_eq(JUDGE(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
	                   BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
	                   RETURN(SECCOMP_RET_KILL), RETURN(SECCOMP_RET_ALLOW)),
	             SECCOMP_HARMLESS);
}

Test(filter, jumps_memory_and_arithmetic)
{
	/* number >= 1 << 10 is killed: there is none of ours. The number goes by memory and the
	 * index register. */
	cr_expect_eq(JUDGE(NUMBER, BPF_STMT(BPF_ST, 3), BPF_STMT(BPF_LD | BPF_IMM, 1),
	                   BPF_STMT(BPF_ALU | BPF_LSH | BPF_K, 10), BPF_STMT(BPF_MISC | BPF_TAX, 0),
	                   BPF_STMT(BPF_LD | BPF_MEM, 3),
	                   BPF_JUMP(BPF_JMP | BPF_JGE | BPF_X, 0, 1, 0),
	                   BPF_STMT(BPF_JMP | BPF_JA, 1), RETURN(SECCOMP_RET_KILL),
	                   RETURN(SECCOMP_RET_ALLOW)),
	             SECCOMP_HARMLESS);
}

Test(filter, what_the_kernel_refuses_ends)
{
	cr_expect_eq(JUDGE(BPF_STMT(BPF_JMP | BPF_JA, ~0u)), SECCOMP_HARMLESS);
	cr_expect_eq(JUDGE(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ~0u),
	                   BPF_STMT(BPF_ALU | BPF_DIV | BPF_K, 0)),
	             SECCOMP_HARMLESS);
	cr_expect_eq(JUDGE(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 255, 255)), SECCOMP_HARMLESS);
	cr_expect_eq(JUDGE(BPF_STMT(BPF_LD | BPF_MEM, ~0u), BPF_STMT(BPF_STX, ~0u)),
	             SECCOMP_HARMLESS);
}

/* System call filters, as programs write them: which ones the recorder survives. */
#include "libcollector/process/seccomp.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"
#include "libcollector/base/host.h"

#include <criterion/criterion.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
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
	cr_expect_eq(JUDGE(NUMBER, BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_msync, 0, 1),
	                   RETURN(SECCOMP_RET_KILL), RETURN(SECCOMP_RET_ALLOW)),
	             SECCOMP_HARMFUL);
	cr_expect_eq(JUDGE(NUMBER, BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1),
	                   RETURN(SECCOMP_RET_KILL), RETURN(SECCOMP_RET_ALLOW)),
	             SECCOMP_HARMLESS);
}

/* Timers take their place. */
Test(filter, perf_events_are_killed)
{
	static const int killed[] = {SYS_perf_event_open, SYS_ioctl, SYS_rt_sigtimedwait};

	for (int i = 0; i < 3; i++)
		cr_expect_eq(JUDGE(NUMBER,
		                   BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)killed[i], 0, 1),
		                   RETURN(SECCOMP_RET_KILL), RETURN(SECCOMP_RET_ALLOW)),
		             SECCOMP_SLOWS_CLOCK);
	cr_expect_eq(JUDGE(NUMBER, BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
	                   RETURN(SECCOMP_RET_ERRNO | 1), RETURN(SECCOMP_RET_ALLOW)),
	             SECCOMP_HARMLESS);
}

/* What is done where no descriptor is free is not done then; the rest goes on. */
Test(filter, threads_are_killed)
{
	static const struct {
		uint32_t number, action;
		int is_allowed;
	} rows[] = {{SYS_clone, SECCOMP_RET_KILL, 0},
	            {SYS_exit, SECCOMP_RET_TRAP, 0},
	            {SYS_clone, SECCOMP_RET_ERRNO, 1},
	            {SYS_clone3, SECCOMP_RET_KILL, 1},
	            {SYS_unlinkat, SECCOMP_RET_KILL, 0}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct sock_filter filter[] = {
			NUMBER, BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, rows[i].number, 0, 1),
			RETURN(rows[i].action), RETURN(SECCOMP_RET_ALLOW)};

		cr_expect_eq(seccomp_allows_aside(filter, 4), rows[i].is_allowed, "row %zu", i);
		cr_expect_eq(seccomp_judge(filter, 4), SECCOMP_HARMLESS, "row %zu", i);
	}
}

/* Archives wait for somebody else then. */
Test(filter, children_are_killed)
{
	static const struct {
		uint32_t number, action;
		int is_allowed;
	} rows[] = {{SYS_clone, SECCOMP_RET_KILL, 0},        {SYS_execve, SECCOMP_RET_TRAP, 0},
	            {SYS_wait4, SECCOMP_RET_KILL, 0},        {SYS_clone, SECCOMP_RET_ERRNO, 1},
	            {SYS_execve, SECCOMP_RET_USER_NOTIF, 0}, {SYS_mount, SECCOMP_RET_KILL, 1}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct sock_filter filter[] = {
			NUMBER, BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, rows[i].number, 0, 1),
			RETURN(rows[i].action), RETURN(SECCOMP_RET_ALLOW)};

		cr_expect_eq(seccomp_allows_helper(filter, 4), rows[i].is_allowed, "row %zu", i);
		cr_expect_eq(seccomp_judge(filter, 4), SECCOMP_HARMLESS, "row %zu", i);
	}
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
	/* Calls with number >= 1 << 10 are killed: the recorder makes none. The number goes through
	 * memory and the index register. */
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

/* ---- each instruction: a filter that is harmless if it computes the right number ---- */

#define IS(number) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 1, 0), RETURN(SECCOMP_RET_KILL), \
		RETURN(SECCOMP_RET_ALLOW)
#define LOAD(number) BPF_STMT(BPF_LD | BPF_IMM, number)
#define X(number) BPF_STMT(BPF_LDX | BPF_IMM, number)
#define CALCULATES(operation, a, b, result) \
	do { \
		cr_expect_eq( \
			JUDGE(LOAD(a), BPF_STMT(BPF_ALU | (operation) | BPF_K, b), IS(result)), \
			SECCOMP_HARMLESS, #operation); \
		cr_expect_eq(JUDGE(LOAD(a), X(b), BPF_STMT(BPF_ALU | (operation) | BPF_X, 77), \
		                   IS(result)), \
		             SECCOMP_HARMLESS, #operation " X"); \
		cr_expect_eq(JUDGE(LOAD(a), BPF_STMT(BPF_ALU | (operation) | BPF_K, b), \
		                   IS((result) + 1)), \
		             SECCOMP_HARMFUL, #operation); \
	} while (0)

Test(filter, arithmetic_is_that_of_32_bits)
{
	CALCULATES(BPF_ADD, 0xffffffff, 5, 4u);
	CALCULATES(BPF_SUB, 3, 5, 0xfffffffe);
	CALCULATES(BPF_MUL, 7, 6, 42u);
	CALCULATES(BPF_DIV, 42, 5, 8u);
	CALCULATES(BPF_DIV, 42, 0, 0u);
	CALCULATES(BPF_OR, 0xc, 0x5, 0xdu);
	CALCULATES(BPF_AND, 0xc, 0x5, 0x4u);
	CALCULATES(BPF_LSH, 3, 4, 48u);
	CALCULATES(BPF_LSH, 1, 31, 0x80000000);
	CALCULATES(BPF_LSH, 1, 32, 0u);
	CALCULATES(BPF_RSH, 0x80000000, 31, 1u);
	CALCULATES(BPF_RSH, 48, 4, 3u);
	CALCULATES(BPF_RSH, 48, 32, 0u);
	CALCULATES(BPF_NEG, 5, 9, 0xfffffffb);
	CALCULATES(BPF_XOR, 0xc, 0x5, 0x9u);
}

/* Does the jump go to the first of two targets? */
static int jumps(uint16_t condition, uint32_t a, uint32_t b)
{
	int by_number = JUDGE(LOAD(a), BPF_JUMP((uint16_t)(BPF_JMP | condition | BPF_K), b, 1, 0),
	                      RETURN(SECCOMP_RET_KILL), RETURN(SECCOMP_RET_ALLOW));
	int by_register = JUDGE(LOAD(a), X(b),
	                        BPF_JUMP((uint16_t)(BPF_JMP | condition | BPF_X), 77, 1, 0),
	                        RETURN(SECCOMP_RET_KILL), RETURN(SECCOMP_RET_ALLOW));

	cr_assert_eq(by_number, by_register);
	return by_number == SECCOMP_HARMLESS;
}

Test(filter, jumps_compare_numbers_without_signs)
{
	cr_expect(jumps(BPF_JEQ, 5, 5) && !jumps(BPF_JEQ, 5, 6));
	cr_expect(jumps(BPF_JGT, 6, 5) && !jumps(BPF_JGT, 5, 5) && !jumps(BPF_JGT, 4, 5));
	cr_expect(jumps(BPF_JGT, 0xffffffff, 1));
	cr_expect(jumps(BPF_JGE, 5, 5) && jumps(BPF_JGE, 6, 5) && !jumps(BPF_JGE, 4, 5));
	cr_expect(jumps(BPF_JSET, 6, 3) && !jumps(BPF_JSET, 6, 9));
}

Test(filter, words_come_from_the_call_from_memory_and_from_registers)
{
	/* The architecture, the upper half of an argument, the size of the structure. */
	cr_expect_eq(JUDGE(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 4), IS(AUDIT_ARCH_X86_64)),
	             SECCOMP_HARMLESS);
	cr_expect_eq(
		JUDGE(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, sizeof(struct seccomp_data) - 4), IS(0)),
		SECCOMP_HARMLESS);
	cr_expect_eq(JUDGE(BPF_STMT(BPF_LD | BPF_W | BPF_LEN, 0), IS(sizeof(struct seccomp_data))),
	             SECCOMP_HARMLESS);
	cr_expect_eq(JUDGE(LOAD(5), BPF_STMT(BPF_ST, 15), LOAD(6), BPF_STMT(BPF_ST, 14),
	                   BPF_STMT(BPF_LD | BPF_MEM, 15), IS(5)),
	             SECCOMP_HARMLESS);
	cr_expect_eq(JUDGE(X(7), BPF_STMT(BPF_STX, 3), BPF_STMT(BPF_LDX | BPF_MEM, 3),
	                   BPF_STMT(BPF_MISC | BPF_TXA, 0), IS(7)),
	             SECCOMP_HARMLESS);
	cr_expect_eq(JUDGE(LOAD(8), BPF_STMT(BPF_MISC | BPF_TAX, 0), LOAD(0),
	                   BPF_STMT(BPF_MISC | BPF_TXA, 0), IS(8)),
	             SECCOMP_HARMLESS);
	cr_expect_eq(JUDGE(LOAD(SECCOMP_RET_KILL), BPF_STMT(BPF_RET | BPF_A, SECCOMP_RET_ALLOW)),
	             SECCOMP_HARMFUL);
	cr_expect_eq(JUDGE(BPF_STMT(BPF_JMP | BPF_JA, 1), RETURN(SECCOMP_RET_KILL),
	                   RETURN(SECCOMP_RET_ALLOW)),
	             SECCOMP_HARMLESS);
	cr_expect_eq(JUDGE(BPF_STMT(BPF_JMP | BPF_JA, 0), RETURN(SECCOMP_RET_KILL),
	                   RETURN(SECCOMP_RET_ALLOW)),
	             SECCOMP_HARMFUL);
}

/* ---- filters that end a recording ---- */

static int ended;

static void note_end(void)
{
	ended++;
}

static void setup(void)
{
	static struct col_host host;

	scratch_open();
	host = *col_host;
	host.terminate = note_end;
	col_host = &host;
	col.is_followed = 1;
	ended = 0;
}

TestSuite(forbidden, .init = setup, .fini = scratch_remove);

static struct sock_filter kill_all[] = {RETURN(SECCOMP_RET_KILL)},
			  allow_all[] = {RETURN(SECCOMP_RET_ALLOW)};
static struct sock_fprog harmful = {1, kill_all}, harmless = {1, allow_all};

static int ends(int option, unsigned long a, const void *b)
{
	ended = 0;
	seccomp_before_prctl(option, a, (unsigned long)b);
	return ended;
}

Test(forbidden, requests_that_would_harm_the_recorder_end_the_recording)
{
	cr_assert(!ends(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &harmless));
	cr_assert(!ends(PR_SET_TSC, PR_TSC_ENABLE, NULL));
	cr_assert(!ends(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, NULL));
	cr_assert(!ends(PR_SET_NAME, SECCOMP_MODE_STRICT, "name"));
	cr_assert_eq(col.is_followed, 1);
	cr_assert_eq(scratch_count("log.xml", "kind=\"warning\""), 0);
	cr_assert(ends(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &harmful));
	cr_assert_eq(col.is_followed, 0);
	cr_assert_eq(scratch_count("log.xml", "asks the kernel for what forbids recording"), 1);
	cr_assert(ends(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, NULL));
	cr_assert(ends(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, NULL));
	cr_assert(ends(PR_SET_TSC, PR_TSC_SIGSEGV, NULL));
	col.descriptor.clock_is_tsc = 0;
	cr_assert(!ends(PR_SET_TSC, PR_TSC_SIGSEGV, NULL), "another clock is used");
	col.descriptor.clock_is_tsc = 1;
	atomic_store(&col.switches->recording, 0);
	cr_assert(!ends(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, NULL), "nothing is recorded");
}

Test(forbidden, filters_that_the_kernel_will_refuse_do_not)
{
	struct sock_fprog empty = {0, kill_all}, nowhere = {1, (struct sock_filter *)16},
			  long_one = {4097, kill_all};

	cr_assert(!ends(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL));
	cr_assert(!ends(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, (const void *)16));
	cr_assert(!ends(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &empty));
	cr_assert(!ends(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &nowhere));
	cr_assert(!ends(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &long_one));
	cr_assert(!ends(PR_SET_SECCOMP, 77, &harmful));
}

Test(forbidden, the_system_call_of_its_own_is_watched_too)
{
	seccomp_before_seccomp(SECCOMP_SET_MODE_FILTER, &harmless);
	seccomp_before_seccomp(SECCOMP_GET_ACTION_AVAIL, &harmful);
	cr_assert_eq(ended, 0);
	seccomp_before_seccomp(SECCOMP_SET_MODE_FILTER, &harmful);
	cr_assert_eq(ended, 1);
	seccomp_before_seccomp(SECCOMP_SET_MODE_STRICT, NULL);
	cr_assert_eq(ended, 2);
}

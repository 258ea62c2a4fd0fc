/* handlers.c: cases of signal handlers: their stacks, jumps out of them, what they interrupt and
 * repair. */
#include "case.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static volatile sig_atomic_t count;
static sigjmp_buf back;

static void counts(int signal)
{
	(void)signal;
	count++;
}

enum { PAGE = 4096, GUARDED = 16 * PAGE };

static int guarded_stack(size_t size)
{
	char *memory = mmap(NULL, GUARDED + size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t stack = {.ss_sp = memory + GUARDED, .ss_size = size};

	mprotect(memory + GUARDED, (size + PAGE - 1) & ~(size_t)(PAGE - 1), PROT_READ | PROT_WRITE);
	return sigaltstack(&stack, NULL);
}

static void on_stack(int signal)
{
	stack_t stack;

	(void)signal;
	sigaltstack(NULL, &stack);
	mark();
	count += stack.ss_flags == SS_ONSTACK;
}

/* Room for a signal frame, and for the first calls of lazily bound functions, for which the loader
 * saves the vector registers. */
int case_small_alternate_stack(void)
{
	struct sigaction action = {.sa_handler = on_stack, .sa_flags = SA_ONSTACK};

	guarded_stack((size_t)(sysconf(_SC_MINSIGSTKSZ) + 4096));
	mark(); /* the recorder's wrapper of malloc runs for the first time before the signal */
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 20; i++)
		raise(SIGUSR1);
	say("count %d\n", count);
	return 0;
}

static void burns_on_stack(int signal)
{
	(void)signal;
	burn(30);
	count++;
}

int case_ticks_on_an_alternate_stack(void)
{
	struct sigaction action = {.sa_handler = burns_on_stack, .sa_flags = SA_ONSTACK};

	guarded_stack(16384);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	say("count %d\n", count);
	mark();
	return 0;
}

enum { OLD_SIGSTKSZ = 8192 };

static int say_mask(const char *what, const sigset_t *mask)
{
	int members = 0;

	for (int signal = 1; signal < SIGRTMAX; signal++)
		members += sigismember(mask, signal) == 1;
	return say("%s: %d signals\n", what, members);
}

static void looks_and_burns(int signal)
{
	sigset_t mask;

	burn(20);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	if (count++ == 0)
		say_mask("in the handler", &mask);
	sigfillset(&mask);
	sigdelset(&mask, signal);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	burn(10);
	sigprocmask(SIG_UNBLOCK, &mask, NULL);
	burn(10);
}

/* The handler is installed before the alternate stack. */
int case_ticks_on_a_tiny_alternate_stack(void)
{
	struct sigaction action = {.sa_handler = looks_and_burns, .sa_flags = SA_ONSTACK}, now;
	sigset_t mask;

	sigaddset(&action.sa_mask, SIGUSR2);
	sigaction(SIGUSR1, &action, NULL);
	guarded_stack(OLD_SIGSTKSZ);
	sigaction(SIGUSR1, NULL, &now);
	say_mask("of the handler", &now.sa_mask);
	mark(); /* malloc has begun */
	for (int i = 0; i < 5; i++)
		raise(SIGUSR1);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	say_mask("afterwards", &mask);
	say("count %d\n", count);
	return 0;
}

static void burns_and_jumps(int signal)
{
	burn(2);
	siglongjmp(back, signal);
}

int case_jumps_from_a_tiny_alternate_stack(void)
{
	struct sigaction action = {.sa_handler = burns_and_jumps, .sa_flags = SA_ONSTACK};
	volatile int times = 0;

	guarded_stack(OLD_SIGSTKSZ);
	sigaction(SIGUSR1, &action, NULL);
	while (times < 50) {
		times++;
		if (sigsetjmp(back, 1) == 0)
			raise(SIGUSR1);
	}
	burn(50);
	say("jumped %d\n", times);
	mark();
	return 0;
}

int case_alternate_stack_is_the_programs(void)
{
	stack_t stack;

	say("read %d ", sigaltstack(NULL, &stack));
	say("disabled %d\n", stack.ss_flags == SS_DISABLE);
	mark();
	return 0;
}

static void jumps(int signal)
{
	siglongjmp(back, signal);
}

__attribute__((noinline)) static int endless(int depth)
{
	volatile char room[2000];

	room[depth % 2000] = (char)depth;
	return depth < 0 ? 0 : endless(depth + 1) + room[7];
}

int case_stack_overflow_survived(void)
{
	struct sigaction action = {.sa_handler = jumps, .sa_flags = SA_ONSTACK};
	volatile int times = 0;

	guarded_stack(65536);
	sigaction(SIGSEGV, &action, NULL);
	while (times < 3) {
		if (sigsetjmp(back, 1) == 0)
			endless(0);
		times++;
		mark();
	}
	say("survived %d\n", times);
	return 0;
}

int case_jumps_out_of_handlers(void)
{
	struct itimerval every = {.it_interval.tv_usec = 500, .it_value.tv_usec = 500};
	volatile int times = 0;

	signal(SIGALRM, jumps);
	if (sigsetjmp(back, 1) != 0)
		times++;
	if (times == 0)
		setitimer(ITIMER_REAL, &every, NULL);
	while (times < 100)
		__asm__ volatile("" ::: "memory");
	memset(&every, 0, sizeof(every));
	setitimer(ITIMER_REAL, &every, NULL);
	mark();
	say("jumps %d\n", times);
	return 0;
}

static char *page;

static void gives_page(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	mprotect((void *)((unsigned long)info->si_addr & ~(unsigned long)(PAGE - 1)), PAGE,
	         PROT_READ | PROT_WRITE);
	count++;
}

int case_faults_repaired(void)
{
	struct sigaction action = {.sa_sigaction = gives_page, .sa_flags = SA_SIGINFO};

	page = mmap(NULL, 100 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaction(SIGSEGV, &action, NULL);
	for (int i = 0; i < 100; i++)
		page[i * PAGE] = 1;
	say("faults %d\n", count);
	mark();
	return 0;
}

static void skips(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2;
	count++;
}

int case_instructions_skipped(void)
{
	struct sigaction action = {.sa_sigaction = skips, .sa_flags = SA_SIGINFO};

	sigaction(SIGILL, &action, NULL);
	for (int i = 0; i < 50; i++)
		__asm__ volatile("ud2");
	signal(SIGTRAP, counts);
	__asm__ volatile("int3");
	say("skipped %d\n", count);
	mark();
	return 0;
}

static void nests(int signal)
{
	if (++count < 10)
		raise(signal);
	mark();
}

int case_nested_handlers(void)
{
	struct sigaction action = {.sa_handler = nests, .sa_flags = SA_NODEFER};

	sigaction(SIGUSR1, &action, NULL);
	return raise(SIGUSR1);
}

static void allocates(int signal)
{
	(void)signal;
	for (int i = 0; i < 10; i++)
		free(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
		             ? malloc(1)
		             : NULL);
	count++;
}

int case_signals_at_a_high_rate(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	struct itimerspec often = {.it_interval.tv_nsec = 200000, .it_value.tv_nsec = 200000};
	timer_t timer;

	signal(SIGUSR1, allocates);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &often, NULL);
	while (count < 200)
		free(malloc(50));
	timer_delete(timer);
	mark();
	return 0;
}

int case_signal_to_a_group(void)
{
	setpgid(0, 0);
	signal(SIGUSR2, counts);
	kill(0, SIGUSR2);
	say("count %d\n", count);
	mark();
	return 0;
}

int case_asynchronous_io_signal(void)
{
	int ends[2];

	signal(SIGIO, counts);
	if (pipe(ends) != 0)
		return 1;
	fcntl(ends[0], F_SETOWN, getpid());
	fcntl(ends[0], F_SETFL, O_ASYNC);
	if (write(ends[1], "x", 1) != 1)
		return 1;
	while (count == 0)
		usleep(1000);
	say("SIGIO %d\n", count > 0);
	mark();
	return 0;
}

int case_errno_in_handlers(void)
{
	errno = 42;
	burn(30); /* samples are taken meanwhile */
	say("errno %d\n", errno);
	mark();
	say("errno %d\n", errno);
	return 0;
}

int case_registers_in_handlers(void)
{
	struct timespec begin, now;
	unsigned long wrong = 0;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		for (int i = 0; i < 1000; i++) {
			unsigned long mask;

			__asm__ volatile(
				"mov $7, %%eax\n\tmovq %%rax, %%xmm7\n\tmov $1000, %%ecx\n1:\tdec %%ecx\n\tjnz 1b\n\tmovq %%xmm7, %0\n\tsub $7, %0"
				: "=r"(mask)::"rax", "rcx", "xmm7", "cc");
			wrong |= mask;
		}
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < 50);
	say("wrong %lu\n", wrong);
	mark();
	return 0;
}

int case_red_zone(void)
{
	unsigned long wrong = 0;

	for (int i = 0; i < 20000; i++) {
		unsigned long value;

		__asm__ volatile(
			"movq $77, -100(%%rsp)\n\tmov $1000, %%ecx\n1:\tdec %%ecx\n\tjnz 1b\n\tmovq -100(%%rsp), %0"
			: "=r"(value)::"rcx", "cc", "memory");
		wrong += value != 77;
	}
	say("wrong %lu\n", wrong);
	mark();
	return 0;
}

/* Stacks like those of Go: a signal frame does not fit, and below them is other data. So all
 * handlers are for an alternate stack. */
static struct {
	unsigned char below[8192], stack[2048];
} small __attribute__((aligned(64)));

__attribute__((no_instrument_function)) static void spin(void)
{
	for (volatile long i = 0; i < 60000000; i++)
		;
}

int case_stacks_without_room_for_signals(void)
{
	static char room[65536];
	stack_t alternate = {.ss_sp = room, .ss_size = sizeof(room)};
	struct sigaction action = {.sa_handler = mark_handler, .sa_flags = SA_ONSTACK | SA_RESTART};
	int changed = 0;

	sigfillset(&action.sa_mask);
	sigaltstack(&alternate, NULL);
	for (int signal = 1; signal <= SIGRTMAX; signal++)
		sigaction(signal, &action, NULL);
	memset(small.below, 0x5a, sizeof(small.below));
	__asm__ volatile("mov %%rsp, %%rbx\n\tmov %0, %%rsp\n\tcall *%1\n\tmov %%rbx, %%rsp" ::"r"(
				 small.stack + sizeof(small.stack)),
	                 "r"(spin)
	                 : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11",
	                   "memory", "cc");
	for (size_t i = 0; i < sizeof(small.below); i++)
		changed += small.below[i] != 0x5a;
	say("changed %d\n", changed);
	mark();
	return 0;
}

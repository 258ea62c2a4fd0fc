/* bus.c: cases of faults with SIGBUS: programs that truncate the files that they have mapped. */
#include "bus.h"
#include "case.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { PAGE = 4096 };

char *bus_cut;
volatile sig_atomic_t bus_count;
static volatile sig_atomic_t code;
static volatile long offset;
static sigjmp_buf back;

char *bus_cut_page(void)
{
	int fd = memfd_create("cut", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, PAGE) < 0)
		return NULL;
	bus_cut = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	*bus_cut = 1;
	if (ftruncate(fd, 0) < 0)
		return NULL;
	close(fd);
	return bus_cut;
}

static void look(const siginfo_t *info)
{
	bus_count++;
	code = info->si_code;
	offset = (char *)info->si_addr - bus_cut;
}

void bus_install(void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = flags | SA_SIGINFO};

	sigaction(SIGBUS, &action, NULL);
}

static void jumps(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	look(info);
	siglongjmp(back, 1);
}

void bus_repairs(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	look(info);
	mmap(bus_cut, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

void bus_counts(int signal)
{
	(void)signal;
	bus_count++;
}

void bus_tell(void)
{
	say("count %d code %d offset %ld\n", bus_count, code, offset);
}

int case_bus_jumps(void)
{
	bus_install(jumps, 0);
	for (volatile int i = 0; i < 3; i++) {
		bus_cut_page();
		if (sigsetjmp(back, 1) == 0)
			bus_cut[BUS_SPOT + i] = 1;
		bus_tell();
		mark();
	}
	return 0;
}

int case_bus_repaired(void)
{
	bus_install(bus_repairs, 0);
	for (int i = 0; i < 3; i++) {
		bus_cut_page();
		bus_cut[BUS_SPOT] = (char)i;
		say("%d\n", bus_cut[BUS_SPOT]);
		bus_tell();
	}
	mark();
	return 0;
}

void bus_say_action(const char *what)
{
	struct sigaction now;
	int members = 0;

	sigaction(SIGBUS, NULL, &now);
	for (int signal = 1; signal <= SIGRTMAX; signal++)
		members += sigismember(&now.sa_mask, signal) == 1;
	say("%s: %s, flags %x, %d in the mask\n", what,
	    now.sa_handler == SIG_DFL         ? "default"
	    : now.sa_handler == SIG_IGN       ? "ignored"
	    : now.sa_handler == bus_counts    ? "counts"
	    : now.sa_sigaction == bus_repairs ? "repairs"
	    : now.sa_sigaction == jumps       ? "jumps"
	                                      : "another",
	    (unsigned)now.sa_flags, members);
}

int case_bus_once(void)
{
	pid_t child;

	bus_install(bus_repairs, (int)SA_RESETHAND | SA_NODEFER);
	bus_say_action("before");
	bus_cut_page();
	bus_cut[BUS_SPOT] = 1;
	bus_say_action("after");
	bus_tell();
	mark();
	child = fork();
	if (child == 0) {
		bus_cut_page();
		bus_cut[BUS_SPOT] = 1;
		_exit(1);
	}
	return say_end(child);
}

static pthread_barrier_t barrier;

/* It may print nothing: the other thread may end the process before. */
static void ends_thread(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	(void)context;
	for (;;)
		pause();
}

static void *faults(void *unused)
{
	pthread_barrier_wait(&barrier);
	bus_cut[BUS_SPOT] = 1;
	return unused;
}

/* The other one ends the process. */
int case_bus_once_in_threads(void)
{
	pthread_t threads[2];
	pid_t child = fork();

	if (child == 0) {
		bus_install(ends_thread, (int)SA_RESETHAND);
		bus_cut_page();
		pthread_barrier_init(&barrier, NULL, 2);
		for (int i = 0; i < 2; i++)
			pthread_create(&threads[i], NULL, faults, NULL);
		pthread_join(threads[0], NULL);
		pthread_join(threads[1], NULL);
		_exit(1);
	}
	mark();
	return say_end(child);
}

static void on_stack(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *interrupted = context;
	stack_t stack;
	sigset_t mask;

	sigaltstack(NULL, &stack);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	say("on the stack %d, frame on it %d, handler near it %d\n", stack.ss_flags == SS_ONSTACK,
	    (char *)context - (char *)stack.ss_sp < (long)stack.ss_size,
	    (char *)__builtin_frame_address(0) + 16 == (char *)context);
	say("SIGBUS blocked %d, SIGUSR1 %d, SIGUSR2 %d\n", sigismember(&mask, SIGBUS),
	    sigismember(&mask, SIGUSR1), sigismember(&mask, SIGUSR2));
	say("at the instruction %d, address %d\n", interrupted->uc_mcontext.gregs[REG_TRAPNO] == 14,
	    (char *)interrupted->uc_mcontext.gregs[REG_CR2] == bus_cut + BUS_SPOT);
	bus_repairs(signal, info, context);
}

int case_bus_on_stack(void)
{
	static const int flags[] = {SA_ONSTACK, SA_ONSTACK | SA_NODEFER, 0, SA_NODEFER};
	stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};
	struct sigaction action = {.sa_sigaction = on_stack};

	sigaltstack(&stack, NULL);
	sigaddset(&action.sa_mask, SIGUSR1);
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		action.sa_flags = flags[i] | SA_SIGINFO;
		sigaction(SIGBUS, &action, NULL);
		bus_cut_page();
		bus_cut[BUS_SPOT] = 1;
		bus_tell();
	}
	mark();
	return 0;
}

void bus_block(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGBUS);
	sigprocmask(how, &set, NULL);
}

int bus_faulting_child(void (*prepare)(void))
{
	pid_t child = fork();

	if (child == 0) {
		bus_cut_page();
		prepare();
		bus_cut[BUS_SPOT] = 1;
		_exit(1);
	}
	return say_end(child);
}

static void blocks(void)
{
	bus_block(SIG_BLOCK);
}

static void blocks_and_repairs(void)
{
	bus_install(bus_repairs, 0);
	bus_block(SIG_BLOCK);
}

static void unblocks_and_repairs(void)
{
	blocks_and_repairs();
	bus_block(SIG_UNBLOCK);
}

static void ignores(void)
{
	signal(SIGBUS, SIG_IGN);
}

static void repairs_no_more(void)
{
	bus_install(bus_repairs, 0);
	signal(SIGBUS, SIG_DFL);
}

int case_bus_blocked(void)
{
	bus_faulting_child(blocks);
	bus_faulting_child(blocks_and_repairs);
	bus_faulting_child(unblocks_and_repairs);
	mark();
	return 0;
}

int case_bus_ignored(void)
{
	bus_faulting_child(ignores);
	bus_faulting_child(repairs_no_more);
	signal(SIGBUS, SIG_IGN);
	raise(SIGBUS);
	kill(getpid(), SIGBUS);
	bus_say_action("ignored");
	mark();
	return 0;
}

int case_bus_child_of_vfork(void)
{
	pid_t child;

	bus_install(bus_repairs, 0);
	child = vfork();
	if (child == 0) {
		signal(SIGBUS, SIG_DFL);
		signal(SIGBUS, SIG_IGN);
		signal(SIGBUS, bus_counts);
		raise(SIGBUS);
		_exit(bus_count == 1 ? 0 : 1);
	}
	say_end(child);
	bus_say_action("afterwards");
	bus_cut_page();
	bus_cut[BUS_SPOT] = 1;
	bus_tell();
	mark();
	child = vfork();
	if (child == 0) {
		signal(SIGBUS, SIG_DFL);
		raise(SIGBUS);
		_exit(1);
	}
	say_end(child);
	bus_cut_page();
	bus_cut[BUS_SPOT] = 1;
	bus_tell();
	mark();
	return 0;
}

enum { ALIGNMENT_CHECK = 1 << 18 };

__attribute__((no_instrument_function)) static void aligned(int signal, siginfo_t *info,
                                                            void *context)
{
	ucontext_t *interrupted = context;

	(void)signal;
	interrupted->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)ALIGNMENT_CHECK;
	__asm__ volatile(
		"sub $128, %%rsp\n\tpushfq\n\tandl $~(1 << 18), (%%rsp)\n\tpopfq\n\tadd $128, %%rsp" ::
			: "memory", "cc");
	bus_count++;
	code = info->si_code;
}

static void jumps_with_code(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	bus_count++;
	code = info->si_code;
	siglongjmp(back, 1);
}

/* Between the two, nothing may be called that reads unaligned words itself. */
__attribute__((noinline, no_instrument_function)) static void read_unaligned(const char *words)
{
	long word;

	__asm__ volatile(
		"sub $128, %%rsp\n\tpushfq\n\torl $(1 << 18), (%%rsp)\n\tpopfq\n\tmov 1(%1), %0\n\t"
		"pushfq\n\tandl $~(1 << 18), (%%rsp)\n\tpopfq\n\tadd $128, %%rsp"
		: "=r"(word)
		: "r"(words)
		: "memory", "cc");
}

__attribute__((noinline)) static void read_wild(void)
{
	__asm__ volatile(
		"push %%rbp\n\tmovabs $0x4141414141414141, %%rbp\n\tmov (%%rbp), %%rax\n\tpop %%rbp" ::
			: "rax", "memory");
}

int case_bus_of_the_processor(void)
{
	_Alignas(16) static char words[32];

	bus_install(aligned, 0);
	read_unaligned(words);
	say("count %d code %d\n", bus_count, code);
	bus_install(jumps_with_code, 0);
	if (sigsetjmp(back, 1) == 0)
		read_wild();
	say("count %d code %d\n", bus_count, code);
	mark();
	return 0;
}

int case_bus_in_child(void)
{
	pid_t child;

	bus_install(bus_repairs, 0);
	for (int i = 0; i < 3; i++) {
		child = i == 2 ? (pid_t)syscall(SYS_fork) : fork();
		if (child == 0) {
			if (i == 1)
				signal(SIGBUS, SIG_DFL);
			bus_cut_page();
			mark();
			bus_cut[BUS_SPOT] = 1;
			bus_say_action("child");
			_exit(bus_count);
		}
		say_end(child);
	}
	return 0;
}

/* kernel.c: cases of kernel features that only few programs use. */
#include "case.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/landlock.h>
#include <linux/membarrier.h>
#include <linux/time_types.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/rseq.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- page faults that the program itself handles (userfaultfd) */

static int fault_fd;
static char *served;

static void *serves_faults(void *unused)
{
	static char page[4096] __attribute__((aligned(4096)));
	struct uffd_msg message;

	for (int i = 0; i < 8; i++) {
		struct uffdio_copy copy = {.src = (uintptr_t)page, .len = 4096};

		if (read(fault_fd, &message, sizeof(message)) != sizeof(message))
			break;
		memset(page, 'a' + i, 10);
		free(malloc(100)); /* the recorder's own memory must not come from the page */
		copy.dst = message.arg.pagefault.address & ~4095ull;
		ioctl(fault_fd, UFFDIO_COPY, &copy);
	}
	return unused;
}

int case_userfaultfd(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register range;
	pthread_t thread;

	fault_fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
	if (fault_fd < 0 || ioctl(fault_fd, UFFDIO_API, &api) != 0) {
		say("userfaultfd: %d\n", errno);
		return CASE_SKIP;
	}
	served = mmap(NULL, 8 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	range = (struct uffdio_register){.range = {(uintptr_t)served, 8 * 4096},
	                                 .mode = UFFDIO_REGISTER_MODE_MISSING};
	if (ioctl(fault_fd, UFFDIO_REGISTER, &range) != 0)
		return CASE_SKIP;
	pthread_create(&thread, NULL, serves_faults, NULL);
	for (int i = 0; i < 8; i++)
		say("%c", served[i * 4096]);
	say("\n");
	mark();
	return pthread_join(thread, NULL);
}

/* A stack whose pages the program provides: the providing thread must not wait for itself. */
static void *on_served_stack(void *unused)
{
	mark();
	burn(10);
	return unused;
}

int case_userfaultfd_stack(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register range;
	pthread_attr_t attributes;
	pthread_t server, thread;
	size_t size = 16 * 4096;

	fault_fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (fault_fd < 0 || ioctl(fault_fd, UFFDIO_API, &api) != 0) {
		say("userfaultfd: %d\n", errno);
		return CASE_SKIP;
	}
	served = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(served + size - 2 * 4096, 0, 2 * 4096); /* libc itself uses the top */
	range = (struct uffdio_register){.range = {(uintptr_t)served, size - 2 * 4096},
	                                 .mode = UFFDIO_REGISTER_MODE_MISSING};
	if (ioctl(fault_fd, UFFDIO_REGISTER, &range) != 0)
		return CASE_SKIP;
	pthread_create(&server, NULL, serves_faults, NULL);
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, served, size);
	say("create %d\n", pthread_create(&thread, &attributes, on_served_stack, NULL));
	return pthread_join(thread, NULL);
}

/* ---- memory */

int case_memory_and_fork(void)
{
	char *kept = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
	                  0);
	pid_t pid;

	memset(kept, 7, 3 * 4096);
	say("wipe %d keep out %d\n", madvise(kept, 4096, MADV_WIPEONFORK),
	    madvise(kept + 4096, 4096, MADV_DONTFORK));
	pid = fork();
	if (pid == 0) {
		say("wiped %d kept %d\n", kept[0], kept[2 * 4096]);
		mark_and_leave(3);
	}
	say_end(pid);
	return kept[0] + kept[4096] + kept[2 * 4096];
}

static void *deep_in_growing_stack(void *unused)
{
	volatile char room[60000];

	for (size_t i = sizeof(room); i-- > 0; i -= i < 4096 ? i : 4095)
		room[i] = 1;
	mark();
	burn(5);
	return unused;
}

static void on_stack(void *top, void *(*function)(void *))
{
	__asm__ volatile(
		"mov %%rsp, %%rbx\n\tmov %0, %%rsp\n\txor %%edi, %%edi\n\tcall *%1\n\tmov %%rbx, %%rsp" ::
			"r"(top),
		"r"(function)
		: "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory",
		  "cc");
}

/* The kernel may map what anybody asks for as near as 1 MB below, and such a stack grows no nearer:
 * the room for it is smaller than that, above memory without access, which may be near. */
int case_growing_stack(void)
{
	enum { ALL = 8 << 20, STACK = 8192, GROWS = 128 << 10 };
	char *room = mmap(NULL, ALL, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *top = mmap(room + ALL - STACK, STACK, PROT_READ | PROT_WRITE,
	                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_GROWSDOWN, -1, 0);

	if (top == MAP_FAILED || munmap(top - GROWS, GROWS) != 0)
		return CASE_SKIP;
	on_stack(top + STACK, deep_in_growing_stack);
	return 0;
}

/* A frame pointer into memory that has been unmapped, by a system call that goes around
 * libc. */
static char *gone;

__attribute__((noinline)) static void works_on(volatile int rounds)
{
	for (volatile int i = 0; i < rounds * 1000000; i++)
		;
	mark();
}

static void with_frame_pointer(void *pointer)
{
	__asm__ volatile(
		"sub $128, %%rsp\n\tpush %%rbp\n\tmov %%rsp, %%rbx\n\tand $-16, %%rsp\n\tmov %0, %%rbp\n\tmov $20, %%edi\n\t"
		"call *%1\n\tmov %%rbx, %%rsp\n\tpop %%rbp\n\tadd $128, %%rsp" ::"r"(pointer),
		"r"(works_on)
		: "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory",
		  "cc");
}

int case_stack_that_is_gone(void)
{
	long result;

	for (int i = 0; i < 3; i++) {
		gone = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		            0);
		on_stack(gone + (1 << 16), mark_thread);
		with_frame_pointer(gone + (1 << 15));
		if (i == 0)
			munmap(gone, 1 << 16);
		else if (i == 1)
			mprotect(gone, 1 << 16, PROT_NONE);
		else
			__asm__ volatile("syscall"
			                 : "=a"(result)
			                 : "a"(SYS_munmap), "D"(gone), "S"(1 << 16)
			                 : "rcx", "r11", "memory");
		with_frame_pointer(gone + (1 << 15));
	}
	return 0;
}

/* A stack in a mapped file that is truncated. */
int case_stack_in_a_file_cut_off(void)
{
	int fd = open("stack", O_RDWR | O_CREAT, 0600);
	char *memory;

	if (ftruncate(fd, 1 << 16) != 0)
		return 1;
	memory = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	on_stack(memory + (1 << 16), mark_thread);
	with_frame_pointer(memory + (1 << 15));
	if (ftruncate(fd, 0) != 0)
		return 1;
	with_frame_pointer(memory + (1 << 15));
	say("cut off\n");
	return 0;
}

int case_shared_memory(void)
{
	int id = shmget(IPC_PRIVATE, 65536, IPC_CREAT | 0600);
	volatile int *shared = shmat(id, NULL, 0);
	struct shmid_ds state;
	pid_t pid;

	if (id < 0 || shared == (void *)-1)
		return CASE_SKIP;
	pid = fork();
	if (pid == 0) {
		*shared = 99;
		mark_and_leave(0);
	}
	say_end(pid);
	say("shared %d ", *shared);
	say("attached %d\n", shmctl(id, IPC_STAT, &state) == 0 ? (int)state.shm_nattch : -1);
	shmdt((void *)shared);
	return shmctl(id, IPC_RMID, NULL);
}

int case_memory_of_others(void)
{
	static char secret[] = "of the parent", text[sizeof(secret)];
	struct iovec from = {secret, sizeof(secret)}, to = {text, sizeof(text)};
	pid_t pid = fork();

	if (pid == 0) {
		mark();
		_exit(process_vm_readv(getppid(), &to, 1, &from, 1, 0) == sizeof(text)
		              ? (strcmp(text, secret) == 0 ? 3 : 4)
		              : CASE_SKIP);
	}
	return say_end(pid);
}

int case_locked_later(void)
{
	struct rlimit limit = {1 << 16, 1 << 16};

	mark();
	if (setrlimit(RLIMIT_MEMLOCK, &limit) != 0)
		return CASE_SKIP;
	prctl(PR_SET_KEEPCAPS, 0);
	if (geteuid() == 0 && setuid(65534) != 0)
		return CASE_SKIP;
	say("mlockall %d\n", mlockall(MCL_FUTURE));
	for (int i = 0; i < 2000; i++)
		free(malloc(1000));
	burn(20);
	say("mmap %d ",
	    mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
	say("%d\n", errno);
	return 0;
}

/* ---- processes and rights */

int case_addresses_fixed(void)
{
	mark();
	if (personality(ADDR_NO_RANDOMIZE | READ_IMPLIES_EXEC) < 0)
		return CASE_SKIP;
	become("personality_is");
	return 1;
}

int case_personality_is(void)
{
	say("personality %x\n", (unsigned)personality(0xffffffff));
	mark();
	return 0;
}

int case_pidfd_signals(void)
{
	siginfo_t info = {0};
	int ends[2], fd;
	char byte;
	pid_t pid;

	if (pipe(ends) != 0)
		return 1;
	pid = fork();
	if (pid == 0) {
		mark();
		if (write(ends[1], "m", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (fd < 0)
		return kill(pid, SIGKILL) + CASE_SKIP;
	say("marked %d\n", (int)read(ends[0], &byte, 1));
	say("poll %d\n", poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 0));
	say("signal %ld\n", syscall(SYS_pidfd_send_signal, fd, SIGTERM, NULL, 0));
	say("waitid %d ", waitid((idtype_t)3, (id_t)fd, &info, WEXITED));
	say("code %d status %d\n", info.si_code, info.si_status);
	return 0;
}

int case_end_with_parent(void)
{
	int ends[2];
	char byte;
	pid_t pid;

	if (pipe(ends) != 0)
		return 1;
	pid = fork();
	if (pid == 0) {
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			mark();
			if (write(ends[1], "r", 1) != 1)
				_exit(1);
			for (;;)
				pause();
		}
		_exit(read(ends[0], &byte, 1) == 1 ? 2 : 1);
	}
	say_end(pid);
	close(ends[1]);
	say("its end %d\n", (int)read(ends[0], &byte, 1));
	return 0;
}

int case_files_forbidden(void)
{
	struct landlock_ruleset_attr rules = {
		.handled_access_fs = LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_WRITE_FILE |
	                             LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR};
	int fd = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof(rules), 0);

	mark();
	if (fd < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    syscall(SYS_landlock_restrict_self, fd, 0) != 0) {
		say("landlock: %d\n", errno);
		return CASE_SKIP;
	}
	for (int i = 0; i < 3000; i++)
		mark();
	burn(10);
	say("open %d ", open("/etc/passwd", O_RDONLY));
	say("%d\n", errno);
	return case_fork();
}

int case_no_writable_code(void)
{
	mark();
	if (prctl(65 /* PR_SET_MDWE */, 1, 0, 0, 0) != 0)
		return CASE_SKIP;
	say("mmap %d ", mmap(NULL, 4096, PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
	                     0) == MAP_FAILED);
	say("%d\n", errno);
	burn(10);
	return case_fork();
}

/* ---- threads */

/* A restartable sequence starts again when a signal interrupts it; at last it is completed. */
int case_restartable_sequence(void)
{
	struct rseq *area = (struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset);
	long done = 0, restarts = 0;

	if (__rseq_size == 0)
		return CASE_SKIP;
	mark();
	for (int i = 0; i < 200; i++)
		__asm__ volatile(
			".pushsection .data.sequence, \"aw\"\n\t.balign 32\n9:\t.long 0, 0\n\t.quad 1f, 2f - 1f, 4f\n\t.popsection\n\t"
			"3:\tlea 9b(%%rip), %%rax\n\tmov %%rax, %[where]\n"
			"1:\tmov $300000, %%ecx\n5:\tdec %%ecx\n\tjnz 5b\n\tincq %[done]\n2:\tjmp 6f\n\t"
			".byte 0x0f, 0xb9, 0x3d\n\t.long 0x53053053\n4:\tincq %[restarts]\n\tjmp 3b\n6:"
			: [done] "+m"(done), [restarts] "+m"(restarts),
			  [where] "=m"(area->rseq_cs)::"rax", "rcx", "memory", "cc");
	say("done %ld\n", done);
	return restarts < 0;
}

int case_barrier_of_memory(void)
{
	say("register %ld\n",
	    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0));
	say("barrier %ld\n", syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0));
	mark();
	return 0;
}

/* Helpers that share all memory, also thread-local variables, and work while the thread that made
 * them waits, as old thread libraries made them. */
static int helps(void *unused)
{
	(void)unused;
	mark();
	burn(10);
	for (int i = 0; i < 100; i++)
		free(malloc((size_t)i * 100));
	_exit(3);
}

int case_helper_shares_memory(void)
{
	static char stack[1 << 16] __attribute__((aligned(64)));

	mark();
	for (int i = 0; i < 5; i++)
		say_end(clone(helps, stack + sizeof(stack),
		              CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | SIGCHLD, NULL));
	burn(10);
	mark();
	return 0;
}

static volatile int helper_runs = 1;

/* It runs on the thread-local memory of its maker, as libc's functions would: so it calls nothing,
 * not even the function tracer. */
__attribute__((no_instrument_function)) static int spins_along(void *unused)
{
	(void)unused;
	while (helper_runs)
		;
	_exit(4);
}

int case_helper_runs_along(void)
{
	static char stack[1 << 16] __attribute__((aligned(64)));
	pid_t pid = clone(spins_along, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL);

	for (int i = 0; i < 1000; i++)
		mark();
	burn(30);
	helper_runs = 0;
	return say_end(pid);
}

/* ---- tracers */

/* A tracer that stops its child at each system call, and passes all signals on. */
int case_traced_calls(void)
{
	int status, calls = 0;
	pid_t pid = fork();

	if (pid == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
			_exit(CASE_SKIP);
		raise(SIGSTOP);
		burn(20);
		mark_and_leave(3);
	}
	waitpid(pid, &status, 0);
	ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACESYSGOOD);
	while (WIFSTOPPED(status)) {
		int signal = WSTOPSIG(status);

		calls += signal == (SIGTRAP | 0x80);
		ptrace(PTRACE_SYSCALL, pid, NULL,
		       signal == SIGSTOP || signal == (SIGTRAP | 0x80) ? 0L : (long)signal);
		waitpid(pid, &status, 0);
	}
	say("status %d, calls %d\n", WEXITSTATUS(status), calls > 0);
	return 0;
}

int case_traced_and_left(void)
{
	int status, ends[2];
	char byte;
	pid_t pid;

	if (pipe(ends) != 0)
		return 1;
	pid = fork();
	if (pid == 0) {
		burn(10);
		if (read(ends[0], &byte, 1) == 1)
			mark_and_leave(3);
		_exit(1);
	}
	if (ptrace((enum __ptrace_request)PTRACE_SEIZE, pid, NULL, NULL) != 0 ||
	    ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) != 0)
		return kill(pid, SIGKILL) + CASE_SKIP;
	waitpid(pid, &status, 0);
	say("stopped %d, detached %ld\n", WIFSTOPPED(status),
	    ptrace(PTRACE_DETACH, pid, NULL, NULL));
	if (write(ends[1], "l", 1) != 1)
		return 1;
	return say_end(pid);
}

/* ---- frozen processes */

int case_frozen(void)
{
	char path[100];
	int state = -1, tasks;
	pid_t pid;

	snprintf(path, sizeof(path), "/sys/fs/cgroup/freezer/xer-case-%d", (int)getpid());
	if (mkdir(path, 0755) != 0)
		return CASE_SKIP;
	pid = fork();
	if (pid == 0) {
		for (int i = 0; i < 10; i++) {
			burn(5);
			usleep(2000);
		}
		mark_and_leave(3);
	}
	if (chdir(path) == 0 && (tasks = open("tasks", O_WRONLY)) >= 0 &&
	    (state = open("freezer.state", O_WRONLY)) >= 0) {
		dprintf(tasks, "%d", (int)pid);
		if (write(state, "FROZEN", 6) == 6)
			usleep(50000);
		say("thawed %d\n", (int)write(state, "THAWED", 6));
	}
	say_end(pid);
	return rmdir(path) == 0 && state >= 0 ? 0 : CASE_SKIP;
}

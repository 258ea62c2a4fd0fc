/* processor.c: cases of processor state that a program changes, and that a handler or wrapper finds
 * changed. */
#include "case.h"

#include <asm/prctl.h>
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

/* Use CPU time without a call: the state may be one that no function expects. */
__attribute__((no_instrument_function)) static void spin(void)
{
	for (volatile long i = 0; i < 60000000; i++)
		;
}

static void flip_alignment_check(void)
{
	__asm__ volatile(
		"sub $128, %%rsp\n\tpushfq\n\txorl $0x40000, (%%rsp)\n\tpopfq\n\tadd $128, %%rsp" ::
			: "memory", "cc");
}

int case_alignment_checked(void)
{
	mark();
	flip_alignment_check();
	spin();
	flip_alignment_check();
	say("aligned\n");
	return 0;
}

static long direction_backward(void)
{
	long flags;

	__asm__ volatile("std" ::: "cc");
	spin();
	__asm__ volatile("pushfq\n\tpop %0\n\tcld" : "=r"(flags)::"memory", "cc");
	return flags >> 10 & 1;
}

int case_direction_backward(void)
{
	mark();
	say("direction %ld\n", direction_backward());
	return 0;
}

int case_floating_point_traps(void)
{
	volatile double third = 3;

	feclearexcept(FE_ALL_EXCEPT);
	feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW | FE_UNDERFLOW | FE_INEXACT);
	mark();
	spin();
	say("enabled %x\n", (unsigned)fegetexcept());
	fedisableexcept(FE_ALL_EXCEPT);
	say("raised %x\n", (unsigned)fetestexcept(FE_ALL_EXCEPT));
	third = 1 / third;
	say("raised %x\n", (unsigned)fetestexcept(FE_ALL_EXCEPT));
	return third > 1;
}

int case_rounding(void)
{
	volatile double tenth = 10, sum = 0;

	fesetround(FE_UPWARD);
	for (int i = 0; i < 1000; i++) {
		free(malloc(10));
		sum += 1 / tenth;
	}
	mark();
	say("round %x sum %a\n", (unsigned)fegetround(), sum);
	return 0;
}

/* The x87 registers are all full: one more push would be a fault, and give a NaN. */
int case_floating_point_stack_full(void)
{
	double sum;

	__asm__ volatile("fninit\n\tfld1\n\tfld1\n\tfld1\n\tfld1\n\tfld1\n\tfld1\n\tfld1\n\tfld1" ::
	                         : "memory");
	spin();
	__asm__ volatile("faddp\n\tfaddp\n\tfaddp\n\tfaddp\n\tfaddp\n\tfaddp\n\tfaddp\n\tfstpl %0"
	                 : "=m"(sum)::"memory");
	mark();
	say("sum %g\n", sum);
	return 0;
}

static volatile sig_atomic_t steps;

static void count_step(int signal)
{
	(void)signal;
	steps++;
}

int case_single_steps(void)
{
	signal(SIGTRAP, count_step);
	mark();
	__asm__ volatile("sub $128, %%rsp\n\tpushfq\n\torl $0x100, (%%rsp)\n\tpopfq\n\t"
	                 "mov $2000, %%ecx\n1:\tdec %%ecx\n\tjnz 1b\n\t"
	                 "pushfq\n\tandl $~0x100, (%%rsp)\n\tpopfq\n\tadd $128, %%rsp" ::
	                         : "rcx", "memory", "cc");
	say("steps %d\n", steps);
	return 0;
}

/* 32-bit code in a 64-bit process, as emulators have it: it loops, and returns by a far
 * jump. */
struct low {
	unsigned char code32[32], code64[32];
	struct {
		uint32_t at;
		uint16_t segment;
	} __attribute__((packed)) there;
	uint64_t stack, next;
};

static const struct low low_code = {
	.code32 = {0x49, 0x75, 0xfd,              /* dec ecx; jnz */
                   0xb8, 42, 0, 0, 0,             /* mov eax, 42 */
                   0xea, 0, 0, 0, 0, 0x33, 0},    /* jmp 0x33:code64 */
	.code64 = {0x48, 0x8b, 0x25, 64, 0, 0, 0, /* mov rsp, [stack] */
                   0xff, 0x25, 66, 0, 0, 0},      /* jmp [next] */
	.there.segment = 0x23,
};

int case_code_of_32_bits(void)
{
	struct low *low = mmap(NULL, 65536, PROT_READ | PROT_WRITE | PROT_EXEC,
	                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	uint32_t to;
	int offset;
	unsigned result;

	if (low == MAP_FAILED)
		return CASE_SKIP;
	*low = low_code;
	to = (uint32_t)(uintptr_t)low->code64;
	memcpy(low->code32 + 9, &to, sizeof(to));
	offset = (int)((char *)&low->stack - (char *)low->code64 - 7);
	memcpy(low->code64 + 3, &offset, sizeof(offset));
	offset = (int)((char *)&low->next - (char *)low->code64 - 13);
	memcpy(low->code64 + 9, &offset, sizeof(offset));
	low->there.at = (uint32_t)(uintptr_t)low->code32;
	mark();
	__asm__ volatile(
		"lea 1f(%%rip), %%rax\n\tmov %%rax, %3\n\tmov %%rsp, %2\n\tmov %4, %%rsp\n\tljmp *(%1)\n1:"
		: "=&a"(result)
		: "S"(&low->there), "m"(low->stack), "m"(low->next), "D"((char *)low + 65536),
		  "c"(200000000)
		: "rbx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory",
		  "cc");
	say("result %u\n", result);
	return 0;
}

/* A language runtime may use the segment register of the thread-local variables for a while. */
int case_thread_pointer_changed(void)
{
	static char other[4096] __attribute__((aligned(64)));
	unsigned long before;

	mark();
	syscall(SYS_arch_prctl, ARCH_GET_FS, &before);
	__asm__ volatile("syscall" ::"a"(SYS_arch_prctl), "D"(ARCH_SET_FS), "S"(other + 2048)
	                 : "rcx", "r11", "memory");
	spin();
	__asm__ volatile("syscall" ::"a"(SYS_arch_prctl), "D"(ARCH_SET_FS), "S"(before)
	                 : "rcx", "r11", "memory");
	say("back\n");
	return 0;
}

int case_thread_pointer_zero(void)
{
	unsigned long before;

	mark();
	syscall(SYS_arch_prctl, ARCH_GET_FS, &before);
	__asm__ volatile("syscall" ::"a"(SYS_arch_prctl), "D"(ARCH_SET_FS), "S"(0)
	                 : "rcx", "r11", "memory");
	spin();
	__asm__ volatile("syscall" ::"a"(SYS_arch_prctl), "D"(ARCH_SET_FS), "S"(before)
	                 : "rcx", "r11", "memory");
	say("back\n");
	return 0;
}

/* A thread of a runtime that uses nothing of libc, made by a direct clone system call. */
static volatile int foreign_done;

__attribute__((no_instrument_function, noreturn)) static void foreign(void)
{
	for (int i = 0; i < 6; i++) /* it takes a while until the recorder finds it */
		spin();
	foreign_done = 1;
	for (;;)
		__asm__ volatile("syscall" ::"a"(SYS_exit), "D"(0) : "rcx", "r11", "memory");
}

int case_thread_without_libc(void)
{
	static char other[4096] __attribute__((aligned(64))),
		stack[1 << 16] __attribute__((aligned(64)));
	unsigned long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
	                      CLONE_SYSVSEM | CLONE_SETTLS;
	register void *pointer __asm__("r8") = other + 2048;
	register long none __asm__("r10") = 0;
	long result;

	mark();
	__asm__ volatile(
		"syscall\n\ttest %%eax, %%eax\n\tjnz 1f\n\txor %%ebp, %%ebp\n\tcall *%%rbx\n1:"
		: "=a"(result)
		: "a"(SYS_clone), "D"(flags), "S"(stack + sizeof(stack)), "d"(0L), "r"(none),
		  "r"(pointer), "b"(foreign)
		: "rcx", "r11", "memory");
	while (!foreign_done)
		usleep(1000);
	say("made %d\n", result > 0);
	return 0;
}

int case_other_segment(void)
{
	static long other[8] = {0, 0, 77};
	long value;

	syscall(SYS_arch_prctl, ARCH_SET_GS, other);
	mark();
	spin();
	__asm__ volatile("mov %%gs:16, %0" : "=r"(value));
	say("value %ld\n", value);
	return 0;
}

static volatile sig_atomic_t refused;

/* Skip rdtsc or rdtscp. */
static void no_time(int signal, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)signal;
	(void)info;
	refused++;
	registers[REG_RIP] += ((unsigned char *)registers[REG_RIP])[1] == 0x31 ? 2 : 3;
}

/* The instruction that reads the time raises SIGSEGV. */
int case_time_stamp_refused(void)
{
	struct sigaction action = {.sa_sigaction = no_time, .sa_flags = SA_SIGINFO};

	mark();
	sigaction(SIGSEGV, &action, NULL);
	say("set %d\n", prctl(PR_SET_TSC, PR_TSC_SIGSEGV));
	free(malloc(100));
	spin();
	say("by the recorder %d\n", refused);
	__asm__ volatile("rdtsc" ::: "rax", "rdx");
	say("by the program %d\n", refused);
	return 0;
}

int case_time_stamp_refused_for_good(void)
{
	mark();
	say("set %d\n", prctl(PR_SET_TSC, PR_TSC_SIGSEGV));
	for (int i = 0; i < 1000; i++)
		mark();
	spin();
	return 3;
}

/* The program handles each system call that is made outside a range itself, as Windows' calls are
 * emulated. */
static volatile char selector;
static volatile sig_atomic_t emulated;

static void emulate(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	selector = 0;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = 4711;
	emulated++;
}

int case_system_calls_dispatched(void)
{
	struct sigaction action = {.sa_sigaction = emulate, .sa_flags = SA_SIGINFO};
	long result;

	mark();
	sigaction(SIGSYS, &action, NULL);
	if (prctl(59 /* PR_SET_SYSCALL_USER_DISPATCH */, 1, 0, 0, &selector) != 0)
		return CASE_SKIP;
	selector = 1;
	spin();
	free(malloc(100));
	__asm__ volatile("syscall" : "=a"(result) : "a"(SYS_getppid) : "rcx", "r11", "memory");
	say("emulated %d: %ld\n", emulated, result);
	return 0;
}

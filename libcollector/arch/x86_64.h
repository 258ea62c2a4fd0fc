/* x86_64.h: what depends on the processor. Another architecture is another file with the same
 * names. */
#ifndef XER_COLLECTOR_ARCH_X86_64_H
#define XER_COLLECTOR_ARCH_X86_64_H

#include <elf.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <ucontext.h>

enum { ARCH_BITS = 64, ARCH_WALKS_STACKS = 1 };

#define ARCH_SYS_FSTAT SYS_fstat
#define ARCH_SYS_CLOCK_GETTIME SYS_clock_gettime
#define ARCH_SYS_MMAP SYS_mmap

/* An argument of 64 bits, and the offset of a mapping, as system calls take them. */
#define ARCH_WIDE(value) (long)(value)
#define ARCH_MMAP_OFFSET(at) (at)

/* A raw system call: returns the kernel's value, -errno on failure. It neither touches errno nor is
 * a cancellation point nor can it be interposed, which is why the collector uses nothing else.
 * Signal-safe. */
static inline long arch_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	long result;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;

	__asm__ volatile("syscall"
	                 : "=a"(result)
	                 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
	                 : "rcx", "r11", "memory");
	return result;
}

static inline uint64_t arch_ticks(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

/* The same, with a word that differs between CPUs, whose lowest 12 bits are the CPU's number. */
static inline uint64_t arch_ticks_cpu(uint32_t *cpu)
{
	uint32_t low, high;

	__asm__ volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(*cpu));
	return (uint64_t)high << 32 | low;
}

/* Does this processor have what arch_ticks_cpu needs? */
static inline int arch_has_ticks_cpu(void)
{
	uint32_t a = 0x80000001, b, c = 0, d;

	__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	return d >> 27 & 1;
}

static inline uintptr_t arch_sp(void)
{
	uintptr_t sp;

	__asm__ volatile("mov %%rsp, %0" : "=r"(sp));
	return sp;
}

/* May programs read and set the thread pointer by instructions (Linux 5.9)? */
static inline int arch_has_thread_pointer(void)
{
	return (getauxval(AT_HWCAP2) & 2) != 0;
}

static inline uintptr_t arch_thread_pointer(void)
{
	uintptr_t pointer;

	__asm__ volatile("rdfsbase %0" : "=r"(pointer));
	return pointer;
}

static inline void arch_set_thread_pointer(uintptr_t pointer)
{
	__asm__ volatile("wrfsbase %0" ::"r"(pointer) : "memory");
}

/* Let the processor read words at any address; `gregs` tell of the interrupted code, whose own
 * setting comes back with it. */
static inline void arch_allow_unaligned(const greg_t *gregs)
{
	if (__builtin_expect(gregs[REG_EFL] & 1 << 18, 0)) /* the kernel leaves AC set */
		__asm__ volatile(
			"sub $128, %%rsp\n\tpushfq\n\tandl $~(1 << 18), (%%rsp)\n\tpopfq\n\tadd $128, %%rsp" ::
				: "memory", "cc");
}

/* The code that a handler returns to, as unwinders know it. */
#define ARCH_SIGNAL_RETURN "\tmov $15, %rax\n\tsyscall\n"

/* Does the processor compare return addresses with a stack of its own? Without one, the instruction
 * is none. */
static inline int arch_has_shadow_stack(void)
{
	uint64_t pointer = 0;

	__asm__ volatile(".byte 0xf3, 0x48, 0x0f, 0x1e, 0xc8" : "+a"(pointer)); /* rdsspq %rax */
	return pointer != 0;
}

/* DWARF register numbers of System V x86-64. */
enum {
	ARCH_RAX,
	ARCH_RDX,
	ARCH_RCX,
	ARCH_RBX,
	ARCH_RSI,
	ARCH_RDI,
	ARCH_RBP,
	ARCH_RSP,
	ARCH_RA = 16,
	ARCH_REGISTERS
};

struct arch_registers {
	uint64_t value[ARCH_REGISTERS]; /* by DWARF number; [ARCH_RA] is the program counter */
};

/* The registers of an interrupted context, `gregs` being uc_mcontext.gregs. */
static inline void arch_registers_load(struct arch_registers *to, const greg_t *gregs)
{
	static const uint8_t place[ARCH_REGISTERS] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
		REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
	};

	for (int i = 0; i < ARCH_REGISTERS; i++)
		to->value[i] = (uint64_t)gregs[place[i]];
}

/* The callee-saved registers, stack pointer and program counter of the calling function, here. */
static inline __attribute__((always_inline)) void arch_registers_here(struct arch_registers *to)
{
	uint64_t *value = to->value;

	memset(to, 0, sizeof(*to));
	__asm__ volatile("movq %%rbx, %0\n\tmovq %%rbp, %1\n\tmovq %%rsp, %2\n\tmovq %%r12, %3\n\t"
	                 "movq %%r13, %4\n\tmovq %%r14, %5\n\tmovq %%r15, %6\n\t"
	                 "leaq 0(%%rip), %%rax\n\tmovq %%rax, %7"
	                 : "=m"(value[ARCH_RBX]), "=m"(value[ARCH_RBP]), "=m"(value[ARCH_RSP]),
	                   "=m"(value[12]), "=m"(value[13]), "=m"(value[14]), "=m"(value[15]),
	                   "=m"(value[ARCH_RA])
	                 :
	                 : "rax");
}

/* In the frame of a signal trampoline the stack pointer points at the ucontext. */
static inline uint64_t arch_signal_gregs(uint64_t sp)
{
	return sp + __builtin_offsetof(ucontext_t, uc_mcontext.gregs);
}

/* True if the code at pc is `mov $SYS_rt_sigreturn,%rax; syscall`, the trampoline of every libc. */
static inline int arch_is_sigreturn(uint64_t pc)
{
	static const uint8_t code[9] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};

	return memcmp((const void *)pc, code, sizeof(code)) == 0;
}

static inline int arch_is_syscall(uint64_t pc)
{
	static const uint8_t code[2] = {0x0f, 0x05};

	return memcmp((const void *)pc, code, sizeof(code)) == 0;
}

/* True if the 8 bytes before a return address end in a call instruction. */
static inline int arch_follows_call(const uint8_t *before)
{
	const uint8_t *end = before + 8;

	if (end[-5] == 0xe8)
		return 1;
	for (int len = 2; len <= 7; len++) /* ff /2 with all its operand forms */
		if (end[-len] == 0xff && (end[-len + 1] >> 3 & 7) == 2)
			return 1;
	return 0;
}

#endif

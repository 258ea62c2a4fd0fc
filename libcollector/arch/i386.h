/* i386.h: programs of 32 bits on an x86-64 kernel. Stacks are not walked here, so there is only
 * what arch.h wants of all processors. */
#ifndef XER_COLLECTOR_ARCH_I386_H
#define XER_COLLECTOR_ARCH_I386_H

#include <elf.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

enum {
	ARCH_BITS = 32,
	ARCH_MACHINE_64 = EM_X86_64,
	ARCH_MACHINE_32 = EM_386,
	ARCH_ADDRESS_BITS = 32,
	ARCH_REGISTERS = 9 /* so that tables of unwinding have a size */
};

#define ARCH_WALKS_STACKS 0
#define ARCH_AUDIT AUDIT_ARCH_I386

/* The calls whose structs are those of the C library with _FILE_OFFSET_BITS=64, and whose user ids
 * have more than 16 bits. */
#undef SYS_fcntl
#undef SYS_getegid
#undef SYS_geteuid
#undef SYS_getgid
#undef SYS_getuid
#define SYS_fcntl __NR_fcntl64
#define SYS_getegid __NR_getegid32
#define SYS_geteuid __NR_geteuid32
#define SYS_getgid __NR_getgid32
#define SYS_getuid __NR_getuid32
#define ARCH_SYS_FSTAT __NR_fstat64
#define ARCH_SYS_TRUNCATE __NR_truncate64
#define ARCH_SYS_CLOCK_GETTIME __NR_clock_gettime64

/* An argument of 64 bits goes in two registers; mmap counts in pages. */
#define ARCH_WIDE(value) (long)(uint64_t)(value), (long)((uint64_t)(value) >> 32)
#define ARCH_SYS_MMAP __NR_mmap2
#define ARCH_MMAP_OFFSET(at) ((at) >> 12)

/* By the old system call instruction, which needs neither the C library nor the vDSO; the sixth
 * argument goes through memory because a function may use %ebp for its frame. */
static inline long arch_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	long result;

	__asm__ volatile(
		"pushl %[f]\n\tpushl %%ebp\n\tmovl 4(%%esp), %%ebp\n\tint $0x80\n\tpopl %%ebp\n\taddl $4, %%esp"
		: "=a"(result)
		: "a"(number), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e), [f] "g"(f)
		: "memory", "cc");
	return result;
}

static inline uint64_t arch_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("rdtsc" : "=A"(ticks));
	return ticks;
}

static inline uintptr_t arch_sp(void)
{
	uintptr_t sp;

	__asm__ volatile("mov %%esp, %0" : "=r"(sp));
	return sp;
}

static inline uintptr_t arch_libc_pointer(void)
{
	return (uintptr_t)__builtin_thread_pointer();
}

#endif

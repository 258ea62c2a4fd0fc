/* x86_64.h: x86-64, as arch.h wants it. */
#ifndef XER_COLLECT_ARCH_X86_64_H
#define XER_COLLECT_ARCH_X86_64_H

#include <cpuid.h>
#include <elf.h>
#include <stdint.h>
#include <string.h>
#include <x86intrin.h>

enum { ARCH_MACHINE_64 = EM_X86_64, ARCH_MACHINE_32 = EM_386 };

static inline uint64_t arch_ticks(void)
{
	return __rdtsc();
}

/* CPUID 0x80000007, EDX bit 8 */
static inline int arch_has_constant_ticks(void)
{
	unsigned eax, ebx, ecx, edx;

	return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) && (edx & 1u << 8);
}

static inline const char *arch_clock_name(void)
{
	return "tsc";
}

/* CPUID 0x80000002 to 0x80000004, 16 bytes each */
static inline void arch_read_model(char *out)
{
	unsigned word[12] = {0};

	for (unsigned i = 0; i < 3; i++)
		if (!__get_cpuid(0x80000002 + i, &word[4 * i], &word[4 * i + 1], &word[4 * i + 2],
		                 &word[4 * i + 3]))
			return;
	memcpy(out, word, sizeof(word));
}

#endif

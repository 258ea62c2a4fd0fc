/* x86_64.h: x86-64, as arch.h wants it. */
#ifndef XER_PERF_ARCH_X86_64_H
#define XER_PERF_ARCH_X86_64_H

#include <elf.h>

enum { ARCH_MACHINE = EM_X86_64, ARCH_FP = 6, ARCH_KEPT_COUNT = 6, ARCH_RETURN_WORDS = 1 };

/* rbx, rbp, r12 to r15 */
#define ARCH_KEPT \
	{ \
		3, ARCH_FP, 12, 13, 14, 15 \
	}

#endif

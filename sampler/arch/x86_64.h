/* x86_64.h: registers of x86-64, as arch.h wants them. */
#ifndef XER_SAMPLER_ARCH_X86_64_H
#define XER_SAMPLER_ARCH_X86_64_H

#include <asm/perf_regs.h>
#include <stdint.h>

enum { RING_SP = 7, RING_PC = 16, RING_REGISTERS };

#define ARCH_BITS \
	{ \
		PERF_REG_X86_AX, PERF_REG_X86_DX, PERF_REG_X86_CX, PERF_REG_X86_BX, \
			PERF_REG_X86_SI, PERF_REG_X86_DI, PERF_REG_X86_BP, PERF_REG_X86_SP, \
			PERF_REG_X86_R8, PERF_REG_X86_R9, PERF_REG_X86_R10, PERF_REG_X86_R11, \
			PERF_REG_X86_R12, PERF_REG_X86_R13, PERF_REG_X86_R14, PERF_REG_X86_R15, \
			PERF_REG_X86_IP \
	}

/* The first page, and what the widest page tables give to user space. */
#define ARCH_PC_MIN UINT64_C(0x1000)
#define ARCH_PC_MAX ((UINT64_C(1) << 56) - 1)

#endif

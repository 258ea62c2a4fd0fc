/* x86_64.h: sizes and registers of x86-64, as arch.h wants them. */
#ifndef XER_ATTACH_ARCH_X86_64_H
#define XER_ATTACH_ARCH_X86_64_H

#include <sys/user.h>

enum {
	ARCH_VECTOR_MAX = 16 * 1024,
	ARCH_FRAME_MAX = ARCH_VECTOR_MAX + 1024,
	ARCH_FRAME_ALIGN = 64,
	ARCH_RED_ZONE = 128,
	ARCH_RETURN_BYTES = 8
};

struct arch_registers {
	struct user_regs_struct user;
};

#endif

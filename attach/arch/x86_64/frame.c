/* frame.c: build signal frames of x86-64. See arch.h. Their layout: arch/x86/include/uapi/asm's
 * sigcontext.h and ucontext.h of Linux.
 * See doc/decisions/35-attach.md. */
#include "attach/arch/arch.h"

#include <cpuid.h>
#include <signal.h>
#include <string.h>

/* struct ucontext of the kernel. The mask has 8 bytes, where ucontext_t has 128. */
struct kernel_context {
	unsigned long flags;
	void *link;
	stack_t stack;
	struct sigcontext registers;
	uint64_t mask;
};

enum { HAS_XSTATE = 1, HAS_SS = 2, STRICT_SS = 4 };

/* In the vector state: what the kernel keeps for itself, and the features that are in use. */
enum { SOFTWARE_AT = 464, IN_USE_AT = 512, TILE_DATA = 18 };

/* No mode of sigaltstack(2): rt_sigreturn then leaves the alternate stack as it is. */
enum { NO_STACK_MODE = 7 };

/* Errors inside the kernel of calls that it begins again: ERESTARTSYS, -NOINTR, -NOHAND,
 * -RESTARTBLOCK (linux/errno.h). */
static int is_restart(int64_t result)
{
	return result == -512 || result == -513 || result == -514 || result == -516;
}

static void fill_registers(struct sigcontext *out, const struct arch_state *state)
{
	const struct user_regs_struct *regs = &state->registers.user;

	*out = (struct sigcontext){
		.r8 = regs->r8,
		.r9 = regs->r9,
		.r10 = regs->r10,
		.r11 = regs->r11,
		.r12 = regs->r12,
		.r13 = regs->r13,
		.r14 = regs->r14,
		.r15 = regs->r15,
		.rdi = regs->rdi,
		.rsi = regs->rsi,
		.rbp = regs->rbp,
		.rbx = regs->rbx,
		.rdx = regs->rdx,
		.rax = regs->rax,
		.rcx = regs->rcx,
		.rsp = regs->rsp,
		.rip = regs->rip,
		.eflags = regs->eflags,
		.cs = (unsigned short)regs->cs,
		.__pad0 = (unsigned short)regs->ss /* ss */,
	};
	if ((int64_t)regs->orig_rax >= 0 && is_restart((int64_t)regs->rax)) {
		out->rax = state->call;
		out->rip -= 2;
	}
}

/* The kernel refuses matrix registers from a thread that never asked for them, and they come last:
 * leave them out unless in use. */
static size_t used_size(const struct arch_state *state, uint64_t *features)
{
	unsigned eax, ebx, ecx, edx;
	uint64_t in_use;

	memcpy(features, state->vector + SOFTWARE_AT, sizeof(*features));
	memcpy(&in_use, state->vector + IN_USE_AT, sizeof(in_use));
	if (!(*features >> TILE_DATA & 1) || in_use >> TILE_DATA & 1)
		return state->vector_size;
	*features &= ~((uint64_t)1 << TILE_DATA);
	__cpuid_count(13, TILE_DATA, eax, ebx, ecx, edx);
	return ebx < state->vector_size ? ebx : state->vector_size;
}

/* Behind the 512 bytes of FXSAVE's layout, the kernel finds the rest by a note in the bytes that
 * the CPU leaves alone. */
static size_t put_vector(const struct arch_state *state, unsigned char *at)
{
	const uint32_t end = FP_XSTATE_MAGIC2;
	uint64_t features;
	size_t size = used_size(state, &features);
	struct _fpx_sw_bytes note = {
		.magic1 = FP_XSTATE_MAGIC1,
		.extended_size = (uint32_t)size + FP_XSTATE_MAGIC2_SIZE,
		.xstate_bv = features,
		.xstate_size = (uint32_t)size,
	};

	memcpy(at, state->vector, size);
	memcpy(at + SOFTWARE_AT, &note, sizeof(note));
	memcpy(at + size, &end, sizeof(end));
	return size + sizeof(end);
}

size_t arch_frame_build(const struct arch_state *state, uint64_t address, unsigned char *bytes)
{
	size_t vector_at = (sizeof(struct kernel_context) + ARCH_FRAME_ALIGN - 1) &
	                   ~(size_t)(ARCH_FRAME_ALIGN - 1);
	struct kernel_context *context = (struct kernel_context *)bytes;

	memset(bytes, 0, vector_at);
	context->flags = HAS_XSTATE | HAS_SS | STRICT_SS;
	context->stack.ss_flags = NO_STACK_MODE;
	fill_registers(&context->registers, state);
	context->registers.fpstate = (void *)(address + vector_at);
	context->mask = state->mask;
	return vector_at + put_vector(state, bytes + vector_at);
}

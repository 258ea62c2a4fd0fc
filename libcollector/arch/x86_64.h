/* x86_64.h: x86-64, as arch.h wants it. */
#ifndef XER_COLLECTOR_ARCH_X86_64_H
#define XER_COLLECTOR_ARCH_X86_64_H

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

enum {
	ARCH_BITS = 64,
	ARCH_MACHINE_64 = EM_X86_64,
	ARCH_MACHINE_32 = EM_386,
	ARCH_RA_OFFSET = -8,
	ARCH_ADDRESS_BITS = 47,
	ARCH_RELOC_ADDRESS = R_X86_64_64,
	ARCH_RELOC_SLOT = R_X86_64_JUMP_SLOT,
	ARCH_RELOC_GOT = R_X86_64_GLOB_DAT,
	ARCH_RELOC_RELATIVE = R_X86_64_RELATIVE,
	ARCH_CALL_SIZE = 5,
	ARCH_JUMP_SIZE = 5,
	ARCH_STUB_SIZE = 16,
	ARCH_SLED_SIZE = 11,
	ARCH_SLED_HEAD = 2
};

#define ARCH_WALKS_STACKS 1
#define ARCH_AUDIT AUDIT_ARCH_X86_64
#define ARCH_SYS_FSTAT SYS_fstat
#define ARCH_SYS_TRUNCATE SYS_truncate
#define ARCH_SYS_CLOCK_GETTIME SYS_clock_gettime
#define ARCH_SYS_MMAP SYS_mmap
#define ARCH_WIDE(value) (long)(value)
#define ARCH_MMAP_OFFSET(at) (at)

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

static inline uint64_t arch_ticks_cpu(uint32_t *cpu)
{
	uint32_t low, high;

	__asm__ volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(*cpu));
	return (uint64_t)high << 32 | low;
}

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

/* ---- the thread pointer is the base of fs */

static inline uintptr_t arch_libc_pointer(void)
{
	return (uintptr_t)__builtin_thread_pointer(); /* its own address is the first word there */
}

/* Linux 5.9 */
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

static inline void arch_make_thread_block(char *at)
{
	*(uintptr_t *)(void *)at = (uintptr_t)at;
}

static inline void arch_set_thread_pointer(uintptr_t pointer)
{
	__asm__ volatile("wrfsbase %0" ::"r"(pointer) : "memory");
}

/* ---- registers, by the numbers of System V x86-64 */

enum { ARCH_BX = 3, ARCH_FP = 6, ARCH_SP = 7, ARCH_RA = 16, ARCH_REGISTERS };

struct arch_registers {
	uint64_t value[ARCH_REGISTERS];
};

/* Their places in uc_mcontext.gregs. */
static const uint8_t arch_places[ARCH_REGISTERS] __attribute__((unused)) = {
	REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
	REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
};

static inline void arch_registers_load(struct arch_registers *to, const ucontext_t *context)
{
	for (int i = 0; i < ARCH_REGISTERS; i++)
		to->value[i] = (uint64_t)context->uc_mcontext.gregs[arch_places[i]];
}

static inline uint64_t arch_context_pc(const ucontext_t *context)
{
	return (uint64_t)context->uc_mcontext.gregs[REG_RIP];
}

static inline uint64_t arch_context_sp(const ucontext_t *context)
{
	return (uint64_t)context->uc_mcontext.gregs[REG_RSP];
}

static inline uint64_t arch_context_fp(const ucontext_t *context)
{
	return (uint64_t)context->uc_mcontext.gregs[REG_RBP];
}

static inline __attribute__((always_inline)) void arch_registers_here(struct arch_registers *to)
{
	uint64_t *value = to->value;

	memset(to, 0, sizeof(*to));
	__asm__ volatile("movq %%rbx, %0\n\tmovq %%rbp, %1\n\tmovq %%rsp, %2\n\tmovq %%r12, %3\n\t"
	                 "movq %%r13, %4\n\tmovq %%r14, %5\n\tmovq %%r15, %6\n\t"
	                 "leaq 0(%%rip), %%rax\n\tmovq %%rax, %7"
	                 : "=m"(value[ARCH_BX]), "=m"(value[ARCH_FP]), "=m"(value[ARCH_SP]),
	                   "=m"(value[12]), "=m"(value[13]), "=m"(value[14]), "=m"(value[15]),
	                   "=m"(value[ARCH_RA])
	                 :
	                 : "rax");
}

/* The stack pointer points at the ucontext then. */
static inline uint64_t arch_signal_slot(uint64_t sp, int number)
{
	return sp + offsetof(ucontext_t, uc_mcontext.gregs) + sizeof(greg_t) * arch_places[number];
}

static inline void arch_allow_unaligned(const ucontext_t *context)
{
	if (__builtin_expect(context->uc_mcontext.gregs[REG_EFL] & 1 << 18, 0)) /* the kernel leaves
	                                                                           AC set */
		__asm__ volatile(
			"sub $128, %%rsp\n\tpushfq\n\tandl $~(1 << 18), (%%rsp)\n\tpopfq\n\tadd $128, %%rsp" ::
				: "memory", "cc");
}

/* Without such a stack the instruction does nothing. */
static inline int arch_has_shadow_stack(void)
{
	uint64_t pointer = 0;

	__asm__ volatile(".byte 0xf3, 0x48, 0x0f, 0x1e, 0xc8" : "+a"(pointer)); /* rdsspq %rax */
	return pointer != 0;
}

/* ---- code */

/* mov $SYS_rt_sigreturn,%rax; syscall */
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

static inline int arch_is_in_call(uint64_t pc)
{
	return (pc & 4095) >= 2 && (arch_is_syscall(pc - 2) || arch_is_syscall(pc));
}

/* Which registers point at what the string instruction at `code` works on, with its prefixes: bits
 * of ARCH_STRING_TO (rdi) and ARCH_STRING_FROM (rsi). 0: it is another instruction. */
enum { ARCH_STRING_TO = 1, ARCH_STRING_FROM = 2 };

static inline int arch_string_of(const uint8_t *code)
{
	enum { PREFIXES = 4 };
	int prefixes = 0;

	while (prefixes < PREFIXES && (*code == 0x66 || *code == 0xf2 || *code == 0xf3 ||
	                               (*code & 0xf0) == 0x40)) { /* the latter is REX */
		code++;
		prefixes++;
	}
	switch (*code & 0xfe) {
	case 0xa4: /* movs */
	case 0xa6: /* cmps */
		return ARCH_STRING_TO | ARCH_STRING_FROM;
	case 0xaa: /* stos */
	case 0xae: /* scas */
		return ARCH_STRING_TO;
	case 0xac: /* lods */
		return ARCH_STRING_FROM;
	default:
		return 0;
	}
}

/* The resume flag: exceptions that are faults save it set, so that a breakpoint at the instruction
 * is not met twice; system calls and interrupts save it clear, except for interrupts between two
 * rounds of a repeated string instruction (Intel SDM 3, 18.3.1.1; AMD64 APM 2, 3.1.6). Such an
 * instruction faults where it comes to a new page, or at its first round. The registers that it
 * does not use may have any value. */
static inline enum arch_fault arch_fault_of(const ucontext_t *context,
                                            int (*is_readable)(const void *, size_t))
{
	enum { ROUND = 64 /* bytes of the longest one */, CODE = 6 };
	const greg_t *gregs = context->uc_mcontext.gregs;
	const uint8_t *at = (const uint8_t *)gregs[REG_RIP];
	int used;

	if (!(gregs[REG_EFL] & 1 << 16))
		return ARCH_FAULT_NONE;
	if (!is_readable(at, 1) || (*at != 0xf2 && *at != 0xf3) || !is_readable(at, CODE))
		return ARCH_FAULT_SURE;
	used = arch_string_of(at);
	if (!used || (used & ARCH_STRING_TO && (gregs[REG_RDI] & 4095) < ROUND) ||
	    (used & ARCH_STRING_FROM && (gregs[REG_RSI] & 4095) < ROUND))
		return ARCH_FAULT_SURE;
	return ARCH_FAULT_DOUBTFUL;
}

static inline int arch_string_next(const ucontext_t *context, uint64_t next[ARCH_STRINGS])
{
	const greg_t *gregs = context->uc_mcontext.gregs;
	int used = arch_string_of((const uint8_t *)gregs[REG_RIP]), count = 0;

	if (used & ARCH_STRING_TO)
		next[count++] = (uint64_t)gregs[REG_RDI] + 4096;
	if (used & ARCH_STRING_FROM)
		next[count++] = (uint64_t)gregs[REG_RSI] + 4096;
	return count;
}

enum { ARCH_CALL_CODE = 7 };

/* mov $number,%eax; syscall */
static inline int64_t arch_call_of(const uint8_t *code)
{
	uint32_t number;

	if (code[0] != 0xb8 || code[5] != 0x0f || code[6] != 0x05)
		return -1;
	memcpy(&number, code + 1, 4);
	return number;
}

static inline int64_t arch_failed_call(const ucontext_t *context)
{
	const greg_t *gregs = context->uc_mcontext.gregs;
	const uint8_t *at = (const uint8_t *)gregs[REG_RIP];

	if (gregs[REG_RAX] != -EINTR || ((uintptr_t)at & 4095) < ARCH_CALL_CODE)
		return -1;
	return arch_call_of(at - ARCH_CALL_CODE);
}

/* Where the word is that the instruction of 4 or 5 bytes before `end` loads into a register, by its
 * opcode and operand for displacements from rsp; 0: it is another instruction. */
static inline uint64_t arch_loads_from(const uint8_t *end, uint8_t operand, uint64_t sp,
                                       uint64_t fp)
{
	const uint8_t from_sp[4] = {0x48, 0x8b, operand, 0x24};
	const uint8_t from_fp[3] = {0x48, 0x8b, (uint8_t)(operand + 1)};

	if (memcmp(end - 5, from_sp, sizeof(from_sp)) == 0)
		return sp + (uint64_t)(int8_t)end[-1];
	if (memcmp(end - 4, from_fp, sizeof(from_fp)) == 0)
		return fp + (uint64_t)(int8_t)end[-1];
	return 0;
}

/* Where the number is that was the second argument of a call: before `end`, where the call begins,
 * it was loaded into rsi. Arguments are moved and pushed after that. */
static inline uint64_t arch_passed_from(const uint8_t *end, uint64_t sp, uint64_t fp)
{
	uint64_t at = 0;

	for (int i = 0; i < 8 && !at; i++) {
		at = arch_loads_from(end, 0x74, sp, fp);
		if ((end[-3] & 0xf8) == 0x48 && end[-2] == 0x89 && end[-1] >= 0xc0) {
			end -= 3; /* mov, of two registers */
		} else if (end[-2] == 0x41 && (end[-1] & 0xf8) == 0x50) {
			end -= 2; /* push */
			sp += 8;
		} else {
			break;
		}
	}
	return at;
}

static inline int64_t arch_cancellable_call(const ucontext_t *context,
                                            int (*is_readable)(const void *, size_t))
{
	/* __syscall_cancel_arch, which is written in assembler, from its first mov on */
	static const uint8_t inner[36] = {0x49, 0x89, 0xfb, 0x48, 0x89, 0xf0, 0x48, 0x89, 0xd7,
	                                  0x48, 0x89, 0xce, 0x4c, 0x89, 0xc2, 0x4d, 0x89, 0xca,
	                                  0x4c, 0x8b, 0x44, 0x24, 0x08, 0x4c, 0x8b, 0x4c, 0x24,
	                                  0x10, 0x4c, 0x89, 0x5c, 0x24, 0x08, 0x0f, 0x05, 0xc3};
	enum { LOOK = 40 }; /* bytes of code */
	const greg_t *gregs = context->uc_mcontext.gregs;
	const uint8_t *code = (const uint8_t *)gregs[REG_RIP];
	uint64_t sp = (uint64_t)gregs[REG_RSP], fp = (uint64_t)gregs[REG_RBP], at = 0;
	int64_t number = -1;

	if (gregs[REG_RAX] != -EINTR || !is_readable(code - LOOK, LOOK + 1) ||
	    !arch_is_syscall((uint64_t)code - 2))
		return -1;
	if (memcmp(code - sizeof(inner) + 1, inner, sizeof(inner)) == 0) {
		uint64_t back; /* where it returns to */
		int32_t distance;

		if (!is_readable((const void *)sp, sizeof(back)))
			return -1;
		memcpy(&back, (const void *)sp, sizeof(back));
		if (!is_readable((const void *)(back - LOOK), LOOK))
			return -1;
		memcpy(&distance, (const void *)(back - 4), sizeof(distance));
		if (*(const uint8_t *)(back - 5) == 0xe8 &&
		    (uint64_t)code - back - (uint64_t)(int64_t)distance < 64)
			at = arch_passed_from((const uint8_t *)(back - 5), sp + 8, fp);
	} else {
		at = arch_loads_from(code - 2, 0x44, sp, fp);
	}
	if (at && is_readable((const void *)at, sizeof(number)))
		memcpy(&number, (const void *)at, sizeof(number));
	return number;
}

static inline void arch_begin_call(ucontext_t *context, int64_t number)
{
	context->uc_mcontext.gregs[REG_RAX] = number;
	context->uc_mcontext.gregs[REG_RIP] -= 2;
}

#define ARCH_UNWOUND(name) __asm__ volatile(".cfi_personality 0x1b, " #name)

static inline int64_t arch_restarted_call(const ucontext_t *context)
{
	const greg_t *gregs = context->uc_mcontext.gregs;

	/* The instruction has left its own end in rcx. */
	if (gregs[REG_RCX] != gregs[REG_RIP] + 2 || gregs[REG_RAX] < 0 ||
	    !arch_is_syscall((uint64_t)gregs[REG_RIP]))
		return -1;
	return gregs[REG_RAX];
}

static inline void arch_fail_call(ucontext_t *context)
{
	context->uc_mcontext.gregs[REG_RAX] = -EINTR;
	context->uc_mcontext.gregs[REG_RIP] += 2;
}

static inline uint64_t arch_call_argument(const ucontext_t *context, int number)
{
	static const uint8_t of[] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9};

	return (uint64_t)context->uc_mcontext.gregs[of[number]];
}

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

static inline int arch_begins_call(const uint8_t *code)
{
	return *code == 0xe8 || *code == 0xff;
}

/* endbr64 */
static inline size_t arch_mark_length(const uint8_t *code, size_t size)
{
	static const uint8_t mark[4] = {0xf3, 0x0f, 0x1e, 0xfa};

	return size >= sizeof(mark) && memcmp(code, mark, sizeof(mark)) == 0 ? sizeof(mark) : 0;
}

struct arch_jump {
	uint64_t at;
	uint8_t code[ARCH_JUMP_SIZE];
};

/* At most endbr64, then a return, and room until the next function begins. */
static inline int arch_jump_of_empty(const uint8_t *code, uint64_t target, struct arch_jump *out)
{
	static const uint8_t fillers[] = {0x0f, 0x2e, 0x66, 0x90, 0xcc};
	int64_t distance;
	int32_t relative;

	code += arch_mark_length(code, 4);
	*out = (struct arch_jump){.at = (uint64_t)(uintptr_t)code, .code = {0xe9}};
	distance = (int64_t)(target - (out->at + ARCH_JUMP_SIZE));
	relative = (int32_t)distance;
	memcpy(out->code + 1, &relative, sizeof(relative));
	return code[0] != 0xc3 || !memchr(fillers, code[1], sizeof(fillers)) ||
	                       (out->at & 15) > 11 || relative != distance
	               ? -1
	               : 0;
}

/* jmp *0(%rip), then the address. */
static inline void arch_put_stub(uint8_t *at, uint64_t target)
{
	static const uint8_t jump[6] = {0xff, 0x25, 0, 0, 0, 0};

	memcpy(at, jump, sizeof(jump));
	memcpy(at + sizeof(jump), &target, sizeof(target));
}

/* ---- tables */

/* breg7 8, breg16 0, lit15, and, lit<n>, ge, lit3, shl, plus */
static inline int arch_plt_byte(const uint8_t *expression, uint64_t size)
{
	static const uint8_t before[] = {0x77, 8, 0x80, 0, 0x3f, 0x1a};
	static const uint8_t behind[] = {0x2a, 0x33, 0x24, 0x22};

	return size == 11 && memcmp(expression, before, 6) == 0 && expression[6] >= 0x30 &&
	                       expression[6] <= 0x3f && memcmp(expression + 7, behind, 4) == 0
	               ? expression[6] - 0x30
	               : -1;
}

static inline uint64_t arch_plt_cfa(uint64_t pc, uint64_t sp, uint64_t byte)
{
	return sp + 8 + ((pc & 15) >= byte ? 8 : 0);
}

#endif

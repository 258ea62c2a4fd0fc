/* code.c: instructions of x86-64, read in the target or put there. See arch.h. */
#include "attach/arch/arch.h"

#include "attach/memory.h"

#include <string.h>
#include <sys/syscall.h>

/* ---- bytes of code */

static const unsigned char call_and_return[] = {0x0f, 0x05, 0xc3};

/* __restore_rt */
static const unsigned char signal_return[] = {0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05};

/* rax: function, rdi and rsi: arguments, rbx: control block. */
static const unsigned char stub[] = {
	0xff, 0xd0,                               /* call *%rax */
	0x48, 0x89, 0x43, 0x08,                   /* mov %rax,8(%rbx) */
	0x48, 0xc7, 0x03, 0x01, 0x00, 0x00, 0x00, /* movq $1,(%rbx) */
	0x31, 0xff,                         /* xor %edi,%edi: ppoll(NULL, 0, &wait, NULL, 8) */
	0x31, 0xf6,                         /* xor %esi,%esi */
	0x48, 0x8d, 0x53, 0x10,             /* lea 16(%rbx),%rdx */
	0x45, 0x31, 0xd2,                   /* xor %r10d,%r10d */
	0x41, 0xb8, 0x08, 0x00, 0x00, 0x00, /* mov $8,%r8d */
	0xb8, 0x0f, 0x01, 0x00, 0x00,       /* mov $SYS_ppoll,%eax */
	0x0f, 0x05,                         /* syscall */
	0x48, 0x8b, 0x63, 0x20,             /* mov 32(%rbx),%rsp */
	0xb8, 0x0f, 0x00, 0x00, 0x00,       /* mov $SYS_rt_sigreturn,%eax */
	0x0f, 0x05,                         /* syscall */
};
_Static_assert(SYS_ppoll == 0x10f && SYS_rt_sigreturn == 0xf, "the stub has these numbers");
_Static_assert(offsetof(struct arch_control, result) == 8 &&
                       offsetof(struct arch_control, wait) == 16 &&
                       offsetof(struct arch_control, frame) == 32,
               "the stub has these offsets");

const struct arch_code arch_code_call = {call_and_return, sizeof(call_and_return)};
const struct arch_code arch_code_signal_return = {signal_return, sizeof(signal_return)};
const struct arch_code arch_code_stub = {stub, sizeof(stub)};

/* ---- what code says */

int64_t arch_call_before(uint64_t pc)
{
	unsigned char code[7]; /* mov $number,%eax; syscall */
	int32_t number;

	if (memory_read(pc - sizeof(code), code, sizeof(code)) < 0 || code[0] != 0xb8 ||
	    code[5] != 0x0f || code[6] != 0x05)
		return -1;
	memcpy(&number, code + 1, sizeof(number));
	return number;
}

static uint64_t read_word(uint64_t address)
{
	uint64_t value;

	return memory_read(address, &value, sizeof(value)) == 0 ? value : 0;
}

/* An address that the instruction which ends at `end` has as its last four bytes, relative to its
 * end. */
static uint64_t relative(const unsigned char *last4, uint64_t end)
{
	int32_t offset;

	memcpy(&offset, last4, sizeof(offset));
	return end + (uint64_t)(int64_t)offset;
}

/* If a stub of the procedure linkage table stands at `target`, where it leads to. */
static uint64_t through_stub(uint64_t target)
{
	static const unsigned char branch_mark[] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64 */
	unsigned char code[16];
	size_t at = 0;

	if (memory_read(target, code, sizeof(code)) < 0)
		return target;
	if (memcmp(code, branch_mark, sizeof(branch_mark)) == 0)
		at = sizeof(branch_mark);
	at += code[at] == 0xf2;                       /* bnd */
	if (code[at] != 0xff || code[at + 1] != 0x25) /* jmp *slot(%rip) */
		return target;
	return read_word(relative(code + at + 2, target + at + 6));
}

uint64_t arch_called_before(uint64_t pc)
{
	unsigned char code[6];

	if (memory_read(pc - sizeof(code), code, sizeof(code)) < 0)
		return 0;
	if (code[1] == 0xe8) /* call */
		return through_stub(relative(code + 2, pc));
	if (code[0] == 0xff && code[1] == 0x15) /* call *slot(%rip) */
		return read_word(relative(code + 2, pc));
	return 0;
}

/* disassemble_capstone.c: instructions as text by capstone.
 *
 * The library is loaded when it is needed for the first time: it has four fifths of the addresses
 * that the dynamic loader would have to relocate at each start of xer_print. */
#include "analyzer/code/disassemble.h"

#include "analyzer/base/memory.h"

#include <capstone/capstone.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MNEMONIC_WIDTH = 7 };

#define TEXT_OF(number) #number
#define LIBRARY(version) "libcapstone.so." TEXT_OF(version)

#define FUNCTIONS(X) \
	X(cs_option) \
	X(cs_open) \
	X(cs_close) \
	X(cs_malloc) \
	X(cs_free) \
	X(cs_disasm_iter) \
	X(cs_insn_group)

static struct {
	void *library;
#define X(name) __typeof__(name) *name;
	FUNCTIONS(X)
#undef X
} capstone;

/* Returns 0, or -ENOSYS: it is not there. */
static int load(void)
{
	void *library;

	if (capstone.library)
		return 0;
	library = dlopen(LIBRARY(CS_API_MAJOR), RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return -ENOSYS;
#define X(name) \
	capstone.name = (__typeof__(name) *)dlsym(library, #name); \
	if (!capstone.name) \
		return -ENOSYS;
	FUNCTIONS(X)
#undef X
	capstone.library = library;
	return 0;
}

struct disassembler {
	csh handle;
	cs_arch arch;
	cs_insn *instruction;
};

static const struct {
	unsigned machine;
	cs_arch arch;
	cs_mode mode;
} machines[] = {
	{EM_X86_64, CS_ARCH_X86, CS_MODE_64},
	{EM_386, CS_ARCH_X86, CS_MODE_32},
	{EM_AARCH64, CS_ARCH_ARM64, CS_MODE_ARM},
};

/* Capstone crashes if it gets no memory, so the program ends then. */
static void *take(size_t size)
{
	return memory_take(1, size);
}
static void *resize(void *at, size_t size)
{
	return memory_resize(at, size, 1);
}

static void set_allocator(void)
{
	static cs_opt_mem memory = {.malloc = take,
	                            .calloc = memory_take,
	                            .realloc = resize,
	                            .free = free,
	                            .vsnprintf = vsnprintf};

	capstone.cs_option(0, CS_OPT_MEM, (size_t)&memory);
}

static int open_machine(struct disassembler *disassembler, size_t machine, enum assembly assembly)
{
	disassembler->arch = machines[machine].arch;
	if (load() != 0)
		return -ENOSYS;
	set_allocator();
	if (capstone.cs_open(machines[machine].arch, machines[machine].mode,
	                     &disassembler->handle) != CS_ERR_OK)
		return -ENOTSUP;
	capstone.cs_option(disassembler->handle, CS_OPT_DETAIL, CS_OPT_ON);
	if (disassembler->arch == CS_ARCH_X86)
		capstone.cs_option(disassembler->handle, CS_OPT_SYNTAX,
		                   assembly == ASSEMBLY_INTEL ? CS_OPT_SYNTAX_INTEL
		                                              : CS_OPT_SYNTAX_ATT);
	disassembler->instruction = capstone.cs_malloc(disassembler->handle);
	return !disassembler->instruction ? -ENOMEM : 0;
}

int disassembler_create(unsigned machine, enum assembly assembly, struct disassembler **out)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		struct disassembler *disassembler;
		int rc;

		if (machines[i].machine != machine)
			continue;
		disassembler = calloc(1, sizeof(*disassembler));
		rc = !disassembler ? -ENOMEM : open_machine(disassembler, i, assembly);
		if (rc != 0)
			disassembler_destroy(disassembler);
		else
			*out = disassembler;
		return rc;
	}
	return -ENOTSUP;
}

void disassembler_destroy(struct disassembler *disassembler)
{
	if (!disassembler)
		return;
	if (disassembler->instruction)
		capstone.cs_free(disassembler->instruction, 1);
	if (capstone.library)
		capstone.cs_close(&disassembler->handle); /* refuses one that was not opened */
	free(disassembler);
}

/* Addresses that operands of x86 stand for: the target of a jump, and memory beside the program
 * counter. */
static void find_x86(const cs_insn *in, int is_branch, struct instruction *out)
{
	const cs_x86 *x86 = &in->detail->x86;

	for (unsigned i = 0; i < x86->op_count; i++) {
		const cs_x86_op *operand = &x86->operands[i];

		if (operand->type == X86_OP_IMM && is_branch) {
			out->has_target = 1;
			out->target = (uint64_t)operand->imm;
		}
		if (operand->type == X86_OP_MEM && operand->mem.base == X86_REG_RIP) {
			out->has_data = 1;
			out->data = in->address + in->size + (uint64_t)operand->mem.disp;
		}
	}
}

static void find_arm64(const cs_insn *in, int is_branch, struct instruction *out)
{
	const cs_arm64 *arm = &in->detail->arm64;

	/* The target of tbz and the like stands behind a register and a bit number. */
	for (unsigned i = 0; i < arm->op_count && is_branch; i++)
		if (arm->operands[i].type == ARM64_OP_IMM) {
			out->has_target = 1;
			out->target = (uint64_t)arm->operands[i].imm;
		}
}

static int is_branch(csh handle, const cs_insn *in)
{
	return capstone.cs_insn_group(handle, in, CS_GRP_JUMP) ||
	       capstone.cs_insn_group(handle, in, CS_GRP_CALL) ||
	       capstone.cs_insn_group(handle, in, CS_GRP_BRANCH_RELATIVE);
}

/* The operands without a jump's target, the last of them: the caller writes it, with a name. */
static size_t operands_len(const cs_insn *in, const struct instruction *decoded)
{
	const char *comma = strrchr(in->op_str, ',');

	if (!decoded->has_target)
		return strlen(in->op_str);
	return !comma ? 0 : (size_t)(comma - in->op_str) + 2;
}

void disassembler_decode(struct disassembler *disassembler, const uint8_t *bytes, size_t len,
                         uint64_t address, struct instruction *out)
{
	const uint8_t *at = bytes;
	cs_insn *in = disassembler->instruction;

	*out = (struct instruction){.size = 1};
	if (!capstone.cs_disasm_iter(disassembler->handle, &at, &len, &address, in) ||
	    in->size == 0) {
		snprintf(out->text, sizeof(out->text), "%-*s 0x%02x", MNEMONIC_WIDTH, ".byte",
		         bytes[0]);
		return;
	}
	out->size = in->size;
	if (disassembler->arch == CS_ARCH_X86)
		find_x86(in, is_branch(disassembler->handle, in), out);
	else
		find_arm64(in, is_branch(disassembler->handle, in), out);
	snprintf(out->text, sizeof(out->text), "%-*s %.*s", MNEMONIC_WIDTH, in->mnemonic,
	         (int)operands_len(in, out), in->op_str);
}

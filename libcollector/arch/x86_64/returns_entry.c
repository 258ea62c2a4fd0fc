/* returns_entry.c: the code that instrumented entries call, and the code that their functions
 * return to. It restores all registers, except r11 where the program called a function of libc:
 * callers may know which registers a function leaves alone (gcc's -fipa-ra).
 *
 * A return continues by a jump, not by a second return instruction, because the processor's return
 * stack buffer was popped already.
 * See doc/decisions/26-return-hooking.md. */
#include "libcollector/calls/returns.h"

#include "libcollector/calls/functrace_record.h"
#include "libcollector/hook/hook.h"
#include "libcollector/unwind/shadow.h"

#include <stddef.h>

/* Offsets of fields, which assembler code needs as numbers. */
#define SWITCHES_FUNCTRACE 4
#define PENDING 16
#define EXIT_WORD 8

_Static_assert(offsetof(struct collector, switches) == 0, "returns_entry.c");
_Static_assert(offsetof(struct col_switches, on[SOURCE_FUNCTRACE]) == SWITCHES_FUNCTRACE,
               "returns_entry.c");
_Static_assert(offsetof(struct hook_table, mcount) == 0, "returns_entry.c");
_Static_assert(offsetof(struct hook_table, _mcount) == 8, "returns_entry.c");
_Static_assert(offsetof(struct hook_table, __fentry__) == 16, "returns_entry.c");
_Static_assert(offsetof(struct returns_entry, place) == PENDING, "returns_entry.c");
_Static_assert(offsetof(struct returns_entry, site) == PENDING + 16 + 8 * RETURNS_REGISTERS,
               "returns_entry.c");
_Static_assert(offsetof(struct returns_exit, address) == EXIT_WORD + 8 * RETURNS_REGISTERS,
               "returns_entry.c");
_Static_assert(RETURNS_REGISTERS == 9 && FUNCTRACE_OFF == 0 && RETURNS_DONE == 0,
               "returns_entry.c");
_Static_assert(RETURNS_AT_ENTRY == 0 && RETURNS_INSIDE == 1 && RETURNS_BEFORE == 2,
               "returns_entry.c");
_Static_assert(SHADOW_CHUNK_BITS == 20 && SHADOW_TABLE_BITS == 14 &&
                       sizeof(struct shadow_call) == 16,
               "returns_entry.c");
_Static_assert(offsetof(struct shadow_call, address) == 0, "returns_entry.c");

#define PUSH(what) "pushq " #what "\n\t.cfi_adjust_cfa_offset 8\n\t"
#define POP(what) "popq " #what "\n\t.cfi_adjust_cfa_offset -8\n\t"
#define PUSH_REGISTERS \
	PUSH(% rcx) \
	PUSH(% rdx) PUSH(% rsi) PUSH(% rdi) PUSH(% r8) PUSH(% r9) PUSH(% r10) PUSH(% r11)
#define POP_REGISTERS \
	POP(% r11) \
	POP(% r10) POP(% r9) POP(% r8) POP(% rdi) POP(% rsi) POP(% rdx) POP(% rcx) POP(% rax)

/* C code is called by sled_call (sled_entry.c), which saves the other registers: C(r10, rdi). */
/* clang-format off */
#define CALL_SLOWLY(function) \
	"movq %rsp, %r10\n\t" \
	"movl %eax, %edi\n\t" \
	"leaq " #function "(%rip), %r11\n\t" \
	"call sled_call\n\t"
/* clang-format on */

/* name: the symbol; place: enum returns_place; visible: its visibility; pass_on: what to do if
 * entries are not traced, with all registers and the stack unchanged. The loader may call us before
 * it has relocated us: then there are no switches. */
/* clang-format off */
#define ENTRY(name, place, visible, pass_on) \
	__asm__(".text\n\t.p2align 4\n\t" visible " " #name "\n\t.globl " #name "\n\t.type " #name ", @function\n" #name ":\n\t" \
	        ".cfi_startproc\n\t" \
	        PUSH(%rax) \
	        "movq col(%rip), %rax\n\t" \
	        "testq %rax, %rax\n\t" \
	        "je 1f\n\t" \
	        "cmpl $0, " NUMBER(SWITCHES_FUNCTRACE) "(%rax)\n\t" \
	        "je 1f\n\t" \
	        "cmpl $0, returns_is_on(%rip)\n\t" \
	        "jne 2f\n" \
	        "1:\t" POP(%rax) \
	        pass_on "\n" \
	        "2:\t.cfi_adjust_cfa_offset 8\n\t" \
	        PUSH_REGISTERS \
	        PUSH(%rbp) "pushq $" #place "\n\t.cfi_adjust_cfa_offset 8\n\t" PUSH($0) PUSH($0) \
	        "movq %rsp, %rdi\n\t" \
	        "call returns_enter\n\t" \
	        "testl %eax, %eax\n\t" \
	        "jne 4f\n" \
	        "3:\taddq $32, %rsp\n\t.cfi_adjust_cfa_offset -32\n\t" \
	        POP_REGISTERS \
	        "ret\n" \
	        "4:\t.cfi_adjust_cfa_offset 8 * 13\n\t" \
	        CALL_SLOWLY(returns_enter_slowly) \
	        "jmp 3b\n\t" \
	        ".cfi_endproc\n\t.size " #name ", .-" #name "\n")
/* clang-format on */

/* A function of libc's that may not be there. */
/* clang-format off */
#define JUMP_ON(place) \
	"movq hook_real+" #place "(%rip), %r11\n\t" \
	"testq %r11, %r11\n\t" \
	"je 5f\n\t" \
	"jmp *%r11\n" \
	"5:\tret"
/* clang-format on */

#define TEXT(x) #x
#define NUMBER(x) TEXT(x)

ENTRY(returns_at_entry, 0, ".hidden", "ret");
ENTRY(returns_inside, 1, ".hidden", "ret");
ENTRY(mcount, 1, ".protected", JUMP_ON(0));
ENTRY(_mcount, 1, ".protected", JUMP_ON(8));
ENTRY(__fentry__, 2, ".protected", JUMP_ON(16));

/* For unwinders, the trampoline is a frame of its own between the function that returns and its
 * caller: only an expression can say where the return address is. Its CFA is one byte off, and the
 * stack pointer is given separately, because unwinders of exceptions identify frames by their CFAs,
 * which must differ. The return address is saved at an address computed from the CFA (on the stack
 * of the expression) and from pc, whose lower 8 bits lead to the distance of shadow_tables:
 *
 *     slot = CFA - 9; block = pc & ~255; tables = block + *(uint32_t *)block;
 *     chunk = tables[slot >> 34][slot >> 20 & 0x3fff]; chunk + (slot & 0xfffff) * 2 */
/* clang-format off */
#define CFA_IS_ODD \
	".cfi_def_cfa rsp, 1\n\t" \
	".cfi_escape 0x16, 7, 2, 0x31, 0x1c\n\t" /* rsp = CFA - 1 */ \
	".cfi_escape 0x10, 16, 42, " \
	"0x39, 0x1c, "                         /* lit9, minus */ \
	"0x80, 0, 0x0b, 0x00, 0xff, 0x1a, "    /* breg16 0, const2s -256, and */ \
	"0x12, 0x94, 4, 0x22, "                /* dup, deref_size 4, plus */ \
	"0x14, 8, 34, 0x25, 0x33, 0x24, 0x22, 0x06, " /* over, const1u 34, shr, lit3, shl, plus, deref */ \
	"0x14, 8, 20, 0x25, 0x0a, 0xff, 0x3f, 0x1a, 0x33, 0x24, 0x22, 0x06, " /* over, const1u 20, shr, const2u, and, lit3, shl, plus, deref */ \
	"0x16, 0x0c, 0xff, 0xff, 0x0f, 0x00, 0x1a, 0x31, 0x24, 0x22\n\t"      /* swap, const4u, and, lit1, shl, plus */
/* clang-format on */

/* clang-format off */
__asm__(".text\n\t.p2align 8\n\t.type returns_trampoline, @function\n"
        "xer_traced_call:\n\t.cfi_startproc\n\t"
        CFA_IS_ODD
        ".long shadow_tables - xer_traced_call\n\t"
        ".p2align 4\n\t"
        ".hidden returns_trampoline\n\t.globl returns_trampoline\n"
        "returns_trampoline:\n\t"
        "leaq -8(%rsp), %rsp\n\t.cfi_adjust_cfa_offset 8\n\t"
        PUSH(%rax) PUSH_REGISTERS PUSH($0)
        "movq %rsp, %rdi\n\t"
        "call returns_leave\n\t"
        "testl %eax, %eax\n\t"
        "jne 2f\n"
        "1:\taddq $8, %rsp\n\t.cfi_adjust_cfa_offset -8\n\t"
        POP_REGISTERS
        "leaq 8(%rsp), %rsp\n\t.cfi_adjust_cfa_offset -8\n\t"
        "jmp *-8(%rsp)\n"
        "2:\t.cfi_adjust_cfa_offset 8 * 11\n\t"
        CALL_SLOWLY(returns_leave_slowly)
        "jmp 1b\n\t"
        ".org xer_traced_call + 256, 0xcc\n\t"
        ".cfi_endproc\n\t.size returns_trampoline, .-returns_trampoline\n");
/* clang-format on */

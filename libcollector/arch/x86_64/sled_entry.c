/* sled_entry.c: the code that patched sleds call: the short path of functrace_record.h once more,
 * in instructions that change only r10 and r11, which no code expects a sled to preserve.
 *
 * A sled has put the number of the function into r10d, and has called (entry, tail exit) or jumped
 * to (exit) this code.
 * See doc/decisions/25-function-tracing.md. */
#include "libcollector/calls/sled_entry.h"

#include "libcollector/calls/functrace_limits.h"
#include "libcollector/calls/functrace_record.h"

#include <stddef.h>

/* Offsets of fields, which assembler code needs as numbers. */
#define SWITCHES_FUNCTRACE 4
#define WRITER_AT 8
#define WRITER_END 16
#define WRITER_LAST 24
#define WRITER_CPU 32
#define NEXT_WRITE 1
#define EXTENDED_STATE \
	2752 /* bytes: the standard form of XSAVE up to AVX-512, and room to align it */
#define EXTENDED_MASK 0xe6 /* SSE, AVX and AVX-512 */

_Static_assert(offsetof(struct collector, switches) == 0, "sled_entry.c");
_Static_assert(offsetof(struct col_switches, on[SOURCE_FUNCTRACE]) == SWITCHES_FUNCTRACE,
               "sled_entry.c");
_Static_assert(offsetof(struct functrace_writer, busy) == 0, "sled_entry.c");
_Static_assert(offsetof(struct functrace_writer, at) == WRITER_AT, "sled_entry.c");
_Static_assert(offsetof(struct functrace_writer, end) == WRITER_END, "sled_entry.c");
_Static_assert(offsetof(struct functrace_writer, last) == WRITER_LAST, "sled_entry.c");
_Static_assert(offsetof(struct functrace_writer, cpu) == WRITER_CPU, "sled_entry.c");
_Static_assert(FDR_END_OF_BUFFER == 3 && FUNCTRACE_DELTA_MAX == 0x7fffffff, "sled_entry.c");

_Static_assert(LIMITS_DONE == 0 && LIMITS_WRITE == NEXT_WRITE && LIMITS_PREPARE == 2,
               "sled_entry.c");
_Static_assert(FUNCTRACE_OFF == 0 && FUNCTRACE_ALL == 1 && FUNCTRACE_LIMITED == 2, "sled_entry.c");

#define TEXT(x) #x
#define NUMBER(x) TEXT(x)

/* name: the symbol; action: enum fdr_action, shifted by 1. */
/* clang-format off */
#define SLED_ENTRY(name, action) \
	__asm__(".text\n\t.p2align 6\n\t.hidden " #name "\n\t.globl " #name "\n\t.type " #name ", @function\n" #name ":\n\t" \
	        ".cfi_startproc\n\t" \
	        "pushq %rax\n\t.cfi_adjust_cfa_offset 8\n\t" \
	        "movq col(%rip), %r11\n\t" \
	        "cmpl $1, " NUMBER(SWITCHES_FUNCTRACE) "(%r11)\n\t" \
	        "jb 3f\n\t" \
	        "ja 4f\n\t" \
	        "movl %r10d, %r10d\n\t" \
	        "shlq $4, %r10\n\t" \
	        "orq $" NUMBER(action) ", %r10\n\t" \
	        "movq functrace_self@GOTTPOFF(%rip), %r11\n\t" \
	        "movq %fs:(%r11), %r11\n\t" \
	        "testq %r11, %r11\n\t" \
	        "je 1f\n\t" \
	        "cmpq $0, (%r11)\n\t" \
	        "jne 1f\n\t" \
	        "pushq %rcx\n\t.cfi_adjust_cfa_offset 8\n\t" \
	        "pushq %rdx\n\t.cfi_adjust_cfa_offset 8\n\t" \
	        "movq $1, (%r11)\n\t" \
	        "rdtscp\n\t" \
	        "shlq $32, %rdx\n\t" \
	        "orq %rdx, %rax\n\t" \
	        "cmpl " NUMBER(WRITER_CPU) "(%r11), %ecx\n\t" \
	        "jne 2f\n\t" \
	        "movq %rax, %rdx\n\t" \
	        "subq " NUMBER(WRITER_LAST) "(%r11), %rdx\n\t" \
	        "cmpq $0x7fffffff, %rdx\n\t" \
	        "ja 2f\n\t" \
	        "movq " NUMBER(WRITER_AT) "(%r11), %rcx\n\t" \
	        "cmpq " NUMBER(WRITER_END) "(%r11), %rcx\n\t" \
	        "jae 2f\n\t" \
	        "movq $3, 8(%rcx)\n\t" \
	        "shlq $32, %rdx\n\t" \
	        "orq %r10, %rdx\n\t" \
	        "movq %rdx, (%rcx)\n\t" \
	        "movq %rax, " NUMBER(WRITER_LAST) "(%r11)\n\t" \
	        "addq $8, %rcx\n\t" \
	        "movq %rcx, " NUMBER(WRITER_AT) "(%r11)\n\t" \
	        "movq $0, (%r11)\n\t" \
	        "popq %rdx\n\t.cfi_adjust_cfa_offset -8\n\t" \
	        "popq %rcx\n\t.cfi_adjust_cfa_offset -8\n" \
	        "3:\tpopq %rax\n\t.cfi_adjust_cfa_offset -8\n\t" \
	        "ret\n" \
	        "4:\t.cfi_adjust_cfa_offset 8\n\t" \
	        "popq %rax\n\t.cfi_adjust_cfa_offset -8\n\t" \
	        "movl %r10d, %r10d\n\t" \
	        "shlq $4, %r10\n\t" \
	        "orq $" NUMBER(action) ", %r10\n\t" \
	        "jmp sled_limited\n" \
	        "2:\t.cfi_adjust_cfa_offset 24\n\t" \
	        "movq $0, (%r11)\n\t" \
	        "popq %rdx\n\t.cfi_adjust_cfa_offset -8\n\t" \
	        "popq %rcx\n\t.cfi_adjust_cfa_offset -8\n" \
	        "1:\tpopq %rax\n\t.cfi_adjust_cfa_offset -8\n\t" \
	        "jmp sled_slow\n\t" \
	        ".cfi_endproc\n\t.size " #name ", .-" #name "\n")
/* clang-format on */

SLED_ENTRY(sled_enter, 0);
SLED_ENTRY(sled_exit, 2);
SLED_ENTRY(sled_tail_exit, 4);

/* Entry with its first argument, which is in rdi. */
/* clang-format off */
__asm__(".text\n\t.p2align 4\n\t.hidden sled_enter_argument\n\t.globl sled_enter_argument\n\t"
        ".type sled_enter_argument, @function\nsled_enter_argument:\n\t.cfi_startproc\n\t"
        "movq col(%rip), %r11\n\t"
        "movl %r10d, %r10d\n\t"
        "shlq $4, %r10\n\t"
        "orq $6, %r10\n\t"
        "cmpl $1, " NUMBER(SWITCHES_FUNCTRACE) "(%r11)\n\t"
        "jb 1f\n\t"
        "leaq functrace_limited(%rip), %r11\n\t"
        "ja sled_call\n\t"
        "leaq functrace_argument(%rip), %r11\n\t"
        "jmp sled_call\n"
        "1:\tret\n\t"
        ".cfi_endproc\n\t.size sled_enter_argument, .-sled_enter_argument\n");
/* clang-format on */

/* Entry or exit (word in r10) while there are limits on calls: the function called here changes
 * general registers only. */
/* clang-format off */
__asm__(".text\n\t.p2align 4\n\t.type sled_limited, @function\nsled_limited:\n\t.cfi_startproc\n\t"
        "pushq %rax\n\tpushq %rcx\n\tpushq %rdx\n\tpushq %rsi\n\tpushq %rdi\n\tpushq %r8\n\tpushq %r9\n\tpushq %r10\n\t"
        ".cfi_adjust_cfa_offset 64\n\t"
        "movq %r10, %rdi\n\t"
        "leaq 72(%rsp), %rsi\n\t"
        "xorl %edx, %edx\n\t"
        "call limits_record\n\t"
        "cmpl $" NUMBER(NEXT_WRITE) ", %eax\n\t"
        "popq %r10\n\tpopq %r9\n\tpopq %r8\n\tpopq %rdi\n\tpopq %rsi\n\tpopq %rdx\n\tpopq %rcx\n\tpopq %rax\n\t"
        ".cfi_adjust_cfa_offset -64\n\t"
        "je sled_slow\n\t"
        "leaq functrace_limited(%rip), %r11\n\t"
        "ja sled_call\n\t"
        "ret\n\t"
        ".cfi_endproc\n\t.size sled_limited, .-sled_limited\n");
/* clang-format on */

/* sled_call: call a C function (in r11), which may change any register that calls may change, with
 * r10, rdi unchanged, the stack pointer at the sled, and 0; r10 and r11 are changed. sled_slow:
 * with the word in r10. */
/* clang-format off */
__asm__(".text\n\t.hidden sled_call\n\t.globl sled_call\n\t.p2align 4\n\t.type sled_slow, @function\nsled_slow:\n\t.cfi_startproc\n\t"
        "leaq functrace_interrupted(%rip), %r11\n"
        "sled_call:\n\t"
        "pushq %rbp\n\t.cfi_def_cfa_offset 16\n\t.cfi_offset rbp, -16\n\t"
        "movq %rsp, %rbp\n\t.cfi_def_cfa_register rbp\n\t"
        "pushq %rax\n\tpushq %rcx\n\tpushq %rdx\n\tpushq %rsi\n\tpushq %rdi\n\tpushq %r8\n\tpushq %r9\n\tpushq %rbx\n\t"
        "subq $" NUMBER(EXTENDED_STATE) ", %rsp\n\t"
        "andq $-64, %rsp\n\t"
        "xorl %edx, %edx\n\t"
        "movq %rdx, 512(%rsp)\n\tmovq %rdx, 520(%rsp)\n\tmovq %rdx, 528(%rsp)\n\tmovq %rdx, 536(%rsp)\n\t"
        "movq %rdx, 544(%rsp)\n\tmovq %rdx, 552(%rsp)\n\tmovq %rdx, 560(%rsp)\n\tmovq %rdx, 568(%rsp)\n\t"
        "movl $" NUMBER(EXTENDED_MASK) ", %eax\n\t"
        "xsave64 (%rsp)\n\t"
        "movq %rdi, %rsi\n\t"
        "movq %r10, %rdi\n\t"
        "leaq 16(%rbp), %rdx\n\t"
        "xorl %ecx, %ecx\n\t"
        "cld\n\t"
        "call *%r11\n\t"
        "xorl %edx, %edx\n\t"
        "movl $" NUMBER(EXTENDED_MASK) ", %eax\n\t"
        "xrstor64 (%rsp)\n\t"
        "leaq -64(%rbp), %rsp\n\t"
        "popq %rbx\n\tpopq %r9\n\tpopq %r8\n\tpopq %rdi\n\tpopq %rsi\n\tpopq %rdx\n\tpopq %rcx\n\tpopq %rax\n\t"
        "popq %rbp\n\t.cfi_def_cfa rsp, 8\n\t"
        "ret\n\t"
        ".cfi_endproc\n\t.size sled_slow, .-sled_slow\n");
/* clang-format on */

/* Events: the argument of functrace_event is built on the stack. Their sleds are in the middle of
 * functions, so nothing may change, not even flags. Custom events: data and size are in rdi and
 * rsi; typed events: type, data and size in rdi, rsi and rdx. */
/* clang-format off */
#define SLED_EVENT(name, form, size, data, type) \
	__asm__(".text\n\t.p2align 4\n\t.hidden " #name "\n\t.globl " #name "\n\t.type " #name ", @function\n" #name ":\n\t" \
	        ".cfi_startproc\n\t" \
	        "pushfq\n\tpushq %r11\n\tpushq %r10\n\t.cfi_adjust_cfa_offset 24\n\t" \
	        "pushq " size "\n\tpushq " data "\n\tpushq " type "\n\tpushq $" NUMBER(form) "\n\t.cfi_adjust_cfa_offset 32\n\t" \
	        "movq %rsp, %r10\n\t" \
	        "movq col(%rip), %r11\n\t" \
	        "cmpl $0, " NUMBER(SWITCHES_FUNCTRACE) "(%r11)\n\t" \
	        "je 1f\n\t" \
	        "leaq functrace_event(%rip), %r11\n\t" \
	        "call sled_call\n" \
	        "1:\taddq $32, %rsp\n\t.cfi_adjust_cfa_offset -32\n\t" \
	        "popq %r10\n\tpopq %r11\n\tpopfq\n\t.cfi_adjust_cfa_offset -24\n\t" \
	        "ret\n\t" \
	        ".cfi_endproc\n\t.size " #name ", .-" #name "\n")
/* clang-format on */

_Static_assert(FMT_traced_form_CUSTOM == 1 && FMT_traced_form_TYPED == 2, "sled_entry.c");
_Static_assert(offsetof(struct functrace_event, form) == 0 &&
                       offsetof(struct functrace_event, type) == 8 &&
                       offsetof(struct functrace_event, data) == 16 &&
                       offsetof(struct functrace_event, size) == 24,
               "sled_entry.c");

SLED_EVENT(sled_custom_event, 1, "%rsi", "%rdi", "$0");
SLED_EVENT(sled_typed_event, 2, "%rdx", "%rsi", "%rdi");

int sled_entry_is_possible(void)
{
	uint32_t a = 1, b, c, d;

	__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
	return c >> 27 & 1; /* OSXSAVE */
}

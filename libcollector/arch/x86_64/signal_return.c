/* signal_return.c: what handlers return to on x86-64. See arch.h.
 *
 * Debuggers recognize such code by its bytes. The unwinding table is for unwinders that use tables
 * only: the caller's registers are in the ucontext, which the stack pointer points at; its gregs
 * begin at byte 40. Unwinders look one byte before a return address, so the table begins one byte
 * early. */
#include "libcollector/arch/arch.h"

__asm__(".text\n"
        ".balign 16\n"
        /* DW_CFA_expression: a register lies at sp + an offset of two bytes (DW_OP_breg7) */
        ".macro saved number, low, high\n"
        "\t.cfi_escape 0x10, \\number, 3, 0x77, \\low, \\high\n"
        ".endm\n"
        "\t.cfi_startproc simple\n"
        "\t.cfi_signal_frame\n"
        /* DW_CFA_def_cfa_expression: the caller's rsp (DW_OP_breg7, DW_OP_deref) */
        "\t.cfi_escape 0x0f, 4, 0x77, 0xa0, 1, 6\n"
        "\tsaved 8, 0xa8, 0\n"  /* r8 */
        "\tsaved 9, 0xb0, 0\n"  /* r9 */
        "\tsaved 10, 0xb8, 0\n" /* r10 */
        "\tsaved 11, 0xc0, 0\n" /* r11 */
        "\tsaved 12, 0xc8, 0\n" /* r12 */
        "\tsaved 13, 0xd0, 0\n" /* r13 */
        "\tsaved 14, 0xd8, 0\n" /* r14 */
        "\tsaved 15, 0xe0, 0\n" /* r15 */
        "\tsaved 5, 0xe8, 0\n"  /* rdi */
        "\tsaved 4, 0xf0, 0\n"  /* rsi */
        "\tsaved 6, 0xf8, 0\n"  /* rbp */
        "\tsaved 3, 0x80, 1\n"  /* rbx */
        "\tsaved 1, 0x88, 1\n"  /* rdx */
        "\tsaved 0, 0x90, 1\n"  /* rax */
        "\tsaved 2, 0x98, 1\n"  /* rcx */
        "\tsaved 7, 0xa0, 1\n"  /* rsp */
        "\tsaved 16, 0xa8, 1\n" /* rip */
        "\tnop\n"
        ".globl arch_signal_return\n"
        ".hidden arch_signal_return\n"
        ".type arch_signal_return,@function\n"
        "arch_signal_return:\n"
        "\tmov $15, %rax\n"
        "\tsyscall\n"
        "\t.cfi_endproc\n"
        ".size arch_signal_return, .-arch_signal_return\n");

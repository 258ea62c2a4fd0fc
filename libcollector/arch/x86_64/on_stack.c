/* on_stack.c: call a function on another stack, on x86-64. See arch.h.
 *
 * To unwinders its frame is like that of a signal: the frames inside of it are on another stack, at
 * whatever addresses. */
#include "libcollector/arch/arch.h"

__asm__(".text\n"
        ".balign 16\n"
        ".globl arch_on_stack\n"
        ".hidden arch_on_stack\n"
        ".type arch_on_stack,@function\n"
        "arch_on_stack:\n"
        "\t.cfi_startproc\n"
        "\t.cfi_signal_frame\n"
        "\tpush %rbp\n"
        "\t.cfi_def_cfa_offset 16\n"
        "\t.cfi_offset rbp, -16\n"
        "\tmov %rsp, %rbp\n"
        "\t.cfi_def_cfa_register rbp\n"
        "\tmov %rdi, %rsp\n"
        "\tmov %rdx, %rdi\n"
        "\tcall *%rsi\n"
        "\tmov %rbp, %rsp\n"
        "\tpop %rbp\n"
        "\t.cfi_def_cfa rsp, 8\n"
        "\tret\n"
        "\t.cfi_endproc\n"
        ".size arch_on_stack, .-arch_on_stack\n");

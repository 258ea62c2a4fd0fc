/* signal_return.c: what handlers return to on x86-64. See arch.h. Unwinders look one byte before a
 * return address: there is one. */
#include "libcollector/arch/arch.h"

__asm__(".text\n"
        ".balign 16\n"
        "\tnop\n"
        ".globl arch_signal_return\n"
        ".hidden arch_signal_return\n"
        ".type arch_signal_return,@function\n"
        "arch_signal_return:\n"
        "\tmov $15, %rax\n"
        "\tsyscall\n"
        ".size arch_signal_return, .-arch_signal_return\n");

/* arch.h: what xer_sampler knows of the processor, to unwind the stacks that the kernel has copied.
 *
 * Registers go by their numbers in DWARF (sampler/arch/arch.h). A new processor brings a header
 * beside this one (x86_64.h) with
 *   ARCH_MACHINE       e_machine of its programs' files
 *   ARCH_FP            the number of the frame pointer. A function that keeps one has it point at
 *                      the caller's, and the word behind that is the return address
 *   ARCH_KEPT          the numbers of the registers that functions keep for their callers, without
 *                      the stack pointer; ARCH_KEPT_COUNT of them
 *   ARCH_RETURN_WORDS  how many words below the CFA the return address lies that a call has
 *                      stored. On a processor whose calls leave it in a register no rule is as
 * short as RULE_PLAIN, and this is 0: all are RULE_COMPLEX, or RULE_PLAIN learns of it Nothing else
 * in this folder names a register. */
#ifndef XER_PERF_ARCH_H
#define XER_PERF_ARCH_H

#if defined(__x86_64__)
#include "perf/arch/x86_64.h"
#else
#error "xer_sampler knows x86-64 alone"
#endif

#endif

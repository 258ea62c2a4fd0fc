/* arch.h: what the sampler knows of the processor: the registers that the kernel gives with a
 * sample.
 *
 * They go by their numbers in DWARF, from 0 on without gaps, as unwinding tables have them; where
 * the number of the instruction is not one of these, it is the last. A new processor brings a
 * header beside this one (x86_64.h) with RING_SP, RING_PC   numbers of the stack pointer and of the
 * instruction RING_REGISTERS     how many there are ARCH_BITS          for each number, its bit in
 * sample_regs_user of perf_event_open(2) (asm/perf_regs.h) ARCH_PC_MIN, ARCH_PC_MAX   no code of a
 * program is below and above these addresses */
#ifndef XER_SAMPLER_ARCH_H
#define XER_SAMPLER_ARCH_H

#if defined(__x86_64__)
#include "sampler/arch/x86_64.h"
#else
#error "the sampler knows x86-64 alone"
#endif

#endif

/* arch.h: what xcollect knows of the processor. A new one brings a header beside this one
 * (x86_64.h) with ARCH_MACHINE_64, ARCH_MACHINE_32   e_machine of the programs that can be
 * recorded; EM_NONE: none and the functions below. */
#ifndef XER_COLLECT_ARCH_H
#define XER_COLLECT_ARCH_H

#if defined(__x86_64__)
#include "collect/arch/x86_64.h"
#else
#error "xcollect knows x86-64 alone"
#endif

#include <stdint.h>

/* The processor's clock, which libcollector reads for each event. */
static inline uint64_t arch_ticks(void);

/* Does the processor say that this clock runs at one rate in all its power states? */
static inline int arch_has_constant_ticks(void);

/* The kernel's name of this clock, as in current_clocksource of sysfs. */
static inline const char *arch_clock_name(void);

/* The processor's name, with a zero at its end; out[49] is zero before, and stays so if it has no
 * name. */
static inline void arch_read_model(char *out);

#endif

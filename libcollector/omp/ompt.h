/* ompt.h: the tool interface of OpenMP 5 runtimes (libomp), and its part in omp.h. */
#ifndef XER_COLLECTOR_OMPT_H
#define XER_COLLECTOR_OMPT_H

#include <stdint.h>

/* Does the runtime that has the function at `address` tell us what it does? */
int ompt_tells_of(uint64_t address);

#endif

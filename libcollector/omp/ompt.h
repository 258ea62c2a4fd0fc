/* ompt.h: the tool interface of OpenMP 5 runtimes (libomp), and its part in omp.h. */
#ifndef XER_COLLECTOR_OMPT_H
#define XER_COLLECTOR_OMPT_H

#include <stdint.h>

/* Does the runtime with the function at `address` report its work to us? */
int ompt_tells_of(uint64_t address);

#endif

/* behind.h: a made-up libgomp for the wrappers of its entry points (libcollector/omp/gomp.h). */
#ifndef XER_TESTS_OMP_BEHIND_H
#define XER_TESTS_OMP_BEHIND_H

#include "libcollector/omp/gomp.h"

/* Begin a recording of OpenMP, to be ended by scratch_remove; tool.h has its records. */
void behind_open(void);

/* Behind the wrapper is this function, for who calls it from the test program. */
void behind_set(enum gomp_index index, pointer function);

#endif

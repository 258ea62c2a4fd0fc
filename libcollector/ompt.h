/* ompt.h: the tool interface of OpenMP 5 runtimes (libomp), and its part in omp.h. */
#ifndef XER_COLLECTOR_OMPT_H
#define XER_COLLECTOR_OMPT_H

/* Does a runtime tell us what it does? */
int ompt_is_used(void);

#endif

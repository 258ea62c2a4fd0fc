/* inlined.h: a function that inlined.cc inlines from another file. */
#ifndef XER_TESTS_PROGRAMS_INLINED_H
#define XER_TESTS_PROGRAMS_INLINED_H

static inline __attribute__((always_inline)) unsigned long turn(unsigned long x)
{
	return x * 6364136223846793005u + 1442695040888963407u; /* turned here */
}

#endif

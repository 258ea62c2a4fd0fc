/* seed.h: random numbers for tests, from a seed that is printed and can be given in XER_SEED. */
#ifndef XER_TESTS_SEED_H
#define XER_TESTS_SEED_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static inline uint64_t seed_start(void)
{
	const char *given = getenv("XER_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0)
	                      : (uint64_t)time(NULL) << 20 ^ (uint64_t)getpid();

	fprintf(stderr, "XER_SEED=%llu\n", (unsigned long long)seed);
	return seed | 1;
}

/* xorshift64*. */
static inline uint64_t seed_next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 2685821657736338717u;
}

static inline size_t seed_below(uint64_t *state, size_t limit)
{
	return (size_t)(seed_next(state) >> 11) % limit;
}

#endif

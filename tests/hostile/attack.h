/* attack.h: damage to experiments, decided by a seed. */
#ifndef XER_TESTS_ATTACK_H
#define XER_TESTS_ATTACK_H

#include <stdint.h>

struct attack {
	char what[256]; /* a description */
	int must_tell;  /* every reader must report it */
};

void attack_seed(uint64_t seed, uint64_t number);

/* A number below `limit`, 0 if that is 0. */
uint64_t attack_below(uint64_t limit);

/* Damage the experiment, a directory below the current one. */
void attack_make(const char *experiment, struct attack *out);

#endif

/* simulate.h: recordings of programs that never ran: samples of a clock in a program that goes from
 * function to function, with a truth that is known. */
#ifndef XER_TESTS_SIMULATE_H
#define XER_TESTS_SIMULATE_H

#include <stddef.h>
#include <stdint.h>

/* Random numbers, the same in every run of the tests. */
struct chance {
	uint64_t state;
};

double chance_uniform(struct chance *chance);     /* from 0 to below 1 */
double chance_normal(struct chance *chance);      /* mean 0, variance 1 */
double chance_exponential(struct chance *chance); /* mean 1 */

/* A program of functions that take turns. */
struct program {
	const double *shares; /* shares[count]: of the functions */
	size_t count;
	double turn;  /* mean length of a turn of a function */
	int is_cycle; /* turns come in a fixed order, and are as long as the shares are; else a
	                 random function comes next, for a random time */
	double noise; /* of cycles: how much lengths of turns vary, as a part of them */
};

/* The clock: samples after random parts of a period, each with the time since the last one. */
struct clock {
	double period, jitter; /* periods are from period * (1 - jitter) to period * (1 + jitter) */
};

struct recording {
	double time;    /* in all */
	double squares; /* sum of the squares of weights */
	size_t samples;
	double found[64]; /* by function: the weights of its samples */
	double spent[64]; /* by function: the truth */
};

struct recording simulate(struct chance *chance, const struct program *program,
                          const struct clock *clock, double time);

#endif

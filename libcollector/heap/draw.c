/* draw.c: see draw.h. */
#include "libcollector/heap/draw.h"

/* SplitMix64 (Steele, Lea and Flood, 2014). */
uint64_t heap_draw_random(uint64_t *state)
{
	uint64_t mixed = *state += 0x9e3779b97f4a7c15u;

	mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
	mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
	return mixed ^ mixed >> 31;
}

enum { FRACTION_BITS = 32 };

/* log2(mantissa / 2^63) in units of 2^-32, mantissa >= 2^63: squaring a number doubles its
 * logarithm, whose next bit is 1 if the square is 2 or more. */
static uint64_t log2_of(uint64_t mantissa)
{
	uint64_t fraction = 0;

	for (int i = 0; i < FRACTION_BITS; i++) {
		unsigned __int128 square = (unsigned __int128)mantissa * mantissa >> 63;
		unsigned bit = (unsigned)(square >> 64);

		fraction = fraction << 1 | bit;
		mantissa = (uint64_t)(square >> bit);
	}
	return fraction;
}

uint64_t heap_draw_distance(uint64_t random, uint64_t mean)
{
	const uint64_t ln2 = 2977044472; /* in units of 2^-32 */
	uint64_t from = random ? random : 1, whole, minus_log2;
	int zeros = __builtin_clzll(from);

	whole = (uint64_t)(zeros + 1) << FRACTION_BITS;
	minus_log2 = whole - log2_of(from << zeros);
	return (uint64_t)((unsigned __int128)minus_log2 * ln2 * mean >> 2 * FRACTION_BITS) + 1;
}

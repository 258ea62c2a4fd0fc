/* ft_events.c: XRay events in traced functions. Compiled by clang with -fxray-instrument.
 *
 *     ft_events ROUNDS
 *
 * Calls giver ROUNDS times; each call emits a custom event of 5 bytes "hello" and a typed one (type
 * 7) of 3 bytes "abc", with values in registers that must survive the events. A last call, of
 * giver_long, emits 100000 bytes 'x'. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define PLAIN __attribute__((xray_never_instrument))
#define TRACED __attribute__((noinline, xray_always_instrument))

/* The sums are in registers during the events, and one comparison is made before them. */
TRACED uint64_t giver(uint64_t a, uint64_t b, uint64_t c, uint64_t d, double x)
{
	uint64_t e = a * 3, f = b * 5, g = c * 7, h = d * 11;
	double y = x * 2;

	__xray_customevent("hello", 5);
	e ^= f;
	__xray_typedevent(7, "abc", 3);
	return e + f * 2 + g * 3 + h * 4 + a + b + c + d + (uint64_t)(x + y);
}

/* clang 14 generates code that crashes for events whose bytes are in the first argument. */
TRACED void giver_long(int unused, int unused_too, const char *bytes, size_t size)
{
	(void)unused;
	(void)unused_too;
	__xray_customevent((char *)bytes, size);
}

PLAIN int main(int argc, char **argv)
{
	uint64_t rounds = argc > 1 ? (uint64_t)atol(argv[1]) : 1, wrong = 0;
	char *bytes = malloc(100000);

	for (uint64_t i = 0; i < rounds; i++) {
		uint64_t e = i * 3 ^ (i + 1) * 5;

		if (giver(i, i + 1, i + 2, i + 3, (double)i) != e + (i + 1) * 10 + (i + 2) * 21 +
		                                                        (i + 3) * 44 + i + (i + 1) +
		                                                        (i + 2) + (i + 3) + i * 3)
			wrong++;
	}
	/* The compiler believes that nothing reads them. */
	for (int i = 0; i < 100000; i++)
		*(volatile char *)&bytes[i] = 'x';
	giver_long(0, 0, bytes, 100000);
	free(bytes);
	printf("giver %lu\ngiver_long 1\n", (unsigned long)rounds);
	return wrong != 0;
}

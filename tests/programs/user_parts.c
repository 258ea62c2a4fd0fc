/* user_parts.c: user events of components, equal events, events combined with blocks.
 *
 * Hook 040, D1 counting from 0: 100 events, 50 while the component net is off, 50 more. Hook 041:
 * 10 events, 10 while the component disk is on, which begins off. Hook 042: 5 events between those.
 * Hook 043, D1 0x30: 4 equal events, then one with D1 0x31, then 2 equal ones again. Hook 044 with
 * sub-ids 1 to 6: five words s, 2s, 3s, 4s, 5s. Hook 045: 8 events, each after a block of 1000
 * bytes was allocated; every second block is freed before the next. Exits 0 if all switches did
 * what they should: with the two components, they succeed. */
#include "include/sys/trchkid.h"

#include <stdlib.h>

enum { ON = 100, OFF = 50, FEW = 10, ROUNDS = 8, BLOCK = 1000 };

static void log_some(unsigned hook, long from, long to)
{
	for (long i = from; i < to; i++)
		TRCHKL1(hook, i);
}

int main(void)
{
	int failures = 0;

	log_some(0x04000000, 0, ON);
	failures += trccomponent("net", 0) != 0 || trc_ishookon(0, 0x04000000);
	log_some(0x04000000, ON, ON + OFF);
	log_some(0x04200000, 0, 5);
	failures += trccomponent("net", 1) != 0 || !trc_ishookon(0, 0x04000000);
	log_some(0x04000000, ON + OFF, ON + 2 * OFF);

	failures += trc_ishookon(0, 0x04100000);
	log_some(0x04100000, 0, FEW);
	failures += trccomponent("disk", 1) != 0 || !trc_ishookon(0, 0x04100000);
	log_some(0x04100000, FEW, 2 * FEW);
	failures += trccomponent("disk", 0) != 0;
	log_some(0x04100000, 2 * FEW, 3 * FEW);

	for (int i = 0; i < 7; i++)
		TRCHKL1(0x04300000, i == 4 ? 0x31 : 0x30);
	for (long s = 1; s <= 6; s++)
		TRCHKL5(0x04400000 | s, s, 2 * s, 3 * s, 4 * s, 5 * s);
	for (int i = 0; i < ROUNDS; i++) {
		void *volatile block = malloc(BLOCK);

		TRCHKL2(0x04500000, block, BLOCK);
		if (i % 2)
			free(block);
	}
	return failures != 0;
}

/* twenty: a fixed amount of work in twenty functions, one of which can be slower.
 *
 * usage: twenty [rounds [per cent [at once]]]      default: 400 rounds, 100 per cent, 1 at once
 *
 * Facts: in each round, f_00 does 150000 turns of a loop, times `per cent` / 100, and f_01 to f_19
 * do 22368 to 64749 turns, in even steps, 827607 together: f_00 has 15.3 %. All are called from
 * main, one after the other, with their turns of so many rounds at once. A turn takes four cycles
 * or so, the same work in each run, whatever the speed of the machine. */
#include <stdint.h>
#include <stdlib.h>

#define TEN(X, tens) \
	X(tens##0) \
	X(tens##1) \
	X(tens##2) X(tens##3) X(tens##4) X(tens##5) X(tens##6) X(tens##7) X(tens##8) X(tens##9)
#define FUNCTIONS(X) TEN(X, 0) TEN(X, 1)

#define WORK(n) \
	__attribute__((noinline)) static uint64_t f_##n(uint64_t turns, uint64_t value) \
	{ \
		for (uint64_t i = 0; i < turns; i++) \
			__asm__ volatile("imul $0x5851f42d, %0, %0\n\tadd $0x14057b7e, %0" \
			                 : "+r"(value)); \
		return value; \
	}
FUNCTIONS(WORK)

static uint64_t (*const functions[])(uint64_t turns, uint64_t value) = {
#define ROW(n) f_##n,
	FUNCTIONS(ROW)
#undef ROW
};
enum { COUNT = sizeof(functions) / sizeof(functions[0]) };

static volatile uint64_t sink;

int main(int argc, char **argv)
{
	uint64_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 400;
	uint64_t slow = argc > 2 ? strtoul(argv[2], NULL, 10) : 100;
	uint64_t at_once = argc > 3 ? strtoul(argv[3], NULL, 10) : 1;
	uint64_t value = 1;

	for (uint64_t i = 0; i < rounds; i += at_once) {
		value = functions[0](1500 * slow * at_once, value);
		for (uint64_t j = 1; j < COUNT; j++)
			value = functions[j](22368 * (17 + 2 * j) / 19 * at_once, value);
	}
	sink = value;
	return 0;
}

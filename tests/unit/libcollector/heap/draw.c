/* Distances between marked bytes: their distribution, with a fixed seed. */
#include "libcollector/heap/draw.h"

#include "format/layout.h"

#include <criterion/criterion.h>
#include <math.h>

enum { DRAWS = 200000, MEAN = 512 << 10 };

Test(heap_draw, distances_are_logarithms)
{
	static const uint64_t known[] = {
		1,         2, 12345, UINT32_MAX, 1ull << 63, (1ull << 63) + 1, 0x123456789abcdefu,
		UINT64_MAX};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		for (uint64_t mean = 1; mean <= FMT_HEAP_MEAN_MAX; mean <<= 8) {
			double exact = -log((double)known[i] / 0x1p64) * (double)mean;
			double drawn = (double)heap_draw_distance(known[i], mean);

			double near = (exact + (double)mean) * 0x1p-30;

			/* Rounded up; the logarithm has 32 bits behind the point. */
			cr_expect(drawn - exact > -near && drawn - exact < 1.01 + near,
			          "-ln(%llu) * %llu: %g, not %g", (unsigned long long)known[i],
			          (unsigned long long)mean, drawn, exact);
		}
	cr_expect_eq(heap_draw_distance(0, MEAN), heap_draw_distance(1, MEAN));
	cr_expect_eq(heap_draw_distance(UINT64_MAX, FMT_HEAP_MEAN_MAX) >= 1, 1);
}

static int by_size(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

/* The test of Kolmogorov and Smirnov: 1.95 / sqrt(n) is exceeded once in 1,000 seeds. */
Test(heap_draw, distances_are_exponentially_distributed)
{
	static uint64_t drawn[DRAWS];
	uint64_t state = 42;
	double sum = 0, squares = 0, farthest = 0;

	for (size_t i = 0; i < DRAWS; i++) {
		drawn[i] = heap_draw_distance(heap_draw_random(&state), MEAN);
		sum += (double)drawn[i] / MEAN;
		squares += (double)drawn[i] / MEAN * (double)drawn[i] / MEAN;
	}
	cr_expect_float_eq(sum / DRAWS, 1, 4 / sqrt(DRAWS));
	cr_expect_float_eq(squares / DRAWS, 2, 4 * sqrt(20.0 / DRAWS));
	qsort(drawn, DRAWS, sizeof(drawn[0]), by_size);
	for (size_t i = 0; i < DRAWS; i++)
		farthest = fmax(farthest, fabs(1 - exp(-(double)drawn[i] / MEAN) -
		                               ((double)i + 0.5) / DRAWS));
	cr_expect(farthest < 1.95 / sqrt(DRAWS), "%g", farthest);
}

/* As the wrappers do it: blocks of 16 bytes to 4 MB, of which each chosen one stands for
 * 1 / (1 - exp(-s / mean)) of its size. */
Test(heap_draw, estimates_by_size_are_unbiased)
{
	enum { SIZES = 10, ROUNDS = 2000 };
	uint64_t state = 7, left = heap_draw_distance(heap_draw_random(&state), MEAN);

	for (int k = 0; k < SIZES; k++) {
		uint64_t size = UINT64_C(16) << 2 * k, number = (UINT64_C(1) << 22) / size;
		double chance = 1 - exp(-(double)size / MEAN), found = 0, sum = 0;
		double deviation;

		number = number < 1 ? ROUNDS : number * ROUNDS;
		if (number > 20000000)
			number = 20000000;
		for (uint64_t i = 0; i < number; i++) {
			if (size < left) {
				left -= size;
				continue;
			}
			left = heap_draw_distance(heap_draw_random(&state), MEAN);
			found++;
		}
		sum = found / chance;
		deviation = sqrt((double)number * (1 - chance) / chance);
		cr_expect(fabs(sum - (double)number) <= 4 * deviation + 1e-6 * (double)number,
		          "%llu blocks of %llu bytes: %g", (unsigned long long)number,
		          (unsigned long long)size, sum);
	}
}

/* heapsampled.c: see heapsampled.h. */
#include "analyzer/report/quality/heapsampled.h"

#include "analyzer/statistics/interval.h"

#include <stdio.h>

/* A sum of bytes that is known to this part of itself is named as an example. */
#define KNOWN_TO 0.1

enum { SIZE_TEXT = 32 };

/* Three digits of it, "512 KiB". */
static const char *put_size(double bytes, char *text)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	size_t unit = 0;

	while (bytes >= 1023.5 && unit + 1 < sizeof(units) / sizeof(units[0])) {
		bytes /= 1024;
		unit++;
	}
	snprintf(text, SIZE_TEXT, bytes >= 100 ? "%.0f %s" : "%.3g %s", bytes, units[unit]);
	return text;
}

void heapsampled_add(struct heapsampled *sum, const struct dataset_experiment *at)
{
	const struct exp_heap *heap = &at->whole->heap;

	if (heap->sampled_every == 0)
		return;
	if (heap->sampled_every > sum->every)
		sum->every = heap->sampled_every;
	sum->blocks += heap->recorded;
	sum->allocs += heap->allocs;
	sum->bytes += heap->alloc_bytes;
}

int heapsampled_text(const struct heapsampled *sum, char *text, size_t size)
{
	/* An estimate of b bytes has at most the variance b * every. */
	const double deviations = INTERVAL_DEVIATIONS / KNOWN_TO;
	char every[SIZE_TEXT], bytes[SIZE_TEXT], known[SIZE_TEXT];

	if (sum->every == 0)
		return 0;
	snprintf(
		text, size,
		"sampled every %s: %llu blocks stand for %llu allocations of %s; a sum of %s is known to +-%.0f %% "
		"(95 of 100 times), of a hundredth of that to +-%.0f %%",
		put_size((double)sum->every, every), (unsigned long long)sum->blocks,
		(unsigned long long)sum->allocs, put_size((double)sum->bytes, bytes),
		put_size((double)sum->every * deviations * deviations, known), 100 * KNOWN_TO,
		1000 * KNOWN_TO);
	return 1;
}

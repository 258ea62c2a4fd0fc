/* unseen.c: what happened, and cannot be in the data. See unseen.h. */
#include "analyzer/report/quality/unseen.h"

#include "analyzer/base/text.h"

#include <stdio.h>
#include <string.h>

/* Growth of less than this, or of less than so many times the peak of the heap, has other reasons:
 * code, stacks, the recorder. */
enum { UNSEEN_MIB = 64, UNSEEN_TIMES = 4 };

int unseen_rings(const struct dataset_experiment *at, char *text, size_t size)
{
	uint64_t requests = experiment_counter(at->experiment, "uring_requests", 0),
		 calls = experiment_counter(at->experiment, "uring_calls", 0),
		 rings = experiment_counter(at->experiment, "uring_rings", 0);

	if (requests == 0 && calls == 0 && rings == 0)
		return 0;
	snprintf(
		text, size,
		"requests of io_uring, as far as calls handed them over: %llu, by %llu calls; rings: "
		"%llu: not recorded",
		(unsigned long long)requests, (unsigned long long)calls, (unsigned long long)rings);
	return 1;
}

int unseen_growth(const struct dataset_experiment *at, char *text, size_t size)
{
	const struct exp_data_set *data = at->whole;
	/* Most blocks lie in memory that was mapped for them: the two are not added up. */
	uint64_t blocks = data->heap.peak_bytes, maps = data->heap.maps.peak_bytes;
	uint64_t first, last, heap_mib = (blocks > maps ? blocks : maps) >> 20, grown_mib;

	if (data->usage_count < 2 || !(dataset_data_of(at) & EXP_DATA_HEAP))
		return 0;
	/* A process that recorded no event has only its end: what it began with is unknown. */
	first = data->usage[0].maxrss_kib;
	if (first == 0)
		return 0;
	last = data->usage[data->usage_count - 1].maxrss_kib;
	grown_mib = last > first ? (last - first) >> 10 : 0;
	if (grown_mib / UNSEEN_TIMES < heap_mib || grown_mib < heap_mib + UNSEEN_MIB)
		return 0;
	snprintf(
		text, size,
		"the process grew by %llu MiB, heap events account for %llu MiB: memory mapped without the C "
		"library, or for files, is not seen",
		(unsigned long long)grown_mib, (unsigned long long)heap_mib);
	return 1;
}

int unseen_left_out(const struct dataset_experiment *at, char *text, size_t size)
{
	const char *follow = experiment_setting(at->experiment, "follow", "on");
	unsigned count = at->info->left_out;

	snprintf(text, size, "%u program%s of descendants %s samples, and no experiment: ", count,
	         count == 1 ? "" : "s", count == 1 ? "has" : "have");
	if (strcmp(follow, "off") == 0 || follow[0] == '=')
		snprintf(text + strlen(text), size - strlen(text), "xcollect -F %s leaves %s out",
		         follow, count == 1 ? "it" : "them");
	else
		snprintf(text + strlen(text), size - strlen(text),
		         "%s place among the processes is not known", count == 1 ? "its" : "their");
	return count > 0;
}

void unseen_put_left_out(const struct dataset *dataset, const struct output *output)
{
	char text[1024];

	for (size_t i = 0; i < dataset->count; i++) {
		if (!unseen_left_out(&dataset->experiments[i], text, sizeof(text)))
			continue;
		fputs("# sampler: ", output->out);
		text_put(output->out, text);
		fputc('\n', output->out);
	}
}

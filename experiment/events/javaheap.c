/* javaheap.c: reads sampled Java allocations, and adds them up by class and stack.
 *
 * The number of bytes between samples is distributed exponentially, so an object of s bytes is
 * sampled with the probability p = 1 - exp(-s / interval), and stands for 1 / p objects (the
 * estimator of Horvitz and Thompson). Objects are chosen independently, so the variance of its sum
 * is estimated without bias by the sum of (1 - p) / p^2 over the samples. See
 * doc/decisions/43-java-events.md. */
#include "experiment/streams/load_context.h"
#include "experiment/streams/readers.h"
#include "experiment/streams/stream.h"
#include "format/layout.h"
#include "format/record.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int take(struct exp_load *load, const struct exp_cursor *cursor)
{
	struct fmt_java_alloc record;
	struct exp_fact fact = {.data = EXP_DATA_HEAP};
	struct exp_java_alloc alloc;
	double chance, size, variance;

	memcpy(&record, cursor->payload, sizeof(record));
	if (record.size == 0 || record.size >> 47 != 0)
		return 0;
	chance = record.interval == 0 ? 1.0 : -expm1(-(double)record.size / record.interval);
	size = (double)record.size;
	variance = (1.0 - chance) / (chance * chance);
	fact.bytes = record.size;
	fact.node = exp_load_stack(load, cursor, record.stack);
	fact.java = &alloc;
	alloc = (struct exp_java_alloc){.class_id = record.class,
	                                .node = fact.node,
	                                .samples = 1,
	                                .objects = 1.0 / chance,
	                                .bytes = size / chance,
	                                .bytes_variance = size * size * variance};
	if (exp_load_row(load, cursor, &fact) == EXP_ROW_NONE)
		return 0;
	if (exp_array_reserve(&load->java_allocs, &load->java_alloc_capacity,
	                      load->java_alloc_count, sizeof(alloc)) != 0)
		return -ENOMEM;
	load->java_allocs[load->java_alloc_count++] = alloc;
	return 0;
}

static void on_event(void *context, struct exp_cursor *cursor)
{
	struct exp_load *load = context;

	if (load->rc != 0 || cursor->payload[0] != FMT_KIND_java_alloc ||
	    cursor->payload_size < sizeof(struct fmt_java_alloc))
		return;
	load->rc = take(load, cursor);
}

static int compare(const void *a, const void *b)
{
	const struct exp_java_alloc *x = a, *y = b;

	if (x->class_id != y->class_id)
		return x->class_id < y->class_id ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/* Make one of those of the same class and stack. */
static void fold(struct exp_load *load)
{
	size_t kept = 0;

	if (load->java_alloc_count > 1)
		qsort(load->java_allocs, load->java_alloc_count, sizeof(*load->java_allocs),
		      compare);
	for (size_t i = 0; i < load->java_alloc_count; i++) {
		struct exp_java_alloc *last = kept > 0 ? &load->java_allocs[kept - 1] : NULL,
				      *at = &load->java_allocs[i];

		if (!last || compare(last, at) != 0) {
			load->java_allocs[kept++] = *at;
			continue;
		}
		last->samples += at->samples;
		last->objects += at->objects;
		last->bytes += at->bytes;
		last->bytes_variance += at->bytes_variance;
	}
	load->java_alloc_count = kept;
}

int exp_javaheap_read(struct exp_load *load)
{
	struct exp_stream stream;
	int rc;

	/* What has allocated objects has classes. They are no rows of index objects. */
	if (load->experiment->methods.class_count == 0 ||
	    (load->selection && load->selection->is_grouped && !load->selection->wants_java))
		return 0;
	rc = exp_stream_open(load->experiment, exp_stream_names[FMT_STREAM_HEAPTRACE], &stream);
	if (rc != 0)
		return rc == -ENOMEM ? rc : 0;
	rc = exp_stream_each(&stream, on_event, load);
	exp_stream_close(&stream);
	fold(load);
	return rc == 0 ? load->rc : rc;
}

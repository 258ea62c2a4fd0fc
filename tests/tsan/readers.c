/* readers: streams that are each read by a thread, and experiments that are read at the same time,
 * for the thread sanitizer.
 *
 * usage: readers [EVENTS] default: 40000 a stream, so that each is larger than 2 MiB and gets its
 * own thread
 *
 * An experiment of clock samples, allocations, waits and calls is made and loaded, once alone and
 * once by two threads with their own symbols. All events must be there. Exit status 0, or 1 if they
 * are not; the sanitizer's own if it reports a race. */
#include "tests/unit/experiment/make_experiment.h"

#include "format/record.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { PCS = 20, EXTENT = 1 << 20, EXTENT_EVENTS = 10000, THREADS = 2 };

static unsigned events = 40000;
static const char *path;

static void fail(const char *what)
{
	fprintf(stderr, "readers: %s\n", what);
	exit(1);
}

/* Begin a new extent when one is full. */
static uint64_t next(struct maker_stream *stream, unsigned i)
{
	uint64_t tsc = MAKER_START_TICKS + i;

	if (i % EXTENT_EVENTS == 0)
		maker_extent(stream, 1 + i / EXTENT_EVENTS, tsc, EXTENT);
	return tsc;
}

static void make(struct maker *maker)
{
	struct maker_stream profile, heap, sync, io;
	uint64_t pcs[PCS];
	int parents[PCS];
	uint32_t ids[PCS];

	maker_create(maker);
	for (int i = 0; i < PCS; i++) {
		pcs[i] = 0x401000 + (uint64_t)i * 16;
		parents[i] = i - 1;
	}
	maker_nodes(maker, PCS, pcs, parents, ids);
	maker_stream_init(&profile);
	maker_stream_init(&heap);
	maker_stream_init(&sync);
	maker_stream_init(&io);
	for (unsigned i = 0; i < events; i++) {
		struct maker_call call = {.func = FMT_io_func_READ,
		                          .bytes = i,
		                          .wait = 1,
		                          .file = 16 * (i % 50),
		                          .fd = i % 50,
		                          .stack = ids[i % PCS]};

		maker_clock(&profile, next(&profile, i), FMT_clock_state_USER, 1000, ids[i % PCS]);
		maker_alloc(&heap, next(&heap, i), 0x10000 + (uint64_t)i * 64, 48, ids[i % PCS]);
		maker_sync(&sync, next(&sync, i), FMT_sync_func_MUTEX_LOCK, 64 * (i % 200), 5, 0,
		           ids[i % PCS]);
		maker_io(&io, next(&io, i), &call);
	}
	maker_stream_put(maker, &profile, "profile");
	maker_stream_put(maker, &heap, "heaptrace");
	maker_stream_put(maker, &sync, "synctrace");
	maker_stream_put(maker, &io, "iotrace");
}

static void name_all(const struct experiment *experiment, const struct exp_data_set *set)
{
	struct symbols *symbols = symbols_create();
	const struct sym_frame *frames;

	for (size_t i = 0; symbols && i < set->nodes.count; i++)
		if (symbols_frames(symbols, experiment, set->nodes.pc[i], set->nodes.generation[i],
		                   0, &frames) < 0)
			fail("no names");
	symbols_destroy(symbols);
}

static void *load(void *context)
{
	const struct exp_reporter reporter = {.warn = NULL};
	const struct exp_data_set *set;
	struct experiment *experiment;
	struct exp_cause cause;

	if (experiment_open(path, &reporter, &experiment, &cause) != 0)
		fail(cause.text);
	if (experiment_load(experiment, &set) != 0)
		fail("it cannot be loaded");
	if (set->quality.samples != events || set->quality.heap_events != events ||
	    set->quality.sync_events != events || set->quality.io_events != events)
		fail("events are missing");
	name_all(experiment, set);
	experiment_close(experiment);
	return context;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	struct maker maker;

	if (argc > 1)
		events = (unsigned)atoi(argv[1]);
	make(&maker);
	path = maker.path;
	load(NULL);
	for (size_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, load, NULL) != 0)
			fail("pthread_create");
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	maker_destroy(&maker);
	printf("%u events in each of 4 streams, loaded %d times\n", events, 1 + THREADS);
	return 0;
}

/* large.c: makes a large experiment for report pages out of a recorded one: random stacks of
 * recorded addresses, of which few are frequent; clock samples and heap events of several threads,
 * spread over some seconds. Usage: large RECORDED.er MADE.er SAMPLES HEAP-EVENTS STACKS THREADS
 * SECONDS */
#include "tests/unit/experiment/make_experiment.h"

#include "format/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALLOC_SIZE = 32, CLOCK_SIZE = 32, DEPTH = 24, LIVE = 16 };

static uint64_t state = 1;

/* xorshift64 */
static uint64_t number(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 8) % below;
}

static void *take(size_t count, size_t size)
{
	void *at = calloc(count + 1, size);

	if (!at)
		exit(1);
	return at;
}

static void copy(struct maker *maker, const char *from, const char *name)
{
	char path[4096], *bytes = take(1 << 24, 1);
	FILE *file;
	size_t len;

	snprintf(path, sizeof(path), "%s/%s", from, name);
	file = fopen(path, "r");
	if (!file)
		exit(1);
	len = fread(bytes, 1, 1 << 24, file);
	maker_put(maker, name, bytes, len);
	fclose(file);
	free(bytes);
}

/* A tree of recorded addresses: each node hangs below an earlier one. */
static void make_nodes(struct maker *maker, const struct exp_nodes *recorded, size_t count,
                       uint32_t *ids)
{
	uint64_t *pcs = take(count, sizeof(*pcs));
	int *parents = take(count, sizeof(*parents)), *depths = take(count, sizeof(*depths));

	for (size_t i = 0; i < count; i++) {
		do
			pcs[i] = recorded->pc[number(recorded->count)];
		while (pcs[i] < FMT_PC_MARKS);
		parents[i] = i == 0 ? -1 : (int)(i < 200 ? number(i) : i - 1 - number(i / 2));
		while (parents[i] > 0 && depths[parents[i]] >= DEPTH)
			parents[i] = parents[parents[i]];
		depths[i] = parents[i] < 0 ? 0 : depths[parents[i]] + 1;
	}
	maker_nodes(maker, count, pcs, parents, ids);
	free(pcs);
	free(parents);
	free(depths);
}

/* Few stacks are frequent. */
static uint32_t choose(const uint32_t *ids, size_t stacks)
{
	uint64_t a = number(1 << 20), b = number(1 << 20);

	return ids[stacks * (a * b >> 20) >> 20];
}

struct plan {
	const uint32_t *ids;
	size_t stacks, samples, events, threads;
	uint64_t start, span; /* ns */
};

static void put_samples(struct maker *maker, const struct plan *plan)
{
	struct maker_stream stream;
	size_t each = plan->samples / plan->threads;

	maker_stream_init(&stream);
	for (size_t thread = 0; thread < plan->threads; thread++) {
		maker_extent(&stream, (uint32_t)(42 + thread), plan->start,
		             (each * 2 * CLOCK_SIZE / 4096 + 2) * 4096);
		for (size_t i = 0; i < each; i++)
			maker_clock(&stream, plan->start + plan->span / each * i + number(1000),
			            FMT_clock_state_USER, 1000000 + number(4096) * 16,
			            choose(plan->ids, plan->stacks));
	}
	maker_stream_put(maker, &stream, "profile");
}

static void put_heap(struct maker *maker, const struct plan *plan)
{
	struct maker_stream stream;
	size_t each = plan->events / 2 / plan->threads;
	uint64_t address = 0x10000;

	maker_stream_init(&stream);
	for (size_t thread = 0; thread < plan->threads && each > 0; thread++) {
		uint64_t live[LIVE] = {0};

		maker_extent(&stream, (uint32_t)(42 + thread), plan->start,
		             (each * 4 * ALLOC_SIZE / 4096 + 2) * 4096);
		for (size_t i = 0; i < each; i++) {
			uint64_t at = plan->start + plan->span / each * i;
			size_t slot = number(LIVE);

			if (live[slot] != 0)
				maker_free(&stream, at, live[slot]);
			live[slot] = address += 4096;
			maker_alloc(&stream, at + 10, address, (uint32_t)number(2000) + 1,
			            choose(plan->ids, plan->stacks));
		}
	}
	maker_stream_put(maker, &stream, "heaptrace");
}

int main(int argc, char **argv)
{
	struct exp_reporter reporter = {.warn = NULL};
	const struct exp_data_set *set;
	struct experiment *experiment;
	struct exp_cause cause;
	struct maker maker;
	struct plan plan;
	uint32_t *ids;
	char command[512];

	if (argc != 8 || experiment_open(argv[1], &reporter, &experiment, &cause) != 0 ||
	    experiment_load(experiment, &set) != 0)
		return 2;
	plan = (struct plan){.samples = strtoul(argv[3], NULL, 10),
	                     .events = strtoul(argv[4], NULL, 10),
	                     .stacks = strtoul(argv[5], NULL, 10),
	                     .threads = strtoul(argv[6], NULL, 10),
	                     .span = strtoul(argv[7], NULL, 10) * 1000000000,
	                     .start = experiment_info(experiment)->start_ticks};
	ids = take(plan.stacks, sizeof(*ids));
	maker_create(&maker);
	copy(&maker, argv[1], "log.xml");
	copy(&maker, argv[1], "map.xml");
	make_nodes(&maker, &set->nodes, plan.stacks, ids);
	plan.ids = ids;
	plan.span = (uint64_t)((double)plan.span * experiment_info(experiment)->clock_hz / 1e9);
	put_samples(&maker, &plan);
	if (plan.events > 0)
		put_heap(&maker, &plan);
	snprintf(command, sizeof(command), "rm -rf '%s' && mv '%s' '%s'", argv[2], maker.path,
	         argv[2]);
	if (system(command) != 0)
		return 1;
	maker_destroy(&maker);
	experiment_close(experiment);
	free(ids);
	return 0;
}

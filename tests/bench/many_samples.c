/* many_samples.c: makes an experiment with many clock samples out of a recorded one. Each sample
 * has the stack of a recorded one, chosen at random; its innermost address is up to 2 KiB away, and
 * each order of magnitude of that distance is equally likely. So it has about as many different
 * stacks and addresses as a recording of hours would have: in real recordings, too, ten times the
 * samples bring less than ten times the addresses. Usage: many_samples RECORDED.er MADE.er COUNT */
#include "tests/unit/experiment/make_experiment.h"

#include "format/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DISTANCE_BITS = 11, EXTENT_EVENT = 64 };

static uint64_t state = 1;

/* xorshift64 */
static uint64_t number(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 8) % below;
}

static struct experiment *open_or_die(const char *path)
{
	struct exp_reporter reporter = {.warn = NULL};
	struct exp_cause cause;
	struct experiment *experiment;

	if (experiment_open(path, &reporter, &experiment, &cause) == 0)
		return experiment;
	fprintf(stderr, "%s\n", cause.text);
	exit(1);
}

static void copy(struct maker *maker, const char *from, const char *name)
{
	char path[4096], *bytes;
	FILE *file;
	size_t len;

	snprintf(path, sizeof(path), "%s/%s", from, name);
	file = fopen(path, "r");
	bytes = malloc(1 << 24);
	if (!file || !bytes)
		exit(1);
	len = fread(bytes, 1, 1 << 24, file);
	maker_put(maker, name, bytes, len);
	fclose(file);
	free(bytes);
}

/* Collect the innermost nodes of clock samples. Returns their number. */
static size_t find_leaves(const struct exp_nodes *nodes, uint32_t *leaves)
{
	size_t count = 0;

	for (size_t i = 0; i < nodes->count; i++)
		if (exp_node_value(nodes, EXP_SAMPLES, i) != 0)
			leaves[count++] = (uint32_t)i;
	return count;
}

/* Random distance of an address from the recorded one: 0, or 2^(0 to 11) in either direction. */
static int64_t distance(void)
{
	uint64_t power = number(DISTANCE_BITS + 1);
	int64_t far = power == 0 ? 0 : (int64_t)number(UINT64_C(1) << power);

	return number(2) == 0 ? far : -far;
}

/* Nodes under construction: the recorded ones, then each new innermost one once. */
struct nodes {
	uint64_t *pcs;
	int *parents;
	uint32_t *table; /* open addressing, index + 1 of new nodes */
	size_t count, mask;
};

static uint32_t add_leaf(struct nodes *nodes, uint64_t pc, int parent)
{
	size_t at = (pc * 0x9e3779b97f4a7c15u ^ (uint64_t)parent * 0xff51afd7ed558ccdu) >> 20 &
	            nodes->mask;

	for (; nodes->table[at] != 0; at = (at + 1) & nodes->mask) {
		uint32_t node = nodes->table[at] - 1;

		if (nodes->pcs[node] == pc && nodes->parents[node] == parent)
			return node;
	}
	nodes->pcs[nodes->count] = pc;
	nodes->parents[nodes->count] = parent;
	nodes->table[at] = (uint32_t)nodes->count + 1;
	return (uint32_t)nodes->count++;
}

static void *take(size_t count, size_t size)
{
	void *at = calloc(count + 1, size);

	if (!at)
		exit(1);
	return at;
}

static void put_samples(struct maker *maker, uint64_t start, const uint32_t *samples, size_t count,
                        const uint32_t *ids)
{
	struct maker_stream stream;

	maker_stream_init(&stream);
	maker_extent(&stream, 42, start, (count * EXTENT_EVENT / 4096 + 2) * 4096);
	for (size_t i = 0; i < count; i++)
		maker_clock(&stream, start + i, FMT_clock_state_USER, 4000000, ids[samples[i]]);
	maker_stream_put(maker, &stream, "profile");
}

int main(int argc, char **argv)
{
	size_t count = argc == 4 ? strtoul(argv[3], NULL, 10) : 0, leaf_count;
	struct experiment *experiment = count == 0 ? NULL : open_or_die(argv[1]);
	const struct exp_data_set *set;
	struct nodes nodes = {.mask = 1};
	struct maker maker;
	uint32_t *leaves, *samples, *ids;
	char command[512];

	if (!experiment || experiment_load(experiment, &set) != 0)
		return 2;
	while (nodes.mask < 2 * count)
		nodes.mask = nodes.mask * 2 + 1;
	leaves = take(set->nodes.count, sizeof(*leaves));
	samples = take(count, sizeof(*samples));
	ids = take(set->nodes.count + count, sizeof(*ids));
	nodes.pcs = take(set->nodes.count + count, sizeof(*nodes.pcs));
	nodes.parents = take(set->nodes.count + count, sizeof(*nodes.parents));
	nodes.table = take(nodes.mask, sizeof(*nodes.table));
	leaf_count = find_leaves(&set->nodes, leaves);
	for (; nodes.count < set->nodes.count; nodes.count++) {
		uint32_t parent = set->nodes.parent[nodes.count];

		nodes.pcs[nodes.count] = set->nodes.pc[nodes.count];
		nodes.parents[nodes.count] = parent == UINT32_MAX ? -1 : (int)parent;
	}
	for (size_t i = 0; i < count; i++) {
		uint32_t leaf = leaves[number(leaf_count)];

		samples[i] = add_leaf(&nodes, nodes.pcs[leaf] + (uint64_t)distance(),
		                      nodes.parents[leaf]);
	}
	printf("stacks %zu\n", nodes.count);
	maker_create(&maker);
	copy(&maker, argv[1], "log.xml");
	copy(&maker, argv[1], "map.xml");
	maker_nodes(&maker, nodes.count, nodes.pcs, nodes.parents, ids);
	put_samples(&maker, experiment_info(experiment)->start_ticks, samples, count, ids);
	snprintf(command, sizeof(command), "rm -rf '%s' && mv '%s' '%s'", argv[2], maker.path,
	         argv[2]);
	if (system(command) != 0)
		return 1;
	maker_destroy(&maker);
	experiment_close(experiment);
	return 0;
}

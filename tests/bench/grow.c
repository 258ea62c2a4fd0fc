/* grow.c: makes a large experiment out of a recorded one: what tests of the readers' growth read.
 * Usage: grow RECORDED.er MADE.er WHAT COUNT, where WHAT is
 *   children  descendants _f1, _f2, ... with a map, a stack and a sample each
 *   threads   threads with a name, a sample, two heap events, a wait and a call of write each
 *   stacks    nodes of call stacks; every fourth has a leak */
#include "tests/unit/experiment/make_experiment.h"

#include "format/fdr.h"
#include "format/layout.h"
#include "format/record.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	DEPTH = 24,
	FILE_NUMBER = 16,
	BUFFER = FDR_PROLOGUE_SIZE + 2 * FDR_METADATA_SIZE /* with an event and an end */
};

struct grown {
	struct maker maker;
	const char *from;
	uint64_t start, hz;
	uint64_t *pcs; /* recorded addresses, pcs[pc_count] */
	size_t pc_count;
};

static void *take(size_t count, size_t size)
{
	void *at = calloc(count + 1, size);

	if (!at)
		exit(1);
	return at;
}

/* The bytes of a file of the recorded experiment; the caller frees. */
static char *read_file(const struct grown *grown, const char *name, size_t *len)
{
	char path[4096], *bytes = take(1 << 24, 1);
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", grown->from, name);
	file = fopen(path, "r");
	if (!file)
		exit(1);
	*len = fread(bytes, 1, 1 << 24, file);
	fclose(file);
	return bytes;
}

static void copy(struct grown *grown, const char *name)
{
	size_t len;
	char *bytes = read_file(grown, name, &len);

	maker_put(&grown->maker, name, bytes, len);
	free(bytes);
}

static struct maker_stream begin(uint32_t tid, uint64_t tsc, size_t bytes)
{
	struct maker_stream stream;

	maker_stream_init(&stream);
	maker_extent(&stream, tid, tsc, (bytes / 4096 + 1) * 4096);
	return stream;
}

/* ---- stacks */

/* `count` nodes, each called by an earlier one; ids[count]. */
static void make_nodes(struct grown *grown, size_t count, uint32_t *ids)
{
	uint64_t *pcs = take(count, sizeof(*pcs));
	int *parents = take(count, sizeof(*parents));
	uint8_t *depths = take(count, 1);

	for (size_t i = 0; i < count; i++) {
		pcs[i] = grown->pcs[i * 2654435761u % grown->pc_count];
		parents[i] = i == 0 ? -1 : (int)(i - 1 - (i * 40503u >> 4) % (i < 64 ? i : 64));
		while (parents[i] > 0 && depths[parents[i]] >= DEPTH)
			parents[i] = parents[parents[i]];
		depths[i] = (uint8_t)(parents[i] < 0 ? 0 : depths[parents[i]] + 1);
	}
	maker_nodes(&grown->maker, count, pcs, parents, ids);
	free(pcs);
	free(parents);
	free(depths);
}

static void make_stacks(struct grown *grown, size_t count)
{
	uint32_t *ids = take(count, sizeof(*ids));
	struct maker_stream stream = begin(42, grown->start, count / 4 * 32);

	make_nodes(grown, count, ids);
	for (size_t i = 0; i < count / 4; i++)
		maker_alloc(&stream, grown->start + 100 + i, 0x10000 + 64 * i, 10, ids[4 * i + 3]);
	maker_stream_put(&grown->maker, &stream, "heaptrace");
	free(ids);
}

/* ---- threads */

static void make_threads(struct grown *grown, size_t count)
{
	static const char *const names[] = {"overview", "profile", "heaptrace", "synctrace",
	                                    "iotrace"};
	enum { OVERVIEW, PROFILE, HEAP, SYNC, IO, FILES };
	static const size_t each[] = {
		BUFFER + sizeof(struct fmt_thread), BUFFER + sizeof(struct fmt_clock),
		BUFFER + FDR_METADATA_SIZE + sizeof(struct fmt_heap_alloc) +
			sizeof(struct fmt_heap_free),
		BUFFER + sizeof(struct fmt_sync), BUFFER + sizeof(struct fmt_io)};
	const struct maker_call call = {.func = FMT_io_func_WRITE,
	                                .bytes = 100,
	                                .wait = 1000,
	                                .file = FILE_NUMBER,
	                                .fd = 3};
	struct maker_stream streams[FILES];
	uint32_t ids[8];

	make_nodes(grown, 8, ids);
	for (size_t i = 0; i < FILES; i++)
		streams[i] = begin(42, grown->start, count * each[i]);
	maker_io_file(&streams[IO], grown->start, FILE_NUMBER, FMT_file_type_REGULAR, "/tmp/file");
	for (size_t i = 0; i < count; i++) {
		uint32_t tid = (uint32_t)(1000 + i), stack = ids[i % 8];
		uint64_t tsc = grown->start + 1000 * (i + 2), address = 0x10000 + 64 * i;
		struct fmt_thread thread = {
			.kind = FMT_KIND_thread, .origin = FMT_thread_origin_CREATED, .tid = tid};
		struct maker_call own = call;

		snprintf(thread.name.text, sizeof(thread.name.text), "worker %zu", i % 1000);
		own.stack = stack;
		for (size_t k = 0; k < FILES; k++)
			maker_successor(&streams[k], tid, tsc);
		maker_event(&streams[OVERVIEW], tsc, &thread, sizeof(thread));
		maker_clock(&streams[PROFILE], tsc, FMT_clock_state_USER, 16000, stack);
		maker_alloc(&streams[HEAP], tsc, address, 10, stack);
		maker_free(&streams[HEAP], tsc + 10, address);
		maker_sync(&streams[SYNC], tsc, FMT_sync_func_MUTEX_LOCK, 0x1000, 100, 0, stack);
		maker_io(&streams[IO], tsc, &own);
	}
	for (size_t i = 0; i < FILES; i++)
		maker_stream_put(&grown->maker, &streams[i], names[i]);
}

/* ---- children */

static void link_into(const struct maker *child, const struct maker *founder, const char *name)
{
	char from[256], to[256];

	snprintf(from, sizeof(from), "%s/%s", founder->path, name);
	snprintf(to, sizeof(to), "%s/%s", child->path, name);
	if (link(from, to) != 0)
		exit(1);
}

static void make_children(struct grown *grown, size_t count)
{
	static const char *const names[] = {"map.xml", "frameinfo", "profile"};
	struct maker_stream stream = begin(42, grown->start, 1024);
	uint32_t ids[64];

	make_nodes(grown, 64, ids);
	for (size_t i = 0; i < 8; i++)
		maker_clock(&stream, grown->start + 1000 * i, FMT_clock_state_USER, 16000,
		            ids[8 * i]);
	maker_stream_put(&grown->maker, &stream, "profile");
	for (size_t i = 0; i < count; i++) {
		struct maker child;
		char lineage[32];

		snprintf(lineage, sizeof(lineage), "_f%zu", i + 1);
		maker_descendant(&grown->maker, lineage, "", &child);
		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
			link_into(&child, &grown->maker, names[k]);
	}
}

static const struct {
	const char *name;
	void (*make)(struct grown *grown, size_t count);
} kinds[] = {{"children", make_children}, {"threads", make_threads}, {"stacks", make_stacks}};

static int make(struct grown *grown, const char *what, size_t count)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].name, what) == 0) {
			kinds[i].make(grown, count);
			return 0;
		}
	return 2;
}

int main(int argc, char **argv)
{
	struct exp_reporter reporter = {.warn = NULL};
	const struct exp_data_set *set;
	struct experiment *experiment;
	struct grown grown;
	struct exp_cause cause;
	char command[512];
	int status;

	if (argc != 5 || experiment_open(argv[1], &reporter, &experiment, &cause) != 0 ||
	    experiment_load(experiment, &set) != 0)
		return 2;
	grown = (struct grown){.from = argv[1],
	                       .start = experiment_info(experiment)->start_ticks,
	                       .pcs = take(set->nodes.count, sizeof(uint64_t))};
	for (size_t i = 0; i < set->nodes.count; i++)
		if (set->nodes.pc[i] >= FMT_PC_MARKS)
			grown.pcs[grown.pc_count++] = set->nodes.pc[i];
	maker_create(&grown.maker);
	copy(&grown, "log.xml");
	copy(&grown, "map.xml");
	status = grown.pc_count == 0 ? 2 : make(&grown, argv[3], strtoul(argv[4], NULL, 10));
	snprintf(command, sizeof(command), "rm -rf '%s' && mv '%s' '%s'", argv[2], grown.maker.path,
	         argv[2]);
	if (status == 0 && system(command) != 0)
		status = 1;
	maker_destroy(&grown.maker);
	experiment_close(experiment);
	free(grown.pcs);
	return status;
}

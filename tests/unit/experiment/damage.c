/* Whatever the bytes of an experiment are, reading it ends, and reports what is wrong. */
#include "tests/unit/experiment/make_experiment.h"

#include "format/record.h"
#include "tests/unit/format/seed.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 400, FILE_MAX = 32768, FILES = 7 };

static const char *const names[FILES] = {"log.xml",   "map.xml",   "frameinfo", "profile",
                                         "heaptrace", "synctrace", "iotrace"};
static const char map[] =
	"<map>\n<object id=\"1\" path=\"/bin/true\" bias=\"0x0\" start=\"0x100\" end=\"0x9000\" generation=\"0\"/>\n"
	"<unload id=\"1\" generation=\"2\"/>\n</map>\n";

static void make(struct maker *maker)
{
	static const uint64_t pcs[] = {1, 0x1000, 0x2000, 0x3000, 0x2500};
	static const int parents[] = {-1, 0, 1, 1, 3};
	struct maker_stream stream;
	uint32_t ids[5];
	uint64_t t = MAKER_START_TICKS;

	maker_create(maker);
	maker_put(maker, "map.xml", map, sizeof(map) - 1);
	maker_nodes(maker, 5, pcs, parents, ids);
	maker_stream_init(&stream);
	maker_extent(&stream, 1, t, 4096);
	for (uint64_t i = 0; i < 50; i++)
		maker_clock(&stream, t + i, i % 3, 10, ids[i % 5]);
	maker_stream_put(maker, &stream, "profile");
	maker_stream_init(&stream);
	for (uint32_t tid = 1; tid <= 3; tid++) {
		maker_extent(&stream, tid, t, 4096);
		for (uint64_t i = 0; i < 20; i++) {
			maker_alloc(&stream, t + 3 * i, 0x1000 * tid + 16 * i, 8, ids[i % 5]);
			maker_free(&stream, t + 3 * i + 1, 0x1000 * (tid % 3 + 1) + 16 * i);
		}
	}
	maker_stream_put(maker, &stream, "heaptrace");
	maker_stream_init(&stream);
	maker_extent(&stream, 1, t, 4096);
	for (uint64_t i = 0; i < 40; i++)
		maker_sync(&stream, t + i, i % 7 == 0 ? FMT_sync_func_MUTEX_INIT : (unsigned)i % 36,
		           0x1000 + i % 5 * 64, i, 0, ids[i % 5]);
	maker_stream_put(maker, &stream, "synctrace");
	maker_stream_init(&stream);
	maker_extent(&stream, 1, t, 2 * 4096);
	for (uint32_t i = 0; i < 40; i++) {
		struct maker_call call = {
			.func = i * 7,
			.error = i % 3,
			.bytes = i,
			.wait = i,
			.file = i % 4 * 16,
			.fd = i % 6,
			.stack = ids[i % 5],
		};

		maker_io_file(&stream, t + i, i % 4 * 16, i % 7, "/tmp/name");
		maker_io(&stream, t + i, &call);
	}
	maker_stream_put(maker, &stream, "iotrace");
}

static size_t get(const struct maker *maker, const char *name, uint8_t *bytes)
{
	char path[256];
	FILE *file;
	size_t len;

	snprintf(path, sizeof(path), "%s/%s", maker->path, name);
	file = fopen(path, "r");
	cr_assert(file != NULL);
	len = fread(bytes, 1, FILE_MAX, file);
	fclose(file);
	return len;
}

static void mutate(uint64_t *seed, uint8_t *bytes, size_t *len)
{
	size_t at = seed_below(seed, *len);

	switch (seed_below(seed, 5)) {
	case 0:
		bytes[at] ^= (uint8_t)(1 << seed_below(seed, 8));
		break;
	case 1:
		bytes[at] = (uint8_t)seed_next(seed);
		break;
	case 2:
		memset(bytes + at, seed_below(seed, 2) ? 0xff : 0, *len - at < 40 ? *len - at : 40);
		break;
	case 3:
		memmove(bytes + at, bytes, *len - at < 100 ? *len - at : 100);
		break;
	default:
		*len = at + 1;
		break;
	}
}

static void read_all(struct maker *maker)
{
	struct experiment *experiment;
	struct exp_cause cause;
	const struct exp_data_set *set;
	struct symbols *symbols;
	const struct sym_frame *frames;

	if (maker_open(maker, &experiment, &cause) != 0) {
		cr_assert_neq(cause.text[0], '\0');
		return;
	}
	symbols = symbols_create();
	cr_assert_eq(experiment_load(experiment, &set), 0);
	for (size_t i = 0; i < set->nodes.count; i++) {
		cr_assert(set->nodes.parent[i] == UINT32_MAX || set->nodes.parent[i] < i);
		cr_assert_geq(symbols_frames(symbols, experiment, set->nodes.pc[i],
		                             set->nodes.generation[i], 0, &frames),
		              1);
	}
	cr_assert_eq(experiment_info(experiment)->damaged, maker->warnings > 0);
	symbols_destroy(symbols);
	experiment_close(experiment);
}

Test(damage, never_stops_the_reader, .timeout = 60)
{
	static uint8_t original[FILES][FILE_MAX], bytes[FILE_MAX];
	size_t len[FILES];
	uint64_t seed = seed_start();
	struct maker maker;

	make(&maker);
	for (size_t i = 0; i < FILES; i++)
		len[i] = get(&maker, names[i], original[i]);
	for (int round = 0; round < ROUNDS; round++) {
		size_t file = seed_below(&seed, FILES);
		size_t changed = len[file];

		memcpy(bytes, original[file], len[file]);
		for (size_t i = 0; i <= seed_below(&seed, 4); i++)
			mutate(&seed, bytes, &changed);
		maker_put(&maker, names[file], bytes, changed);
		maker.warnings = 0;
		read_all(&maker);
		maker_put(&maker, names[file], original[file], len[file]);
	}
	maker.warnings = 0;
	read_all(&maker);
	cr_assert_eq(maker.warnings, 0, "%s", maker.warning);
	maker_destroy(&maker);
}

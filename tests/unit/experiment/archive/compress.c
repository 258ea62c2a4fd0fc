/* Data files are compressed whole or not at all, and read as before. */
#include "experiment/archive/compress.h"

#include "experiment/base/internal.h"
#include "experiment/streams/datafile.h"
#include "experiment/packed/frame.h"
#include "tests/unit/experiment/make_experiment.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ALLOCS = 40000, EXTENT = 256 << 10 };

TestSuite(compress, .timeout = 60);

static int is_skipped(void)
{
	return !exp_frames_are_known();
}

/* A heap of some 2 MB in extents with a hole, and a small profile. */
static void make(struct maker *maker)
{
	struct maker_stream stream;

	maker_create(maker);
	maker_stream_init(&stream);
	for (uint32_t i = 0; i < ALLOCS; i++) {
		if (i % 5000 == 0)
			maker_extent(&stream, 1 + i / 5000, MAKER_START_TICKS + i, EXTENT);
		maker_alloc(&stream, MAKER_START_TICKS + i, 4096 + 16ull * (i * 7919 % 65537),
		            16 + i % 9, 0);
	}
	maker_stream_put(maker, &stream, "heaptrace");
	maker_stream_init(&stream);
	maker_extent(&stream, 1, MAKER_START_TICKS, 4096);
	maker_clock(&stream, MAKER_START_TICKS, 0, 10, 0);
	maker_stream_put(maker, &stream, "profile");
}

static struct experiment *open_made(struct maker *maker)
{
	struct experiment *experiment;
	struct exp_cause cause;

	cr_assert_eq(maker_open(maker, &experiment, &cause), 0, "%s", cause.text);
	return experiment;
}

/* Loads; checks the totals. */
static void check_totals(struct maker *maker, uint64_t allocs, unsigned warnings)
{
	struct experiment *experiment = open_made(maker);
	const struct exp_data_set *set;

	cr_assert_eq(experiment_load(experiment, &set), 0);
	cr_expect_eq(set->heap.allocs, allocs, "%llu", (unsigned long long)set->heap.allocs);
	cr_expect_eq(set->quality.samples, 1);
	cr_expect_eq(maker->warnings, warnings, "%s", maker->warning);
	experiment_close(experiment);
}

static int compress(struct maker *maker, struct exp_cause *cause)
{
	struct experiment *experiment = open_made(maker);
	int rc = exp_compress(experiment, cause);

	experiment_close(experiment);
	return rc;
}

static int has(const struct maker *maker, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", maker->path, name);
	return access(path, F_OK) == 0;
}

/* The bytes of a data file; the caller frees. */
static uint8_t *bytes_of(const struct maker *maker, const char *name, size_t *size)
{
	int directory = open(maker->path, O_RDONLY | O_DIRECTORY);
	struct exp_data_file file;
	char why[EXP_DATA_FILE_WHY];
	uint8_t *bytes;

	cr_assert_eq(exp_data_file_open(directory, name, &file, why), 0);
	*size = file.size;
	bytes = malloc(file.size);
	cr_assert_eq(exp_data_file_read(&file, bytes, file.size, 0), (ssize_t)file.size);
	exp_data_file_close(&file);
	close(directory);
	return bytes;
}

Test(compress, a_compressed_file_has_the_bytes_and_totals_of_the_plain_one)
{
	struct exp_cause cause;
	struct maker maker;
	uint8_t *before, *after;
	size_t size, size_after;
	char path[256];
	struct stat st;

	if (is_skipped())
		return;
	make(&maker);
	snprintf(path, sizeof(path), "%s/heaptrace", maker.path);
	cr_assert_eq(chmod(path, 0640), 0);
	check_totals(&maker, ALLOCS, 0);
	before = bytes_of(&maker, "heaptrace", &size);
	cr_assert_eq(compress(&maker, &cause), 0, "%s", cause.text);
	cr_assert(!has(&maker, "heaptrace") && has(&maker, "heaptrace.zst"));
	cr_assert(has(&maker, "profile") && !has(&maker, "profile.zst"));
	after = bytes_of(&maker, "heaptrace", &size_after);
	cr_assert_eq(size_after, size);
	cr_assert_eq(memcmp(before, after, size), 0);
	check_totals(&maker, ALLOCS, 0);
	snprintf(path, sizeof(path), "%s/heaptrace.zst", maker.path);
	cr_assert_eq(stat(path, &st), 0);
	cr_expect_eq(st.st_mode & 0777, 0640);
	cr_expect(st.st_size < (off_t)size / 3, "%lld of %zu", (long long)st.st_size, size);
	cr_assert_eq(compress(&maker, &cause), 0); /* nothing more to do */
	check_totals(&maker, ALLOCS, 0);
	free(before);
	free(after);
	maker_destroy(&maker);
}

Test(compress, the_plain_file_counts_while_both_are_there)
{
	static const char cut[] = "what a writer that was killed had not put there";
	struct exp_cause cause;
	struct maker maker;

	if (is_skipped())
		return;
	make(&maker);
	maker_put(&maker, "heaptrace.zst", cut, sizeof(cut));
	maker_put(&maker, ".tmp.1.1", cut, sizeof(cut)); /* and another one */
	check_totals(&maker, ALLOCS, 0);
	cr_assert_eq(compress(&maker, &cause), 0);
	cr_assert(!has(&maker, "heaptrace") && !has(&maker, ".tmp.1.1"));
	check_totals(&maker, ALLOCS, 0);
	maker_destroy(&maker);
}

Test(compress, one_who_reads_the_plain_file_goes_on)
{
	struct exp_data_file file;
	char why[EXP_DATA_FILE_WHY];
	struct exp_cause cause;
	struct maker maker;
	uint8_t last[16];
	int directory;

	if (is_skipped())
		return;
	make(&maker);
	directory = open(maker.path, O_RDONLY | O_DIRECTORY);
	cr_assert_eq(exp_data_file_open(directory, "heaptrace", &file, why), 0);
	cr_assert_eq(compress(&maker, &cause), 0);
	cr_assert(!has(&maker, "heaptrace"));
	cr_assert_eq(exp_data_file_read(&file, last, sizeof(last), file.size - 16), 16);
	exp_data_file_close(&file);
	close(directory);
	maker_destroy(&maker);
}

Test(compress, a_damaged_frame_costs_only_what_is_in_it)
{
	struct exp_cause cause;
	struct maker maker;
	char path[256];
	int fd;

	if (is_skipped())
		return;
	make(&maker);
	cr_assert_eq(compress(&maker, &cause), 0);
	snprintf(path, sizeof(path), "%s/heaptrace.zst", maker.path);
	fd = open(path, O_WRONLY);
	cr_assert_eq(pwrite(fd, "\0\0\0\0", 4, 200), 4); /* in the first frame, with the header */
	close(fd);
	struct experiment *experiment = open_made(&maker);
	const struct exp_data_set *set;

	cr_assert_eq(experiment_load(experiment, &set), 0);
	cr_expect_eq(set->heap.allocs, 0);
	cr_expect(strstr(maker.warning, "heaptrace: offset 0: cannot be decompressed"), "%s",
	          maker.warning);
	experiment_close(experiment);
	maker_destroy(&maker);
}

Test(compress, a_damaged_frame_in_the_middle_costs_only_its_extents)
{
	struct exp_cause cause;
	struct maker maker;
	char path[256];
	struct stat st;
	int fd;

	if (is_skipped())
		return;
	make(&maker);
	cr_assert_eq(compress(&maker, &cause), 0);
	snprintf(path, sizeof(path), "%s/heaptrace.zst", maker.path);
	cr_assert_eq(stat(path, &st), 0);
	fd = open(path, O_WRONLY);
	cr_assert_eq(pwrite(fd, "\0\0\0\0\0\0\0\0", 8, st.st_size / 2), 8);
	close(fd);
	struct experiment *experiment = open_made(&maker);
	const struct exp_data_set *set;

	cr_assert_eq(experiment_load(experiment, &set), 0);
	cr_expect(set->heap.allocs >= ALLOCS / 2 && set->heap.allocs < ALLOCS, "%llu",
	          (unsigned long long)set->heap.allocs);
	cr_expect(strstr(maker.warning, ": cannot be decompressed"), "%s", maker.warning);
	experiment_close(experiment);
	maker_destroy(&maker);
}

Test(compress, a_file_that_is_mostly_holes_stays_plain)
{
	struct exp_cause cause;
	struct maker maker;
	char path[256];

	if (is_skipped())
		return;
	make(&maker);
	snprintf(path, sizeof(path), "%s/heaptrace", maker.path);
	cr_assert_eq(truncate(path, 64 << 20), 0);
	cr_assert_eq(compress(&maker, &cause), 0);
	cr_assert(has(&maker, "heaptrace") && !has(&maker, "heaptrace.zst"));
	check_totals(&maker, ALLOCS, 0);
	maker_destroy(&maker);
}

Test(compress, a_process_that_is_recorded_is_left_alone)
{
	struct exp_cause cause;
	struct experiment *experiment;
	struct maker maker;

	if (is_skipped())
		return;
	make(&maker);
	experiment = open_made(&maker);
	experiment->info.status = EXP_RUNNING;
	cr_assert_eq(exp_compress(experiment, &cause), -EBUSY);
	cr_expect(strstr(cause.text, ": still being recorded"), "%s", cause.text);
	experiment_close(experiment);
	cr_assert(has(&maker, "heaptrace") && !has(&maker, "heaptrace.zst"));
	maker_destroy(&maker);
}

/* The name of the compressed file is a directory's. */
Test(compress, a_file_that_cannot_be_made_is_told_and_the_plain_one_stays)
{
	struct exp_cause cause = {.text = ""};
	char path[256];
	struct maker maker;

	if (is_skipped())
		return;
	make(&maker);
	snprintf(path, sizeof(path), "%s/heaptrace.zst", maker.path);
	cr_assert_eq(mkdir(path, 0755), 0);
	cr_expect_eq(compress(&maker, &cause), -EISDIR);
	cr_expect(strstr(cause.text, ": cannot compress heaptrace: Is a directory"), "%s",
	          cause.text);
	cr_expect(has(&maker, "heaptrace"));
	cr_assert_eq(rmdir(path), 0);
	strcpy(cause.text, "as before");
	cr_expect_eq(compress(&maker, &cause), 0);
	cr_expect_str_eq(cause.text, "as before", "nothing is said of what is done");
	cr_expect(!has(&maker, "heaptrace"));
	check_totals(&maker, ALLOCS, 0);
	maker_destroy(&maker);
}

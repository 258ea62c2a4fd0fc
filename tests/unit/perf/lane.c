/* Files of CPUs: whole records at every instant, cut behind the last one, which tells of losses. */
#include "perf/lane.h"

#include "format/fxt.h"
#include "format/record.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS_MAX = 4096 };

static char directory[] = "/tmp/xer-lane-XXXXXX";
static int files;
static struct lane lane;
static uint64_t words[WORDS_MAX], head[FXT_FILE_HEAD_WORDS];

static void set_up(void)
{
	cr_assert_not_null(mkdtemp(directory));
	files = open(directory, O_RDONLY | O_DIRECTORY);
}

static void tear_down(void)
{
	unlinkat(files, "cpu3.fxt", 0);
	cr_assert_eq(rmdir(directory), 0);
}

TestSuite(lane, .init = set_up, .fini = tear_down);

/* How many words the file has. */
static size_t read_file(void)
{
	int fd = openat(files, "cpu3.fxt", O_RDONLY);
	ssize_t got = read(fd, words, sizeof(words));

	close(fd);
	cr_assert(got >= 0 && got % FXT_WORD_SIZE == 0);
	return (size_t)got / FXT_WORD_SIZE;
}

static void begin(uint64_t file_bytes)
{
	size_t count = fxt_put_file_header(head, 4, "cpu3", 4, 1000000000);

	cr_assert_eq(lane_begin_file(&lane, 3, files, file_bytes), 0);
	cr_assert_eq(lane.cpu, 3);
	cr_assert_geq(read_file(), count);
	cr_assert_eq(memcmp(words, head, count * FXT_WORD_SIZE), 0);
}

/* Take a sample of a process that nobody knows. Returns the words of its record. */
static size_t take(size_t frames, int is_bad)
{
	struct ring_sample sample = {.time_ns = 1000, .pid = 7, .tid = 8, .count = frames};

	sample.is_bad = is_bad;
	for (size_t i = 0; i < frames; i++)
		sample.pcs[i] = 0x1000 + i;
	lane_take(&lane, &sample);
	cr_assert_eq(region_flush(&lane.region), 0);
	return fxt_put_sample(words, 1000, 7, 8, sample.pcs, frames + (is_bad != 0));
}

Test(lane, a_file_has_its_head_and_its_samples)
{
	size_t size, expected;

	begin(1 << 16);
	expected = fxt_put_file_header(head, 4, "cpu3", 4, 1000000000);
	expected += take(1, 0);
	expected += take(5, 0);
	expected += take(5, 1);
	lane_end_file(&lane);
	size = read_file();
	cr_expect_eq(size, expected, "%zu, %zu", size, expected);
	cr_expect_eq(words[size - 1], FMT_PC_TRUNCATED, "what is cut ends with a mark");
	cr_expect_eq(lane.region.written_of[LANE_SAMPLE], 3);
	cr_expect_eq(lane.region.written_of[LANE_ONE_FRAME], 1);
	cr_expect_eq(lane.region.written_of[LANE_CUT_STACK], 1);
	cr_expect_eq(lane.region.written_of[LANE_DEEP_STACK], 0);
	cr_expect_eq(lane.region.lost, 0);
}

/* Room for that record is kept, so it fits behind all that fits. */
Test(lane, the_last_record_tells_of_losses)
{
	uint64_t event;
	size_t size;

	begin(2048);
	for (int i = 0; i < 100; i++)
		take(20, 0);
	cr_expect_gt(lane.region.lost, 0);
	lane_end_file(&lane);
	size = read_file();
	fxt_put_provider_event(&event, 4, FXT_PROVIDER_BUFFER_FULL);
	cr_expect_eq(words[size - 1], event);
	cr_expect_leq(size * FXT_WORD_SIZE, 2048);
}

Test(lane, what_the_ring_has_lost_is_lost)
{
	uint64_t event;
	size_t size;

	begin(1 << 16);
	take(1, 0);
	lane.counts.lost = 1;
	lane_end_file(&lane);
	size = read_file();
	fxt_put_provider_event(&event, 4, FXT_PROVIDER_BUFFER_FULL);
	cr_expect_eq(words[size - 1], event);
}

Test(lane, a_file_is_made_once_and_can_be_removed)
{
	struct lane other = {.cpu = 0};

	begin(1 << 16);
	cr_expect_eq(lane_begin_file(&other, 3, files, 1 << 16), -EEXIST);
	lane_remove_file(&lane, files);
	cr_expect_eq(faccessat(files, "cpu3.fxt", F_OK, 0), -1);
	cr_expect_eq(lane_begin_file(&other, 3, -1, 1 << 16), -EBADF);
}

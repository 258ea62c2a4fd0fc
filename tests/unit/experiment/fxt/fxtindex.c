/* Walks over the records of one process: they miss none of them, and skip those of others. */
#include "experiment/fxt/fxtindex.h"

#include "experiment/fxt/fxtstacks.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PROCESSES = 300, BURST = 40, FIRST_PID = 1000, WORDS = 1 << 19 };

static uint64_t words[WORDS];
static size_t count;

static void begin(void)
{
	count = fxt_put_file_header(words, 1, "cpu0", 4, 1000000000);
}

static int file_of_words(void)
{
	int fd = memfd_create("fxtindex", MFD_CLOEXEC);

	cr_assert(fd >= 0 && write(fd, words, count * sizeof(words[0])) ==
	                             (ssize_t)(count * sizeof(words[0])));
	return fd;
}

/* Each process runs twice; the one in the middle also now and then in between. Its samples are
 * numbered by their times. */
static void put_samples(void)
{
	const uint64_t pcs[] = {0x1000, 0x2000, 0x3000};
	uint64_t time_ns = 0;

	for (unsigned turn = 0; turn < 2; turn++)
		for (unsigned i = 0; i < PROCESSES; i++)
			for (unsigned k = 0; k < BURST; k++) {
				unsigned pid = FIRST_PID + (k == 7 ? PROCESSES / 2 : i);

				cr_assert(count < WORDS - 64);
				count += fxt_put_sample(words + count, ++time_ns, pid, pid, pcs, 3);
			}
}

struct seen {
	uint64_t all, own, sum;
};

/* Walk over the file from its beginning, and count. */
static struct seen walk(struct exp_fxtindexes *indexes, int fd, uint64_t process)
{
	struct exp_fxtwalk walk = {.process = process};
	struct seen seen = {0, 0, 0};
	const struct exp_fxt_record *record;
	struct exp_fxt_sample sample;
	int rc;

	cr_assert_eq(lseek(fd, 0, SEEK_SET), 0);
	walk.fxt = exp_fxt_open(fd);
	cr_assert(walk.fxt != NULL);
	exp_fxtwalk_begin(&walk, indexes, "sampler", "cpu0.fxt", fd);
	while ((rc = exp_fxtwalk_next(&walk, &record)) == 1) {
		seen.all++;
		if (!exp_fxt_sample_take(walk.fxt, record, &sample) || sample.process != process)
			continue;
		cr_assert(sample.count == 3 && sample.ns > 0);
		seen.own++;
		seen.sum = seen.sum * 31 + sample.ns;
	}
	exp_fxtwalk_end(&walk, indexes, rc);
	exp_fxt_close(walk.fxt);
	cr_assert_eq(rc, 0);
	return seen;
}

static void check_all(int is_short)
{
	struct exp_fxtindexes *indexes = exp_fxtindexes_share(NULL),
			      *other = exp_fxtindexes_share(indexes);
	int fd = file_of_words();
	uint64_t all = walk(indexes, fd, 0).all, visited = 0;

	cr_assert_eq(other, indexes);
	for (uint64_t pid = FIRST_PID; pid < FIRST_PID + PROCESSES; pid++) {
		struct seen whole = walk(NULL, fd, pid), part = walk(other, fd, pid);

		cr_assert(whole.own > 0 && whole.all == all);
		cr_assert(part.own == whole.own && part.sum == whole.sum, "%u", (unsigned)pid);
		visited += part.all;
	}
	if (is_short)
		cr_assert(visited < all * PROCESSES / 8, "%u of %u", (unsigned)visited,
		          (unsigned)(all * PROCESSES));
	else
		cr_assert_eq(visited, all * PROCESSES);
	cr_assert_eq(walk(indexes, fd, FIRST_PID - 1).own, 0);
	exp_fxtindexes_release(indexes);
	exp_fxtindexes_release(other);
	close(fd);
}

Test(fxtindex, misses_nothing)
{
	begin();
	put_samples();
	check_all(1);
}

Test(fxtindex, reads_all_where_records_rely_on_others)
{
	begin();
	put_samples();
	count += fxt_put_string(words + count, 1, "later", 5);
	put_samples();
	check_all(0);
}

/* Its experiment has that other number, and finds this process in the first part, except for what
 * is mapped in later ones. */
Test(fxtindex, reads_all_where_a_process_has_another_number)
{
	size_t at;

	begin();
	count += fxt_put_string(words + count, 1, "inner", 5);
	at = count;
	words[count + 1] = FIRST_PID;
	count += 2;
	count += fxt_put_number(words + count, FXT_ARGUMENT_UINT64, 1, 7);
	words[at] = FXT_HEAD(kernel_object, count - at) |
	            FXT_BITS(kernel_object, object, FXT_OBJECT_PROCESS) |
	            FXT_BITS(kernel_object, arguments, 1);
	put_samples();
	check_all(0);
}

Test(fxtindex, begins_again_with_a_file_that_grew)
{
	struct exp_fxtindexes *indexes = exp_fxtindexes_share(NULL);
	uint64_t before;
	int fd;

	begin();
	put_samples();
	fd = file_of_words();
	before = walk(indexes, fd, FIRST_PID).own;
	close(fd);
	put_samples();
	fd = file_of_words();
	cr_assert_eq(walk(indexes, fd, FIRST_PID).own, 2 * before);
	close(fd);
	exp_fxtindexes_release(indexes);
}

/* A file whose path has no room is read without an index, as it might be taken for another one. */
Test(fxtindex, paths_that_are_too_long_have_none)
{
	enum { ROOM = 512, NAME = 1 + 8 /* a slash, "cpu0.fxt" */ };
	struct exp_fxtindexes *indexes = exp_fxtindexes_share(NULL);
	int fd = file_of_words();
	char where[ROOM];

	for (size_t len = ROOM - NAME - 2; len <= ROOM - NAME + 1; len++) {
		struct exp_fxtwalk walk = {.process = 0};

		memset(where, 'w', len);
		where[len] = '\0';
		exp_fxtwalk_begin(&walk, indexes, where, "cpu0.fxt", fd);
		cr_expect_eq(walk.index != NULL, len + NAME < ROOM, "%zu", len);
		exp_fxtwalk_end(&walk, indexes, 0);
	}
	exp_fxtindexes_release(indexes);
	close(fd);
}

/* What was used again while it was copied is taken out of the copy. */
#include "collect/snapshot/snapshot_kept.h"
#include "format/fdr.h"
#include "format/keep.h"
#include "format/layout.h"
#include "tests/unit/collect/scratch.h"
#include "tests/unit/refused.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BYTES = 1 << 20, SIZE = 8192, PARTS = 4, MOMENT = 5000 };

static int from, to;
static struct fmt_keep *keep;

static int make(const char *name)
{
	cr_assert_eq(mkdir(name, 0700), 0);
	return open(name, O_RDONLY | O_DIRECTORY);
}

static void enter(void)
{
	int fd;

	scratch_enter();
	from = make("from");
	to = make("to");
	fd = openat(from, FMT_FILE_ACCOUNT, O_RDWR | O_CREAT, 0600);
	cr_assert_eq(ftruncate(fd, (off_t)fmt_keep_file_size(BYTES)), 0);
	keep = mmap(NULL, fmt_keep_file_size(BYTES), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	cr_assert_neq(keep, MAP_FAILED);
	close(fd);
	strcpy(fmt_keep_process_at(keep, 0)->name, ".");
}

static void leave(void)
{
	close(from);
	close(to);
	scratch_leave();
}

TestSuite(snapshot_kept, .init = enter, .fini = leave);

/* A file with parts that begin with a buffer of this time. */
static void put_file(const char *name, uint64_t tsc)
{
	static uint8_t bytes[PARTS * SIZE] __attribute__((aligned(8)));
	struct fdr_prologue prologue = {.tid = 1, .ordinal = 1, .extent_left = SIZE, .tsc = tsc};

	memset(bytes, 0, sizeof(bytes));
	for (int i = 0; i < PARTS; i++) {
		fdr_prologue_put(bytes + i * SIZE, &prologue);
		bytes[i * SIZE + SIZE - 1] = 7;
	}
	scratch_put(name, bytes, sizeof(bytes), 0600);
}

static void put_extent(unsigned number, enum fmt_stream stream, uint64_t at, uint64_t begin)
{
	struct fmt_keep_extent *extent = fmt_keep_extent_at(keep, BYTES, number);

	atomic_store(&extent->at, at);
	atomic_store(&extent->begin, begin);
	atomic_store(&extent->what, fmt_keep_what(FMT_KEEP_HELD, stream, 0, SIZE));
}

static int is_there(const char *name, int part)
{
	uint8_t byte = 0;
	int fd = openat(to, name, O_RDONLY);

	cr_assert_eq(pread(fd, &byte, 1, part * SIZE + SIZE - 1), 1);
	close(fd);
	return byte == 7;
}

static uint64_t finish(void)
{
	uint64_t since = 1;

	cr_assert_eq(snapshot_kept_finish(from, to, BYTES, MOMENT, &since), 0);
	return since;
}

static void take_out(void)
{
	put_file("from/profile", MOMENT + 1);
	put_file("to/profile", MOMENT - 1);
	put_extent(3, FMT_STREAM_PROFILE, SIZE, MOMENT + 1);
	put_extent(4, FMT_STREAM_PROFILE, 2 * SIZE, MOMENT - 1);
	finish();
	cr_expect(is_there("profile", 0));
	cr_expect_not(is_there("profile", 1));
	cr_expect(is_there("profile", 2), "it has had its place before");
	cr_expect(is_there("profile", 3));
}

Test(snapshot_kept, what_begins_after_the_moment_is_taken_out)
{
	take_out();
}

Test(snapshot_kept, by_zeros_where_the_file_system_knows_no_holes)
{
	refuse_call(SYS_fallocate, EOPNOTSUPP);
	take_out();
}

Test(snapshot_kept, what_was_moved_in_the_ring_alone_stays)
{
	put_file("from/profile", MOMENT - 1);
	put_file("to/profile", MOMENT - 1);
	put_file("from/frameinfo", MOMENT + 1);
	put_file("to/frameinfo", MOMENT + 1);
	put_extent(3, FMT_STREAM_PROFILE, SIZE, MOMENT + 1);
	put_extent(4, FMT_STREAM_FRAMEINFO, SIZE, MOMENT + 1);
	finish();
	cr_expect(is_there("profile", 1));
	cr_expect(is_there("frameinfo", 1), "stacks have no time");
}

Test(snapshot_kept, the_copy_tells_from_when_on_all_is_there)
{
	struct fmt_keep head;
	int fd;

	atomic_store(&keep->from, 4321);
	atomic_store(&keep->dropped, 99);
	cr_expect_eq(snapshot_kept_from(from), 4321);
	cr_expect_eq(finish(), 4321);
	fd = openat(to, FMT_FILE_ACCOUNT, O_RDONLY);
	cr_assert_eq(read(fd, &head, sizeof(head)), sizeof(head));
	close(fd);
	cr_expect_eq(atomic_load(&head.from), 4321);
	cr_expect_eq(atomic_load(&head.dropped), 99);
}

Test(snapshot_kept, what_a_damaged_table_names_is_not_touched)
{
	put_file("outside", MOMENT - 1);
	strcpy(fmt_keep_process_at(keep, 0)->name, "../from");
	put_extent(3, FMT_STREAM_PROFILE, SIZE, MOMENT + 1);
	put_extent(4, (enum fmt_stream)200, SIZE, MOMENT + 1);
	put_extent(5, FMT_STREAM_PROFILE, UINT64_MAX - 5, MOMENT + 1);
	atomic_store(&fmt_keep_extent_at(keep, BYTES, 6)->what,
	             fmt_keep_what(FMT_KEEP_HELD, FMT_STREAM_PROFILE, 65535, SIZE));
	atomic_store(&fmt_keep_extent_at(keep, BYTES, 6)->begin, MOMENT + 1);
	atomic_store(&fmt_keep_extent_at(keep, BYTES, 6)->at, SIZE);
	finish();
}

Test(snapshot_kept, without_the_file_nothing_was_dropped)
{
	cr_assert_eq(unlinkat(from, FMT_FILE_ACCOUNT, 0), 0);
	cr_expect_eq(finish(), 0);
	cr_expect_neq(faccessat(to, FMT_FILE_ACCOUNT, F_OK, 0), 0);
	scratch_put("from/" FMT_FILE_ACCOUNT, "short", 5, 0600);
	cr_expect_eq(finish(), 0);
}

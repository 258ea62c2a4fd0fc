/* What is kept of the data, through the files. */
#include "libcollector/write/keep.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/file.h"
#include "libcollector/write/account.h"
#include "libcollector/write/stream.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TID = 500, MIB = 1 << 20, MOST = 1 << 20 };

static void setup(void)
{
	scratch_open();
	col.descriptor.keep_bytes = MIB;
	col.descriptor.clock_is_tsc = 0;
}

TestSuite(keep, .init = setup, .fini = scratch_remove);

static struct fmt_clock found[MOST];
static uint64_t written_at[MOST];

/* Write events up to number `last` into the file. */
static void write_events(struct col_slot *slot, enum fmt_stream stream, uint32_t *number,
                         uint32_t last)
{
	while (*number < last) {
		struct fmt_clock record = {.kind = FMT_KIND_clock, .stack = ++*number};

		written_at[*number] = col_ticks();
		cr_assert_eq(col_slot_write(slot, stream, TID, &record, sizeof(record),
		                            written_at[*number]),
		             0);
	}
}

static uint64_t blocks_of(const char *name)
{
	char path[5000];
	struct stat status;

	snprintf(path, sizeof(path), "%s/%s", col.descriptor.directory, name);
	cr_assert_eq(stat(path, &status), 0);
	return (uint64_t)status.st_blocks * 512;
}

static int compare(const void *a, const void *b)
{
	const struct fmt_clock *x = a, *y = b;

	return (x->stack > y->stack) - (x->stack < y->stack);
}

/* Are all events of the file there that are not before what is kept, up to `last`? Returns how many
 * those are. */
static uint32_t check_kept(const char *name, uint32_t last)
{
	uint64_t from = atomic_load(&account_keep()->from);
	int count = scratch_records(name, FMT_KIND_clock, found, sizeof(found[0]), MOST), at = 0;
	uint32_t first = 1;

	while (first <= last && written_at[first] < from)
		first++;
	qsort(found, (size_t)count, sizeof(found[0]), compare);
	while (at < count && found[at].stack < first)
		at++;
	for (uint32_t number = first; number <= last; number++, at++)
		cr_assert(at < count && found[at].stack == number, "event %u is missing", number);
	cr_assert_eq(at, count, "an event is there twice");
	return last - first + 1;
}

/* ---- one file */

static void the_newest_of(uint64_t bytes, uint32_t events)
{
	struct col_slot slot = {.size = 0};
	uint32_t number = 0, kept;

	col.descriptor.keep_bytes = bytes;
	for (uint32_t part = 1; part <= 10; part++) {
		write_events(&slot, FMT_STREAM_PROFILE, &number, events / 10 * part);
		cr_assert_leq(blocks_of("profile"), bytes);
		cr_assert_leq(atomic_load(&account_keep()->bytes), bytes);
		kept = check_kept("profile", number);
	}
	/* An event takes 32 bytes; what is in use, and what is spare, are a quarter. */
	cr_assert_geq(kept, bytes / 32 / 4 * 3, "%u are kept", kept);
	cr_assert_leq(kept, bytes / 32);
}

Test(keep, the_newest_are_all_there_and_the_file_has_a_bound)
{
	the_newest_of(MIB, 200000);
}

Test(keep, of_four_times_as_much_there_are_four_times_as_many)
{
	the_newest_of(4 * MIB, 800000);
}

Test(keep, the_file_gets_no_longer_when_extents_are_used_again)
{
	struct col_slot slot = {.size = 0};
	uint32_t number = 0;
	size_t len, later;

	write_events(&slot, FMT_STREAM_PROFILE, &number, 100000);
	free(scratch_read("profile", &len));
	write_events(&slot, FMT_STREAM_PROFILE, &number, 400000);
	free(scratch_read("profile", &later));
	cr_assert_eq(later, len);
	check_kept("profile", number);
}

/* A reader that finds the end of the data by their zeros must not find old events there. */
Test(keep, an_extent_that_is_used_again_has_nothing_behind_its_events)
{
	struct col_slot slot = {.size = 0};
	uint32_t number = 0;
	const uint8_t *end = NULL;
	int begun = 0;

	for (uint32_t last = 1; last <= 100000; last++) {
		write_events(&slot, FMT_STREAM_PROFILE, &number, last);
		if (slot.end == end)
			continue;
		end = slot.end;
		begun++;
		for (const uint8_t *at = slot.at + FDR_METADATA_SIZE; at < end; at++)
			cr_assert_eq(*at, 0, "extent %d has %zu bytes that are not zero", begun,
			             (size_t)(end - at));
	}
	cr_assert_gt((uint64_t)begun * slot.size, 2 * MIB, "more than the bound");
}

Test(keep, before_the_bound_is_reached_nothing_is_dropped)
{
	struct col_slot slot = {.size = 0};
	uint32_t number = 0;

	write_events(&slot, FMT_STREAM_PROFILE, &number, 20000);
	cr_assert_eq(atomic_load(&account_keep()->from), 0);
	cr_assert_eq(check_kept("profile", number), 20000);
}

/* ---- several files and threads */

Test(keep, what_is_oldest_of_two_files_goes)
{
	static uint64_t first_at[MOST];
	struct col_slot slot[2] = {{.size = 0}};
	uint32_t number[2] = {0};
	uint64_t blocks;

	for (uint32_t part = 1; part <= 100; part++) {
		write_events(&slot[0], FMT_STREAM_PROFILE, &number[0], part * 2000);
		memcpy(first_at, written_at, sizeof(first_at));
		write_events(&slot[1], FMT_STREAM_SYNCTRACE, &number[1], part * 1000);
		memcpy(written_at, first_at, sizeof(first_at));
	}
	check_kept("profile", number[0]);
	blocks = blocks_of("profile") + blocks_of("synctrace");
	cr_assert_leq(blocks, MIB);
	cr_assert_geq(blocks, MIB / 4 * 3);
	cr_assert_gt(blocks_of("profile"), blocks_of("synctrace"));
}

Test(keep, who_writes_rarely_keeps_its_extent)
{
	struct col_slot busy = {.size = 0}, rare = {.size = 0};
	uint32_t number = 1000, rare_number = 0;
	int count, of_rare = 0;

	write_events(&busy, FMT_STREAM_PROFILE, &number, 1200);
	write_events(&rare, FMT_STREAM_PROFILE, &rare_number, 5);
	write_events(&busy, FMT_STREAM_PROFILE, &number, 200000);
	write_events(&rare, FMT_STREAM_PROFILE, &rare_number, 10);
	count = scratch_records("profile", FMT_KIND_clock, found, sizeof(found[0]), MOST);
	for (int i = 0; i < count; i++)
		of_rare += found[i].stack <= 10;
	cr_assert_eq(of_rare, 10);
	col_slot_abandon(&rare);
	write_events(&busy, FMT_STREAM_PROFILE, &number, 400000);
	count = scratch_records("profile", FMT_KIND_clock, found, sizeof(found[0]), MOST);
	for (int i = 0; i < count; i++)
		cr_assert_gt(found[i].stack, 10, "it is the oldest by now");
}

Test(keep, when_all_is_in_use_events_are_lost_and_not_the_bound)
{
	static struct col_slot slots[MIB / FDR_PAGE];
	uint64_t lost;

	for (size_t i = 0; i < sizeof(slots) / sizeof(slots[0]); i++) {
		struct fmt_clock record = {.kind = FMT_KIND_clock, .stack = 1};

		col_slot_write(&slots[i], FMT_STREAM_PROFILE, TID, &record, sizeof(record),
		               col_ticks());
	}
	lost = atomic_load(&col.count.lost[FMT_STREAM_PROFILE]);
	cr_assert(lost > 0 && lost < sizeof(slots) / sizeof(slots[0]) / 4, "%lu",
	          (unsigned long)lost);
	cr_assert_leq(blocks_of("profile"), MIB);
	cr_assert_gt(scratch_count("log.xml", "all room was in use"), 0);
	for (size_t i = 0; i < sizeof(slots) / sizeof(slots[0]); i++)
		col_slot_abandon(&slots[i]);
	usleep(2000);
	slots[0].size = 0;
	cr_assert_eq(col_slot_write(&slots[0], FMT_STREAM_PROFILE, TID,
	                            &(struct fmt_clock){.kind = FMT_KIND_clock, .stack = 2},
	                            sizeof(struct fmt_clock), col_ticks()),
	             0, "there is room again");
}

/* ---- at the same time */

static void *write_some(void *unused)
{
	struct fmt_clock record = {.kind = FMT_KIND_clock, .stack = 1};
	struct col_slot slot = {.size = 0};

	(void)unused;
	for (int i = 0; i < 50; i++)
		if (col_slot_write(&slot, FMT_STREAM_PROFILE, TID, &record, sizeof(record),
		                   col_ticks()) != 0)
			return &found;
	return NULL;
}

Test(keep, threads_that_begin_together_are_all_in_the_ring)
{
	enum { THREADS = 16 };
	pthread_t thread[THREADS];
	void *failed;

	for (int i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL, write_some, NULL), 0);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(thread[i], &failed);
		cr_assert_null(failed);
	}
	/* But for the first page, which is never dropped. */
	cr_assert_eq(atomic_load(&account_keep()->writers), THREADS - 1);
}

/* How many parts in the ring have no place in the file. */
static int count_without_place(void)
{
	struct fmt_keep *keep = account_keep();
	int count = 0;

	for (uint64_t i = 0; i < atomic_load(&keep->next); i++) {
		struct fmt_keep_extent *extent = fmt_keep_extent_at(keep, col.descriptor.keep_bytes,
		                                                    i);

		count += atomic_load(&extent->what) != 0 && atomic_load(&extent->at) == 0;
	}
	return count;
}

static sigjmp_buf away;
static volatile sig_atomic_t jumps;

static void jump(int signal)
{
	(void)signal;
	jumps++;
	siglongjmp(away, 1);
}

Test(keep, a_handler_that_jumps_away_loses_no_place_in_the_ring)
{
	enum { CLAIMS = 20000, PERIOD_US = 50 };
	const struct itimerval often = {{0, PERIOD_US}, {0, PERIOD_US}}, never = {{0}, {0}};
	static volatile int claims;
	uint64_t at;

	col.descriptor.keep_bytes = 0;
	col.descriptor.keep_ms = 3600000;
	cr_assert_eq(col_stream_claim(FMT_STREAM_FRAMEINFO, FDR_PAGE, &at), 0);
	signal(SIGALRM, jump);
	if (sigsetjmp(away, 1) == 0)
		setitimer(ITIMER_REAL, &often, NULL);
	while (claims++ < CLAIMS)
		cr_assert_eq(col_stream_claim(FMT_STREAM_FRAMEINFO, FDR_PAGE, &at), 0);
	setitimer(ITIMER_REAL, &never, NULL);
	signal(SIGALRM, SIG_IGN);
	cr_assert_gt(jumps, 10);
	cr_assert_eq(count_without_place(), 0);
}

Test(keep, a_child_has_a_row_of_its_own_while_another_thread_joins)
{
	int status;
	pid_t pid;

	cr_assert(keep_is_on());
	pid = fork();
	if (pid == 0) {
		alarm(20);
		col.pid = getpid();
		keep_begin_child();
		_exit(keep_is_on() ? 0 : 1);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert_eq(status, 0);
	cr_assert_eq(atomic_load(&fmt_keep_process_at(account_keep(), 1)->pid), (uint32_t)pid);
}

Test(keep, what_is_not_there_counts_no_longer)
{
	struct keep_room room;
	uint64_t before, writers;

	cr_assert(keep_is_on());
	before = atomic_load(&account_keep()->bytes);
	writers = atomic_load(&account_keep()->writers);
	cr_assert_eq(keep_make_room(FMT_STREAM_PROFILE, 8192, &room), 0);
	cr_assert_eq(atomic_load(&account_keep()->bytes), before + 8192);
	keep_settle(&room, -ENOSPC, 0);
	cr_assert_eq(atomic_load(&account_keep()->bytes), before);
	cr_assert_eq(atomic_load(&account_keep()->writers), writers);
	room = (struct keep_room){.size = 8192};
	keep_settle(&room, -ENOSPC, 0);
	cr_assert_eq(atomic_load(&account_keep()->bytes), before, "it was never counted");
}

Test(keep, while_a_directory_is_renamed_nobody_finds_it)
{
	const char *name;

	cr_assert(keep_is_on());
	name = fmt_keep_process_at(account_keep(), 0)->name;
	cr_assert_str_eq(name, ".");
	keep_begin_rename();
	cr_assert_str_eq(name, "");
	keep_rename("M_r3.er");
	cr_assert_str_eq(name, "M_r3.er");
	keep_begin_rename();
	keep_rename(NULL);
	cr_assert_str_eq(name, ".", "it has kept its name");
}

/* ---- stacks */

static int is_hole(const char *name, uint64_t at)
{
	char path[5000];
	char byte = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", col.descriptor.directory, name);
	file = fopen(path, "r");
	cr_assert_not_null(file);
	cr_assert_eq(fseek(file, (long)at, SEEK_SET), 0);
	cr_assert_eq(fread(&byte, 1, 1, file), 1);
	fclose(file);
	return byte == 0;
}

static uint64_t claim_stacks(void)
{
	uint64_t at = 0;
	uint8_t *memory;

	cr_assert_eq(col_stream_claim(FMT_STREAM_FRAMEINFO, FDR_PAGE, &at), 0);
	memory = col_stream_map(FMT_STREAM_FRAMEINFO, NULL, at, FDR_PAGE);
	cr_assert_not_null(memory);
	memory[0] = 1;
	return at;
}

Test(keep, stacks_stay_until_no_event_that_is_kept_can_need_them)
{
	struct col_slot slot = {.size = 0};
	uint32_t number = 0;
	uint64_t first = claim_stacks(), old = claim_stacks(), new;

	cr_assert_eq(first, 0);
	write_events(&slot, FMT_STREAM_PROFILE, &number, 400000);
	cr_assert_not(is_hole("frameinfo", old), "they are of the present part");
	new = claim_stacks();
	keep_begin_stacks(new);
	write_events(&slot, FMT_STREAM_PROFILE, &number, number + 20000);
	cr_assert_not(is_hole("frameinfo", old), "older events are still there");
	write_events(&slot, FMT_STREAM_PROFILE, &number, number + 400000);
	cr_assert(is_hole("frameinfo", old));
	cr_assert_not(is_hole("frameinfo", new));
	check_kept("profile", number);
}

/* ---- time */

Test(keep, events_that_are_older_than_a_time_go)
{
	struct col_slot slot = {.size = 0};
	uint32_t number = 0, kept;

	col.descriptor.keep_bytes = 0;
	col.descriptor.keep_ms = 200;
	write_events(&slot, FMT_STREAM_PROFILE, &number, 50000);
	cr_assert_eq(check_kept("profile", number), 50000);
	usleep(250000);
	write_events(&slot, FMT_STREAM_PROFILE, &number, 100000);
	kept = check_kept("profile", number);
	/* The extent that was in use at the time has older ones too. */
	cr_assert(kept >= 40000 && kept <= 60000, "%u are kept", kept);
}

/* ---- without it */

Test(keep, without_it_nothing_is_done)
{
	struct keep_room room;
	size_t len;

	col.descriptor.keep_bytes = 0;
	cr_assert_not(keep_is_on());
	cr_assert_eq(keep_make_room(FMT_STREAM_PROFILE, UINT32_MAX, &room), 0);
	cr_assert_eq(room.kept, 0);
	cr_assert_eq(keep_longest(77), 77);
	cr_assert_eq(keep_give(5), 0);
	cr_assert_null(scratch_read(FMT_FILE_ACCOUNT, &len));
}

/* Event files: their extents, their limits, and how they end. */
#include "libcollector/write/stream.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/file.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { TID = 500, FIRST = FDR_HEADER_SIZE + FDR_PROLOGUE_SIZE };

TestSuite(stream, .init = scratch_open, .fini = scratch_remove);

static struct col_slot slot;
static uint32_t number;

/* Write an event of `size` bytes with the next number. Returns 0 or -1. */
static int write_sized(enum fmt_stream stream, uint32_t tid, uint32_t size)
{
	static _Alignas(8) uint8_t bytes[1 << 20];
	struct fmt_clock record = {.kind = FMT_KIND_clock, .stack = ++number};

	memcpy(bytes, &record, sizeof(record));
	return col_slot_write(&slot, stream, tid, bytes, size, 1000 + number);
}

static int write_event(enum fmt_stream stream, uint32_t tid)
{
	return write_sized(stream, tid, sizeof(struct fmt_clock));
}

/* The same, as the first event of a slot. */
static int begin_stream(enum fmt_stream stream)
{
	slot = (struct col_slot){0};
	return write_event(stream, TID);
}

static struct fdr_prologue prologue_at(const uint8_t *bytes, size_t at)
{
	struct fdr_prologue prologue;

	cr_assert_eq(fdr_prologue_get(bytes + at, &prologue), 0, "at %zu", at);
	return prologue;
}

Test(stream, the_first_page_says_what_the_file_is)
{
	struct fdr_header header;
	struct fdr_prologue prologue;
	struct fdr_record record;
	uint64_t before = col_ticks();
	uint8_t *bytes;
	size_t len;

	cr_assert_eq(write_event(FMT_STREAM_PROFILE, TID), 0);
	bytes = (uint8_t *)scratch_read("profile", &len);
	cr_assert_eq(len, 4096);
	cr_assert_eq(fdr_header_get(bytes, &header), 0);
	cr_assert_eq(header.constant_tsc, 1);
	cr_assert_eq(header.nonstop_tsc, 1);
	cr_assert_eq(header.cycle_frequency, 1000000000);
	cr_assert_eq(header.buffer_size, 4096 - 32);
	prologue = prologue_at(bytes, FDR_HEADER_SIZE);
	cr_assert_eq(prologue.tid, (uint32_t)getpid());
	cr_assert_eq(prologue.ordinal, 1);
	cr_assert_eq(prologue.extent_left, 4096 - 32);
	cr_assert(prologue.tsc >= before && prologue.tsc <= col_ticks());
	cr_expect_eq(prologue.wall_ns, col_ns_of(prologue.tsc) / 1000 * 1000, "Wall has the time");
	cr_assert_gt(fdr_record_get(bytes + FIRST, len - FIRST, &record), 0);
	cr_assert_eq(record.type, FDR_RECORD_EVENT);
	cr_assert_eq(record.payload_size, sizeof(struct fmt_clock));
	cr_assert_eq(record.tsc, 1001);
	cr_assert_gt(fdr_record_get(bytes + FIRST + record.size, 16, &record), 0);
	cr_assert_eq(record.type, FDR_RECORD_END);
	free(bytes);
	cr_assert_eq(faccessat(col_directory_get(), ".profile.new", F_OK, 0), -1);
}

/* The sizes of the extents of a file, and of the last one. */
static int read_sizes(const char *name, uint32_t sizes[], int most)
{
	size_t len, at = FDR_HEADER_SIZE;
	uint8_t *bytes = (uint8_t *)scratch_read(name, &len);
	int count = 0;

	while (at < len && count < most) {
		struct fdr_prologue prologue = prologue_at(bytes, at);

		cr_assert_eq(prologue.ordinal, (uint32_t)count + 1);
		sizes[count] = prologue.extent_left + (count == 0 ? FDR_HEADER_SIZE : 0);
		at += prologue.extent_left;
		count++;
	}
	cr_assert(count == most || at == len);
	free(bytes);
	return count;
}

Test(stream, extents_double_up_to_a_size)
{
	static const uint32_t expected[] = {4096,  8192,   16384,  32768,
	                                    65536, 131072, 262144, 262144};
	uint32_t sizes[8];

	while (number < 20000)
		cr_assert_eq(write_event(FMT_STREAM_PROFILE, TID), 0);
	cr_assert_eq(read_sizes("profile", sizes, 8), 8);
	cr_assert_arr_eq(sizes, expected, sizeof(expected));
}

Test(stream, extents_of_function_tracing_are_larger)
{
	static const uint32_t expected[] = {4096,   8192,   16384,  32768,   65536,
	                                    131072, 262144, 524288, 1048576, 1048576};
	uint32_t sizes[10];

	while (number < 70000)
		cr_assert_eq(write_event(FMT_STREAM_FUNCTRACE, TID), 0);
	cr_assert_eq(read_sizes("functrace", sizes, 10), 10);
	cr_assert_arr_eq(sizes, expected, sizeof(expected));
}

/* An extent is filled to the last byte that an event and the end marker can take. */
Test(stream, an_extent_is_full_when_the_next_event_and_its_end_do_not_fit)
{
	uint32_t each = FDR_METADATA_SIZE + sizeof(struct fmt_clock);
	uint32_t fit = (4096 - FIRST - FDR_METADATA_SIZE) / each;
	uint32_t sizes[3];

	while (number < fit)
		write_event(FMT_STREAM_PROFILE, TID);
	cr_assert_eq(read_sizes("profile", sizes, 3), 1);
	write_event(FMT_STREAM_PROFILE, TID);
	cr_assert_eq(read_sizes("profile", sizes, 3), 2);
}

Test(stream, an_extent_has_room_for_a_long_event)
{
	static uint8_t payload[40000];
	uint32_t sizes[3], most;

	cr_assert_eq(write_event(FMT_STREAM_PROFILE, TID), 0);
	cr_assert_eq(write_sized(FMT_STREAM_PROFILE, TID, 40000), 0);
	cr_assert_eq(read_sizes("profile", sizes, 3), 2);
	cr_assert_eq(sizes[1], 65536);
	cr_assert_eq(scratch_records("profile", FMT_KIND_clock, payload, sizeof(payload), 1), 1);
	/* The longest event that fits into 4096 bytes, wherever it begins: 16 bytes for its header,
	 * 16 for the end, 48 + 32 in front. */
	most = 4096 - 16 - 16 - 48 - 32;
	slot = (struct col_slot){0};
	cr_assert_eq(write_sized(FMT_STREAM_SYNCTRACE, TID, most), 0);
	cr_assert_eq(read_sizes("synctrace", sizes, 3), 1);
	cr_assert_eq(sizes[0], 4096);
	slot = (struct col_slot){0};
	cr_assert_eq(write_sized(FMT_STREAM_IOTRACE, TID, most + 8), 0);
	cr_assert_eq(read_sizes("iotrace", sizes, 3), 1);
	cr_assert_eq(sizes[0], 8192);
}

Test(stream, the_next_thread_goes_on_in_the_extent_with_a_buffer_of_its_own)
{
	uint8_t *bytes;
	size_t len, second = FIRST + 2 * FDR_METADATA_SIZE + sizeof(struct fmt_clock);
	struct fmt_clock records[4];
	struct fdr_prologue prologue;

	write_event(FMT_STREAM_PROFILE, TID);
	write_event(FMT_STREAM_PROFILE, TID + 1);
	bytes = (uint8_t *)scratch_read("profile", &len);
	prologue = prologue_at(bytes, second);
	cr_assert_eq(prologue.tid, TID + 1);
	cr_assert_eq(prologue.ordinal, 2);
	cr_assert_eq(prologue.extent_left, 4096 - second);
	cr_assert_eq(len, 4096);
	free(bytes);
	cr_assert_eq(scratch_records("profile", FMT_KIND_clock, records, sizeof(records[0]), 4), 2);
	cr_assert(records[0].stack == 1 && records[1].stack == 2);
}

/* A buffer needs a prologue, an event and an end, after the end of the previous one. */
Test(stream, a_thread_for_which_nothing_is_left_begins_an_extent)
{
	enum { NEED = 2 * FDR_METADATA_SIZE + sizeof(struct fmt_clock) + FDR_PROLOGUE_SIZE };
	uint32_t sizes[3];

	write_event(FMT_STREAM_PROFILE, TID);
	slot.end = slot.at + FDR_METADATA_SIZE + NEED;
	write_event(FMT_STREAM_PROFILE, TID + 1);
	cr_assert_eq(read_sizes("profile", sizes, 1), 1);
	cr_assert_eq(slot.size, 4096);
	slot.end = slot.at + FDR_METADATA_SIZE + NEED - 1;
	write_event(FMT_STREAM_PROFILE, TID + 2);
	cr_assert_eq(slot.size, 8192);
}

Test(stream, an_abandoned_extent_is_left_as_it_is)
{
	struct fmt_clock records[4];

	write_event(FMT_STREAM_PROFILE, TID);
	col_slot_abandon(&slot);
	cr_assert(!col_slot_is_open(&slot));
	cr_assert_eq(slot.size, 4096, "the next one is larger than this");
	col_slot_abandon(&slot);
	write_event(FMT_STREAM_PROFILE, TID);
	cr_assert_eq(slot.size, 8192);
	cr_assert_eq(scratch_records("profile", FMT_KIND_clock, records, sizeof(records[0]), 4), 2);
}

/* ---- the end ---- */

Test(stream, a_stream_that_has_stopped_loses_events_and_says_so_once)
{
	write_event(FMT_STREAM_PROFILE, TID);
	col_stream_stop(FMT_STREAM_PROFILE, -ENOSPC);
	col_stream_stop(FMT_STREAM_PROFILE, -EIO);
	cr_assert_eq(write_event(FMT_STREAM_PROFILE, TID), 0, "there is room still");
	col_slot_abandon(&slot);
	cr_assert_eq(write_event(FMT_STREAM_PROFILE, TID), -1);
	cr_assert_eq(write_event(FMT_STREAM_PROFILE, TID), -1);
	cr_assert_eq(atomic_load(&col.count.lost[FMT_STREAM_PROFILE]), 2);
	cr_assert_eq(scratch_count("log.xml", "stream=\"profile\" errno=\"28\"/>"), 1);
	cr_assert_eq(scratch_count("log.xml", "kind=\"loss\""), 1);
	cr_assert_eq(write_event(FMT_STREAM_SYNCTRACE, TID), 0, "others go on");
}

Test(stream, a_stream_whose_pages_are_lost_says_so_once)
{
	col_stream_lose(FMT_STREAM_SYNCTRACE);
	col_stream_lose(FMT_STREAM_SYNCTRACE);
	cr_assert_eq(
		scratch_count("log.xml",
	                      "stream=\"synctrace\" reason=\"pages of the file cannot be had\"/>"),
		1);
	cr_assert_eq(scratch_count("log.xml", "kind=\"loss\""), 1);
}

Test(stream, all_user_traces_have_one_counter_of_losses)
{
	col_streams_stop();
	cr_assert_eq(write_event(FMT_STREAM_USERTRACE, TID), -1);
	cr_assert_eq(write_event(FMT_STREAM_USERTRACE3, TID), -1);
	cr_assert_eq(write_event(FMT_STREAM_USERTRACE7, TID), -1);
	cr_assert_eq(write_event(FMT_STREAM_FUNCTRACE, TID), -1);
	cr_assert_eq(write_event(FMT_STREAM_IOTRACE, TID), -1);
	cr_assert_eq(atomic_load(&col.count.lost[FMT_STREAM_USERTRACE]), 3);
	cr_assert_eq(atomic_load(&col.count.lost[FMT_STREAM_USERTRACE3]), 0);
	cr_assert_eq(atomic_load(&col.count.lost[FMT_STREAM_FUNCTRACE]), 1);
	cr_assert_eq(atomic_load(&col.count.lost[FMT_STREAM_IOTRACE]), 1);
	cr_assert_eq(scratch_count("log.xml", "kind=\"loss\""), 0, "without a word");
}

Test(stream, a_planted_file_is_not_written_to)
{
	int fd = openat(col_directory_get(), ".profile.new", O_CREAT | O_WRONLY, 0600);
	struct stat status;

	cr_assert_geq(fd, 0);
	cr_assert_eq(write_event(FMT_STREAM_PROFILE, TID), -1);
	cr_assert_eq(fstat(fd, &status), 0);
	cr_assert_eq(status.st_size, 0);
	cr_assert_eq(scratch_count("log.xml", "stream=\"profile\" errno=\"17\"/>"), 1, "EEXIST");
	close(fd);
}

Test(stream, a_file_that_may_not_grow_ends_its_stream)
{
	struct rlimit limit = {16384 - 1, RLIM_INFINITY};

	write_event(FMT_STREAM_PROFILE, TID);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	while (write_event(FMT_STREAM_PROFILE, TID) == 0)
		continue;
	limit.rlim_cur = RLIM_INFINITY;
	setrlimit(RLIMIT_FSIZE, &limit);
	cr_assert_eq(slot.size, 8192, "4096 and 8192 are 12288, and 16384 more are not to be");
	cr_assert_eq(scratch_count("log.xml", "stream=\"profile\" errno=\"27\"/>"), 1, "EFBIG");
	cr_assert_eq(write_event(FMT_STREAM_PROFILE, TID), -1);
}

/* ---- limits ---- */

Test(stream, a_limited_stream_ends_when_it_is_full)
{
	enum { LIMIT = 256 << 10 };
	uint32_t sizes[64];
	uint64_t sum = 0;
	int count;

	cr_assert_eq(col_stream_limit(FMT_STREAM_USERTRACE, LIMIT, 0), 0);
	while (write_event(FMT_STREAM_USERTRACE, TID) == 0)
		continue;
	count = read_sizes("usertrace", sizes, 64);
	for (int i = 0; i < count; i++) {
		cr_assert_leq(sizes[i], LIMIT / 16);
		sum += sizes[i];
	}
	cr_assert_eq(sizes[2], LIMIT / 16);
	cr_assert_leq(sum, LIMIT);
	cr_assert_gt(sum + LIMIT / 16, LIMIT);
	cr_assert_eq(scratch_count("log.xml", "stream=\"usertrace\" reason=\"full\"/>"), 1);
	cr_assert_eq(write_event(FMT_STREAM_USERTRACE, TID), -1);
	cr_assert_eq(scratch_count("log.xml", "kind=\"loss\""), 1);
	cr_assert_eq(write_event(FMT_STREAM_USERTRACE1, TID), 0, "it is of one stream");
}

Test(stream, another_recording_begins_files_again)
{
	uint8_t *bytes;
	size_t len;

	write_event(FMT_STREAM_PROFILE, TID);
	col_slot_abandon(&slot);
	write_event(FMT_STREAM_PROFILE, TID);
	col_stream_stop(FMT_STREAM_PROFILE, -EIO);
	col_slot_abandon(&slot);
	col_streams_forget();
	unlinkat(col_directory_get(), "profile", 0);
	cr_assert_eq(begin_stream(FMT_STREAM_PROFILE), 0);
	bytes = (uint8_t *)scratch_read("profile", &len);
	cr_assert_eq(len, 4096);
	cr_assert_eq(prologue_at(bytes, FDR_HEADER_SIZE).ordinal, 1);
	free(bytes);
}

/* ---- rings ---- */

Test(stream, a_ring_keeps_the_newest_events)
{
	enum { RING = 32 << 10, PART = 8 << 10, PARTS = 4 };
	uint32_t fit = (PART - FDR_PROLOGUE_SIZE - FDR_METADATA_SIZE) /
	               (FDR_METADATA_SIZE + sizeof(struct fmt_clock));
	static struct fmt_clock records[4096];
	uint32_t last = 0;
	size_t len;
	int count;

	cr_assert_eq(col_stream_limit(FMT_STREAM_USERTRACE, 4096, 1), -EINVAL);
	cr_assert_eq(col_stream_limit(FMT_STREAM_USERTRACE, RING, 1), 0);
	for (uint32_t i = 0; i < PARTS * fit; i++) {
		cr_assert_eq(write_event(FMT_STREAM_USERTRACE, TID), 0);
		slot.part->events++;
	}
	cr_assert_eq(atomic_load(&col.count.user_overwritten), 0);
	free(scratch_read("usertrace", &len));
	cr_assert_eq(len, 4096 + RING);
	cr_assert_eq(
		scratch_records("usertrace", FMT_KIND_clock, records, sizeof(records[0]), 4096),
		(int)(PARTS * fit));
	write_event(FMT_STREAM_USERTRACE, TID);
	cr_assert_eq(atomic_load(&col.count.user_overwritten), fit, "those of the oldest part");
	count = scratch_records("usertrace", FMT_KIND_clock, records, sizeof(records[0]), 4096);
	cr_assert_eq(count, (int)((PARTS - 1) * fit + 1));
	cr_assert_eq(records[0].stack, PARTS * fit + 1, "in the place of the oldest");
	for (int i = 1; i < count; i++) {
		cr_assert_gt(records[i].stack, last);
		last = records[i].stack;
	}
	cr_assert_eq(records[1].stack, fit + 1);
}

Test(stream, a_ring_whose_parts_are_all_held_loses_events)
{
	struct col_slot slots[5] = {{0}};
	struct fmt_clock record = {.kind = FMT_KIND_clock, .stack = 1};

	cr_assert_eq(col_stream_limit(FMT_STREAM_USERTRACE, 32 << 10, 1), 0);
	for (int i = 0; i < 4; i++)
		cr_assert_eq(col_slot_write(&slots[i], FMT_STREAM_USERTRACE, TID + (uint32_t)i,
		                            &record, sizeof(record), 1),
		             0);
	cr_assert_eq(col_slot_write(&slots[4], FMT_STREAM_USERTRACE, TID + 4, &record,
	                            sizeof(record), 1),
	             -1);
	cr_assert_eq(atomic_load(&col.count.lost[FMT_STREAM_USERTRACE]), 1);
	col_slot_abandon(&slots[2]);
	cr_assert_eq(col_slot_write(&slots[4], FMT_STREAM_USERTRACE, TID + 4, &record,
	                            sizeof(record), 1),
	             0);
}

/* ---- many threads */

static int count_mappings(void)
{
	FILE *file = fopen("/proc/self/maps", "r");
	int count = 0, c;

	while ((c = getc(file)) != EOF)
		count += c == '\n';
	fclose(file);
	return count;
}

static long resident_kb(const char *name)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[256];
	long kb = -1;

	while (fgets(line, sizeof(line), file))
		if (strncmp(line, name, strlen(name)) == 0)
			kb = atol(line + strlen(name));
	fclose(file);
	return kb;
}

/* Let `count` slots have an event each. */
static void begin_slots(struct col_slot *slots, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct fmt_clock record = {.kind = FMT_KIND_clock, .stack = i};

		cr_assert_eq(col_slot_write(&slots[i], FMT_STREAM_PROFILE, TID + i, &record,
		                            sizeof(record), i),
		             0);
	}
}

Test(stream, many_threads_share_pages_and_mappings)
{
	enum { FEW = 100, MANY = 20000 };
	static struct col_slot slots[MANY];
	static struct fmt_clock records[MANY];
	size_t len;
	int few, many;
	long kb;

	begin_slots(slots, FEW);
	few = count_mappings();
	kb = resident_kb("RssFile:");
	begin_slots(slots + FEW, MANY - FEW);
	many = count_mappings();
	kb = resident_kb("RssFile:") - kb;
	cr_assert_leq(many, few + 3, "%d mappings of %d threads, %d of %d", few, FEW, many, MANY);
	free(scratch_read("profile", &len));
	cr_assert_lt(len, MANY * 600, "%zu bytes of file", len);
	/* What they have is in the file, and need not be in memory. */
	cr_assert_lt(kb, MANY * 512 / 1024 / 2 + 3000, "%ld kB", kb);
	cr_assert_eq(scratch_records("profile", FMT_KIND_clock, records, sizeof(records[0]), MANY),
	             MANY);
	/* All of them go on where they were. */
	begin_slots(slots, MANY);
	cr_assert_eq(scratch_records("profile", FMT_KIND_clock, records, sizeof(records[0]), MANY),
	             2 * MANY);
}

/* Each extent is behind those that its slot had before, also when it is one of the short ones. */
Test(stream, the_extents_of_a_slot_are_in_order)
{
	enum { SLOTS = 40, EVENTS = 400 };
	static struct col_slot slots[SLOTS];
	static uint64_t last[SLOTS];
	struct fdr_prologue prologue;
	uint8_t *bytes;
	size_t len;

	for (uint32_t k = 0; k < EVENTS; k++)
		begin_slots(slots, SLOTS);
	bytes = (uint8_t *)scratch_read("profile", &len);
	for (size_t at = FDR_HEADER_SIZE; at < len;) {
		struct fdr_record record;

		if (bytes[at] == 0) {
			at += FDR_EXTENT_UNIT;
			continue;
		}
		prologue = prologue_at(bytes, at);
		cr_assert_gt(fdr_record_get(bytes + at + FDR_PROLOGUE_SIZE, len, &record), 0);
		cr_assert_eq(record.type, FDR_RECORD_EVENT);
		cr_assert_geq(prologue.tsc, last[prologue.tid % SLOTS]);
		last[prologue.tid % SLOTS] = prologue.tsc;
		at += prologue.extent_left;
	}
	free(bytes);
}

/* Slots that have much memory, and do not use it, leave little to the others. */
Test(stream, extents_are_short_when_much_is_in_use)
{
	enum { SLOTS = 400, ENOUGH = 20000, BOUND = 48 << 20 };
	static struct col_slot slots[SLOTS];
	uint64_t sum = 0;

	for (int i = 0; i < SLOTS; i++) {
		slot = (struct col_slot){0};
		for (int k = 0; k < ENOUGH && slot.size < 256 << 10; k++)
			cr_assert_eq(write_event(FMT_STREAM_PROFILE, TID), 0);
		slots[i] = slot;
		sum += slot.size;
	}
	cr_assert_eq(slots[0].size, 256 << 10);
	cr_assert_lt(slots[SLOTS - 1].size, 16 << 10);
	cr_assert_lt(sum, BOUND, "%llu", (unsigned long long)sum);
	for (int i = 0; i < SLOTS; i++)
		col_slot_abandon(&slots[i]);
	slot = (struct col_slot){0};
	for (int k = 0; k < ENOUGH; k++)
		write_event(FMT_STREAM_PROFILE, TID);
	cr_assert_eq(slot.size, 256 << 10, "they have given it back");
}

/* Days of events, in a moment: the windows that are full are unmapped. */
Test(stream, a_long_file_needs_few_mappings)
{
	enum { EVENTS = 3000000 };
	int before;

	cr_assert_eq(write_event(FMT_STREAM_PROFILE, TID), 0);
	before = count_mappings();
	for (int i = 0; i < EVENTS; i++)
		write_event(FMT_STREAM_PROFILE, TID);
	cr_assert_leq(count_mappings(), before + 2);
	cr_assert_lt(resident_kb("RssFile:"), 40000);
}

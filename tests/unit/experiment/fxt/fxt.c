/* fxt.c: tests of the reader of FXT files: every record, faults one by one, files that are cut off,
 * and random words. */
#include "experiment/fxt/fxt.h"
#include "experiment/fxt/fxt_nesting.h"

#include "tests/unit/format/seed.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct outcome {
	int rc;
	unsigned records, kinds; /* kinds: a set */
	char fault[200];
};

static struct outcome read_bytes(const void *bytes, size_t size)
{
	struct outcome outcome = {.rc = 0};
	const struct exp_fxt_record *record;
	struct exp_fxt *fxt;
	int fd = memfd_create("fxt", MFD_CLOEXEC);

	cr_assert(fd >= 0 && write(fd, bytes, size) == (ssize_t)size &&
	          lseek(fd, 0, SEEK_SET) == 0);
	fxt = exp_fxt_open(fd);
	while ((outcome.rc = exp_fxt_next(fxt, &record)) > 0) {
		outcome.records++;
		outcome.kinds |= 1u << record->kind;
	}
	strcpy(outcome.fault, exp_fxt_fault(fxt));
	exp_fxt_close(fxt);
	close(fd);
	return outcome;
}

#define S(low, value) ((uint64_t)(value) << (low))

/* Every record with every kind of argument, by hand from the description of the format. */
static const uint64_t whole[] = {
	0x0016547846040010,
	0 | 2 << 4 | S(16, 1) | S(20, 7) | S(52, 4),
	0x30757063,                       /* 8: provider 7 "cpu0" */
	0 | 1 << 4 | S(16, 2) | S(20, 7), /* 24: section */
	0 | 1 << 4 | S(16, 3) | S(20, 7), /* 32: event */
	1 | 2 << 4,
	1000, /* 40: initialization */
	2 | 2 << 4 | S(16, 1) | S(32, 3),
	0x636261, /* 56: string 1 "abc" */
	3 | 3 << 4 | S(16, 1),
	42,
	43, /* 72: thread 1 */
	4 | 6 << 4 | S(16, 4) | S(20, 1) | S(24, 1) | S(32, 1) | S(48, 0x8002),
	100,
	0x6261, /* 96: complete event */
	1 | 1 << 4 | S(16, 1) | S(32, 0xffffffff),
	200,
	77, /* int32; end; one word too many */
	4 | 28 << 4 | S(16, 5) | S(20, 11),
	100,
	42,
	43, /* 144: async event with all arguments */
	0 | 1 << 4,
	1 | 1 << 4,
	2 | 1 << 4,
	3 | 2 << 4,
	5,
	4 | 2 << 4,
	5,
	5 | 2 << 4,
	0x3ff0000000000000,
	6 | 2 << 4 | S(32, 0x8001),
	0x61,
	6 | 1 << 4 | S(32, 1),
	7 | 2 << 4,
	9,
	8 | 2 << 4,
	9,
	9 | 1 << 4 | S(32, 1),
	10 | 3 << 4 | S(16, 0x8003) | S(32, 8),
	0x636261,
	0x1122334455667788,
	1,
	1,
	1,
	1, /* an id and three more words */
	5 | 2 << 4 | S(16, 1) | S(32, 1) | S(48, 1),
	0xff, /* blob */
	6 | 3 << 4 | S(24, 1),
	0xdead,
	42, /* object */
	7 | 4 << 4 | S(16, 2) | S(24, 1) | S(40, 1),
	43,
	8 | 2 << 4 | S(16, 1),
	42, /* kernel object */
	8 | 4 << 4 | S(16, 2) | S(24, 3) | S(36, 1),
	5,
	42,
	44, /* old context switch: one thread is written out */
	8 | 4 << 4 | S(20, 2) | S(36, 3) | S(60, 1),
	5,
	43,
	44,
	8 | 3 << 4 | S(20, 2) | S(60, 2),
	5,
	43,
	9 | 3 << 4 | S(16, 5) | S(32, 1),
	5,
	0x6f6c6c6568,
	10 | 4 << 4 | S(20, 1) | S(28, 3) | S(44, 4) | S(52, 2),
	5,
	0x6362696c,
	0x0201,
	10 | 5 << 4 | S(16, 1) | S(20, 1) | S(28, 3) | S(44, 5),
	5,
	0x1000,
	0x2000,
	0,
	10 | 4 << 4 | S(16, 2) | S(20, 1) | S(28, 2),
	5,
	0x1234,
	0x5678,
	15 | 8 << 4,
	0,
	5,
	42,
	43,
	16,
	0x1234,
	0x5678,
	15 | 4 << 4 | S(40, 1),
	S(0, 1) | S(16, 1),
	8,
	99,
};

Test(fxt_reader, every_record_is_read)
{
	struct outcome outcome = read_bytes(whole, sizeof(whole));

	cr_assert(outcome.rc == 0, "%s", outcome.fault);
	cr_assert(outcome.kinds == (1u << FXT_RECORDS) - 1, "%x", outcome.kinds);
}

Test(fxt_reader, a_file_that_is_cut_is_sound_at_the_ends_of_records_alone)
{
	struct outcome outcome = read_bytes(whole, sizeof(whole));
	unsigned sound = 0;

	for (size_t size = 0; size < sizeof(whole); size++) {
		struct outcome cut = read_bytes(whole, size);

		cr_assert(cut.rc == 0 || cut.rc == -EBADMSG);
		cr_assert(cut.rc == 0 || strstr(cut.fault, "the file ends within") != NULL,
		          "%zu: %s", size, cut.fault);
		sound += cut.rc == 0;
	}
	cr_assert(sound == outcome.records, "%u", sound);
}

/* After `bytes`, a file of 1 TiB has a hole; `last` ends it. */
static struct outcome read_sparse(const void *bytes, size_t size, uint64_t last)
{
	const off_t end = (off_t)1 << 40;
	const struct exp_fxt_record *record;
	struct outcome outcome = {.rc = 0};
	int fd = memfd_create("fxt", MFD_CLOEXEC);
	struct exp_fxt *fxt;

	cr_assert(fd >= 0 && write(fd, bytes, size) == (ssize_t)size &&
	          lseek(fd, 0, SEEK_SET) == 0);
	cr_assert_eq(last == 0 ? ftruncate(fd, end) : pwrite(fd, &last, 8, end - 8) - 8, 0);
	fxt = exp_fxt_open(fd);
	while ((outcome.rc = exp_fxt_next(fxt, &record)) > 0)
		outcome.records++;
	strcpy(outcome.fault, exp_fxt_fault(fxt));
	if (outcome.rc == 0)
		cr_expect_eq(exp_fxt_bytes(fxt) + exp_fxt_unused(fxt), (uint64_t)end);
	exp_fxt_close(fxt);
	close(fd);
	return outcome;
}

Test(fxt, holes_are_not_read, .timeout = 20)
{
	const uint64_t large[] = {whole[0], S(0, 15) | S(4, UINT32_MAX) | S(36, 16), 0,
	                          (UINT32_MAX - 3ull) * 8};
	struct outcome outcome = read_sparse(whole, sizeof(whole), 0);

	cr_expect_eq(outcome.rc, 0);
	cr_expect_eq(outcome.records, read_bytes(whole, sizeof(whole)).records);
	outcome = read_sparse(whole, sizeof(whole), 1);
	cr_expect_eq(outcome.rc, -EBADMSG);
	cr_expect_str_eq(outcome.fault,
	                 "offset 1099511627768: initialization: a record behind unused space");
	/* A record of 32 GiB. */
	outcome = read_sparse(large, sizeof(large), 0);
	cr_expect_eq(outcome.rc, 0, "%s", outcome.fault);
	cr_expect_eq(outcome.records, 2);
}

/* Change word `at` of the whole file: expect the fault at an offset. */
static void check_fault(size_t at, uint64_t word, const char *expected)
{
	uint64_t words[sizeof(whole) / sizeof(whole[0])];
	struct outcome outcome;

	memcpy(words, whole, sizeof(whole));
	words[at] = word;
	outcome = read_bytes(words, sizeof(words));
	cr_assert(outcome.rc == -EBADMSG, "word %zu", at);
	cr_assert_str_eq(outcome.fault, expected);
}

Test(fxt_reader, faults_are_named_by_offset_and_record)
{
	check_fault(0, 0x0016547846040010 + S(24, 1), "offset 0: magic number: another number");
	check_fault(2, 0x01000030757063, "offset 8: provider info: padding is not zero");
	check_fault(3, whole[3] | S(20, 8), "offset 24: provider section: no provider of this id");
	check_fault(3, whole[3] | S(60, 1), "offset 24: provider section: a reserved bit is set");
	check_fault(3, 0 | 1 << 4 | S(16, 9), "offset 24: a record of no known type");
	check_fault(3, 0, "offset 32: provider event: a record behind unused space");
	check_fault(3, 1, "offset 24: initialization: a record of 0 words");
	check_fault(5, whole[5] & ~0xff0u, "offset 40: initialization: a record of 0 words");
	check_fault(6, 0, "offset 40: initialization: no ticks in a second");
	check_fault(7, 2 | 2 << 4 | S(32, 3), "offset 56: string: index 0");
	check_fault(7, 2 | 2 << 4 | S(16, 1) | S(32, 9),
	            "offset 56: string: its parts take more words than it has");
	check_fault(12, whole[12] ^ S(16, 4 ^ 11), "offset 96: event: an event of no known kind");
	check_fault(12, whole[12] ^ S(32, 3), "offset 96: event: a string is not in the table");
	check_fault(12, whole[12] ^ S(24, 3), "offset 96: event: a thread is not in the table");
	check_fault(13, 201, "offset 96: event: it ends before it begins");
	check_fault(15, 12 | 1 << 4, "offset 96: event: an argument of no known type");
	check_fault(15, 1 | 0 << 4, "offset 96: event: the size of an argument is wrong");
	check_fault(15, 1 | 4 << 4, "offset 96: event: the size of an argument is wrong");
	check_fault(15, 3 | 1 << 4, "offset 96: event: the size of an argument is wrong");
	check_fault(15, 9 | 1 << 4 | S(33, 1),
	            "offset 96: event: a reserved bit of an argument is set");
	cr_assert(whole[sizeof(whole) / 8 - 2] == 8);
	check_fault(sizeof(whole) / 8 - 2, 9,
	            "offset 720: large blob: its parts take more words than it has");
}

Test(fxt_reader, a_bare_region_ends_where_it_is_zero)
{
	const uint64_t region[10] = {15 | 7 << 4, 0, 1, 2, 3, 8, 0x1000};
	struct outcome outcome = read_bytes(region, sizeof(region));

	cr_assert(outcome.rc == 0 && outcome.records == 1);
}

Test(fxt_reader, a_large_payload_is_passed_over)
{
	static uint64_t words[300000];
	struct outcome outcome;

	words[0] = 15 | S(4, 299998) | S(40, 1);
	words[2] = 299995 * 8;
	words[299998] = 1 | 2 << 4;
	words[299999] = 1;
	outcome = read_bytes(words, sizeof(words));
	cr_assert(outcome.rc == 0 && outcome.records == 2, "%s", outcome.fault);
	outcome = read_bytes(words, sizeof(words) - 24);
	cr_assert_str_eq(outcome.fault, "offset 2399976: the file ends within a record");
}

/* Read `words`, whose events have these names and threads; thread n is of process n / 1000. Returns
 * the number of events. */
static unsigned check_names(const uint64_t *words, size_t size, const char *const *names,
                            const uint64_t *threads)
{
	const struct exp_fxt_record *record;
	int fd = memfd_create("fxt", MFD_CLOEXEC);
	struct exp_fxt *fxt = exp_fxt_open(fd);
	unsigned events = 0;
	int rc;

	cr_assert(write(fd, words, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0);
	while ((rc = exp_fxt_next(fxt, &record)) > 0) {
		const struct exp_fxt_value *thread = &record->values[1], *name = &record->values[3];

		if (record->kind != FXT_event)
			continue;
		cr_expect_eq(thread->process, threads[events] / 1000, "event %u", events);
		cr_expect_eq(thread->thread, threads[events], "event %u", events);
		cr_expect(name->number == strlen(names[events]) &&
		                  memcmp(name->text, names[events], name->number) == 0,
		          "event %u", events);
		events++;
	}
	cr_assert_eq(rc, 0, "%s", exp_fxt_fault(fxt));
	exp_fxt_close(fxt);
	close(fd);
	return events;
}

/* Numbers of strings and threads are of a provider, and may be given again. */
Test(fxt_reader, a_number_is_what_was_said_of_it_last)
{
#define PROVIDER(id) 0 | 2 << 4 | S(16, 1) | S(20, id) | S(52, 4), 0x30757063
#define SECTION(id) 0 | 1 << 4 | S(16, 2) | S(20, id)
#define THREAD(index, thread) 3 | 3 << 4 | S(16, index), (thread) / 1000, thread
#define NAME(index, text) 2 | 2 << 4 | S(16, index) | S(32, 1), text
#define EVENT(thread, name) 4 | 2 << 4 | S(24, thread) | S(48, name), 5
	static const uint64_t words[] = {
		PROVIDER(7),     THREAD(1, 1001),    THREAD(2, 1002),    THREAD(255, 2003),
		NAME(1, 'a'),    NAME(2, 'b'),       NAME(0x7fff, 'c'),  EVENT(1, 1),
		EVENT(2, 2),     EVENT(255, 0x7fff), THREAD(2, 3004),    NAME(2, 'd'),
		EVENT(1, 1),     EVENT(2, 2),        EVENT(255, 0x7fff), PROVIDER(8),
		THREAD(1, 4005), NAME(1, 'e'),       EVENT(1, 1),        SECTION(7),
		EVENT(1, 2),     EVENT(2, 1),        SECTION(8),         EVENT(1, 1),
	};
	static const uint64_t threads[] = {1001, 1002, 2003, 1001, 3004,
	                                   2003, 4005, 1001, 3004, 4005};
	static const char *const names[] = {"a", "b", "c", "a", "d", "c", "e", "d", "a", "e"};

	cr_assert_eq(check_names(words, sizeof(words), names, threads), 10);
}

static const uint64_t begin_a[] = {4 | 5 << 4 | S(16, 2) | S(48, 0x8001), 1, 2, 3, 0x61};
static const uint64_t end_a[] = {4 | 5 << 4 | S(16, 3) | S(48, 0x8001), 1, 2, 3, 0x61};
static const uint64_t end_b[] = {4 | 5 << 4 | S(16, 3) | S(48, 0x8001), 1, 2, 3, 0x62};

/* Returns the open durations, or -1 for a fault. */
static long nest(const uint64_t *const *records, size_t count)
{
	struct fxt_nesting *nesting = fxt_nesting_create();
	const struct exp_fxt_record *record;
	const char *fault;
	int fd = memfd_create("fxt", MFD_CLOEXEC);
	struct exp_fxt *fxt = exp_fxt_open(fd);
	long open;
	int rc = 0;

	for (size_t i = 0; i < count; i++)
		cr_assert(write(fd, records[i], sizeof(begin_a)) == sizeof(begin_a));
	lseek(fd, 0, SEEK_SET);
	while (rc == 0 && exp_fxt_next(fxt, &record) > 0)
		rc = fxt_nesting_take(nesting, fxt, record, &fault);
	open = rc != 0 ? -1 : (long)fxt_nesting_open(nesting);
	fxt_nesting_destroy(nesting);
	exp_fxt_close(fxt);
	close(fd);
	return open;
}

Test(fxt_reader, durations_nest)
{
	cr_assert(nest((const uint64_t *[]){begin_a, begin_a, end_a, end_a, begin_a}, 5) == 1);
	cr_assert(nest((const uint64_t *[]){begin_a, end_b}, 2) == -1);
	cr_assert(nest((const uint64_t *[]){end_a}, 1) == -1);
}

/* Whatever the words are: the reader ends, and returns 0 or names a fault. */
Test(fxt_reader, random_changes_are_no_trouble)
{
	uint64_t words[sizeof(whole) / sizeof(whole[0])];
	uint64_t state = seed_start();

	for (int round = 0; round < 20000; round++) {
		struct outcome outcome;

		memcpy(words, whole, sizeof(whole));
		for (uint64_t n = 1 + seed_below(&state, 4); n > 0; n--)
			((unsigned char *)words)[seed_below(&state, sizeof(words))] ^=
				(unsigned char)(1u << seed_below(&state, 8));
		outcome = read_bytes(words, sizeof(words));
		cr_assert(outcome.rc == 0 || (outcome.rc == -EBADMSG && outcome.fault[0] != '\0'));
	}
}

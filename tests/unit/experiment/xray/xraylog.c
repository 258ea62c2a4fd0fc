/* Foreign XRay logs: every version, both byte orders, naive mode, buffers out of order, damage. */
#include "experiment/xray/xraylog_reader.h"

#include "tests/unit/experiment/xray/make_log.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RECORDS_MAX = 1000, DATA_MAX = 16 };

/* A complete log. */
struct whole {
	struct xraylog log;
	struct xraylog_record records[RECORDS_MAX];
	size_t record_count;
	uint64_t arguments[RECORDS_MAX]; /* the first of each record */
	uint8_t data[RECORDS_MAX][DATA_MAX];
};

static int take(void *context, const struct xraylog_record *record)
{
	struct whole *whole = context;
	size_t i = whole->record_count++;

	cr_assert_lt(i, RECORDS_MAX);
	whole->records[i] = *record;
	whole->arguments[i] = record->argument_count != 0 ? record->arguments[0] : 0;
	if (record->data_size != 0)
		memcpy(whole->data[i], record->data,
		       record->data_size < DATA_MAX ? record->data_size : DATA_MAX);
	return 0;
}

static int read_log(struct whole *whole)
{
	FILE *file = tmpfile();
	int rc, fd;

	cr_assert_not_null(file);
	fwrite(bytes, 1, len, file);
	fflush(file);
	whole->record_count = 0;
	fd = dup(fileno(file));
	rc = xraylog_open(fd, &whole->log);
	fclose(file);
	if (rc != 0) {
		close(fd);
	} else {
		cr_assert_eq(xraylog_each(&whole->log, take, whole), 0);
		cr_assert_eq(whole->log.record_count, whole->record_count);
	}
	return rc;
}

static void put_calls(void)
{
	buffer(42, 1000);
	function(3, 0, 10);
	put(metadata(ARGUMENT) + 1, 8, 77);
	custom(1015, 5, "12345678");
	put(metadata(TSC_WRAP) + 1, 8, 5000);
	function(4, 0, 1);
	function(4, 2, 1);
	function(3, 1, 8);
	end();
}

static void check_calls(const struct whole *log)
{
	static const enum xraylog_kind kinds[] = {XRAYLOG_ENTER_ARGUMENT, XRAYLOG_CUSTOM,
	                                          XRAYLOG_ENTER, XRAYLOG_TAIL_EXIT, XRAYLOG_EXIT};
	static const uint64_t times[] = {1010, 1015, 5001, 5002, 5010};

	cr_assert_eq(log->record_count, 5, "version %d: %zu records, %s", version,
	             log->record_count, log->log.fault ? log->log.fault : "no fault");
	for (size_t i = 0; i < 5; i++) {
		cr_assert_eq(log->records[i].kind, kinds[i]);
		cr_assert_eq(log->records[i].tsc, times[i], "version %d, record %zu", version, i);
		cr_assert_eq(log->records[i].tid, 42);
		cr_assert_eq(log->records[i].pid, version >= 3 ? 99u : version == 2 ? 42u : 0u);
	}
	cr_assert_eq(log->records[0].function, 3);
	cr_assert_eq(log->records[0].argument_count, 1);
	cr_assert_eq(log->arguments[0], 77);
	cr_assert_eq(log->records[1].data_size, 8);
	cr_assert_eq(memcmp(log->data[1], "12345678", 8), 0);
	cr_assert_eq(log->records[3].cpu, 5);
	cr_assert_eq(log->log.faults, 0, "%s", log->log.fault);
}

Test(xraylog, every_version_in_either_byte_order)
{
	for (int big = 0; big < 2; big++)
		for (int with_version = 1; with_version <= 5; with_version++) {
			static struct whole log;

			header(with_version, big, 1, 0);
			put_calls();
			cr_assert_eq(read_log(&log), 0);
			cr_assert_eq(log.log.version, (unsigned)with_version);
			cr_assert_eq(log.log.is_big_endian, (unsigned)big);
			cr_assert_eq(log.log.cycle_frequency, 1000000000);
			check_calls(&log);
			xraylog_close(&log.log);
		}
}

Test(xraylog, buffers_of_a_thread_come_by_their_time)
{
	for (int with_version = 1; with_version <= 5; with_version++) {
		static struct whole log;

		header(with_version, 0, 1, 0);
		buffer(7, 2000);
		function(1, 1, 5);
		end();
		buffer(8, 100);
		function(2, 0, 5);
		end();
		buffer(7, 1000);
		function(1, 0, 5);
		end();
		cr_assert_eq(read_log(&log), 0);
		cr_assert_eq(log.record_count, 3);
		cr_assert_eq(log.records[0].tsc, 1005);
		cr_assert_eq(log.records[1].tsc, 2005);
		cr_assert_eq(log.records[2].tid, 8);
		xraylog_close(&log.log);
	}
}

/* Version 1: garbage after EndOfBuffer, up to the size of a buffer. */
Test(xraylog, the_rest_of_a_buffer_is_skipped)
{
	static struct whole log;

	header(1, 0, 1, 256);
	buffer(7, 1000);
	function(1, 0, 5);
	end();
	memset(bytes + len, 0xff, 32 + 256 - len);
	len = 32 + 256;
	buffer(7, 2000);
	function(1, 1, 5);
	end();
	cr_assert_eq(read_log(&log), 0);
	cr_assert_eq(log.record_count, 2);
	cr_assert_eq(log.log.faults, 0, "%s", log.log.fault);
	xraylog_close(&log.log);
}

Test(xraylog, naive_mode)
{
	static struct whole log;

	header(3, 0, 0, 0);
	for (unsigned i = 0; i < 2; i++) {
		bytes[len + 2] = 4;
		bytes[len + 3] = (uint8_t)i;
		put(len + 4, 4, 6);
		put(len + 8, 8, 1000 + i);
		put(len + 16, 4, 42);
		put(len + 20, 4, 41);
		len += 32;
		if (i == 0) {
			put(len, 2, 1);
			put(len + 16, 8, 55);
			len += 32;
		}
	}
	cr_assert_eq(read_log(&log), 0);
	cr_assert_eq(log.record_count, 2);
	cr_assert_eq(log.records[0].kind, XRAYLOG_ENTER_ARGUMENT);
	cr_assert_eq(log.arguments[0], 55);
	cr_assert_eq(log.records[1].kind, XRAYLOG_EXIT);
	cr_assert_eq(log.records[1].function, 6);
	cr_assert_eq(log.records[1].cpu, 4);
	cr_assert_eq(log.records[1].pid, 41);
	cr_assert_eq(log.records[1].tsc, 1001);
	xraylog_close(&log.log);
}

Test(xraylog, damage_leaves_what_is_sound)
{
	static struct whole log;

	header(1, 0, 1, 0);
	buffer(7, 1000);
	function(1, 0, 5);
	function(1, 6, 5); /* no such action */
	function(2, 0, 5);
	end();
	buffer(7, 2000);
	function(3, 0, 5);
	end();
	cr_assert_eq(read_log(&log), 0);
	cr_assert_eq(log.record_count, 2);
	cr_assert_eq(log.records[1].function, 3);
	cr_assert_eq(log.log.faults, 1);
	cr_assert_eq(log.log.fault_offset, 32 + 48 + 8);
	xraylog_close(&log.log);
	len = 5;
	cr_assert_eq(read_log(&log), -EBADMSG);
	header(6, 0, 1, 0);
	cr_assert_eq(read_log(&log), -EBADMSG);
}

/* The message about a log of two buffers that is cut off at `cut` bytes: a log may end after a
 * buffer. */
static void check_cut(size_t cut, size_t first_end)
{
	static struct whole log;
	size_t whole = len;

	len = cut;
	cr_assert_eq(read_log(&log), 0);
	len = whole;
	cr_expect_eq(log.log.faults != 0, cut != whole && cut != first_end,
	             "version %d, %zu of %zu bytes: %s", version, cut, whole,
	             log.log.fault ? log.log.fault : "no fault");
	cr_expect_leq(log.log.fault_offset, cut);
	xraylog_close(&log.log);
}

Test(xraylog, a_log_that_is_cut_off_is_told_wherever_it_is_cut)
{
	for (int with_version = 1; with_version <= 5; with_version++)
		for (int big = 0; big < 2; big++) {
			size_t first_end;

			header(with_version, big, 1, 0);
			put_calls();
			first_end = len;
			put_calls();
			for (size_t cut = 32; cut <= len; cut++)
				/* unused bytes may follow the first buffer, so these cuts are no
				 * fault
				 */
				if (with_version != 1 || cut < first_end - 15 || cut == first_end ||
				    cut > first_end + 15)
					check_cut(cut, first_end);
		}
}

/* The reported place is where the incomplete buffer begins, not where the bytes end. */
Test(xraylog, a_buffer_longer_than_the_log_is_told_with_its_offset)
{
	static struct whole log;

	header(5, 0, 1, 0);
	buffer(7, 1000);
	function(1, 0, 5);
	end();
	buffer(8, 1000);
	function(1, 0, 5);
	function(1, 1, 5);
	put(extents_at + 1, 8, UINT64_MAX);
	cr_assert_eq(read_log(&log), 0);
	cr_expect_eq(log.record_count, 3);
	cr_expect_eq(log.log.faults, 1);
	cr_expect_eq(log.log.fault_offset, extents_at);
	xraylog_close(&log.log);
}

Test(xraylog, a_buffer_may_have_no_bytes)
{
	for (int with_version = 3; with_version <= 5; with_version++) {
		static struct whole log;

		header(with_version, 0, 1, 0);
		metadata(EXTENTS);
		put_calls();
		metadata(EXTENTS);
		metadata(EXTENTS);
		cr_assert_eq(read_log(&log), 0);
		check_calls(&log);
		xraylog_close(&log.log);
	}
}

/* "Not meaningful": the bits after the two that count, and the last words. */
Test(xraylog, what_is_reserved_in_the_header_may_be_set)
{
	for (int with_version = 1; with_version <= 5; with_version++) {
		static struct whole log;

		header(with_version, 0, 1, 0);
		put(4, 4, 0xfffffffd);
		memset(bytes + 24, 0xff, 8);
		put_calls();
		cr_assert_eq(read_log(&log), 0);
		cr_expect_eq(log.log.constant_tsc, 1);
		cr_expect_eq(log.log.nonstop_tsc, 0);
		check_calls(&log);
		xraylog_close(&log.log);
	}
}

/* The kernel gives a page of such a file at a time. */
Test(xraylog, a_part_that_comes_in_pieces_comes_whole)
{
	enum { PAGES = 300, PAGE = 4096 };
	static char expected[1 << 18];
	struct xraylog log = {.fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC),
	                      .size = sizeof(expected)};
	char *lines = mmap(NULL, PAGES * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct xraylog_reader reader;
	const uint8_t *got;
	ssize_t part;

	cr_assert_neq(log.fd, -1);
	cr_assert(lines != MAP_FAILED);
	for (int i = 0; i < PAGES; i += 2)
		cr_assert_eq(mprotect(lines + i * PAGE, PAGE, PROT_NONE), 0);
	xraylog_reader_init(&reader, &log);
	cr_assert_not_null(xraylog_refill(&reader, 0, 64)); /* it has all memory that it needs */
	log.size = 0;
	while (log.size < sizeof(expected) &&
	       (part = pread(log.fd, expected + log.size, sizeof(expected) - log.size,
	                     (off_t)log.size)) > 0)
		log.size += (uint64_t)part;
	cr_assert_gt(log.size, 2 * PAGE);
	got = xraylog_refill(&reader, 0, log.size);
	cr_assert_not_null(got);
	cr_expect_eq(reader.chunk_len, log.size);
	cr_expect_eq(memcmp(got, expected, log.size), 0);
	got = xraylog_refill(&reader, 100, log.size - 100);
	cr_assert_not_null(got);
	cr_expect_eq(memcmp(got, expected + 100, log.size - 100), 0);
	xraylog_reader_fini(&reader);
	munmap(lines, PAGES * PAGE);
	close(log.fd);
}

Test(xraylog, no_damage_leads_out_of_the_file)
{
	for (int with_version = 1; with_version <= 5; with_version++) {
		size_t whole;
		uint8_t copy[1024];

		header(with_version, with_version % 2, 1, 128);
		put_calls();
		put_calls();
		whole = len;
		memcpy(copy, bytes, whole);
		for (len = 0; len < whole; len++) {
			static struct whole log;

			if (read_log(&log) == 0)
				xraylog_close(&log.log);
		}
		for (size_t at = 0; at < whole; at++) {
			static struct whole log;

			memcpy(bytes, copy, whole);
			bytes[at] ^= (uint8_t)(1 << at % 8 | 0x80);
			if (read_log(&log) == 0)
				xraylog_close(&log.log);
		}
	}
}

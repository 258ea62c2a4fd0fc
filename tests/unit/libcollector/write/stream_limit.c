/* Tests of stream.c and account.c: what counts for the limit of all files together. */
#include "libcollector/write/stream.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/aside.h"
#include "libcollector/base/host.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

enum { TID = 500 };

TestSuite(stream_limit, .init = scratch_open, .fini = scratch_remove);

static struct col_slot slot;

static int write_event(enum fmt_stream stream, uint32_t tid)
{
	static uint32_t number;
	struct fmt_clock record = {.kind = FMT_KIND_clock, .stack = ++number};

	return col_slot_write(&slot, stream, tid, &record, sizeof(record), 1000 + number);
}

/* The same, as the first event of a slot. */
static int begin_stream(enum fmt_stream stream)
{
	slot = (struct col_slot){0};
	return write_event(stream, TID);
}

static char stopped_by[100];

static void note_stop(const char *why)
{
	snprintf(stopped_by, sizeof(stopped_by), "%s", why);
}

static void host(void)
{
	static struct col_host noting;

	noting = *col_host;
	noting.stop_events = note_stop;
	col_host = &noting;
}

/* Open files until none can be opened. */
static void take_all_descriptors(void)
{
	const struct rlimit some = {1500, 1500};

	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &some), 0);
	for (int i = 0; i < 2000 && open("/dev/null", O_RDONLY) >= 0; i++)
		continue;
	cr_assert_eq(open("/dev/null", O_RDONLY), -1);
}

/* Below a filter that was not judged to allow it, no thread with descriptors of its own is made. */
static int forbid_aside(void)
{
	struct sock_filter all = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog filter = {1, &all};
	int is_set = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	             prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;

	col_aside_judged(0);
	return is_set;
}

Test(stream_limit, what_could_not_be_taken_does_not_count)
{
	host();
	col.descriptor.limit_bytes = 20 * 4096;
	take_all_descriptors();
	if (!forbid_aside())
		cr_skip_test("no filters of system calls here");
	for (int i = 0; i < 30; i++) {
		cr_assert_eq(begin_stream(FMT_STREAM_PROFILE), -1);
		usleep(2000);
	}
	close_range(1000, 1499, 0);
	cr_assert_eq(begin_stream(FMT_STREAM_PROFILE), 0);
	cr_assert_str_eq(stopped_by, "");
}

/* Eight small extents share a page. */
Test(stream_limit, extents_of_a_page_count_once)
{
	host();
	col.descriptor.limit_bytes = 4 * 4096;
	for (uint32_t i = 0; i < 16; i++) {
		slot = (struct col_slot){.size = FDR_PAGE / 16};
		cr_assert_eq(write_event(FMT_STREAM_PROFILE, TID + i), 0, "%u", i);
	}
	cr_assert_str_eq(stopped_by, "");
}

Test(stream_limit, events_end_at_the_limit_of_all_files_but_their_context_goes_on)
{
	host();
	col.descriptor.limit_bytes = 4 * 4096;
	cr_assert_eq(begin_stream(FMT_STREAM_OVERVIEW), 0, "it counts");
	cr_assert_eq(begin_stream(FMT_STREAM_PROFILE), 0);
	cr_assert_eq(begin_stream(FMT_STREAM_SYNCTRACE), 0);
	cr_assert_eq(begin_stream(FMT_STREAM_HEAPTRACE), 0);
	cr_assert_str_eq(stopped_by, "");
	cr_assert_eq(begin_stream(FMT_STREAM_IOTRACE), -1);
	cr_assert_str_eq(stopped_by, "the size limit is reached: events end here");
	cr_assert_eq(faccessat(col_directory_get(), "iotrace", F_OK, 0), -1);
	cr_assert_eq(begin_stream(FMT_STREAM_FRAMEINFO), 0);
	col_streams_forget();
	unlinkat(col_directory_get(), "profile", 0);
	cr_assert_eq(begin_stream(FMT_STREAM_PROFILE), -1, "a child has the same limit");
	col_streams_unlimit();
	unlinkat(col_directory_get(), FMT_FILE_ACCOUNT, 0);
	cr_assert_eq(begin_stream(FMT_STREAM_PROFILE), 0, "another recording has its own");
}

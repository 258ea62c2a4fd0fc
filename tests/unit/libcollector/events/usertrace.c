/* User events inside the collector: which trace they go to, what a ring buffer keeps, when a
 * limited trace ends. */
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/source.h"
#include "libcollector/write/stream.h"
#include "libcollector/events/usertrace.h"
#include "libcollector/events/usertrace_plan.h"

#include "include/sys/trchkid.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { EVENTS = 40000, RING = 256 << 10 };

static void start(uint64_t traces, const char *hooks, const char *modes)
{
	col.descriptor.user = col.descriptor.user_on = traces;
	strcpy(col.descriptor.user_hooks, hooks);
	strcpy(col.descriptor.user_modes, modes);
	strcpy(col.descriptor.user_names, "net,disk");
	usertrace_start();
}

/* Number of events of `name`. With `last`: the highest first data word, and how many events there
 * would be from the lowest to it. */
static size_t count_events(const char *name, uint64_t *last, uint64_t *span)
{
	uint64_t lowest = UINT64_MAX;
	size_t len, count = 0;
	uint8_t *bytes = (uint8_t *)scratch_read(name, &len);

	*last = 0;
	for (size_t at = FDR_HEADER_SIZE; bytes && at < len;) {
		struct fdr_prologue prologue;
		struct fdr_record record;
		size_t done = at + FDR_PROLOGUE_SIZE;

		if (fdr_prologue_get(bytes + at, &prologue) != 0) {
			at = at / FDR_EXTENT_UNIT * FDR_EXTENT_UNIT + FDR_EXTENT_UNIT;
			continue;
		}
		while (fdr_record_get(bytes + done, len - done, &record) > 0 &&
		       record.type == FDR_RECORD_EVENT) {
			const struct fmt_user *user = (const struct fmt_user *)record.payload;
			uint64_t d1 = fmt_user_whole(user->d1, user->low);

			cr_assert_eq(user->kind, FMT_KIND_user);
			*last = d1 > *last ? d1 : *last;
			lowest = d1 < lowest ? d1 : lowest;
			count++;
			done += record.size;
		}
		at += prologue.extent_left;
	}
	*span = count ? *last - lowest + 1 : 0;
	free(bytes);
	return count;
}

Test(usertrace, words_are_kept_bit_by_bit, .init = scratch_open, .fini = scratch_remove)
{
	uint64_t words[] = {~(uint64_t)0, 0x0123456789abcdef, 9, 8, 1};
	struct fmt_user event;
	uint64_t got[5];
	size_t len;
	char *bytes;

	start(1, "", "");
	TRCHKL5(0x0abcdef1, words[0], words[1], words[2], words[3], words[4]);
	bytes = scratch_read("usertrace", &len);
	memcpy(&event, bytes + FDR_HEADER_SIZE + FDR_PROLOGUE_SIZE + FDR_METADATA_SIZE,
	       sizeof(event));
	memcpy(got, bytes + FDR_HEADER_SIZE + FDR_PROLOGUE_SIZE + FDR_METADATA_SIZE + 8,
	       sizeof(got));
	cr_assert(event.kind == FMT_KIND_user && event.shape == 5 && event.hook == 0x0abc &&
	          event.subhook == 0xdef1);
	for (int i = 0; i < 5; i++) {
		cr_assert_eq(got[i] & FMT_USER_LOW, 0);
		cr_assert_eq(fmt_user_whole(got[i], event.low >> 2 * i), words[i]);
	}
	free(bytes);
}

Test(usertrace, hooks_go_where_the_plan_says, .init = scratch_open, .fini = scratch_remove)
{
	start(7, "*,0-0200,0-0300:0005,1+0400,2+0400:0001", "");
	cr_assert_eq(plan_route(0x01000000), 0);
	cr_assert_eq(plan_route(0x02000000), PLAN_NOWHERE);
	cr_assert_eq(plan_route(0x03000004), 0);
	cr_assert_eq(plan_route(0x03000005), PLAN_NOWHERE);
	cr_assert_eq(plan_route(0x04000000), 1);
	cr_assert_eq(plan_route(0x04000001), 2);
	cr_assert(trc_ishookon(0, 0x01000000) == 1 && trc_ishookon(0, 0x02000000) == 0 &&
	          trc_ishookon(9, 0x01000000) == 0);
}

Test(usertrace, traces_and_channels_have_switches, .init = scratch_open, .fini = scratch_remove)
{
	static const struct source user = {.id = SOURCE_USER, .stop = usertrace_stop};

	scratch_host(&user, 1);
	start(7, "*,1+0400", "");
	cr_assert(trc_ishookon(0, 0x04000000) == 1 && trc_ishookon(3, 0x01000000) == 1);
	cr_assert(trccomponent("net", 0) == 0 && trccomponent("none", 0) == -1);
	cr_assert(trc_ishookon(0, 0x04000000) == 0 && trc_ishookon(0, 0x01000000) == 1);
	cr_assert(trcoff(3) == 0 && trc_ishookon(3, 0x01000000) == 0 &&
	          trc_ishookon(2, 0x01000000) == 1);
	cr_assert(trcoff(0) == 0 && trc_ishookon(2, 0x01000000) == 0 &&
	          trc_ishookon(0, 0x01000000) == 0);
	cr_assert(trcstart("-a") == 0 && trc_ishookon(0, 0x01000000) == 1);
	cr_assert(trcon(8) == -1 && trcoff(-1) == -1);
	col_stop_events(NULL);
	cr_assert(trcoff(0) == 0 && trcon(0) == 0 && trc_ishookon(0, 0x01000000) == 0,
	          "what has ended does not begin again");
}

/* The hooks and first words of the events of `name`, as "20:3 10:3 ". */
static void list_events(const char *name, char *out, size_t size)
{
	size_t len, at = FDR_HEADER_SIZE + FDR_PROLOGUE_SIZE, put = 0;
	uint8_t *bytes = (uint8_t *)scratch_read(name, &len);
	struct fdr_record record;

	out[0] = '\0';
	while (bytes && at < len && fdr_record_get(bytes + at, len - at, &record) > 0 &&
	       record.type == FDR_RECORD_EVENT) {
		const struct fmt_user *user = (const struct fmt_user *)record.payload;

		put += (size_t)snprintf(out + put, size - put, "%x:%lu ", user->hook,
		                        fmt_user_whole(user->d1, user->low));
		cr_assert_lt(put, size);
		at += record.size;
	}
	free(bytes);
}

Test(usertrace, each_switch_of_a_channel_is_an_event_of_the_trace_that_is_on, .init = scratch_open,
     .fini = scratch_remove)
{
	static const struct source user = {.id = SOURCE_USER, .stop = usertrace_stop};
	char list[256];

	scratch_host(&user, 1);
	start(7, "*,1+0400", "");
	TRCHKL1(0x07770000, 1);
	trcoff(3);
	trcoff(3);
	trcon(3);
	trcon(3);
	trcoff(0);
	trcoff(3);
	trcon(3);
	TRCHKL1(0x07770000, 2);
	trcon(0);
	trcoff(7);
	TRCHKL1(0x07770000, 3);
	list_events("usertrace", list, sizeof(list));
	cr_expect_str_eq(list, "777:1 20:3 10:3 20:0 10:0 20:7 777:3 ", "%s", list);
}

Test(usertrace, a_ring_keeps_the_newest, .init = scratch_open, .fini = scratch_remove)
{
	uint64_t last, span;
	size_t count;

	start(1, "", "0:c:262144");
	for (long i = 1; i <= EVENTS; i++)
		TRCHKL5(HKWD_USER1, i, i, i, i, i);
	count = count_events("usertrace", &last, &span);
	cr_assert_eq(last, EVENTS);
	cr_assert_eq(span, count, "the survivors have no gap");
	cr_assert_eq(count + atomic_load(&col.count.user_overwritten), EVENTS);
	cr_assert_gt(count, RING / 64 * 9 / 10);
	cr_assert_eq(atomic_load(&col.count.lost[FMT_STREAM_USERTRACE]), 0);
}

static void *write_ring(void *unused)
{
	(void)unused;
	for (long i = 1; i <= EVENTS; i++)
		TRCHKL3(HKWD_USER1, i, i, i);
	return NULL;
}

Test(usertrace, threads_share_a_ring, .init = scratch_open, .fini = scratch_remove)
{
	enum { THREADS = 6 };
	pthread_t threads[THREADS];
	uint64_t last, span;

	start(1, "", "0:c:262144");
	for (int i = 0; i < THREADS; i++)
		cr_assert(pthread_create(&threads[i], NULL, write_ring, NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	cr_assert_eq(count_events("usertrace", &last, &span) +
	                     atomic_load(&col.count.user_overwritten),
	             THREADS * EVENTS);
	cr_assert_eq(last, EVENTS);
}

Test(usertrace, a_limited_trace_keeps_the_first, .init = scratch_open, .fini = scratch_remove)
{
	uint64_t last, span;
	size_t count;

	start(1, "", "0:s:262144");
	for (long i = 1; i <= EVENTS; i++)
		TRCHKL5(HKWD_USER1, i, i, i, i, i);
	count = count_events("usertrace", &last, &span);
	cr_assert_eq(last, count);
	cr_assert_eq(count + atomic_load(&col.count.lost[FMT_STREAM_USERTRACE]), EVENTS);
	cr_assert_gt(count, RING / 64 * 8 / 10);
}

Test(usertrace, long_generic_events_find_room, .init = scratch_open, .fini = scratch_remove)
{
	static char buffer[5000];
	size_t len;
	char *bytes;

	memset(buffer, 'x', sizeof(buffer));
	start(1, "", "");
	TRCGEN(0, 0x01000020, 7, sizeof(buffer), buffer);
	TRCGEN(7, 0x01000020, 7, 3, NULL);
	bytes = scratch_read("usertrace", &len);
	cr_assert_geq(len, 8192);
	cr_assert_eq(memcmp(bytes + FDR_HEADER_SIZE + FDR_PROLOGUE_SIZE + FDR_METADATA_SIZE + 16,
	                    buffer, 4096),
	             0);
	cr_assert_eq(bytes[FDR_HEADER_SIZE + FDR_PROLOGUE_SIZE + FDR_METADATA_SIZE + 1],
	             FMT_USER_CUT);
	cr_assert_eq(atomic_load(&col.count.user_truncated), 1);
	free(bytes);
}

Test(usertrace, words_of_64_bits_are_kept_on_all_machines, .init = scratch_open,
     .fini = scratch_remove)
{
	static const uint64_t words[] = {UINT64_MAX, UINT64_C(1) << 63, 3, 0,
	                                 UINT64_C(0x123456789a)};
	struct fmt_user event;
	uint64_t got[5];
	size_t len;
	char *bytes;

	start(1, "", "");
	trchook64(0x0abcdef1, words[0], words[1], words[2], words[3], words[4]);
	bytes = scratch_read("usertrace", &len);
	bytes += FDR_HEADER_SIZE + FDR_PROLOGUE_SIZE + FDR_METADATA_SIZE;
	memcpy(&event, bytes, sizeof(event));
	memcpy(got, bytes + 8, sizeof(got));
	cr_expect_eq(event.shape, 5);
	cr_expect_eq(event.hook, 0x0abc);
	cr_expect_eq(event.subhook, 0xdef1);
	for (int i = 0; i < 5; i++)
		cr_expect_eq(fmt_user_whole(got[i], event.low >> 2 * i), words[i], "%d", i);
	free(bytes - FDR_HEADER_SIZE - FDR_PROLOGUE_SIZE - FDR_METADATA_SIZE);
}

Test(usertrace, the_users_signal_switches_all_off_and_on, .init = scratch_open,
     .fini = scratch_remove)
{
	static const struct source user = {.id = SOURCE_USER, .stop = usertrace_stop};

	scratch_host(&user, 1);
	col.descriptor.user_signal = SIGUSR2;
	start(5, "*,1+0400,2+0500", "");
	cr_assert(trc_ishookon(0, 0x01000000) == 1 && trc_ishookon(0, 0x05000000) == 1);
	cr_expect_eq(trc_ishookon(0, 0x04000000), 0, "this trace is not recorded");
	raise(SIGUSR2);
	cr_expect_eq(trc_ishookon(0, 0x01000000), 0);
	cr_expect_eq(trc_ishookon(0, 0x05000000), 0);
	raise(SIGUSR2);
	cr_expect_eq(trc_ishookon(0, 0x01000000), 1);
	cr_expect_eq(trc_ishookon(0, 0x05000000), 1);
	cr_expect_eq(trc_ishookon(0, 0x04000000), 0);
	trccomponent("disk", 0);
	raise(SIGUSR2);
	cr_expect_eq(trc_ishookon(0, 0x01000000), 0, "one is on: all are switched off");
	cr_expect_eq(trc_ishookon(0, 0x05000000), 0);
}

Test(usertrace, channels_have_numbers, .init = scratch_open, .fini = scratch_remove)
{
	start(1, "", "");
	cr_expect_eq(trc_ishookon(FMT_USER_CHANNELS - 1, 0x01000000), 1);
	cr_expect_eq(trc_ishookon(FMT_USER_CHANNELS, 0x01000000), 0);
	cr_expect_eq(trc_ishookon(-1, 0x01000000), 0);
	cr_expect_eq(trcoff(FMT_USER_CHANNELS - 1), 0);
	cr_expect_eq(trcoff(FMT_USER_CHANNELS), -1);
	cr_expect_eq(trc_ishookon(FMT_USER_CHANNELS - 1, 0x01000000), 0);
	cr_expect_eq(trc_ishookon(FMT_USER_CHANNELS - 2, 0x01000000), 1);
}

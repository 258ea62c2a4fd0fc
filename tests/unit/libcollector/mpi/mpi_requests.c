/* Requests for messages that are received later, and persistent requests. */
#include "libcollector/mpi/mpi.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"

#include <criterion/criterion.h>
#include <string.h>

enum { IGNORE = 1, STATUS_BYTES = 20 };

static void setup(void)
{
	mpi_library = (struct mpi_library){.handle_bytes = 4, .status_ignore = IGNORE};
}

TestSuite(mpi_requests, .init = setup);

/* What a call has reported. */
static struct told {
	struct mpi_message message;
	const void *status;
} told[64];
static int count;

static void take(struct mpi_call *call, const struct mpi_message *message, const void *status)
{
	(void)call;
	told[count++] = (struct told){*message, status};
}

static const struct mpi_row
	wait = {.words = 2, .ends = MPI_ENDS_WAIT, .request = 1, .status = 2},
	waitall = {.words = 3, .ends = MPI_ENDS_WAITALL, .count = 1, .request = 2, .status = 3},
	waitany = {.words = 4,
                   .ends = MPI_ENDS_WAITANY,
                   .count = 1,
                   .request = 2,
                   .flag = 3,
                   .status = 4},
	waitsome = {.words = 5,
                    .ends = MPI_ENDS_WAITSOME,
                    .count = 1,
                    .request = 2,
                    .flag = 3,
                    .status = 5},
	test = {.words = 3, .ends = MPI_ENDS_TEST, .request = 1, .flag = 2, .status = 3},
	testall = {.words = 4,
                   .ends = MPI_ENDS_TESTALL,
                   .count = 1,
                   .request = 2,
                   .flag = 3,
                   .status = 4},
	start = {.words = 1, .ends = MPI_ENDS_START, .request = 1},
	startall = {.words = 2, .ends = MPI_ENDS_STARTALL, .count = 1, .request = 2},
	release = {.words = 1, .ends = MPI_ENDS_FREE, .request = 1},
	other = {.words = 1, .request = 1};

static struct mpi_call call;
static uint64_t word[8];

static void begin(const struct mpi_row *row, const uint64_t *arguments)
{
	memcpy(word + 1, arguments, row->words * sizeof(*arguments));
	call = (struct mpi_call){.row = row, .word = word};
	count = 0;
	mpi_requests_before(&call);
}

static void end(void)
{
	mpi_requests_after(&call, take);
	mpi_requests_end(&call);
}

#define BEGIN(row, ...) begin(&(row), (const uint64_t[]){__VA_ARGS__})
#define CALL(row, ...) \
	do { \
		BEGIN(row, __VA_ARGS__); \
		end(); \
	} while (0)

static void add(uint64_t handle, uint32_t node)
{
	const struct mpi_message message = {.func = 514, .node = node, .peer = node + 1};

	cr_assert_eq(mpi_request_add(handle, &message), 0);
}

static char statuses[64 * STATUS_BYTES];

Test(mpi_requests, a_wait_ends_the_request_that_it_waits_for)
{
	uint32_t handle = 7;

	add(7, 70);
	add(8, 80);
	BEGIN(wait, (uint64_t)&handle, (uint64_t)statuses);
	cr_assert_eq(call.tracked_count, 1);
	handle = 0;
	end();
	cr_assert_eq(count, 1);
	cr_assert_eq(told[0].message.node, 70);
	cr_assert_eq(told[0].message.peer, 71);
	cr_assert_eq(told[0].message.func, 514);
	cr_assert_eq(told[0].status, statuses);
	handle = 7;
	CALL(wait, (uint64_t)&handle, (uint64_t)statuses);
	cr_assert_eq(count, 0, "it is over");
	handle = 8;
	CALL(wait, (uint64_t)&handle, (uint64_t)statuses);
	cr_assert_eq(count, 1);
}

/* If the program does not want a status, the recorder's own is used, which was empty before the
 * call. */
Test(mpi_requests, a_status_that_is_ignored_is_one_of_ours)
{
	uint32_t handle = 7;
	char zero[STATUS_BYTES] = {0};

	add(7, 70);
	memset(&call, 0xff, sizeof(call));
	BEGIN(wait, (uint64_t)&handle, IGNORE);
	cr_assert_neq(word[2], IGNORE);
	cr_assert_eq(memcmp((void *)word[2], zero, sizeof(zero)), 0);
	end();
	cr_assert_eq(told[0].status, call.kept_status);
	BEGIN(wait, (uint64_t)&handle, IGNORE);
	cr_assert_eq(word[2], IGNORE, "nothing is tracked");
	end();
}

Test(mpi_requests, a_test_ends_it_if_it_says_so)
{
	uint32_t handle = 7;
	int flag = 0;

	add(7, 70);
	CALL(test, (uint64_t)&handle, (uint64_t)&flag, (uint64_t)statuses);
	cr_assert_eq(count, 0);
	flag = 1;
	CALL(test, (uint64_t)&handle, (uint64_t)&flag, (uint64_t)statuses);
	cr_assert_eq(count, 1);
	CALL(test, (uint64_t)&handle, (uint64_t)&flag, (uint64_t)statuses);
	cr_assert_eq(count, 0);
}

Test(mpi_requests, all_that_are_waited_for_have_their_statuses)
{
	uint32_t handles[] = {3, 99, 4, 5};
	int flag = 0;

	add(3, 30);
	add(4, 40);
	add(5, 50);
	CALL(testall, 4, (uint64_t)handles, (uint64_t)&flag, (uint64_t)statuses);
	cr_assert_eq(count, 0);
	CALL(waitall, 4, (uint64_t)handles, (uint64_t)statuses);
	cr_assert_eq(count, 3);
	cr_assert(told[0].message.node == 30 && told[0].status == statuses);
	cr_assert(told[1].message.node == 40 && told[1].status == statuses + 2 * STATUS_BYTES);
	cr_assert(told[2].message.node == 50 && told[2].status == statuses + 3 * STATUS_BYTES);
	add(3, 31);
	flag = 1;
	CALL(testall, 1, (uint64_t)handles, (uint64_t)&flag, (uint64_t)statuses);
	cr_assert_eq(count, 1);
	CALL(waitall, (uint64_t)-1, (uint64_t)handles, (uint64_t)statuses);
	cr_assert_eq(count, 0);
}

/* There is room for 16 requests and statuses in the call; this needs allocated memory. */
Test(mpi_requests, many_requests_are_waited_for)
{
	enum { MANY = 40 };
	uint32_t handles[MANY];

	for (uint32_t turn = 0; turn < 2; turn++) {
		for (uint32_t i = 0; i < MANY; i++) {
			handles[i] = 1000 + i;
			add(handles[i], i);
		}
		BEGIN(waitall, MANY, (uint64_t)handles,
		      turn ? (uint64_t)IGNORE : (uint64_t)statuses);
		cr_assert_eq(call.tracked_count, MANY);
		cr_assert_not_null(call.mapped);
		if (turn)
			memset((void *)word[3], 1, MANY * STATUS_BYTES);
		mpi_requests_after(&call, take);
		cr_assert_eq(count, MANY);
		for (uint32_t i = 0; i < MANY; i++) {
			cr_assert_eq(told[i].message.node, i);
			cr_assert_eq(told[i].status, (char *)word[3] + i * STATUS_BYTES);
		}
		mpi_requests_end(&call);
	}
}

Test(mpi_requests, one_of_them_is_told_by_its_index)
{
	uint32_t handles[] = {3, 4, 5};
	int index = 1;

	add(3, 30);
	add(4, 40);
	add(5, 50);
	CALL(waitany, 3, (uint64_t)handles, (uint64_t)&index, (uint64_t)statuses);
	cr_assert_eq(count, 1);
	cr_assert_eq(told[0].message.node, 40);
	cr_assert_eq(told[0].status, statuses);
	index = -1;
	CALL(waitany, 3, (uint64_t)handles, (uint64_t)&index, (uint64_t)statuses);
	cr_assert_eq(count, 0);
	index = 2;
	CALL(waitany, 3, (uint64_t)handles, (uint64_t)&index, (uint64_t)statuses);
	cr_assert_eq(told[0].message.node, 50);
}

Test(mpi_requests, some_of_them_are_told_by_their_indices)
{
	uint32_t handles[10];
	int number[1] = {3};
	int32_t indices[] = {9, 0, 4};

	for (uint32_t i = 0; i < 10; i++) {
		handles[i] = 10 + i;
		if (i != 4)
			add(handles[i], i);
	}
	CALL(waitsome, 10, (uint64_t)handles, (uint64_t)number, (uint64_t)indices,
	     (uint64_t)statuses);
	cr_assert_eq(count, 2, "one of the three is not tracked");
	cr_assert(told[0].message.node == 9 && told[0].status == statuses);
	cr_assert(told[1].message.node == 0 && told[1].status == statuses + STATUS_BYTES);
	number[0] = -32766; /* MPI_UNDEFINED */
	CALL(waitsome, 10, (uint64_t)handles, (uint64_t)number, (uint64_t)indices,
	     (uint64_t)statuses);
	cr_assert_eq(count, 0);
	number[0] = 2;
	indices[0] = 5;
	CALL(waitsome, 10, (uint64_t)handles, (uint64_t)number, (uint64_t)indices,
	     (uint64_t)statuses);
	cr_assert_eq(count, 1, "0 is over");
	cr_assert_eq(told[0].message.node, 5);
}

/* ---- persistent requests */

static void add_persistent(uint64_t handle, uint32_t node, int is_send)
{
	const struct mpi_message message = {
		.node = node, .is_persistent = 1, .is_send = (uint8_t)is_send};

	cr_assert_eq(mpi_request_add(handle, &message), 0);
}

Test(mpi_requests, what_is_sent_again_is_sent_when_it_is_started)
{
	uint32_t handles[] = {3, 4};

	add_persistent(3, 30, 1);
	add_persistent(4, 40, 0);
	CALL(wait, (uint64_t)&handles[1], (uint64_t)statuses);
	cr_assert_eq(count, 0, "it was not started");
	for (int turn = 0; turn < 2; turn++) {
		CALL(startall, 2, (uint64_t)handles);
		cr_assert_eq(count, 1);
		cr_assert(told[0].message.node == 30 && !told[0].status);
		CALL(waitall, 2, (uint64_t)handles, (uint64_t)statuses);
		cr_assert_eq(count, 1);
		cr_assert_eq(told[0].message.node, 40);
		cr_assert_eq(told[0].status, statuses + STATUS_BYTES);
		CALL(waitall, 2, (uint64_t)handles, (uint64_t)statuses);
		cr_assert_eq(count, 0, "it waits for nothing");
	}
	CALL(start, (uint64_t)&handles[0]);
	cr_assert_eq(count, 1);
}

Test(mpi_requests, a_request_that_is_freed_is_not_tracked_any_more)
{
	uint32_t handle = 3;

	add_persistent(3, 30, 1);
	CALL(release, (uint64_t)&handle);
	cr_assert_eq(count, 0);
	CALL(start, (uint64_t)&handle);
	cr_assert_eq(count, 0);
}

/* ---- messages that a probe has found */

Test(mpi_requests, a_probed_message_is_taken_once)
{
	const struct mpi_message message = {.node = 5};
	struct mpi_message out = {.node = 0};
	uint32_t handle = 7;

	cr_assert_eq(mpi_probed_take(7, &out), -1);
	cr_assert_eq(mpi_probed_add(7, &message), 0);
	add(7, 70);
	cr_assert_eq(mpi_probed_take(8, &out), -1);
	cr_assert_eq(mpi_probed_take(7, &out), 0);
	cr_assert_eq(out.node, 5);
	cr_assert_eq(mpi_probed_take(7, &out), -1);
	CALL(wait, (uint64_t)&handle, (uint64_t)statuses);
	cr_assert_eq(told[0].message.node, 70, "a request of that number is another thing");
}

/* ---- what is not followed */

Test(mpi_requests, calls_without_requests_do_nothing)
{
	uint32_t handle = 7;

	add(7, 70);
	CALL(other, (uint64_t)&handle);
	cr_assert_eq(count, 0);
	CALL(wait, 0, (uint64_t)statuses);
	cr_assert_eq(count, 0, "NULL is the library's to refuse");
	CALL(wait, (uint64_t)&handle, (uint64_t)statuses);
	cr_assert_eq(count, 1);
}

Test(mpi_requests, what_was_not_seen_is_forgotten)
{
	struct mpi_message out;
	uint32_t handle = 7;

	add(7, 70);
	mpi_probed_add(9, &(struct mpi_message){.node = 90});
	mpi_requests_forget();
	CALL(wait, (uint64_t)&handle, (uint64_t)statuses);
	cr_assert_eq(count, 0);
	cr_assert_eq(mpi_probed_take(9, &out), -1);
	add(7, 71);
	CALL(wait, (uint64_t)&handle, (uint64_t)statuses);
	cr_assert_eq(count, 1);
	cr_assert_eq(told[0].message.node, 71);
}

Test(mpi_requests, a_handle_that_is_used_again_is_the_new_request)
{
	uint32_t handle = 7;

	add(7, 70);
	add(7, 71);
	CALL(wait, (uint64_t)&handle, (uint64_t)statuses);
	cr_assert_eq(count, 1);
	cr_assert_eq(told[0].message.node, 71);
	CALL(wait, (uint64_t)&handle, (uint64_t)statuses);
	cr_assert_eq(count, 0);
}

Test(mpi_requests, more_than_can_be_tracked_are_counted)
{
	const struct mpi_message message = {.node = 1};
	uint64_t added = 0, untracked = 0;

	for (uint64_t i = 1; i <= 70000; i++)
		if (mpi_request_add(i, &message) == 0)
			added++;
		else
			untracked++;
	cr_assert_leq(added, 1 << 16);
	cr_assert_gt(added, 1 << 15);
	cr_assert_eq(atomic_load(&col.count.mpi_untracked), untracked);
	mpi_requests_forget();
	for (uint64_t i = 100000; i < 110000; i++)
		cr_assert_eq(mpi_request_add(i, &message), 0, "places of old ones are free");
}

/* The list of threads of a session: which threads are in it, and whose events are closed. */
#include "sampler/threads.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <unistd.h>

/* Any open descriptor. */
static int open_one(void)
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static int is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static void give_events(struct thread *thread, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		thread->events[thread->event_count++] = open_one();
}

Test(threads, an_entry_is_new_and_has_room)
{
	struct threads threads = {0};
	struct thread *one = threads_add(&threads, gettid(), 77, 3);

	cr_assert(one != NULL);
	cr_assert_eq(one->tid, gettid());
	cr_assert_eq(one->born, 77);
	cr_assert_eq(one->event_count, 0);
	cr_assert_eq(threads.count, 1);
	give_events(one, 3);
	threads_close(&threads);
}

Test(threads, closing_closes_all_events)
{
	struct threads threads = {0};
	int first[3], second[2];
	struct thread *one = threads_add(&threads, gettid(), 1, 3),
		      *two = threads_add(&threads, getppid(), 2, 2);

	cr_assert(one && two && one != two);
	give_events(one, 3);
	give_events(two, 2);
	for (int i = 0; i < 3; i++)
		first[i] = one->events[i];
	for (int i = 0; i < 2; i++)
		second[i] = two->events[i];
	threads_remove(&threads, one);
	for (int i = 0; i < 3; i++)
		cr_assert_not(is_open(first[i]), "%d of the removed one", i);
	for (int i = 0; i < 2; i++)
		cr_assert(is_open(second[i]), "%d of the other", i);
	cr_assert_eq(threads.count, 1);
	cr_assert_eq(threads.list[0], two);
	threads_close(&threads);
	for (int i = 0; i < 2; i++)
		cr_assert_not(is_open(second[i]), "%d", i);
}

Test(threads, the_same_thread_has_one_entry)
{
	struct threads threads = {0};
	struct thread *one = threads_add(&threads, 100, 7, 1);

	cr_assert_eq(threads_add(&threads, 100, 7, 1), one);
	cr_assert_neq(threads_add(&threads, 100, 8, 1), one, "a later one of that id");
	cr_assert_neq(threads_add(&threads, 101, 7, 1), one);
	cr_assert_eq(threads.count, 3);
	threads_close(&threads);
}

/* An event whose thread has ended hangs up, as a pipe does without a writer. */
static int open_ended(void)
{
	int fds[2];

	cr_assert_eq(pipe2(fds, O_CLOEXEC), 0);
	close(fds[1]);
	return fds[0];
}

Test(threads, who_has_ended_makes_room_for_others)
{
	enum { ENDED = 16, MANY = 100 };
	struct threads threads = {0};
	struct thread *living[MANY];

	for (int i = 0; i < ENDED; i++) {
		struct thread *thread = threads_add(&threads, 1000 + i, 1, 1);

		thread->events[thread->event_count++] = open_ended();
	}
	cr_assert_eq(threads.count, ENDED);
	for (int i = 0; i < MANY; i++) {
		living[i] = threads_add(&threads, 1 + i, 2, 1);
		cr_assert(living[i] != NULL);
		give_events(living[i], 1);
	}
	cr_assert_eq(threads.count, MANY, "those that live, and all of them");
	for (int i = 0; i < MANY; i++)
		cr_assert_eq(threads.list[i], living[i]);
	threads_close(&threads);
}

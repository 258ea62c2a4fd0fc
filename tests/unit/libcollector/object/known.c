/* Load objects are known by their start address, however many come and go. */
#include "libcollector/object/known.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t address_of(unsigned i)
{
	return 0x7f0000000000u + (uint64_t)i * 0x5000;
}

/* Load it, and unload it again if it is to go. */
static struct object *load(unsigned i, int goes)
{
	int made;
	struct object *object = known_entry(address_of(i), &made);

	cr_assert_not_null(object, "%u", i);
	cr_assert_eq(atomic_load(&object->start), address_of(i));
	cr_assert_eq(made, 1, "%u", i);
	atomic_store(&object->gone, goes ? KNOWN_GONE : 0);
	return object;
}

static struct object *find(unsigned i)
{
	int made;
	struct object *object = known_entry(address_of(i), &made);

	cr_assert_eq(made, 0, "%u", i);
	return object;
}

Test(known, an_object_has_one_entry)
{
	struct object *first = load(1, 0), *second = load(2, 0);

	cr_assert_neq(first, second);
	cr_assert_eq(find(1), first);
	cr_assert_eq(find(2), second);
	cr_assert_eq(known_count(), 2);
	cr_assert(known_is_there(first));
	atomic_store(&first->gone, KNOWN_GONE);
	cr_assert_not(known_is_there(first));
	cr_assert_eq(find(1), first, "it may come back");
}

Test(known, there_is_room_for_so_many_at_a_time)
{
	int made;

	for (unsigned i = 0; i < KNOWN_MAX; i++)
		load(i, 0);
	cr_assert_null(known_entry(address_of(KNOWN_MAX), &made));
	cr_assert_eq(known_count(), KNOWN_MAX);
	atomic_store(&find(17)->gone, KNOWN_GONE);
	load(KNOWN_MAX, 0);
	cr_assert_null(known_entry(address_of(17), &made), "its entry was given away");
	for (unsigned i = 0; i <= KNOWN_MAX; i++)
		if (i != 17)
			find(i);
}

static double cpu_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static double time_of(unsigned first, unsigned count)
{
	double begin = cpu_us();

	for (unsigned i = first; i < first + count; i++)
		load(i, 1);
	return (cpu_us() - begin) / count;
}

/* A thousand stay; others come, each at an address of its own, and go. */
Test(known, any_number_may_come_and_go)
{
	enum { STAY = 1000, SOME = 100000, MANY = 1000000 };
	double some, many;

	for (unsigned i = 0; i < STAY; i++)
		load(i, 0);
	some = time_of(STAY, SOME);
	many = time_of(STAY + SOME, MANY);
	cr_assert_lt(many, 3 * some, "%.3f us became %.3f us", some, many);
	for (unsigned i = 0; i < STAY; i++)
		cr_assert(known_is_there(find(i)));
	cr_assert_eq(known_count(), KNOWN_MAX);
}

enum { THREADS = 4, EACH = 50000 };

static void *come_and_go(void *number)
{
	unsigned first = 10000 + EACH * (unsigned)(uintptr_t)number;
	int made;

	for (unsigned i = first; i < first + EACH; i++) {
		struct object *object = known_entry(address_of(i), &made);

		if (!object || !made || atomic_load(&object->start) != address_of(i))
			return "an entry that this thread has made is not there";
		if (known_entry(address_of(i), &made) != object || made)
			return "it is not found again";
		atomic_store(&object->gone, KNOWN_GONE);
		if (!known_is_there(known_entry(address_of(i % 1000), &made)) || made)
			return "one that stays is not found";
	}
	return NULL;
}

Test(known, threads_find_what_stays, .timeout = 60)
{
	pthread_t threads[THREADS];
	void *failure;

	for (unsigned i = 0; i < 1000; i++)
		load(i, 0);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, come_and_go, (void *)i);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &failure);
		cr_assert_null(failure, "%s", (char *)failure);
	}
}

static atomic_int is_over;

static void *come_and_go_on(void *unused)
{
	int made;

	for (unsigned i = 2 * KNOWN_MAX; !atomic_load(&is_over); i++) {
		struct object *object = known_entry(address_of(i), &made);

		if (object)
			atomic_store(&object->gone, KNOWN_GONE);
	}
	return unused;
}

enum { STAY_AT_FORK = 1000 };

/* What is wrong in a child whose parent had another thread in the middle of the table; 0: nothing.
 */
static int wrong_in_child(void)
{
	unsigned free_entries = 0;
	int made;

	known_restart();
	for (unsigned i = 0; i < KNOWN_MAX; i++)
		if (atomic_load(&known_objects[i].gone) == KNOWN_TAKEN)
			return 1;
	for (unsigned i = 0; i < STAY_AT_FORK; i++)
		if (!known_is_there(known_entry(address_of(i), &made)) || made)
			return 2;
	for (unsigned i = 0; known_entry(address_of(100 * KNOWN_MAX + i), &made); i++)
		free_entries++;
	/* The other thread may have had one that it had not yet let go. */
	return free_entries + STAY_AT_FORK + 1 < KNOWN_MAX ? 3 : 0;
}

Test(known, a_fork_in_the_middle_loses_no_entry, .timeout = 60)
{
	pthread_t thread;

	for (unsigned i = 0; i < KNOWN_MAX; i++)
		load(i, i >= STAY_AT_FORK);
	cr_assert_eq(pthread_create(&thread, NULL, come_and_go_on, NULL), 0);
	for (int i = 0; i < 300; i++) {
		pid_t child = fork();
		int status;

		if (child == 0)
			_exit(wrong_in_child());
		cr_assert_eq(waitpid(child, &status, 0), child);
		cr_assert_eq(status, 0, "fork %d: %#x", i, (unsigned)status);
	}
	atomic_store(&is_over, 1);
	pthread_join(thread, NULL);
}

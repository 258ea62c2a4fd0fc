/* hashtable.c: entries are found while others come and go, also in other threads and in handlers.
 */
#include "libcollector/base/hashtable.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static struct hashtable table;

static void expect(uint64_t key, uint32_t hash, uint32_t value)
{
	cr_assert_eq(hashtable_find(&table, key, hash), value, "key %llu", (unsigned long long)key);
}

Test(hashtable, entries_are_found_changed_and_removed)
{
	const uint64_t longest = ((uint64_t)1 << HASHTABLE_KEY_BITS) - 1;
	const uint32_t largest = (1u << HASHTABLE_VALUE_BITS) - 1;

	expect(1, 1, 0);
	cr_assert_eq(hashtable_add(&table, 1, 1, 5), 0);
	cr_assert_eq(hashtable_add(&table, longest, UINT32_MAX, largest), 0);
	expect(1, 1, 5);
	expect(longest, UINT32_MAX, largest);
	expect(2, 1, 0);
	cr_assert(!hashtable_replace(&table, 1, 1, 4, 6), "it has another value");
	cr_assert(hashtable_replace(&table, 1, 1, 5, 6));
	expect(1, 1, 6);
	cr_assert(!hashtable_remove(&table, 1, 1, 5));
	cr_assert(hashtable_remove(&table, 1, 1, 6));
	cr_assert(!hashtable_remove(&table, 1, 1, 6));
	expect(1, 1, 0);
	expect(longest, UINT32_MAX, largest);
}

/* All of them want the same bucket. */
Test(hashtable, a_full_bucket_leads_to_the_next_ones)
{
	enum { KEYS = 100 };

	for (uint32_t i = 1; i <= KEYS; i++)
		cr_assert_eq(hashtable_add(&table, i, 3, i), 0);
	for (uint32_t i = 1; i <= KEYS; i++)
		expect(i, 3, i);
	/* Those in front go; those behind are still found. */
	for (uint32_t i = 1; i <= KEYS - 5; i++)
		cr_assert(hashtable_remove(&table, i, 3, i));
	for (uint32_t i = 1; i <= KEYS; i++)
		expect(i, 3, i > KEYS - 5 ? i : 0);
}

Test(hashtable, it_grows)
{
	enum { KEYS = 100000 };

	for (uint32_t i = 1; i <= KEYS; i++)
		cr_assert_eq(hashtable_add(&table, i, i * 7, i), 0);
	for (uint32_t i = 1; i <= KEYS; i++)
		expect(i, i * 7, i);
	for (uint32_t i = 1; i <= KEYS; i++)
		cr_assert(hashtable_remove(&table, i, i * 7, i));
	for (uint32_t i = 1; i <= KEYS; i++)
		expect(i, i * 7, 0);
}

/* Nothing is left behind that would make searches longer, or the table larger. */
Test(hashtable, entries_that_come_and_go_for_ever_take_no_space)
{
	for (uint32_t i = 1; i <= 3000000; i++) {
		uint32_t key = i & 0xfffff;

		cr_assert_eq(hashtable_add(&table, key + 1, key, 1), 0);
		if (i > 50)
			cr_assert(hashtable_remove(&table, ((i - 50) & 0xfffff) + 1,
			                           (i - 50) & 0xfffff, 1));
	}
	cr_assert_not_null(atomic_load(&table.level[0]));
	cr_assert_null(atomic_load(&table.level[1]));
}

Test(hashtable, a_walk_sees_each_entry)
{
	enum { KEYS = 1000 };
	static unsigned char seen[KEYS + 1];
	struct hashtable_entry entry;
	uint32_t place = 0;
	int found, count = 0;

	cr_assert_eq(hashtable_next(&table, &place, 10, &entry), -1);
	for (uint32_t i = 1; i <= KEYS; i++)
		hashtable_add(&table, i, i * 11, i * 2);
	while ((found = hashtable_next(&table, &place, 10, &entry)) >= 0) {
		if (!found)
			continue;
		cr_assert(entry.key >= 1 && entry.key <= KEYS);
		cr_assert_eq(entry.value, entry.key * 2);
		cr_assert_eq(seen[entry.key]++, 0);
		count++;
	}
	cr_assert_eq(count, KEYS);
}

Test(hashtable, a_forked_child_has_none)
{
	int status;
	pid_t child;

	hashtable_add(&table, 7, 7, 7);
	child = fork();
	if (child == 0)
		_exit(hashtable_find(&table, 7, 7) != 0 || hashtable_add(&table, 7, 7, 8) != 0 ||
		      hashtable_find(&table, 7, 7) != 8);
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0);
	expect(7, 7, 7);
}

/* ---- many at once */

enum { THREADS = 4, ROUNDS = 200000, KEPT = 300 };

static atomic_int stop, failures;

static void add_and_remove(uint32_t base)
{
	uint32_t key = base + 1;

	if (hashtable_add(&table, key, key % 50, 9) != 0 ||
	    hashtable_find(&table, key, key % 50) != 9 ||
	    !hashtable_remove(&table, key, key % 50, 9))
		atomic_fetch_add(&failures, 1);
}

static void *come_and_go(void *number)
{
	for (uint32_t i = 0; i < ROUNDS; i++)
		add_and_remove((uint32_t)(uintptr_t)number * ROUNDS * 2 + i);
	return NULL;
}

static void *search(void *unused)
{
	while (!atomic_load(&stop))
		for (uint32_t i = 1; i <= KEPT; i++)
			if (hashtable_find(&table, i, i % 50) != i)
				atomic_fetch_add(&failures, 1);
	return unused;
}

static void on_alarm(int signal)
{
	static uint32_t key = 1 << 30;

	(void)signal;
	add_and_remove(++key);
}

Test(hashtable, threads_and_handlers_do_not_disturb_each_other, .timeout = 60)
{
	struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
	pthread_t threads[THREADS], searcher;

	for (uint32_t i = 1; i <= KEPT; i++)
		hashtable_add(&table, i, i % 50, i);
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &often, NULL);
	pthread_create(&searcher, NULL, search, NULL);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, come_and_go, (void *)(i + 1));
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	atomic_store(&stop, 1);
	pthread_join(searcher, NULL);
	setitimer(ITIMER_REAL, &never, NULL);
	cr_assert_eq(atomic_load(&failures), 0);
	for (uint32_t i = 1; i <= KEPT; i++)
		expect(i, i % 50, i);
}

/* run_timer.c: timers of a report: the time between an event that starts a key and one that ends
 * it. */
#include "template/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { CAPACITY_MIN = 64, MSEC_FROM_USEC = 10000 };

static uint64_t hash(const uint64_t key[2])
{
	uint64_t mixed = (key[0] * 0x9e3779b97f4a7c15u) ^
	                 (key[1] + 0x7f4a7c15u) * 0xc2b2ae3d27d4eb4fu;

	return mixed ^ mixed >> 29;
}

/* The timer of a key, or where it would stand. The table is never full. */
static struct run_timer *find(struct run_timer *timers, size_t capacity, const uint64_t key[2])
{
	size_t at = hash(key) & (capacity - 1);

	while (timers[at].is_used && (timers[at].key[0] != key[0] || timers[at].key[1] != key[1]))
		at = (at + 1) & (capacity - 1);
	return &timers[at];
}

static int grow(struct template_run *run)
{
	size_t capacity = run->timer_capacity ? run->timer_capacity * 2 : CAPACITY_MIN;
	struct run_timer *timers;

	if (run->timer_count * 2 < run->timer_capacity)
		return 0;
	timers = calloc(capacity, sizeof(*timers));
	if (!timers)
		return -ENOMEM;
	for (size_t i = 0; i < run->timer_capacity; i++)
		if (run->timers[i].is_used)
			*find(timers, capacity, run->timers[i].key) = run->timers[i];
	free(run->timers);
	run->timers = timers;
	run->timer_capacity = capacity;
	return 0;
}

void run_timer_start(struct template_run *run, const uint64_t key[2])
{
	struct run_timer *timer;

	if (run->timer_count == RUN_TIMERS_MAX || grow(run) < 0) {
		timer = run->timer_capacity ? find(run->timers, run->timer_capacity, key) : NULL;
		if (!timer || !timer->is_used) {
			run_note(run, "too many timers");
			return;
		}
	}
	timer = find(run->timers, run->timer_capacity, key);
	run->timer_count += !timer->is_used;
	*timer = (struct run_timer){
		.key = {key[0], key[1]}, .time_ns = run->event->time_ns, .is_used = 1};
}

/* Free the place of a timer. Those behind it that find() would not come to any more move up. */
static void drop(struct template_run *run, struct run_timer *timer)
{
	size_t mask = run->timer_capacity - 1, hole = (size_t)(timer - run->timers);

	for (size_t at = (hole + 1) & mask; run->timers[at].is_used; at = (at + 1) & mask) {
		size_t home = hash(run->timers[at].key) & mask;

		if (((at - home) & mask) < ((at - hole) & mask))
			continue;
		run->timers[hole] = run->timers[at];
		hole = at;
	}
	run->timers[hole].is_used = 0;
	run->timer_count--;
}

void run_timer_end(struct template_run *run, const uint64_t key[2])
{
	struct run_timer *timer = run->timer_capacity ? find(run->timers, run->timer_capacity, key)
	                                              : NULL;
	char text[48];
	uint64_t usec;
	int is_msec;

	if (!timer || !timer->is_used)
		return;
	usec = run->event->time_ns > timer->time_ns ? (run->event->time_ns - timer->time_ns) / 1000
	                                            : 0;
	drop(run, timer);
	is_msec = usec >= MSEC_FROM_USEC;
	run_put(run, text,
	        (size_t)snprintf(text, sizeof(text), "[%llu %s] ",
	                         (unsigned long long)(is_msec ? usec / 1000 : usec),
	                         is_msec ? "msec" : "usec"));
}

/* threads.c: see threads.h. Owns the events' descriptors. Also finds out when a thread was born. */
#include "sampler/threads.h"

#include "sampler/ring.h"
#include "sampler/session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_CAPACITY = 16, START_FIELD = 22 /* of /proc/TID/stat, see proc(5) */ };

static void destroy(struct thread *thread)
{
	for (unsigned i = 0; i < thread->event_count; i++)
		close(thread->events[i]);
	free(thread->events);
	free(thread);
}

/* An event hangs up when its thread has ended. */
static int has_ended(const struct thread *thread)
{
	struct pollfd event = {.fd = thread->event_count > 0 ? thread->events[0] : -1};

	return poll(&event, 1, 0) > 0 && (event.revents & POLLHUP);
}

static void drop_ended(struct threads *threads)
{
	size_t kept = 0;

	for (size_t i = 0; i < threads->count; i++) {
		if (has_ended(threads->list[i]))
			destroy(threads->list[i]);
		else
			threads->list[kept++] = threads->list[i];
	}
	threads->count = kept;
}

static int make_room(struct threads *threads)
{
	size_t capacity = threads->capacity ? 2 * threads->capacity : FIRST_CAPACITY;
	struct thread **list;

	if (threads->count < threads->capacity)
		return 0;
	drop_ended(threads);
	if (threads->count < threads->capacity / 2)
		return 0;
	list = realloc(threads->list, capacity * sizeof(struct thread *));
	if (!list)
		return -ENOMEM;
	threads->list = list;
	threads->capacity = capacity;
	return 0;
}

struct thread *threads_add(struct threads *threads, pid_t tid, uint64_t born, unsigned events)
{
	struct thread *thread;

	for (size_t i = 0; i < threads->count; i++)
		if (threads->list[i]->tid == tid && threads->list[i]->born == born)
			return threads->list[i];
	if (make_room(threads) < 0)
		return NULL;
	thread = calloc(1, sizeof(*thread));
	if (!thread)
		return NULL;
	thread->tid = tid;
	thread->born = born;
	thread->events = calloc(events, sizeof(*thread->events));
	if (!thread->events) {
		free(thread);
		return NULL;
	}
	threads->list[threads->count++] = thread;
	return thread;
}

void threads_remove(struct threads *threads, struct thread *thread)
{
	size_t i = 0;

	while (threads->list[i] != thread)
		i++;
	threads->list[i] = threads->list[--threads->count];
	destroy(thread);
}

void thread_enable(const struct thread *thread, int on)
{
	for (unsigned i = 0; i < thread->event_count; i++)
		ring_event_enable(thread->events[i], on);
}

void threads_enable(struct threads *threads, int on)
{
	for (size_t i = 0; i < threads->count; i++)
		thread_enable(threads->list[i], on);
}

void threads_close(struct threads *threads)
{
	for (size_t i = 0; i < threads->count; i++)
		destroy(threads->list[i]);
	free(threads->list);
	*threads = (struct threads){0};
}

int thread_started(pid_t tid, uint64_t *born)
{
	char path[48], text[1024];
	const char *at;
	ssize_t size;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -ESRCH;
	size = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (size <= 0)
		return -ESRCH;
	text[size] = '\0';
	/* The second field is a name, which may hold blanks and parentheses; the state follows it.
	 */
	at = strrchr(text, ')');
	for (int field = 2; at && field < START_FIELD; field++) {
		at = strchr(at, ' ');
		at += at != NULL;
	}
	if (!at)
		return -ESRCH;
	*born = strtoull(at, NULL, 10);
	return 0;
}

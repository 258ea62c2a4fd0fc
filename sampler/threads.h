/* threads.h: the threads that are attached to a session, and their events. */
#ifndef XER_SAMPLER_THREADS_H
#define XER_SAMPLER_THREADS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct thread {
	pid_t tid;
	uint64_t born; /* with tid: which thread */
	int *events;   /* [event_count], one a CPU */
	unsigned event_count;
};

/* All zeros: none. */
struct threads {
	struct thread **list;
	size_t count, capacity;
};

/* The entry of a thread; a new one has no events yet, and room for `events`. Those of threads that
 * have ended are dropped when room is needed. NULL without memory. */
struct thread *threads_add(struct threads *threads, pid_t tid, uint64_t born, unsigned events);
void threads_remove(struct threads *threads, struct thread *thread);
void threads_enable(struct threads *threads, int on);
void thread_enable(const struct thread *thread, int on);
void threads_close(struct threads *threads);

#endif

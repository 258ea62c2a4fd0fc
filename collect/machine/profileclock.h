/* profileclock.h: which of the kernel's clocks takes the clock samples of xcollect -p. The recorder
 * decides that for each process; here it is found out beforehand, for the user.
 * See doc/decisions/85-clock.md. */
#ifndef XER_COLLECT_MACHINE_PROFILECLOCK_H
#define XER_COLLECT_MACHINE_PROFILECLOCK_H

#include <stddef.h>
#include <stdint.h>

struct profileclock {
	enum {
		PROFILECLOCK_NONE,     /* there are no clock samples */
		PROFILECLOCK_PERF,     /* perf events; the others: CPU timers, since */
		PROFILECLOCK_PARANOID, /* the kernel does not permit perf events */
		PROFILECLOCK_REFUSED,  /* something else refuses them, such as a seccomp profile */
		PROFILECLOCK_KERNEL    /* the kernel is too old */
	} kind;
	int error;        /* of perf_event_open, 0: none */
	int paranoid;     /* kernel.perf_event_paranoid, -2: unknown */
	uint64_t tick_ns; /* 0: unknown */
};

/* Find out which clock a program gets that this process starts. One that runs already has the same,
 * if the kernel permits it as much. */
void profileclock_find(struct profileclock *out);

/* How many filters of system calls this process has, and so what it starts: a container has one. */
uint64_t profileclock_filters(void);

/* What is recorded of it: a word. */
const char *profileclock_name(const struct profileclock *clock);

/* If there are fewer samples than an interval of `us` asks for, say so and why in text[size], and
 * return true. */
int profileclock_explain(const struct profileclock *clock, uint64_t us, char *text, size_t size);

#endif

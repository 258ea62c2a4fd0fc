/* tick_arm.h: which threads tick, and how, as the handlers of their signals (tick.c) have to know
 * it. All of it is signal-safe. */
#ifndef XER_COLLECTOR_PROFILE_TICK_ARM_H
#define XER_COLLECTOR_PROFILE_TICK_ARM_H

#include "libcollector/profile/tick_sample.h"
#include "libcollector/thread/signals.h"
#include "libcollector/thread/thread.h"

/* The signal of timers has its handler, and this one is for that of perf events: threads may tick
 * from now on. NULL: they may not. */
void tick_handle_trap(signals_handler *handler);

/* All threads of the process that there are have an event, when none is found any more that has
 * none: so will have those that they create. */
void tick_cover_threads(void);

/* Why the calling thread ticks by its timer. */
enum tick_reason tick_reason_of_timer(const struct col_thread *thread);

/* Are the events still there? Otherwise, or if `for_tracer` and a debugger has come, others take
 * their place. The opening thread watches, and once a second any thread that ticks. */
void tick_watch(struct col_thread *thread, int for_tracer);

/* The opening thread's timer comes often, to see its descriptors; a look at /proc costs more. */
int tick_is_look_due(const struct col_thread *thread);

/* A debugger that keeps SIGTRAP from the program takes its ticks away, while the opening thread may
 * sleep for ever. So the calling thread, which works, has a timer too: a debugger lets those
 * through. */
void tick_look_from_here(struct col_thread *thread);

/* Is there a thread with such a timer, or is it the opening thread? */
int tick_has_looker(const struct col_thread *thread);

#endif

/* signals_part.h: what the parts of signals.h share: our signals, and what the program has for
 * them. All of it is signal-safe. */
#ifndef XER_COLLECTOR_SIGNALS_PART_H
#define XER_COLLECTOR_SIGNALS_PART_H

#include "libcollector/base/collector.h"
#include "libcollector/thread/signals.h"

#include <string.h>

enum { SIGNALS_OWNED_MAX = 4 };

/* A signal of the recorder. */
struct signals_owned {
	int signal; /* 0: none yet */
	signals_handler *handler;
	struct sigaction program;   /* what the program has installed for it, in its view */
	atomic_uint program_blocks; /* it has asked to block it, perhaps with all others */
};

extern struct signals_owned signals_owned[SIGNALS_OWNED_MAX] __attribute__((visibility("hidden")));

/* All of them. */
extern sys_sigset signals_owned_set __attribute__((visibility("hidden")));

/* NULL: it is not ours. */
struct signals_owned *signals_find(int signal);

/* Our handler runs on alternate stacks if the program's own handler of the same signal does: then
 * the program may have stacks without space for a signal frame, right beside other data, as Go has.
 * Returns 0 or -errno. */
int signals_set_action(int signal, const struct signals_owned *ours);

/* The action for SIGBUS has changed: tell the watcher, if there is one. */
void signals_sigbus_changed(struct sigaction *old);
int signals_sigbus_is_watched(void);

/* A child of vfork works in its parent's memory: what it changes for itself must not change the
 * parent's view. */
static inline int signals_is_sharer(void)
{
	return sys_getpid() != col.pid;
}

/* The C library's set has more signals than there are; the kernel's set is its beginning. */
static inline sys_sigset signals_kernel_set(const sigset_t *set)
{
	sys_sigset value;

	memcpy(&value, set, sizeof(value));
	return value;
}

static inline void signals_set_kernel_set(sigset_t *set, sys_sigset value)
{
	memcpy(set, &value, sizeof(value));
}

static inline struct sigaction signals_of_kernel(const struct sys_sigaction *action)
{
	struct sigaction same = {.sa_flags = (int)(action->flags & ~(unsigned long)SYS_RESTORER)};

	same.sa_sigaction = action->handler;
	signals_set_kernel_set(&same.sa_mask, action->mask);
	return same;
}

#endif

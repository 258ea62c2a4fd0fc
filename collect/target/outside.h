/* outside.h: a program that no library can be loaded into, because it has no loader or another one,
 * is sampled from outside: by --sampler and -h only. */
#ifndef XER_COLLECT_TARGET_OUTSIDE_H
#define XER_COLLECT_TARGET_OUTSIDE_H

#include "collect/options/options.h"
#include "collect/target/target.h"

/* Turn off what is recorded from inside, and say so on stderr. Returns 0, or 126 with `cause`:
 * nothing else was asked for. */
int outside_prepare(struct request *request, const struct target *target, struct cause *cause);

/* After sampler_prepare: timers are set from inside. Returns 0, or 126 with `cause`: nothing is
 * left. */
int outside_check(struct request *request, const struct target *target, struct cause *cause);

#endif

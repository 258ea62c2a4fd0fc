/* environment.h: what the program inherits so that libcollector records it. */
#ifndef XER_COLLECT_EXPERIMENT_ENVIRONMENT_H
#define XER_COLLECT_EXPERIMENT_ENVIRONMENT_H

#include "collect/base/cause.h"
#include "collect/machine/clock.h"
#include "collect/options/options.h"

#include <limits.h>

/* The parts of Xer that a recording needs, found relative to the running xcollect. */
struct installation {
	char library[PATH_MAX];   /* libcollector.so */
	char library32[PATH_MAX]; /* the same for programs of 32 bits, empty if it is not there */
	char archive[PATH_MAX];   /* xer_archive, empty if it is not there */
	char helper[PATH_MAX];    /* xer_attach, empty if it is not there */
	char sampler[PATH_MAX];   /* xer_sampler, empty if it is not there */
	char print[PATH_MAX];     /* xer_print, empty if it is not there */
	char collect[PATH_MAX];   /* xcollect itself */
};

/* Returns 0, or 125 with `cause` if the library is missing or its path cannot stand in LD_PRELOAD.
 */
int environment_find_installation(struct installation *out, struct cause *cause);

/* The variable that tells libcollector what to do, in static memory; NULL if a path in it is too
 * long. */
char *environment_descriptor(const struct installation *installation, const struct request *request,
                             const struct clock_source *clock, const struct clock_moment *start,
                             const char *directory);

/* Build the target's environment from the present one.
 *   start       the moment from which times count
 *   directory   absolute path of the experiment
 *   bits        32 or 64: which library is to be preloaded
 * Returns a NULL-terminated array that lives until exec, or NULL with `cause`. */
char **environment_build(const struct installation *installation, const struct request *request,
                         const struct clock_source *clock, const struct clock_moment *start,
                         const char *directory, int bits, struct cause *cause);

#endif

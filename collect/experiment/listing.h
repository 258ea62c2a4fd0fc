/* listing.h: the list of settings that -v and -n print. */
#ifndef XER_COLLECT_EXPERIMENT_LISTING_H
#define XER_COLLECT_EXPERIMENT_LISTING_H

#include "collect/options/options.h"
#include "collect/target/target.h"

#include <stdio.h>

struct listing {
	const struct request *request;
	const struct target *target;
	const char *experiment; /* name of its directory */
	const char *library;    /* path of the recorder */
};

/* One line for each setting: "LABEL        VALUE". Settings that were not asked for and have no
 * default (from, to, limit, ...) have no line. */
void listing_print(const struct listing *listing, FILE *out);

#endif

/* source.h: find and read a source file. */
#ifndef XER_EXPERIMENT_SYMBOLS_SOURCE_H
#define XER_EXPERIMENT_SYMBOLS_SOURCE_H

#include "experiment/experiment.h"
#include "experiment/symbols/paths.h"

enum exp_source_origin {
	EXP_SOURCE_MAPPED,   /* where a map says */
	EXP_SOURCE_ARCHIVED, /* in the archives of an experiment */
	EXP_SOURCE_RECORDED, /* where the compiler found it */
	EXP_SOURCE_SEARCHED, /* in a directory of the search list */
	EXP_SOURCE_SERVED    /* by a debuginfod server */
};

/* What to look for. */
struct exp_source_query {
	const struct exp_paths *paths;
	const struct experiment *const
		*experiments; /* experiments[experiment_count], for their archives */
	size_t experiment_count;
	const char *path;     /* as the debug information has it */
	const char *build_id; /* of an object that was compiled from it, for servers; NULL or "":
	                         unknown */
	/* Called for every place without it; NULL: no call. */
	void (*tried)(void *context, enum exp_source_origin origin, const char *place);
	void *context;
};

struct exp_source {
	char *text; /* text[size] and a NUL; exp_source_fini frees it */
	size_t size;
	char *path;
	enum exp_source_origin origin;
	int64_t modified_s; /* time of its last change */
};

/* Read a source file: mapped, archived, recorded, searched, served, in this order. Returns 0,
 * -ENOENT, -EFBIG (the file has more than 64 MiB) or -ENOMEM. */
int exp_source_open(const struct exp_source_query *query, struct exp_source *out);
void exp_source_fini(struct exp_source *source);

#endif

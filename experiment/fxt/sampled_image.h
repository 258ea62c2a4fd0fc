/* sampled_image.h: the programs that processes executed, from map.fxt. */
#ifndef XER_EXPERIMENT_FXT_SAMPLED_IMAGE_H
#define XER_EXPERIMENT_FXT_SAMPLED_IMAGE_H

#include "experiment/fxt/fxt.h"

struct exp_sampled_text {
	const char *at; /* at[size], NUL-terminated */
	size_t size;
};

/* An image (format/image.def): began, forked, ... */
struct exp_sampled_image {
	uint64_t pid;
	struct exp_sampled_text name; /* as the kernel has it: cut at 15 bytes */
#define IMAGE_NUMBER(name, meaning) uint64_t name;
#define IMAGE_TEXT(name, meaning) struct exp_sampled_text name;
#include "format/image.def"
	uint64_t until;      /* when the next image of the pid begins, UINT64_MAX: there is none */
	const char *lineage; /* NULL: its place in the tree is not known */
	const char *reason;  /* why it had no recorder, if a log says so; else NULL */
	uint32_t log;        /* of its experiment, if it is recorded; else EXP_INDEX_NONE */
	uint32_t unseen;     /* children of which its recorder, if it has one, knows nothing */
	int has_collector;   /* the collector's library is mapped there */
	int is_inside;       /* of another namespace of pids */
	int is_shown;        /* an experiment is to be built from it */
};

/* What a kernel object says about an image. Returns 1, or 0: the record is of another kind. Texts
 * are borrowed from the record. */
int exp_sampled_take(const struct exp_fxt *fxt, const struct exp_fxt_record *record,
                     struct exp_sampled_image *out);

#endif

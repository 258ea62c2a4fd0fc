/* kin.h: descendants that no collector was in: programs that no library can be loaded into, and
 * what those make. The kernel's samples are in the founder's files, and sampler/map.fxt tells who
 * they were. They have no directory: their experiments are made here, of that file, each time that
 * somebody opens them. */
#ifndef XER_EXPERIMENT_OPEN_KIN_H
#define XER_EXPERIMENT_OPEN_KIN_H

#include "experiment/fxt/fxt.h"
#include "experiment/base/hash.h"
#include "experiment/base/internal.h"

struct exp_kin_text {
	const char *at; /* at[size], NUL-terminated */
	size_t size;
};

/* An image (format/image.def): began, forked, ... */
struct exp_kin_image {
	uint64_t pid;
	struct exp_kin_text name; /* as the kernel has it: cut at 15 bytes */
#define IMAGE_NUMBER(name, meaning) uint64_t name;
#define IMAGE_TEXT(name, meaning) struct exp_kin_text name;
#include "format/image.def"
	uint64_t until;      /* when the next image of the pid begins, UINT64_MAX: there is none */
	const char *lineage; /* NULL: its place in the tree is not known */
	const char *reason;  /* why no collector was in it, if somebody knows; else NULL */
	uint32_t log;        /* of its experiment, if it is recorded; else EXP_INDEX_NONE */
	uint32_t unseen;     /* children that its collector, if it has one, knows nothing of */
	int has_collector;   /* the collector's library is mapped there */
	int is_inside;       /* of another namespace of pids */
	int is_shown;        /* an experiment is to be made of it */
};

/* Images in order of pids, and then of their beginnings. */
struct exp_kin {
	struct exp_kin_image *images;
	size_t count, capacity;
	struct exp_kin_image **by_time; /* in order of their beginnings */
	struct exp_hash shown;          /* those of which experiments are made, by lineage */
};

/* What a kernel object tells of an image. Returns 1, or 0: the record is of another kind. Texts are
 * borrowed from the record. */
int exp_kin_take(const struct exp_fxt *fxt, const struct exp_fxt_record *record,
                 struct exp_kin_image *out);

/* The last image of a pid that began by then; NULL if there is none. */
struct exp_kin_image *exp_kin_at(const struct exp_kin *kin, uint64_t pid, uint64_t time_ns);

/* The image before this one in the same process; NULL if none is told. */
struct exp_kin_image *exp_kin_before(const struct exp_kin *kin, const struct exp_kin_image *image);

/* Name the images by the logs of the experiments that are there (kinnames.c). Returns 0 or -ENOMEM.
 */
int exp_kin_name(struct experiment *founder, struct exp_kin *kin);

/* Find those of a founder whose descendants are listed: they are added to the list. Returns 0 or
 * -ENOMEM. */
int exp_kin_read(struct experiment *founder);
void exp_kin_forget(struct experiment *founder);

/* Make the experiment of such a descendant: fills info, clock and map. Returns 0, -ENOENT (there is
 * no such) or -ENOMEM. */
int exp_kin_make(const struct experiment *founder, struct experiment *descendant);

#endif

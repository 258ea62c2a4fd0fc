/* fxtindex.h: where the records of a process are in the files of xcollect --sampler, which have
 * those of all processes.
 *
 * Each experiment of a tree reads the records of its own process. The first one that reads a whole
 * file notes which processes each part of it is about; the others skip parts without records of
 * their processes, so that the time for reading a tree does not grow with its square. The notes
 * belong to the founder and all experiments that were opened with it. */
#ifndef XER_EXPERIMENT_FXT_FXTINDEX_H
#define XER_EXPERIMENT_FXT_FXTINDEX_H

#include "experiment/fxt/fxt.h"

struct exp_fxtindexes; /* of the files of a founder */

/* Another owner of them; NULL: new ones. Returns NULL if there is no memory. Thread-safe, like all
 * here. */
struct exp_fxtindexes *exp_fxtindexes_share(struct exp_fxtindexes *indexes);
void exp_fxtindexes_release(struct exp_fxtindexes *indexes);

/* A walk over the records of a file. All zeros but for its first members: at the beginning. */
struct exp_fxtwalk {
	struct exp_fxt *fxt; /* which stands at the beginning */
	uint64_t process;    /* whose records are wanted; others may come too. 0: all are */
	struct exp_fxtindex *index;
	int is_making;  /* it is made by this walk */
	int is_useless; /* what is made */
	size_t part;
};

/* Begin one: `where` and `name` name the file, which is open at fd. End it with exp_fxtwalk_end
 * when exp_fxtwalk_next, which returns as exp_fxt_next, has not returned 1. */
void exp_fxtwalk_begin(struct exp_fxtwalk *walk, struct exp_fxtindexes *indexes, const char *where,
                       const char *name, int fd);
int exp_fxtwalk_next(struct exp_fxtwalk *walk, const struct exp_fxt_record **out);
void exp_fxtwalk_end(struct exp_fxtwalk *walk, struct exp_fxtindexes *indexes, int rc);

#endif

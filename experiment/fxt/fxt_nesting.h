/* fxt_nesting.h: do the durations of an FXT file nest? A duration end ends the duration of its
 * thread that was begun last before it in the file, and has the same category and name. */
#ifndef XER_EXPERIMENT_FXT_FXT_NESTING_H
#define XER_EXPERIMENT_FXT_FXT_NESTING_H

#include "experiment/fxt/fxt.h"

struct fxt_nesting;

/* NULL: out of memory. */
struct fxt_nesting *fxt_nesting_create(void);
void fxt_nesting_destroy(struct fxt_nesting *nesting);

/* Take the next record. Returns 0; -EBADMSG and *fault, a text; -ENOMEM. */
int fxt_nesting_take(struct fxt_nesting *nesting, const struct exp_fxt *fxt,
                     const struct exp_fxt_record *record, const char **fault);

/* Durations that are open. */
uint64_t fxt_nesting_open(const struct fxt_nesting *nesting);

#endif

/* verify.h: would an experiment be complete elsewhere? Checks whether its own archive has what its
 * addresses refer to. */
#ifndef XER_EXPERIMENT_ARCHIVE_VERIFY_H
#define XER_EXPERIMENT_ARCHIVE_VERIFY_H

#include "experiment/archive/archive.h"

struct exp_verify;

/* What was looked for so far. */
struct exp_verify_counts {
	size_t objects, debug_files, sources, functions; /* found; JIT functions, with their code */
	size_t missing;
};

/* Begin. options: `match` restricts the objects; `reporter` gets a message for each missing file,
 * as "test.1.er: /bin/ls: not archived", once for all processes of a tree that need it. `what`
 * counts if has_what is set: which objects are needed, and whether sources are; otherwise each
 * experiment says so by its setting. Returns NULL if out of memory or `match` is not a regular
 * expression. */
struct exp_verify *exp_verify_create(const struct exp_archive_options *options, int has_what);
void exp_verify_destroy(struct exp_verify *verify);

/* Check one experiment (not its descendants). Returns the number of things missing, or -ENOMEM. */
int exp_verify_experiment(struct exp_verify *verify, struct experiment *experiment);

const struct exp_verify_counts *exp_verify_counts(const struct exp_verify *verify);

#endif

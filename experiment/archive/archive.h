/* archive.h: make an experiment self-contained: copy what its addresses refer to into
 * FOUNDER/archives. */
#ifndef XER_EXPERIMENT_ARCHIVE_ARCHIVE_H
#define XER_EXPERIMENT_ARCHIVE_ARCHIVE_H

#include "experiment/experiment.h"

#include <regex.h>

/* What to archive: WHAT(NAME, "word", objects, sources, only used, meaning). */
#define EXP_ARCHIVE_WHATS(WHAT) \
	WHAT(OFF, "off", 0, 0, 0, "nothing") \
	WHAT(ON, "on", 1, 0, 0, "all load objects") \
	WHAT(COPY, "copy", 1, 0, 0, "the same as on") \
	WHAT(LDOBJECTS, "ldobjects", 1, 0, 0, "the same as on") \
	WHAT(SRC, "src", 1, 1, 0, \
	     "all load objects, and the sources of functions in recorded stacks") \
	WHAT(USEDLDOBJECTS, "usedldobjects", 1, 0, 1, \
	     "the load objects of recorded stacks (the default)") \
	WHAT(USEDSRC, "usedsrc", 1, 1, 1, "the load objects of recorded stacks, and their sources")

/* Does a text match? Lack of memory is noted (arena.h). */
int exp_regex_matches(const regex_t *regex, const char *text);

enum exp_archive_what {
#define WHAT(name, word, objects, sources, used, meaning) EXP_ARCHIVE_##name,
	EXP_ARCHIVE_WHATS(WHAT)
#undef WHAT
};

struct exp_archive_options {
	enum exp_archive_what what;
	int compresses;     /* copies, where it is worth it */
	int rewrite;        /* replace what is archived already */
	const char *common; /* existing directory that takes the files instead, NULL: the
	                       experiment's own */
	const char *match; /* extended regular expression: only objects whose path it matches; NULL:
	                      all */
	struct exp_reporter reporter; /* called for every file that could not be archived */
};

#define EXP_ARCHIVE_DEFAULT EXP_ARCHIVE_USEDLDOBJECTS

/* The word's value. Returns 0 or -EINVAL. */
int exp_archive_parse(const char *word, enum exp_archive_what *out);

/* What a word asks for. */
struct exp_archive_needs {
	int sources, used_only;
};
struct exp_archive_needs exp_archive_needs(enum exp_archive_what what);

/* Which objects occur in recorded stacks: (*used)[index in experiment_objects], without the
 * recorder's own library; all, if functions were traced. No events are read. The caller frees.
 * Returns 0 or -ENOMEM. */
int exp_archive_find_used(struct experiment *experiment, unsigned char **used);

/* Do the experiment's directory and its founder's belong to the user of this process? Those of
 * another user name files that are not for that user to choose. */
int exp_archive_is_own(const struct experiment *experiment);

/* Archive the objects of one experiment (not of its descendants). Existing files are kept, since
 * they are the same. Several processes may do it at once. Returns the number of files that could
 * not be archived; or -EBUSY (its process still records), -EINVAL (wrong regular expression),
 * -EACCES, -EROFS, -ENOSPC ..., with a readable reason in `cause`. */
int experiment_archive(struct experiment *experiment, const struct exp_archive_options *options,
                       struct exp_cause *cause);

#endif

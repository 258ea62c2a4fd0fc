/* lineage.h: names of descendants' experiments.
 *
 * A lineage is one `_` LETTER NUMBER for each step from the founder: f fork, x exec, c any other
 * way of making a process. "_f3_x1" is the first image that the third forked child executed,
 * "_f3_x2" the second one; its experiment is FOUNDER/_f3_x1.er. The founder's lineage is empty.
 * Signal-safe, no allocation. */
#ifndef XER_FORMAT_LINEAGE_H
#define XER_FORMAT_LINEAGE_H

#include <stddef.h>
#include <stdint.h>

enum { LINEAGE_MAX = 240 }; /* bytes of the text, the NUL included */

/* Append a step to the lineage in text[LINEAGE_MAX]. letter is 'f', 'x' or 'c', number >= 1.
 * Returns 0, -EINVAL or -ENAMETOOLONG; text is unchanged on failure. */
int lineage_append(char *text, char letter, uint32_t number);

/* The lineage of the next image that a process executes: its `_xN` at the end grows by one, else
 * `_x1` is appended. Returns 0 or -ENAMETOOLONG; text is unchanged on failure. */
int lineage_next_image(char *text);

/* Count the last step up by `more`, or by one. Returns 0, -EINVAL (there is none) or -ENAMETOOLONG;
 * text is unchanged on failure. */
int lineage_count_on(char *text, uint32_t more);
int lineage_count_up(char *text);

/* Length of the lineage at the start of `text`; 0 if there is none. "_f3_x1.er" gives 6. */
size_t lineage_parse(const char *text);

/* Name of the directory of a process of an MPI job, by its rank: M_r3.er. Returns 0 or
 * -ENAMETOOLONG. */
int lineage_rank_name(char *out, size_t size, uint32_t rank);

/* Order of lineages: ancestors first; then forks, other ways and executed images, by number (2
 * before 10). What is no lineage compares as if it ended there. Returns a negative number, 0 or a
 * positive one. */
int lineage_compare(const char *left, const char *right);

/* Number of steps of the lineage at the start of `text`; 0 for a founder. */
unsigned lineage_depth(const char *text);

/* True if `name` is a descendant's directory name: a lineage and ".er", nothing else. "M_rN" counts
 * as a lineage of no steps. */
int lineage_is_experiment(const char *name);

#endif

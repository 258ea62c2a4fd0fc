/* paths.h: where to look for files that are not where the experiment says: prefixes that changed,
 * and directories to search. */
#ifndef XER_EXPERIMENT_SYMBOLS_PATHS_H
#define XER_EXPERIMENT_SYMBOLS_PATHS_H

#include <stddef.h>

/* In a list of directories: the experiments themselves. */
#define EXP_PATHS_EXPERIMENTS "$expts"

struct exp_paths;

/* With the list "$expts:." and no maps. NULL if out of memory. */
struct exp_paths *exp_paths_create(void);
void exp_paths_destroy(struct exp_paths *paths);

/* Files below `from` are below `to` now; the last map added is tried first. Only whole components
 * match. Returns 0 or -ENOMEM. */
int exp_paths_map(struct exp_paths *paths, const char *from, const char *to);

/* Replace the list of directories, or add to it; `list` has them joined by ':'. Returns 0 or
 * -ENOMEM. */
int exp_paths_set(struct exp_paths *paths, const char *list);
int exp_paths_add(struct exp_paths *paths, const char *list);

/* The list of directories, and the n-th map, the first one tried first; NULL behind the last. */
const char *exp_paths_list(const struct exp_paths *paths);
const char *exp_paths_map_from(const struct exp_paths *paths, size_t n);
const char *exp_paths_map_to(const struct exp_paths *paths, size_t n);

/* Offer places where the file recorded as `path` may be, in order, until `take` does not return 0:
 * by maps; then in each directory of the list by its whole path, by the path without its first
 * component, and so on to its last component. experiments[count]: what "$expts" means.
 * Returns what `take` returned last. */
int exp_paths_mapped(const struct exp_paths *paths, const char *path,
                     int (*take)(void *context, const char *place), void *context);
int exp_paths_searched(const struct exp_paths *paths, const char *path,
                       const char *const *experiments, size_t count,
                       int (*take)(void *context, const char *place), void *context);

#endif

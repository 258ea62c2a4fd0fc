/* debuginfod.h: ask the servers of DEBUGINFOD_URLS for files, by build-id. Nothing is asked when
 * that variable is unset or the client library is missing. A server that sends nothing for
 * DEBUGINFOD_TIMEOUT seconds (15 if unset) is asked no more. What is not a build-id in lowercase
 * hex is not asked for. */
#ifndef XER_EXPERIMENT_ELF_DEBUGINFOD_H
#define XER_EXPERIMENT_ELF_DEBUGINFOD_H

#include <elfutils/libdwfl.h>

/* The name of a source file's copy in the client's cache, or NULL. The caller frees. */
char *exp_debuginfod_source(const char *build_id, const char *path);

/* The same of the object itself. */
char *exp_debuginfod_object(const char *build_id);

/* The same of its separate debug file, or of a file that such files share, by that one's own
 * build-id. */
char *exp_debuginfod_debug(const char *build_id);

#endif

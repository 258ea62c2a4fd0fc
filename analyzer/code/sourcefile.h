/* sourcefile.h: source files as lines. */
#ifndef XER_ANALYZER_CODE_SOURCEFILE_H
#define XER_ANALYZER_CODE_SOURCEFILE_H

#include "analyzer/data/dataset.h"
#include "analyzer/print/output.h"
#include "experiment/symbols/source.h"

struct source_file {
	const char *name; /* as the debug information has it; borrowed */
	struct exp_source source;
	int status;    /* 0, or the -errno of exp_source_open */
	size_t *lines; /* lines[count]: where each begins */
	size_t count;
	char *tried;     /* places without it, in words; NULL: none */
	size_t searched; /* places of the search path without it */
};

/* The files that one listing needs. */
struct source_files {
	const struct dataset *dataset;
	struct source_file **files;
	size_t count, capacity;
};

/* The file, read when it is first asked for. build_id: of an object made from it, or NULL. `name`
 * is borrowed. */
const struct source_file *source_files_get(struct source_files *files, const char *name,
                                           const char *build_id);
void source_files_fini(struct source_files *files);

/* A line, from 1, as new text with tabs made blanks; NULL: there is no such line. The caller frees.
 */
char *source_file_line(const struct source_file *file, size_t line);

/* Say why a file cannot be shown: the places tried, and what would help. */
void source_file_explain(const struct dataset *dataset, struct output *output, const char *command,
                         const struct source_file *file);

/* Where it was found, in words: "from the archive", ... */
const char *source_file_origin(const struct source_file *file);

/* Note that the file is not the one that was compiled: by its MD5 sum, or if `sum` is NULL, by its
 * time. */
void source_file_check(const struct dataset *dataset, struct output *output,
                       const struct source_file *file, const uint8_t *sum);

/* True if two names mean the same file once "." and ".." are resolved. */
int source_is_same(const char *left, const char *right);

/* True if `file` is called `name`: by its whole path, or by its last components. */
int source_is_called(const char *file, const char *name);

#endif

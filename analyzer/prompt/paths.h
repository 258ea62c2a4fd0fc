/* paths.h: the names of files that complete a path. */
#ifndef XER_ANALYZER_PROMPT_PATHS_H
#define XER_ANALYZER_PROMPT_PATHS_H

#include "analyzer/prompt/words.h"

enum paths_kind { PATHS_FILES, PATHS_DIRECTORIES, PATHS_EXPERIMENTS };

/* Add the files whose path begins with text[len]; ~/ is the home directory. Directories end in a
 * slash, and so go on, but experiments do not. Hidden files are left out unless a dot is typed. */
void paths_complete(enum paths_kind kind, const char *text, size_t len, struct words *out);

#endif

/* complete.h: what may stand next in a line of commands. */
#ifndef XER_ANALYZER_COMPLETE_H
#define XER_ANALYZER_COMPLETE_H

#include "analyzer/prompt/words.h"
#include "analyzer/views/analysis.h"

/* Add the words that may complete text[len], the line up to the cursor: commands, and behind a
 * command what its argument may be, of what the open experiments have. Experiments are read if
 * functions are asked for. */
void complete_line(struct analysis *analysis, const char *text, size_t len, struct words *out);

#endif

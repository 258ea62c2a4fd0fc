/* lines.h: source files of JIT functions; their lines: experiment_function_line. */
#ifndef XER_EXPERIMENT_JIT_LINES_H
#define XER_EXPERIMENT_JIT_LINES_H

#include "experiment/base/internal.h"

/* The file of the line at run-time address pc; NULL: not known. */
const char *exp_function_file(const struct exp_function *function, uint64_t pc);

#endif

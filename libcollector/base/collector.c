/* collector.c: the state of the collector. Until recording starts, its mark says that nothing is
 * recorded.
 * See doc/decisions/15-descriptors.md. */
#include "libcollector/base/collector.h"

static struct col_mark no_mark;

struct collector col = {.mark = &no_mark};

sys_sigset sys_kept_out = ~(sys_sigset)0;

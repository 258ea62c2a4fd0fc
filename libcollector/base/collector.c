/* collector.c: the state of the recorder. Until recording starts, its switches say that nothing is
 * recorded.
 * See doc/decisions/15-descriptors.md. */
#include "libcollector/base/collector.h"

static struct col_switches all_off;

struct collector col = {.switches = &all_off};

sys_sigset sys_kept_out = ~(sys_sigset)0;

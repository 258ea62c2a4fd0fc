/* process.h: a running process that is to be recorded: its description, and whether it can be
 * entered. */
#ifndef XER_COLLECT_RECORD_PROCESS_H
#define XER_COLLECT_RECORD_PROCESS_H

#include "collect/experiment/environment.h"
#include "collect/target/target.h"

/* Describe process `pid` as a target, and check that we may and can enter it, or put into `outside`
 * why not. The process is not changed. Returns 0, 126 (it cannot be recorded), 127 (there is none)
 * or 125, with `cause`; free with target_fini. */
int process_find(pid_t pid, const struct installation *installation, struct target *out,
                 struct cause *cause);

/* Check that the process sees the experiment's directory under the same path, and give it to the
 * user of the process if that is another one. Returns 0 or as above. */
int process_hand_over(const struct target *target, const char *directory, struct cause *cause);

#endif

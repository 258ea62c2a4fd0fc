/* program.h: a program or library as an experiment without events: its functions are the nodes. */
#ifndef XER_EXPERIMENT_PROGRAM_PROGRAM_H
#define XER_EXPERIMENT_PROGRAM_PROGRAM_H

#include "experiment/base/internal.h"
#include "experiment/streams/load_context.h"

/* Take the ELF file at info.path, which stands for an experiment directory. Returns 0, -EBADMSG (it
 * is no program and no shared library), -ENODATA (it has no functions with a name), -ENOMEM or
 * -errno. */
int exp_program_open(struct experiment *experiment);

/* Is it such a program? */
int experiment_is_program(const struct experiment *experiment);

/* Make a node of each function; nothing for an experiment. Returns 0 or -ENOMEM. */
int exp_program_nodes(struct exp_load *load);

#endif

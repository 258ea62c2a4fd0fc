/* fxtlog_internal.h: the samples of an FXT file as the modules share them. */
#ifndef XER_EXPERIMENT_FXT_FXTLOG_INTERNAL_H
#define XER_EXPERIMENT_FXT_FXTLOG_INTERNAL_H

#include "experiment/base/histogram.h"
#include "experiment/fxt/fxt.h"
#include "experiment/fxt/fxtlog.h"
#include "experiment/fxt/fxtstacks.h"
#include "experiment/table/index.h"

/* What is kept of the file while the experiment is open. */
struct exp_fxtlog {
	int fd;
	uint64_t period_ns;         /* that a sample stands for, 0: unknown */
	struct exp_index processes; /* id -> number, which is the generation of its addresses */
	uint32_t process_count;
	struct exp_fxtstacks stacks;
	struct exp_thread *threads; /* names */
	size_t thread_count, thread_capacity;
};

/* Number of a process, made if it is new. Returns UINT32_MAX if there is no memory. */
uint32_t fxtlog_process(struct exp_fxtlog *fxtlog, uint64_t id);

/* Call `visit` for every record. Returns 0, -EBADMSG (the reader's fault is in `fault`), or another
 * -errno. */
int fxtlog_walk(struct exp_fxtlog *fxtlog,
                int (*visit)(void *context, const struct exp_fxt *fxt,
                             const struct exp_fxt_record *record),
                void *context, char *fault, size_t fault_size);

#endif

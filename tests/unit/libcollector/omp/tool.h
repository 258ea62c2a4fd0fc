/* tool.h: for tests of the tool of OpenMP runtimes. The runtime is tests/programs/late/omp.c; the
 * tests make the calls that it would make (runtime.h). */
#ifndef XER_TESTS_OMP_TOOL_H
#define XER_TESTS_OMP_TOOL_H

#include "libcollector/omp/omp.h"
#include "libcollector/omp/ompt_abi.h"

#include "format/record.h"

/* What a recording of OpenMP is made with, and the thread that runs in it. */
extern void *tool_runtime;
extern ompt_frame_t **tool_frame; /* what the runtime tells of the frame of a task */
extern struct col_thread *tool_thread;
extern ompt_start_tool_result_t *tool_made;

/* Begin it, to be ended by scratch_remove. */
void tool_open(void);

/* The records that there are: so many. */
enum { TOOL_RECORDS = 64 };
extern struct fmt_omp tool_records[TOOL_RECORDS];
void tool_load(int expected);

/* One of them is so. */
void tool_is_record(int index, enum fmt_omp_event event, unsigned number, uint32_t region,
                    uint32_t task);
uint64_t tool_duration(int index);
uint64_t tool_other(int index);

/* Take some time, in ticks. */
enum { SPENT = 200000 };
void tool_spend(void);

/* The address of each frame of a node, from the innermost one outwards. Returns their number. */
int tool_pcs(uint32_t node, uint64_t *pcs, int most);

/* Of the thread. */
int tool_state(void);

#endif

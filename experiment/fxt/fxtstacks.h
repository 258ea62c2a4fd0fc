/* fxtstacks.h: samples in FXT files, whoever wrote them: what they say, the nodes of their stacks,
 * and what they count for. */
#ifndef XER_EXPERIMENT_FXT_FXTSTACKS_H
#define XER_EXPERIMENT_FXT_FXTSTACKS_H

#include "experiment/fxt/fxt.h"
#include "experiment/streams/load_context.h"
#include "experiment/table/index.h"

struct exp_fxt_sample {
	uint64_t ns, process, thread;
	const uint64_t *pcs; /* pcs[count], leaf first */
	size_t count;
	int is_cut;    /* frames beyond the last one are missing, though no mark says so */
	int in_kernel; /* the thread was in a system call or a fault of its innermost frame */
};

/* Is the record a sample: a backtrace of Fuchsia's profiler or a blob of its thread sampler?
 * Returns 1 and *out, or 0. */
int exp_fxt_sample_take(const struct exp_fxt *fxt, const struct exp_fxt_record *record,
                        struct exp_fxt_sample *out);

/* The nodes of stacks by their addresses. A sample's outermost frames are most often those of the
 * one before. All zeros: none. */
struct exp_fxtstacks {
	struct exp_index nodes; /* hash of caller, address and generation -> node */
	struct exp_fxtstacks_memo *memo;
};

/* Of the address map that the experiment has: an address is of the object that was there at the
 * moment of the generation, or came there next, or was there last (exp_map_generation). Whoever
 * says the last generation, means the end. */
#define EXP_GENERATION_OF_MAP UINT64_C(0x100000000)

/* The node of a sample's stack whose addresses are of this generation, made if it is new;
 * EXP_NODE_NONE for no stack. Returns 0 or -ENOMEM. exp_fxtstacks_find makes none. */
int exp_fxtstacks_node(struct exp_fxtstacks *stacks, struct exp_load *load,
                       const struct exp_fxt_sample *sample, uint64_t generation, uint32_t *out);
uint32_t exp_fxtstacks_find(struct exp_fxtstacks *stacks, const struct exp_load *load,
                            const struct exp_fxt_sample *sample, uint64_t generation);

/* From the node of a stack in user mode to that of the kernel's part of it, pcs[count], leaf first,
 * in *node. Returns 0 or -ENOMEM. */
int exp_fxtstacks_above(struct exp_fxtstacks *stacks, struct exp_load *load, const uint64_t *pcs,
                        size_t count, uint32_t *node);
void exp_fxtstacks_fini(struct exp_fxtstacks *stacks);

/* Count a sample that stands for fact->cpu_ns. `uses`: of threads, kept by the caller. Returns 0 or
 * -errno. */
int exp_fxtstacks_count(struct exp_load *load, struct exp_index *uses, const struct exp_fact *fact);

#endif

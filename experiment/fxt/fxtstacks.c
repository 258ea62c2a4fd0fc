/* fxtstacks.c: see fxtstacks.h. */
#include "experiment/fxt/fxtstacks.h"

#include "experiment/base/addressmap.h"
#include "experiment/table/hash.h"
#include "format/fxt.h"
#include "format/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	DEPTH_MAX = 1 << 12, /* frames of a sample; the outermost of more are left out */
	BACKTRACE_MAX = 255  /* addresses that a backtrace has room for: one that is full is hardly
	                        whole by chance */
};

/* The last stack, root first. */
struct exp_fxtstacks_memo {
	uint64_t generation;
	int is_cut;
	size_t count;
	uint64_t pcs[DEPTH_MAX];
	uint32_t nodes[DEPTH_MAX];
};

static int is_in_kernel(const struct exp_fxt *fxt, struct exp_fxt_value *arguments)
{
	struct exp_fxt_argument argument;

	return exp_fxt_argument(fxt, arguments, &argument) && argument.type == FXT_ARGUMENT_BOOL &&
	       argument.value == 1 && argument.name_size == strlen(FXT_IN_KERNEL) &&
	       memcmp(argument.name, FXT_IN_KERNEL, strlen(FXT_IN_KERNEL)) == 0;
}

int exp_fxt_sample_take(const struct exp_fxt *fxt, const struct exp_fxt_record *record,
                        struct exp_fxt_sample *out)
{
	const struct exp_fxt_value *values = record->values, *thread, *pcs;
	uint64_t hz = exp_fxt_hz(fxt), ticks;
	struct exp_fxt_value arguments;
	int in_kernel = 0;

	if (record->kind == FXT_backtrace) {
		ticks = values[FXT_AT(backtrace, time)].number;
		thread = &values[FXT_AT(backtrace, thread)];
		pcs = &values[FXT_AT(backtrace, pcs)];
	} else if (record->kind == FXT_large_blob_event) {
		ticks = values[FXT_AT(large_blob_event, time)].number;
		thread = &values[FXT_AT(large_blob_event, thread)];
		pcs = &values[FXT_AT(large_blob_event, size)];
		arguments = values[FXT_AT(large_blob_event, arguments)];
		in_kernel = arguments.number == 1 && is_in_kernel(fxt, &arguments);
		/* What has a name or other arguments is something else. */
		if (!pcs->words || pcs->number % sizeof(uint64_t) != 0 ||
		    values[FXT_AT(large_blob_event, name)].number != 0 ||
		    values[FXT_AT(large_blob_event, category)].number != 0 ||
		    (values[FXT_AT(large_blob_event, arguments)].number != 0 && !in_kernel))
			return 0;
	} else {
		return 0;
	}
	*out = (struct exp_fxt_sample){
		.ns = hz == 1000000000 ? ticks
	                               : (uint64_t)((unsigned __int128)ticks * 1000000000 / hz),
		.process = thread->process,
		.thread = thread->thread,
		.pcs = pcs->words,
		.count = pcs->word_count < DEPTH_MAX ? pcs->word_count : DEPTH_MAX,
		.is_cut = pcs->word_count >=
	                  (record->kind == FXT_backtrace ? BACKTRACE_MAX : FXT_SAMPLE_PCS_MAX),
		.in_kernel = in_kernel,
	};
	return 1;
}

/* ---- nodes */

/* A frame of the sample, leaf first. Addresses of frames that called another one are behind the
 * call; that where the kernel was entered may be of the instruction itself, which a fault
 * interrupted. */
static uint64_t pc_of(const struct exp_fxt_sample *sample, size_t i)
{
	uint64_t pc = sample->pcs[i];

	return pc >= FMT_PC_MARKS && i > 0 && fmt_pc_is_kernel(sample->pcs[i - 1]) &&
	                       !fmt_pc_is_kernel(pc)
	               ? pc + 1
	               : pc;
}

/* Frames of the sample, from the outermost on, that the memo has. */
static size_t count_known(const struct exp_fxtstacks_memo *memo,
                          const struct exp_fxt_sample *sample, uint64_t generation)
{
	size_t known = 0;

	if (memo->generation != generation || memo->is_cut != sample->is_cut)
		return 0;
	while (known < memo->count && known < sample->count &&
	       memo->pcs[known] == pc_of(sample, sample->count - known - 1))
		known++;
	return known;
}

/* The node of an address called by `parent`; EXP_NODE_NONE if there is none, and *key is where it
 * would be. */
static uint32_t find_node(const struct exp_fxtstacks *stacks, const struct exp_node_table *nodes,
                          uint32_t parent, uint64_t pc, uint32_t generation, uint64_t *key)
{
	uint64_t at = exp_hash_number(exp_hash_number(exp_hash_number(EXP_HASH_START, parent), pc),
	                              generation);
	uint32_t node;

	while ((node = exp_index_find(&stacks->nodes, at)) != EXP_INDEX_NONE) {
		if (nodes->parent[node] == parent && nodes->pc[node] == pc &&
		    nodes->generation[node] == generation)
			return node;
		at++;
	}
	*key = at;
	return EXP_NODE_NONE;
}

/* The same, made if it is new. EXP_NODE_NONE: out of memory. */
static uint32_t make_node(struct exp_fxtstacks *stacks, struct exp_load *load, uint32_t parent,
                          uint64_t pc, uint32_t generation)
{
	uint64_t key = 0;
	uint32_t node = find_node(stacks, &load->nodes, parent, pc, generation, &key);

	if (node != EXP_NODE_NONE)
		return node;
	if (load->nodes.count >= EXP_NODE_NONE - 1)
		return EXP_NODE_NONE;
	node = (uint32_t)load->nodes.count;
	if (exp_nodes_add(&load->nodes, pc, parent, generation) != 0 ||
	    exp_index_add(&stacks->nodes, key, node) != 0)
		return EXP_NODE_NONE;
	return node;
}

/* Where nodes are made; `load` NULL: they are only found in `nodes`. */
struct target {
	const struct experiment *experiment;
	struct exp_load *load;
	const struct exp_node_table *nodes;
};

/* From the node in *out to that of what it calls. Returns 0 or -ENOMEM. */
static int step(struct exp_fxtstacks *stacks, const struct target *to, uint64_t pc,
                uint64_t generation, uint32_t *out)
{
	struct exp_load *load = to->load;
	const struct exp_node_table *nodes = to->nodes;
	uint64_t key;

	if (generation & EXP_GENERATION_OF_MAP)
		generation = exp_map_generation(to->experiment, pc, (uint32_t)generation);
	*out = load ? make_node(stacks, load, *out, pc, (uint32_t)generation)
	            : find_node(stacks, nodes, *out, pc, (uint32_t)generation, &key);
	return *out == EXP_NODE_NONE && load ? -ENOMEM : 0;
}

/* Marks are no addresses; the one that means something here stands for what is missing outside of
 * the outermost frame. */
static int is_step(uint64_t pc, int is_outermost)
{
	return pc >= FMT_PC_MARKS || (pc == FMT_PC_TRUNCATED && is_outermost);
}

/* Walk from the outermost frame to the leaf. */
static int walk(struct exp_fxtstacks *stacks, const struct target *to,
                const struct exp_fxt_sample *sample, uint64_t generation, uint32_t *out)
{
	struct exp_fxtstacks_memo *memo = stacks->memo;
	size_t known;

	if (!memo)
		memo = stacks->memo = calloc(1, sizeof(*memo));
	if (!memo)
		return -ENOMEM;
	known = count_known(memo, sample, generation);
	*out = known > 0 ? memo->nodes[known - 1] : EXP_NODE_NONE;
	if (known == 0 && sample->is_cut &&
	    step(stacks, to, FMT_PC_TRUNCATED, generation, out) != 0)
		return -ENOMEM;
	for (size_t i = sample->count - known; i-- > 0; known++) {
		uint64_t pc = pc_of(sample, i);

		if (is_step(pc, known == 0) && step(stacks, to, pc, generation, out) != 0)
			return -ENOMEM;
		memo->pcs[known] = pc;
		memo->nodes[known] = *out;
	}
	memo->generation = generation;
	memo->is_cut = sample->is_cut;
	memo->count = sample->count;
	return 0;
}

int exp_fxtstacks_node(struct exp_fxtstacks *stacks, struct exp_load *load,
                       const struct exp_fxt_sample *sample, uint64_t generation, uint32_t *out)
{
	const struct target to = {load->experiment, load, NULL};

	return walk(stacks, &to, sample, generation, out);
}

uint32_t exp_fxtstacks_find(struct exp_fxtstacks *stacks, const struct exp_load *load,
                            const struct exp_fxt_sample *sample, uint64_t generation)
{
	const struct target to = {load->experiment, NULL, &load->nodes};
	uint32_t node;

	return walk(stacks, &to, sample, generation, &node) == 0 ? node : EXP_NODE_NONE;
}

int exp_fxtstacks_above(struct exp_fxtstacks *stacks, struct exp_load *load, const uint64_t *pcs,
                        size_t count, uint32_t *node)
{
	const struct target to = {load->experiment, load, NULL};
	uint64_t leaf = load->nodes.pc[*node];
	uint32_t generation = load->nodes.generation[*node];
	int rc = 0;

	/* See pc_of. */
	if (leaf >= FMT_PC_MARKS && !fmt_pc_is_java(leaf)) {
		*node = load->nodes.parent[*node];
		rc = step(stacks, &to, leaf + 1, generation, node);
	}
	while (count > 0 && rc == 0)
		rc = step(stacks, &to, pcs[--count], 0, node);
	return rc;
}

void exp_fxtstacks_fini(struct exp_fxtstacks *stacks)
{
	exp_index_fini(&stacks->nodes);
	free(stacks->memo);
	*stacks = (struct exp_fxtstacks){0};
}

/* ---- values */

/* The use of a thread: one for each. */
static long use_of(struct exp_load *load, struct exp_index *uses, uint32_t tid, uint64_t ticks)
{
	uint32_t known = exp_index_find(uses, tid);
	long use;

	if (known != EXP_INDEX_NONE)
		return known;
	use = exp_load_use(load, tid, ticks);
	return use < 0 || exp_index_add(uses, tid, (uint32_t)use) != 0 ? -ENOMEM : use;
}

int exp_fxtstacks_count(struct exp_load *load, struct exp_index *uses, const struct exp_fact *fact)
{
	long use = use_of(load, uses, fact->tid, fact->ticks);
	uint32_t row;

	if (use < 0)
		return -ENOMEM;
	exp_load_time(load, fact->ticks);
	row = exp_load_row_of(load, fact);
	if (row == EXP_ROW_NONE)
		return load->rc;
	exp_load_add(load, (enum exp_metric)(EXP_CPU_USER + fact->type), row, fact->cpu_ns);
	exp_load_add(load, EXP_SAMPLES, row, 1);
	load->set.quality.sampled_ns += fact->cpu_ns;
	load->set.quality.sampled_squares += (double)fact->cpu_ns * (double)fact->cpu_ns;
	load->set.quality.samples++;
	load->uses[use].cpu_ns += fact->cpu_ns;
	load->uses[use].samples++;
	return load->rc;
}

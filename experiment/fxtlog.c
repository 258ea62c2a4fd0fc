/* fxtlog.c: counts the samples of an FXT file at the nodes of their stacks. The file is read twice: for the stacks, then for
 * the samples; only different stacks are kept. See fxtlog.h.
 *
 * How much CPU time a sample stands for is not in the file. It is taken to be the time between two samples of a provider
 * (a CPU, in files of the sampler), by the median. */
#include "experiment/fxtlog_internal.h"

#include "experiment/hash.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEPTH_MAX = 1 << 12 }; /* frames of a sample; the outermost of more are left out */

int fxtlog_take(const struct exp_fxt *fxt, const struct exp_fxt_record *record, struct fxtlog_sample *out)
{
	const struct exp_fxt_value *values = record->values, *thread, *pcs;
	uint64_t hz = exp_fxt_hz(fxt), ticks;

	if (record->kind == FXT_backtrace) {
		ticks = values[FXT_AT(backtrace, time)].number;
		thread = &values[FXT_AT(backtrace, thread)];
		pcs = &values[FXT_AT(backtrace, pcs)];
	} else if (record->kind == FXT_large_blob_event) {
		ticks = values[FXT_AT(large_blob_event, time)].number;
		thread = &values[FXT_AT(large_blob_event, thread)];
		pcs = &values[FXT_AT(large_blob_event, size)];
		/* What has a name or arguments is something else. */
		if (pcs->words == NULL || pcs->number % sizeof(uint64_t) != 0 ||
		    values[FXT_AT(large_blob_event, name)].number != 0 ||
		    values[FXT_AT(large_blob_event, category)].number != 0 ||
		    values[FXT_AT(large_blob_event, arguments)].number != 0)
			return 0;
	} else {
		return 0;
	}
	*out = (struct fxtlog_sample){
	    .ns = hz == 1000000000 ? ticks : (uint64_t)((unsigned __int128)ticks * 1000000000 / hz),
	    .process = thread->process,
	    .thread = thread->thread,
	    .pcs = pcs->words,
	    .count = pcs->word_count < DEPTH_MAX ? pcs->word_count : DEPTH_MAX,
	};
	return 1;
}

uint32_t fxtlog_process(struct exp_fxtlog *fxtlog, uint64_t id)
{
	uint32_t known = exp_index_find(&fxtlog->processes, id);

	if (known != EXP_INDEX_NONE)
		return known;
	return exp_index_add(&fxtlog->processes, id, fxtlog->process_count) != 0 ? UINT32_MAX : fxtlog->process_count++;
}

int fxtlog_walk(struct exp_fxtlog *fxtlog, int (*visit)(void *context, const struct exp_fxt *fxt, const struct exp_fxt_record *record),
		 void *context, char *fault, size_t fault_size)
{
	const struct exp_fxt_record *record;
	struct exp_fxt *fxt;
	int rc = 0, more;

	if (lseek(fxtlog->fd, 0, SEEK_SET) != 0)
		return -errno;
	fxt = exp_fxt_open(fxtlog->fd);
	if (fxt == NULL)
		return -ENOMEM;
	while ((more = exp_fxt_next(fxt, &record)) > 0 && rc == 0)
		rc = visit(context, fxt, record);
	if (rc == 0)
		rc = more;
	snprintf(fault, fault_size, "%s", exp_fxt_fault(fxt));
	exp_fxt_close(fxt);
	return rc;
}

/* ---- stacks ---- */

/* A sample's outermost frames are most often those of the one before: root first. */
struct memo {
	uint32_t generation;
	size_t count;
	uint64_t pcs[DEPTH_MAX];
	uint32_t nodes[DEPTH_MAX];
};

/* Frames of the sample, from the outermost on, that the memo has. */
static size_t count_known(const struct memo *memo, const struct fxtlog_sample *sample, uint32_t generation)
{
	size_t known = 0;

	if (memo->generation != generation)
		return 0;
	while (known < memo->count && known < sample->count && memo->pcs[known] == sample->pcs[sample->count - known - 1])
		known++;
	return known;
}

static void remember(struct memo *memo, size_t depth, uint64_t pc, uint32_t node)
{
	memo->pcs[depth] = pc;
	memo->nodes[depth] = node;
}

/* The node of an address called by `parent`; EXP_NODE_NONE if there is none, and *key is where it would be. */
static uint32_t find_node(const struct exp_fxtlog *fxtlog, const struct exp_node_table *nodes, uint32_t parent, uint64_t pc,
			  uint32_t generation, uint64_t *key)
{
	uint64_t at = exp_hash_number(exp_hash_number(exp_hash_number(EXP_HASH_START, parent), pc), generation);
	uint32_t node;

	while ((node = exp_index_find(&fxtlog->nodes, at)) != EXP_INDEX_NONE) {
		if (nodes->parent[node] == parent && nodes->pc[node] == pc && nodes->generation[node] == generation)
			return node;
		at++;
	}
	*key = at;
	return EXP_NODE_NONE;
}

/* The same, made if it is new. EXP_NODE_NONE: out of memory. */
static uint32_t make_node(struct exp_load *load, uint32_t parent, uint64_t pc, uint32_t generation)
{
	struct exp_fxtlog *fxtlog = load->experiment->fxtlog;
	uint64_t key = 0;
	uint32_t node = find_node(fxtlog, &load->nodes, parent, pc, generation, &key);

	if (node != EXP_NODE_NONE)
		return node;
	node = (uint32_t)load->nodes.count;
	if (exp_nodes_add(&load->nodes, pc, parent, generation) != 0 || exp_index_add(&fxtlog->nodes, key, node) != 0)
		return EXP_NODE_NONE;
	return node;
}

struct adder {
	struct exp_load *load;
	struct memo memo;
};

static int add_stack(void *context, const struct exp_fxt *fxt, const struct exp_fxt_record *record)
{
	struct adder *adder = context;
	struct exp_load *load = adder->load;
	struct exp_fxtlog *fxtlog = load->experiment->fxtlog;
	struct fxtlog_sample sample;
	uint32_t generation, parent;
	size_t known;

	if (!fxtlog_take(fxt, record, &sample))
		return 0;
	generation = fxtlog_process(fxtlog, sample.process);
	if (generation == UINT32_MAX)
		return -ENOMEM;
	known = count_known(&adder->memo, &sample, generation);
	parent = known > 0 ? adder->memo.nodes[known - 1] : EXP_NODE_NONE;
	for (size_t i = sample.count - known; i-- > 0; known++) {
		if (sample.pcs[i] >= FMT_PC_MARKS) {
			parent = make_node(load, parent, sample.pcs[i], generation);
			if (parent == EXP_NODE_NONE)
				return -ENOMEM;
		}
		remember(&adder->memo, known, sample.pcs[i], parent);
	}
	adder->memo.generation = generation;
	adder->memo.count = sample.count;
	return 0;
}

/* A fault was told when the file was opened: what is before it counts. */
static int walk(struct exp_load *load, int (*visit)(void *, const struct exp_fxt *, const struct exp_fxt_record *), void *context)
{
	char fault[200];
	int rc = fxtlog_walk(load->experiment->fxtlog, visit, context, fault, sizeof(fault));

	return rc == -EBADMSG ? 0 : rc;
}

int exp_fxtlog_nodes(struct exp_load *load)
{
	struct adder adder = {.load = load};

	if (load->experiment->fxtlog == NULL || load->has_others_nodes)
		return 0;
	return walk(load, add_stack, &adder);
}

/* ---- samples ---- */

struct counter {
	struct exp_load *load;
	struct exp_index uses; /* thread -> its use */
	struct memo memo;
};

static struct exp_buffer_use *use_of(struct counter *counter, const struct fxtlog_sample *sample)
{
	uint32_t tid = (uint32_t)sample->thread, known = exp_index_find(&counter->uses, tid);
	long made;

	if (known != EXP_INDEX_NONE)
		return &counter->load->uses[known];
	made = exp_load_use(counter->load, tid, sample->ns);
	if (made < 0 || exp_index_add(&counter->uses, tid, (uint32_t)made) != 0)
		return NULL;
	return &counter->load->uses[made];
}

static uint32_t find_stack(struct counter *counter, const struct fxtlog_sample *sample, uint32_t generation)
{
	const struct exp_load *load = counter->load;
	struct memo *memo = &counter->memo;
	size_t known = count_known(memo, sample, generation);
	uint32_t node = known > 0 ? memo->nodes[known - 1] : EXP_NODE_NONE;
	uint64_t key;

	for (size_t i = sample->count - known; i-- > 0; known++) {
		if (sample->pcs[i] >= FMT_PC_MARKS)
			node = find_node(load->experiment->fxtlog, &load->nodes, node, sample->pcs[i], generation, &key);
		remember(memo, known, sample->pcs[i], node);
	}
	memo->generation = generation;
	memo->count = sample->count;
	return node;
}

static int count_sample(void *context, const struct exp_fxt *fxt, const struct exp_fxt_record *record)
{
	struct counter *counter = context;
	struct exp_load *load = counter->load;
	struct exp_fxtlog *fxtlog = load->experiment->fxtlog;
	struct exp_fact fact = {.data = EXP_DATA_PROFILE, .type = FMT_clock_state_USER, .cpu_ns = fxtlog->period_ns};
	struct fxtlog_sample sample;
	struct exp_buffer_use *use;
	uint32_t row;

	if (!fxtlog_take(fxt, record, &sample))
		return 0;
	use = use_of(counter, &sample);
	if (use == NULL)
		return -ENOMEM;
	exp_load_time(load, sample.ns);
	fact.node = find_stack(counter, &sample, fxtlog_process(fxtlog, sample.process));
	fact.ticks = fact.buffer_ticks = sample.ns;
	fact.tid = (uint32_t)sample.thread;
	row = load->selection == NULL ? fact.node : exp_load_row_of(load, &fact);
	if (row == EXP_ROW_NONE)
		return 0;
	exp_load_add(load, EXP_CPU_USER, row, fact.cpu_ns);
	exp_load_add(load, EXP_SAMPLES, row, 1);
	load->set.quality.samples++;
	load->set.quality.sampled_ns += fact.cpu_ns;
	use->samples++;
	use->cpu_ns += fact.cpu_ns;
	return 0;
}

static int add_threads(struct exp_load *load)
{
	const struct exp_fxtlog *fxtlog = load->experiment->fxtlog;

	for (size_t i = 0; i < fxtlog->thread_count; i++) {
		if (exp_array_reserve(&load->threads, &load->thread_capacity, load->thread_count, sizeof(*load->threads)) != 0)
			return -ENOMEM;
		load->threads[load->thread_count++] = fxtlog->threads[i];
	}
	return 0;
}

int exp_fxtlog_values(struct exp_load *load)
{
	static const enum exp_metric metrics[] = {EXP_CPU_USER, EXP_CPU_SYSTEM, EXP_CPU_RESIDUAL, EXP_SAMPLES};
	struct counter counter = {.load = load};
	int rc = 0;

	if (load->experiment->fxtlog == NULL)
		return 0;
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]) && rc == 0; i++)
		rc = exp_load_metric(load, metrics[i]);
	if (rc == 0)
		rc = add_threads(load);
	if (rc == 0)
		rc = walk(load, count_sample, &counter);
	load->set.have |= EXP_DATA_PROFILE;
	exp_index_fini(&counter.uses);
	return rc;
}

/* kernelparts.c: see kernelparts.h. A clock sample in a system call or a page fault gets the
 * kernel's part of that sample of the kernel's which is nearest in time among those with the same
 * stack in user mode, first of its own thread, then of any. So what a stack shows was all there at
 * one moment; which of its moments it was is by chance, as it is for every sample. See
 * doc/decisions/106-kernel-frames.md. */
#include "experiment/fxt/kernelparts.h"

#include "experiment/base/addressmap.h"
#include "experiment/fxt/fxtstacks.h"
#include "experiment/fxt/samplers.h"
#include "experiment/streams/stream.h"
#include "format/layout.h"
#include "format/record.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	LOOKED_AT = 32, /* samples before and behind a moment */
	ENOUGH = 8      /* equal frames of user mode are taken for equal stacks */
};

/* A sample of the kernel's: pcs[user] outwards from the leaf, behind them those of the kernel. */
struct part {
	uint64_t leaf; /* in user mode */
	uint64_t ticks;
	size_t at; /* in reader.pcs */
	uint32_t tid;
	uint16_t user, kernel;
};

struct reader {
	struct exp_load *load;
	struct part *parts; /* parts[count] by leaf and time */
	size_t count, capacity;
	uint64_t *pcs;
	size_t pc_count, pc_capacity;
	struct exp_fxtstacks stacks;
};

/* ---- the kernel's samples */

/* Frames of its wrappers are no part of the program's stacks. */
static int is_recorder(const struct experiment *experiment, uint64_t pc)
{
	const struct exp_object *object = experiment_object_at(experiment, pc,
	                                                       EXP_GENERATION_INSTANTS - 1);

	return object && exp_path_is_recorder(object->path);
}

static int add_pc(struct reader *reader, uint64_t pc)
{
	if (exp_array_reserve(&reader->pcs, &reader->pc_capacity, reader->pc_count,
	                      sizeof(*reader->pcs)) != 0)
		return -ENOMEM;
	reader->pcs[reader->pc_count++] = pc;
	return 0;
}

static int add_frames(struct reader *reader, const struct exp_fxt_sample *sample, struct part *part)
{
	size_t kernel = 0;
	int rc = 0;

	while (kernel < sample->count && fmt_pc_is_kernel(sample->pcs[kernel]))
		kernel++;
	for (size_t i = kernel; i < sample->count && rc == 0 && part->user < UINT16_MAX; i++) {
		if (sample->pcs[i] < FMT_PC_MARKS ||
		    (i > kernel && is_recorder(reader->load->experiment, sample->pcs[i])))
			continue;
		rc = add_pc(reader, sample->pcs[i]);
		part->user++;
	}
	for (size_t i = 0; i < kernel && rc == 0; i++)
		rc = add_pc(reader, sample->pcs[i]);
	part->kernel = (uint16_t)kernel;
	return rc;
}

static int take_record(void *context, const struct exp_fxt *fxt,
                       const struct exp_fxt_record *record)
{
	struct reader *reader = context;
	const struct experiment *experiment = reader->load->experiment;
	struct exp_fxt_sample sample;
	struct part part = {.at = reader->pc_count};

	if (!exp_fxt_sample_take(fxt, record, &sample) ||
	    sample.process != experiment->kernel_pid || sample.count > UINT16_MAX)
		return 0;
	if (add_frames(reader, &sample, &part) != 0 ||
	    exp_array_reserve(&reader->parts, &reader->capacity, reader->count,
	                      sizeof(*reader->parts)) != 0)
		return -ENOMEM;
	if (part.user == 0 || part.kernel == 0)
		return 0;
	part.leaf = reader->pcs[part.at];
	part.tid = (uint32_t)sample.thread;
	part.ticks = exp_clock_ticks(&experiment->clock, sample.ns);
	reader->parts[reader->count++] = part;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->leaf != y->leaf)
		return x->leaf < y->leaf ? -1 : 1;
	return (x->ticks > y->ticks) - (x->ticks < y->ticks);
}

static int is_samples(const struct dirent *entry)
{
	return strncmp(entry->d_name, "cpu", 3) == 0;
}

static int read_samples(struct reader *reader)
{
	struct experiment *experiment = reader->load->experiment;
	int fd = exp_sampler_open(experiment, FMT_DIR_KERNEL), rc = 0, count;
	struct dirent **names;

	if (fd < 0)
		return 0;
	count = scandirat(fd, ".", &names, is_samples, versionsort);
	for (int i = 0; i < count; i++) {
		if (rc == 0)
			rc = exp_sampler_read(experiment, fd, FMT_DIR_KERNEL, names[i]->d_name,
			                      experiment->kernel_pid, take_record, reader);
		free(names[i]);
	}
	if (count >= 0)
		free(names);
	else
		rc = errno == ENOMEM ? -ENOMEM : 0;
	close(fd);
	if (reader->count > 0)
		qsort(reader->parts, reader->count, sizeof(*reader->parts), compare);
	return rc;
}

/* ---- which clock sample has which */

/* How many frames the stack of a node and a sample's have in common, from the leaf on; *is_all: one
 * of them has no more. */
static size_t common(const struct reader *reader, uint32_t node, const struct part *part,
                     int *is_all)
{
	const struct exp_node_table *nodes = &reader->load->nodes;
	size_t equal = 0;

	while (equal < part->user && equal < ENOUGH && node != EXP_NODE_NONE &&
	       nodes->pc[node] >= FMT_PC_MARKS) {
		if (nodes->pc[node] == reader->pcs[part->at + equal])
			equal++;
		else if (equal == 0 || !is_recorder(reader->load->experiment, nodes->pc[node]))
			break;
		node = nodes->parent[node];
	}
	*is_all = equal == part->user || node == EXP_NODE_NONE || nodes->pc[node] < FMT_PC_MARKS;
	return equal;
}

static int has_stack(const struct reader *reader, uint32_t node, const struct part *part)
{
	int is_all;
	size_t equal = common(reader, node, part, &is_all);

	return equal >= ENOUGH || (equal > 0 && is_all);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a < b ? b - a : a - b;
}

/* The index of the first sample that is not before this leaf and time. */
static size_t find(const struct reader *reader, uint64_t leaf, uint64_t ticks)
{
	const struct part key = {.leaf = leaf, .ticks = ticks};
	size_t low = 0, high = reader->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(&reader->parts[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* NULL: none has this stack. */
static const struct part *choose(const struct reader *reader, uint32_t node, uint32_t tid,
                                 uint64_t ticks)
{
	uint64_t leaf = reader->load->nodes.pc[node];
	size_t at = find(reader, leaf, ticks), from = at > LOOKED_AT ? at - LOOKED_AT : 0;
	const struct part *best = NULL;

	for (size_t i = from; i < reader->count && i < at + LOOKED_AT; i++) {
		const struct part *part = &reader->parts[i];

		if (part->leaf != leaf || !has_stack(reader, node, part))
			continue;
		if (!best || (part->tid == tid) > (best->tid == tid) ||
		    ((part->tid == tid) == (best->tid == tid) &&
		     distance(part->ticks, ticks) < distance(best->ticks, ticks)))
			best = part;
	}
	return best;
}

static void take_clock(struct reader *reader, const struct exp_cursor *cursor)
{
	struct exp_load *load = reader->load;
	struct fmt_clock sample;
	const struct part *part;
	uint32_t node;

	memcpy(&sample, cursor->payload, sizeof(sample));
	if (sample.state != FMT_clock_state_SYSTEM || sample.stack == 0)
		return;
	node = exp_load_stack(load, cursor, sample.stack);
	part = node == EXP_NODE_NONE ? NULL : choose(reader, node, cursor->tid, cursor->tsc);
	if (!part)
		return;
	if (exp_fxtstacks_above(&reader->stacks, load, reader->pcs + part->at + part->user,
	                        part->kernel, &node) != 0 ||
	    exp_index_add(&load->experiment->kernel_nodes, exp_kernel_key(cursor->tid, cursor->tsc),
	                  node) != 0)
		load->rc = -ENOMEM;
}

static void on_event(void *context, struct exp_cursor *cursor)
{
	struct reader *reader = context;

	if (reader->load->rc == 0 && cursor->payload[0] == FMT_KIND_clock &&
	    cursor->payload_size >= sizeof(struct fmt_clock) &&
	    exp_index_find(&reader->load->experiment->kernel_nodes,
	                   exp_kernel_key(cursor->tid, cursor->tsc)) == EXP_INDEX_NONE)
		take_clock(reader, cursor);
}

/* What is wrong with the stream is reported when it is read for its values. */
static int read_clock(struct reader *reader)
{
	struct exp_load *load = reader->load;
	struct exp_stream stream;
	uint64_t unknown = load->unknown_stacks;
	int rc = exp_stream_open(load->experiment, exp_stream_names[FMT_STREAM_PROFILE], &stream);

	if (rc != 0)
		return rc == -ENOMEM ? rc : 0;
	rc = exp_stream_each(&stream, on_event, reader);
	exp_stream_close(&stream);
	load->unknown_stacks = unknown;
	return rc != 0 ? rc : load->rc;
}

int exp_kernelparts_read(struct exp_load *load)
{
	struct reader reader = {.load = load};
	int rc;

	/* Kept with the nodes; or the sampler's samples have their own. */
	if (load->has_others_nodes)
		return 0;
	exp_index_fini(&load->experiment->kernel_nodes);
	if (!load->experiment->kernel || load->experiment->samples[0])
		return 0;
	rc = read_samples(&reader);
	if (rc == 0 && reader.count > 0)
		rc = read_clock(&reader);
	exp_fxtstacks_fini(&reader.stacks);
	free(reader.parts);
	free(reader.pcs);
	return rc;
}

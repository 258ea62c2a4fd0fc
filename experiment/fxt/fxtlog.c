/* fxtlog.c: counts the samples of an FXT file at the nodes of their stacks. The file is read twice:
 * for the stacks, then for the samples; only distinct stacks are kept. See fxtlog.h.
 *
 * The record of a sample does not have the CPU time that it stands for. Files that xer_print
 * exported have the mean; for others, it is the median of the times between two samples of a
 * provider (a CPU, in files of the sampler).
 * See doc/decisions/30-fxt.md. */
#include "experiment/fxt/fxtlog_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

uint32_t fxtlog_process(struct exp_fxtlog *fxtlog, uint64_t id)
{
	uint32_t known = exp_index_find(&fxtlog->processes, id);

	if (known != EXP_INDEX_NONE)
		return known;
	return exp_index_add(&fxtlog->processes, id, fxtlog->process_count) != 0
	               ? UINT32_MAX
	               : fxtlog->process_count++;
}

int fxtlog_walk(struct exp_fxtlog *fxtlog,
                int (*visit)(void *context, const struct exp_fxt *fxt,
                             const struct exp_fxt_record *record),
                void *context, char *fault, size_t fault_size)
{
	const struct exp_fxt_record *record;
	struct exp_fxt *fxt;
	int rc = 0, more;

	if (lseek(fxtlog->fd, 0, SEEK_SET) != 0)
		return -errno;
	fxt = exp_fxt_open(fxtlog->fd);
	if (!fxt)
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

static int add_stack(void *context, const struct exp_fxt *fxt, const struct exp_fxt_record *record)
{
	struct exp_load *load = context;
	struct exp_fxtlog *fxtlog = load->experiment->fxtlog;
	struct exp_fxt_sample sample;
	uint32_t generation, node;

	if (!exp_fxt_sample_take(fxt, record, &sample))
		return 0;
	generation = fxtlog_process(fxtlog, sample.process);
	return generation == UINT32_MAX
	               ? -ENOMEM
	               : exp_fxtstacks_node(&fxtlog->stacks, load, &sample, generation, &node);
}

/* A fault was told when the file was opened: what is before it counts. */
static int walk(struct exp_load *load,
                int (*visit)(void *, const struct exp_fxt *, const struct exp_fxt_record *),
                void *context)
{
	char fault[200];
	int rc = fxtlog_walk(load->experiment->fxtlog, visit, context, fault, sizeof(fault));

	return rc == -EBADMSG ? 0 : rc;
}

int exp_fxtlog_nodes(struct exp_load *load)
{
	if (!load->experiment->fxtlog || load->has_others_nodes)
		return 0;
	return walk(load, add_stack, load);
}

/* ---- samples ---- */

struct counter {
	struct exp_load *load;
	struct exp_index uses;
};

static int count_sample(void *context, const struct exp_fxt *fxt,
                        const struct exp_fxt_record *record)
{
	struct counter *counter = context;
	struct exp_load *load = counter->load;
	struct exp_fxtlog *fxtlog = load->experiment->fxtlog;
	struct exp_fact fact = {.data = EXP_DATA_PROFILE, .cpu_ns = fxtlog->period_ns};
	struct exp_fxt_sample sample;

	if (!exp_fxt_sample_take(fxt, record, &sample))
		return 0;
	fact.type = sample.in_kernel ? FMT_clock_state_SYSTEM : FMT_clock_state_USER;
	fact.node = exp_fxtstacks_find(&fxtlog->stacks, load, &sample,
	                               fxtlog_process(fxtlog, sample.process));
	fact.ticks = fact.buffer_ticks = sample.ns;
	fact.tid = (uint32_t)sample.thread;
	return exp_fxtstacks_count(load, &counter->uses, &fact);
}

static int add_threads(struct exp_load *load)
{
	const struct exp_fxtlog *fxtlog = load->experiment->fxtlog;

	for (size_t i = 0; i < fxtlog->thread_count; i++) {
		if (exp_array_reserve(&load->threads, &load->thread_capacity, load->thread_count,
		                      sizeof(*load->threads)) != 0)
			return -ENOMEM;
		load->threads[load->thread_count++] = fxtlog->threads[i];
	}
	return 0;
}

int exp_fxtlog_values(struct exp_load *load)
{
	static const enum exp_metric metrics[] = {EXP_CPU_USER, EXP_CPU_SYSTEM, EXP_CPU_RESIDUAL,
	                                          EXP_SAMPLES};
	struct counter counter = {.load = load};
	int rc = 0;

	if (!load->experiment->fxtlog)
		return 0;
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]) && rc == 0; i++)
		rc = exp_load_need(load, metrics[i]);
	if (rc == 0)
		rc = add_threads(load);
	if (rc == 0)
		rc = walk(load, count_sample, &counter);
	load->set.have |= EXP_DATA_PROFILE;
	exp_index_fini(&counter.uses);
	return rc;
}

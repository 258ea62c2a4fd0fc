/* profile.c: reads clock samples. Sums do not need the order of time, so buffers are taken as
 * they come.
 * See doc/decisions/01-sample-weights.md. */
#include "experiment/base/addressmap.h"
#include "experiment/streams/load_context.h"
#include "experiment/streams/readers.h"
#include "experiment/streams/stream.h"
#include "format/layout.h"
#include "format/record.h"

#include <errno.h>
#include <string.h>

enum { SLACK_S = 1 };

struct reader {
	struct exp_load *load;
	unsigned buffers; /* of the cursor, when `use` was made */
	long use;
};

/* A thread cannot have used more CPU time than has passed since the start. The slack is for clocks
 * that disagree. */
static int is_possible(const struct exp_load *load, const struct fmt_clock *sample)
{
	double passed_s = exp_clock_seconds(&load->experiment->clock, load->last_tsc);

	return (double)sample->cpu_ns <= ((passed_s > 0 ? passed_s : 0) + SLACK_S) * 1e9;
}

/* The same stack with the kernel's part, if that is known. */
static uint32_t with_kernel(const struct exp_load *load, const struct exp_cursor *cursor,
                            uint32_t node)
{
	uint32_t whole = exp_index_find(&load->experiment->kernel_nodes,
	                                exp_kernel_key(cursor->tid, cursor->tsc));

	return whole == EXP_INDEX_NONE || node == EXP_NODE_NONE ? node : whole;
}

static void on_sample(struct reader *reader, const struct exp_cursor *cursor)
{
	struct exp_load *load = reader->load;
	struct exp_buffer_use *use = &load->uses[reader->use];
	struct fmt_clock sample;
	struct exp_fact fact;
	uint32_t row;

	memcpy(&sample, cursor->payload, sizeof(sample));
	if (sample.state > FMT_clock_state_RESIDUAL)
		return;
	if (!is_possible(load, &sample)) {
		exp_cursor_fault(cursor, "a clock sample of more CPU time than has passed");
		return;
	}
	fact = (struct exp_fact){.data = EXP_DATA_PROFILE,
	                         .type = sample.state,
	                         .cpu_ns = sample.cpu_ns,
	                         .mpi_state = sample.mpi,
	                         .omp_state = sample.omp};
	fact.node = exp_load_stack(load, cursor, sample.stack);
	if (sample.state == FMT_clock_state_SYSTEM)
		fact.node = with_kernel(load, cursor, fact.node);
	row = exp_load_row(load, cursor, &fact);
	if (row == EXP_ROW_NONE)
		return;
	exp_load_add(load, (enum exp_metric)(EXP_CPU_USER + sample.state), row, sample.cpu_ns);
	if (sample.omp != FMT_omp_state_NONE)
		exp_omp_sample(load, sample.omp, row, sample.cpu_ns);
	if (sample.mpi != FMT_mpi_state_NONE)
		exp_mpi_sample(load, sample.mpi, row, sample.cpu_ns);
	load->set.quality.sampled_ns += sample.cpu_ns;
	load->set.quality.sampled_squares += (double)sample.cpu_ns * (double)sample.cpu_ns;
	use->cpu_ns += sample.cpu_ns;
	/* A residual is the rest when its thread ended: time, but not a sample. */
	if (sample.state == FMT_clock_state_RESIDUAL)
		return;
	exp_load_add(load, EXP_SAMPLES, row, 1);
	load->set.quality.samples++;
	load->set.quality.user_samples += sample.state == FMT_clock_state_USER;
	use->samples++;
}

static void on_event(void *context, struct exp_cursor *cursor)
{
	struct reader *reader = context;

	if (reader->load->rc != 0)
		return;
	if (cursor->buffers != reader->buffers || reader->use < 0) {
		reader->buffers = cursor->buffers;
		reader->use = exp_load_use(reader->load, cursor->tid, cursor->buffer_tsc);
		if (reader->use < 0) {
			reader->load->rc = -ENOMEM;
			return;
		}
	}
	exp_load_time(reader->load, cursor->tsc);
	if (cursor->payload[0] != FMT_KIND_clock)
		return;
	if (cursor->payload_size < sizeof(struct fmt_clock))
		exp_cursor_fault(cursor, "a clock sample is too short");
	else
		on_sample(reader, cursor);
}

/* A profiled process that ended before its first sample: all its CPU time is residual. */
static int take_end_usage(struct exp_load *load)
{
	const struct experiment *experiment = load->experiment;
	const struct exp_usage *usage = &experiment->end_usage;
	uint32_t tid = (uint32_t)experiment->info.pid;
	struct exp_fact fact = {.data = EXP_DATA_PROFILE,
	                        .type = FMT_clock_state_RESIDUAL,
	                        .ticks = experiment->end_ticks,
	                        .buffer_ticks = experiment->end_ticks,
	                        .tid = tid,
	                        .cpu_ns = usage->cpu_ns,
	                        .node = EXP_NODE_NONE};
	uint32_t row;
	long use;
	int rc;

	if (usage->cpu_ns == 0 ||
	    strcmp(experiment_setting(experiment, "profile_us", "0"), "0") == 0)
		return 0;
	rc = exp_load_profile_metrics(load);
	use = rc == 0 ? exp_load_use(load, tid, experiment->end_ticks) : rc;
	if (use < 0)
		return -ENOMEM;
	/* There is no event that a cursor could stand on. */
	row = exp_load_row_of(load, &fact);
	if (row == EXP_ROW_NONE)
		return 0;
	exp_load_add(load, EXP_CPU_RESIDUAL, row, usage->cpu_ns);
	load->set.quality.sampled_ns += usage->cpu_ns;
	load->set.quality.sampled_squares += (double)usage->cpu_ns * (double)usage->cpu_ns;
	load->uses[use].cpu_ns += usage->cpu_ns;
	return 0;
}

int exp_profile_read(struct exp_load *load)
{
	struct reader reader = {.load = load, .use = -1};
	struct exp_stream stream;
	int rc;

	/* The sampler's samples are of the same time. */
	if (load->experiment->samples[0])
		return 0;
	rc = exp_stream_open(load->experiment, exp_stream_names[FMT_STREAM_PROFILE], &stream);
	if (rc == -ENOENT)
		return take_end_usage(load);
	if (rc != 0)
		return rc == -ENOMEM ? rc : 0;
	rc = exp_load_profile_metrics(load);
	if (rc == 0)
		rc = exp_stream_each(&stream, on_event, &reader);
	exp_stream_close(&stream);
	return rc != 0 ? rc : load->rc;
}

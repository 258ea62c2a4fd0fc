/* samples.c: reads the samples of a process from sampler/cpuN.fxt and counterN/cpuN.fxt. These have
 * all processes; the samples of an experiment are those of the image that its process executed at
 * the time. See samples.h.
 * See doc/decisions/50-sampler.md. */
#include "experiment/fxt/samples.h"

#include "experiment/base/addressmap.h"
#include "experiment/fxt/fxtstacks.h"
#include "experiment/fxt/samplers.h"
#include "experiment/streams/pauses.h"
#include "experiment/streams/readers.h"
#include "format/record.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CPU_MAX = 65535 };

struct sample {
	uint64_t ticks;
	uint32_t tid, node;
	uint16_t cpu;
	uint16_t state; /* enum fmt_clock_state */
};

struct exp_samples {
	struct sample *list;
	size_t count, capacity;
	uint64_t period;        /* ns, or events */
	enum exp_metric metric; /* EXP_SAMPLES: of CPU time; else of that counter */
};

struct reader {
	struct exp_load *load;
	struct exp_samples *samples;
	uint64_t from_ns, to_ns;  /* of CLOCK_MONOTONIC: when the process was this image */
	struct exp_pauses pauses; /* the kernel samples on */
	struct exp_fxtstacks stacks;
	uint32_t cpu;
	const char *directory;
};

static int take_record(void *context, const struct exp_fxt *fxt,
                       const struct exp_fxt_record *record)
{
	struct reader *reader = context;
	const struct exp_clock *clock = &reader->load->experiment->clock;
	struct exp_samples *samples = reader->samples;
	struct exp_fxt_sample sample;
	uint64_t ticks;
	uint32_t node;

	if (!exp_fxt_sample_take(fxt, record, &sample) ||
	    sample.process != reader->load->experiment->kernel_pid || sample.ns < reader->from_ns ||
	    sample.ns > reader->to_ns)
		return 0;
	/* A sample that is older than the recorder has no time of its own: it counts at the
	 * beginning. */
	ticks = exp_clock_ticks(clock, sample.ns > clock->start_mono_ns ? sample.ns
	                                                                : clock->start_mono_ns);
	if (exp_pauses_has(&reader->pauses, ticks))
		return 0;
	sample.is_cut = 0; /* here a mark would say so */
	if (exp_fxtstacks_node(&reader->stacks, reader->load, &sample,
	                       EXP_GENERATION_OF_MAP |
	                               exp_map_generation_then(reader->load->experiment, ticks),
	                       &node) != 0 ||
	    exp_array_reserve(&samples->list, &samples->capacity, samples->count,
	                      sizeof(*samples->list)) != 0)
		return -ENOMEM;
	samples->list[samples->count++] = (struct sample){
		.ticks = ticks,
		.tid = (uint32_t)sample.thread,
		.node = node,
		.cpu = (uint16_t)reader->cpu,
		.state = sample.in_kernel ? FMT_clock_state_SYSTEM : FMT_clock_state_USER};
	return 0;
}

/* The N of "cpuN.fxt", or -1. */
static long cpu_of(const char *name)
{
	char *end;
	long cpu;

	if (strncmp(name, "cpu", 3) != 0 || name[3] < '0' || name[3] > '9')
		return -1;
	cpu = strtol(name + 3, &end, 10);
	return strcmp(end, ".fxt") == 0 && cpu <= CPU_MAX ? cpu : -1;
}

static int is_sampler_file(const struct dirent *entry)
{
	return cpu_of(entry->d_name) >= 0;
}

static int read_files(struct reader *reader, int fd)
{
	struct experiment *experiment = reader->load->experiment;
	struct dirent **names;
	int count = scandirat(fd, ".", &names, is_sampler_file, versionsort);
	int rc = 0;

	if (count < 0)
		return errno == ENOMEM ? -ENOMEM : 0;
	for (int i = 0; i < count; i++) {
		reader->cpu = (uint32_t)cpu_of(names[i]->d_name);
		if (rc == 0)
			rc = exp_sampler_read(experiment, fd, reader->directory, names[i]->d_name,
			                      experiment->kernel_pid, take_record, reader);
		free(names[i]);
	}
	free(names);
	return rc;
}

/* ---- names of counters: what an event is called decides its metric, in all experiments of the
 * process */

enum { SLOTS = EXP_COUNTER_LAST - EXP_COUNTER + 1 };
static char slot_names[SLOTS][EXP_SAMPLER_EVENT_NAME];
static pthread_mutex_t slots_lock = PTHREAD_MUTEX_INITIALIZER;

const char *experiment_counter_name(unsigned slot)
{
	return slot < SLOTS && slot_names[slot][0] != '\0' ? slot_names[slot] : NULL;
}

/* The slot of a name, a free one if it is new; SLOTS if there is none. */
static unsigned slot_of(const char *name)
{
	unsigned slot = 0;

	pthread_mutex_lock(&slots_lock);
	while (slot < SLOTS && slot_names[slot][0] != '\0' && strcmp(slot_names[slot], name) != 0)
		slot++;
	if (slot < SLOTS && slot_names[slot][0] == '\0')
		strcpy(slot_names[slot], name);
	pthread_mutex_unlock(&slots_lock);
	return slot;
}

/* ---- samples */

static void destroy(struct exp_samples *samples)
{
	if (!samples)
		return;
	free(samples->list);
	free(samples);
}

/* Read the samples of one sampler into *out, NULL if it has none of this experiment. Returns 0 or
 * -ENOMEM. */
static int read_samples(struct exp_load *load, const struct exp_sampler *sampler,
                        enum exp_metric metric, struct exp_samples **out)
{
	struct reader reader = {.load = load, .directory = sampler->directory};
	int fd = exp_sampler_open(load->experiment, sampler->directory), rc;

	if (fd < 0)
		return 0;
	reader.samples = calloc(1, sizeof(*reader.samples));
	rc = !reader.samples ? -ENOMEM : 0;
	exp_sampler_span(load->experiment, &reader.from_ns, &reader.to_ns);
	if (rc == 0)
		rc = exp_pauses_read(load->experiment, &reader.pauses);
	if (rc == 0)
		rc = read_files(&reader, fd);
	close(fd);
	exp_pauses_fini(&reader.pauses);
	exp_fxtstacks_fini(&reader.stacks);
	if (rc != 0 || reader.samples->count == 0) {
		destroy(reader.samples);
		return rc;
	}
	reader.samples->period = sampler->period;
	reader.samples->metric = metric;
	*out = reader.samples;
	return 0;
}

static int read_sampler(struct exp_load *load, unsigned n)
{
	struct experiment *experiment = load->experiment;
	enum exp_metric metric = EXP_SAMPLES;
	struct exp_sampler sampler;
	unsigned slot;

	if (exp_sampler_get(experiment, n, &sampler) != 0)
		return 0;
	if (sampler.event[0] != '\0') {
		slot = slot_of(sampler.event);
		if (slot == SLOTS) {
			exp_warn(experiment,
			         "%s is left out: experiments with more than %d counters are open",
			         sampler.event, SLOTS);
			return 0;
		}
		/* A counter that found nothing is there all the same. */
		experiment->counted |= 1u << slot;
		metric = EXP_COUNTER + slot;
	}
	return read_samples(load, &sampler, metric, &experiment->samples[n]);
}

void exp_samples_forget(struct experiment *experiment)
{
	for (unsigned n = 0; n < EXP_SAMPLERS; n++) {
		destroy(experiment->samples[n]);
		experiment->samples[n] = NULL;
	}
}

int exp_samples_read(struct exp_load *load)
{
	int rc = 0;

	if (load->has_others_nodes)
		return 0; /* they were read with the nodes */
	exp_samples_forget(load->experiment);
	for (unsigned n = 0; n < EXP_SAMPLERS && rc == 0; n++)
		rc = read_sampler(load, n);
	return rc;
}

/* ---- values */

/* What a sample is to filters, and what it counts for. */
static int count_sample(struct exp_load *load, struct exp_index *threads,
                        const struct exp_samples *samples, const struct sample *sample)
{
	struct exp_fact fact = {.data = EXP_DATA_PROFILE,
	                        .type = sample->state,
	                        .ticks = sample->ticks,
	                        .buffer_ticks = sample->ticks,
	                        .tid = sample->tid,
	                        .cpu = sample->cpu,
	                        .node = sample->node,
	                        .cpu_ns = samples->period};
	uint32_t row;

	if (samples->metric == EXP_SAMPLES)
		return exp_fxtstacks_count(load, threads, &fact);
	fact.data = EXP_DATA_COUNTERS;
	fact.type = samples->metric - EXP_COUNTER;
	fact.cpu_ns = 0;
	fact.bytes = samples->period;
	row = exp_load_row_of(load, &fact);
	if (row != EXP_ROW_NONE) {
		exp_load_add(load, samples->metric, row, samples->period);
		load->set.quality.counter_samples++;
		load->set.quality.counter_squares[fact.type] += (double)samples->period *
		                                                (double)samples->period;
		exp_load_time(load, sample->ticks);
	}
	return load->rc;
}

static int count_samples(struct exp_load *load, struct exp_index *threads,
                         const struct exp_samples *samples)
{
	int rc = 0;

	for (size_t i = 0; samples && i < samples->count && rc == 0; i++)
		rc = count_sample(load, threads, samples, &samples->list[i]);
	return rc;
}

int exp_samples_values(struct exp_load *load)
{
	struct experiment *experiment = load->experiment;
	struct exp_index threads = {0};
	int rc = experiment->samples[0] ? exp_load_profile_metrics(load) : 0;

	for (unsigned slot = 0; slot < SLOTS && rc == 0; slot++)
		if (experiment->counted & 1u << slot)
			rc = exp_load_need(load, EXP_COUNTER + slot);
	if (experiment->counted != 0)
		load->set.have |= EXP_DATA_COUNTERS;
	for (unsigned n = 0; n < EXP_SAMPLERS && rc == 0; n++)
		rc = count_samples(load, &threads, experiment->samples[n]);
	exp_index_fini(&threads);
	return rc;
}

uint64_t exp_samples_counted(const struct exp_load *load, size_t row)
{
	uint64_t count = 0;

	for (unsigned n = 0; n < EXP_SAMPLERS; n++) {
		const struct exp_samples *samples = load->experiment->samples[n];

		if (samples && samples->metric != EXP_SAMPLES)
			count += load->rows.value[samples->metric][row] / samples->period;
	}
	return count;
}

/* sampler.c: clock samples as files of the thread sampler, for readers of such files on systems
 * where threads cannot be sampled.
 *
 * A clock sample stands for the CPU time since the last one of its thread. It becomes one sample
 * for each period in that time, at even distances up to its own time. The rest is kept for the next
 * clock sample of the thread. Times are those of CLOCK_MONOTONIC.
 * See doc/decisions/57-sampler-fallback.md. */
#include "analyzer/export/export.h"

#include "analyzer/base/memory.h"
#include "experiment/streams/selection.h"
#include "experiment/table/index.h"
#include "format/fxt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HZ = 1000000000, SAMPLES_MAX = 1 << 26 };

struct sample {
	uint64_t ns;
	uint32_t cpu, tid;
	uint32_t node;
	uint32_t experiment; /* its place in walk->nodes */
};

struct walk {
	struct output *output;
	const struct dataset_experiment *at;
	uint64_t period_ns;
	struct sample *samples;
	size_t count, capacity;
	struct exp_index threads; /* of the experiment: tid -> its place in rests */
	uint64_t *rests;          /* what a thread has used that no sample stands for yet, ns */
	size_t rest_count, rest_capacity;
	int is_too_much;
	struct {
		const struct exp_nodes *nodes;
		uint64_t pid;
	} * experiments;
	size_t experiment_count;
};

/* NULL without memory. */
static uint64_t *rest_of(struct walk *walk, uint32_t tid)
{
	uint32_t known = exp_index_find(&walk->threads, tid);

	if (known != EXP_INDEX_NONE)
		return &walk->rests[known];
	if (exp_index_add(&walk->threads, tid, (uint32_t)walk->rest_count) != 0)
		return NULL;
	walk->rests = memory_grow(walk->rests, walk->rest_count, &walk->rest_capacity,
	                          sizeof(*walk->rests));
	walk->rests[walk->rest_count] = 0;
	return &walk->rests[walk->rest_count++];
}

/* `count` samples, a period one behind the other, up to end_ns. */
static void add(struct walk *walk, const struct exp_fact *fact, uint64_t end_ns, uint64_t count)
{
	if (count > SAMPLES_MAX - walk->count) {
		walk->is_too_much = 1;
		return;
	}
	for (uint64_t i = count; i > 0; i--) {
		walk->samples = memory_grow(walk->samples, walk->count, &walk->capacity,
		                            sizeof(*walk->samples));
		walk->samples[walk->count++] = (struct sample){
			.ns = end_ns - (i - 1) * walk->period_ns,
			.cpu = fact->cpu,
			.tid = fact->tid,
			.node = fact->node,
			.experiment = (uint32_t)walk->experiment_count};
	}
}

static uint32_t on_fact(void *context, const struct exp_fact *fact)
{
	struct walk *walk = context;
	int64_t since = experiment_time_ns(walk->at->experiment, fact->ticks);
	uint64_t end, *rest;

	if (fact->data != EXP_DATA_PROFILE)
		return EXP_ROW_NONE;
	rest = rest_of(walk, fact->tid);
	if (!rest)
		return EXP_ROW_NONE;
	end = walk->at->info->start_mono_ns + (uint64_t)(since > 0 ? since : 0);
	*rest += fact->cpu_ns;
	add(walk, fact, end, *rest / walk->period_ns);
	*rest %= walk->period_ns;
	return EXP_ROW_NONE;
}

static int compare(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return (x->ns > y->ns) - (x->ns < y->ns);
}

static size_t put(const struct walk *walk, const struct sample *sample, uint64_t *words)
{
	uint64_t pcs[FXT_SAMPLE_PCS_MAX];
	size_t count = export_pcs(walk->experiments[sample->experiment].nodes, sample->node, pcs);

	return fxt_put_sample(words, sample->ns, walk->experiments[sample->experiment].pid,
	                      sample->tid, pcs, count);
}

/* Remove a file that is not whole. fd is closed; -1: there is none. Returns -errno. */
static int fail_file(int directory, const char *name, int fd)
{
	int error = errno != 0 ? -errno : -EIO;

	if (fd >= 0)
		close(fd);
	unlinkat(directory, name, 0);
	return error;
}

/* The samples of one CPU, [from, to). Returns 0 or -errno. */
static int write_file(const struct walk *walk, int directory, size_t from, size_t to)
{
	uint64_t words[FXT_FILE_HEAD_WORDS + FXT_SAMPLE_HEAD_WORDS + FXT_SAMPLE_PCS_MAX];
	uint32_t cpu = walk->samples[from].cpu;
	char name[24];
	size_t size;
	FILE *out;
	int error;
	int len = snprintf(name, sizeof(name), "cpu%u.fxt", cpu), fd;

	fd = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0)
		return -errno;
	out = fdopen(fd, "w");
	if (!out)
		return fail_file(directory, name, fd);
	size = fxt_put_file_header(words, cpu + 1, name, (size_t)len - strlen(".fxt"), HZ);
	fwrite(words, sizeof(*words), size, out);
	for (size_t i = from; i < to; i++) {
		size = put(walk, &walk->samples[i], words);
		fwrite(words, sizeof(*words), size, out);
	}
	if (fflush(out) != 0 || ferror(out)) {
		error = fail_file(directory, name, -1);
		fclose(out);
		return error;
	}
	return fclose(out) == 0 ? 0 : fail_file(directory, name, -1);
}

static void write_files(struct walk *walk, const char *path)
{
	int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
	    rc = directory < 0 ? -errno : 0;

	if (walk->count > 0)
		qsort(walk->samples, walk->count, sizeof(*walk->samples), compare);
	for (size_t from = 0, to; from < walk->count && rc == 0; from = to) {
		for (to = from;
		     to < walk->count && walk->samples[to].cpu == walk->samples[from].cpu;)
			to++;
		rc = write_file(walk, directory, from, to);
	}
	if (directory >= 0)
		close(directory);
	if (rc < 0)
		output_fail(walk->output, EXIT_TROUBLE, "export: %s: %s", path, strerror(-rc));
}

/* The period that was asked for: of the sampler, or of clock profiling. */
static uint64_t period_of(const struct experiment *experiment)
{
	uint64_t ns = strtoull(experiment_setting(experiment, "sampler_ns", "0"), NULL, 10);

	return ns > 0 ? ns
	              : strtoull(experiment_setting(experiment, "profile_us", "0"), NULL, 10) *
	                        1000;
}

static void take_experiment(struct walk *walk)
{
	const struct exp_selection selection = {.context = walk, .row = on_fact};
	const struct exp_data_set *set;

	walk->period_ns = period_of(walk->at->experiment);
	if (walk->period_ns == 0 || walk->at->info->start_mono_ns == 0)
		return;
	walk->experiments = memory_resize(walk->experiments, walk->experiment_count + 1,
	                                  sizeof(*walk->experiments));
	walk->experiments[walk->experiment_count].nodes = &walk->at->whole->nodes;
	walk->experiments[walk->experiment_count].pid = (uint64_t)walk->at->info->pid;
	walk->rest_count = 0;
	exp_index_fini(&walk->threads);
	if (experiment_select(walk->at->experiment, &selection, &set) != 0)
		memory_fail();
	exp_data_set_destroy(set);
	walk->experiment_count++;
}

void export_sampler(const struct dataset *dataset, struct output *output, const char *directory)
{
	struct walk walk = {.output = output};

	dataset_load(dataset, output);
	while ((walk.at = dataset_next(dataset, walk.at)))
		take_experiment(&walk);
	if (walk.is_too_much)
		output_fail(output, EXIT_TROUBLE, "export: more than %d samples", SAMPLES_MAX);
	else if (walk.count == 0)
		output_fail(output, EXIT_TROUBLE, "export: no clock samples to export");
	else
		write_files(&walk, directory);
	exp_index_fini(&walk.threads);
	free(walk.samples);
	free(walk.rests);
	free(walk.experiments);
}

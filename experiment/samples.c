/* samples.c: reads sampler/cpuN.fxt, or counterN/cpuN.fxt, and map.fxt beside them for what map.xml does not have, as of libraries that the collector never met. Both
 * tell of all processes; what belongs to an experiment is of the image that its process executed at the time. See samples.h. */
#include "experiment/samples.h"

#include "experiment/fxtindex.h"
#include "experiment/fxtmap.h"
#include "experiment/fxtstacks.h"
#include "experiment/kin.h"
#include "experiment/pauses.h"
#include "experiment/xmlread.h"
#include "format/layout.h"
#include "format/record.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { CPU_MAX = 65535, WAIT_TURNS = 50, COUNTER_NAME = 16, EVENT_NAME = 64 };

struct sample {
	uint64_t ticks;
	uint32_t tid, node;
	uint32_t cpu;
};

struct exp_samples {
	struct sample *list;
	size_t count, capacity;
	uint64_t period; /* ns, or events */
	enum exp_metric metric; /* EXP_SAMPLES: of CPU time; else of that counter */
};

struct reader {
	struct exp_load *load;
	struct exp_samples *samples;
	uint64_t from_ns, to_ns; /* of CLOCK_MONOTONIC: when the process was this image */
	struct exp_pauses pauses; /* the kernel samples on */
	struct exp_fxtstacks stacks;
	uint32_t cpu;
	const char *name; /* of the directory */
};

static int take_record(void *context, const struct exp_fxt *fxt, const struct exp_fxt_record *record)
{
	struct reader *reader = context;
	const struct exp_clock *clock = &reader->load->experiment->clock;
	struct exp_samples *samples = reader->samples;
	struct exp_fxt_sample sample;
	uint64_t ticks;
	uint32_t node;

	if (!exp_fxt_sample_take(fxt, record, &sample) || sample.process != reader->load->experiment->kernel_pid ||
	    sample.ns < reader->from_ns || sample.ns > reader->to_ns)
		return 0;
	/* What is older than the collector has no time of its own: it is of the beginning. */
	ticks = exp_clock_ticks(clock, sample.ns > clock->start_mono_ns ? sample.ns : clock->start_mono_ns);
	if (exp_pauses_has(&reader->pauses, ticks))
		return 0;
	sample.is_cut = 0; /* here a mark would say so */
	if (exp_fxtstacks_node(&reader->stacks, reader->load, &sample, EXP_GENERATION_OF_MAP, &node) != 0 ||
	    exp_array_reserve(&samples->list, &samples->capacity, samples->count, sizeof(*samples->list)) != 0)
		return -ENOMEM;
	samples->list[samples->count++] = (struct sample){.ticks = ticks,
		.tid = (uint32_t)sample.thread, .node = node, .cpu = reader->cpu};
	return 0;
}

/* ---- files */

typedef int visitor(void *context, const struct exp_fxt *fxt, const struct exp_fxt_record *record);

/* Visit the records of a file, but for such as are not of a process, if that is not 0; what is before its first fault. Returns 0 or -ENOMEM. */
static int read_file(struct experiment *experiment, int directory, const char *where, const char *name, uint64_t process, visitor *visit, void *context)
{
	struct exp_fxtwalk walk = {.process = process};
	const struct exp_fxt_record *record;
	int fd = exp_file_open(directory, name);
	struct exp_fxt *fxt;
	int rc;

	if (fd < 0) {
		if (fd != -ENOENT)
			exp_warn(experiment, "%s/%s: %s", where, name, strerror(-fd));
		return 0;
	}
	fxt = walk.fxt = exp_fxt_open(fd);
	rc = fxt == NULL ? -ENOMEM : 1;
	exp_fxtwalk_begin(&walk, experiment->indexes, where, name, fd);
	while (rc == 1) {
		rc = exp_fxtwalk_next(&walk, &record);
		if (rc == 1 && visit(context, fxt, record) != 0)
			rc = -ENOMEM;
	}
	exp_fxtwalk_end(&walk, experiment->indexes, rc);
	if (rc < 0 && rc != -ENOMEM) {
		exp_warn(experiment, "%s/%s: %s", where, name, rc == -EBADMSG ? exp_fxt_fault(fxt) : strerror(-rc));
		rc = 0;
	}
	if (fxt != NULL)
		exp_fxt_close(fxt);
	close(fd);
	return rc;
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

enum { DIRECTORY_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

/* Returns 1 if its helper is still at work. */
static int wait_for(int experiment_directory, const char *name)
{
	const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};
	int fd = openat(experiment_directory, name, DIRECTORY_FLAGS), turns = 0, is_locked;

	if (fd < 0)
		return 0;
	while ((is_locked = flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK) && turns++ < WAIT_TURNS)
		nanosleep(&pause, NULL);
	close(fd);
	return is_locked;
}

/* The directory of the n-th counter. */
static const char *counter_directory(char name[COUNTER_NAME], unsigned n)
{
	snprintf(name, COUNTER_NAME, "%s%u", FMT_DIR_COUNTER, n);
	return name;
}

int exp_samples_wait(int experiment_directory)
{
	char name[COUNTER_NAME];
	int is_locked = wait_for(experiment_directory, FMT_DIR_SAMPLER);

	for (unsigned i = 0; i < FMT_COUNTERS_MAX; i++)
		is_locked |= wait_for(experiment_directory, counter_directory(name, i));
	return is_locked;
}

/* The founder's directory of samples, or -1. */
static int open_directory(const struct experiment *experiment, const char *name)
{
	int founder, fd;

	if (experiment->info.lineage[0] == '\0')
		return openat(experiment->directory, name, DIRECTORY_FLAGS);
	founder = experiment->founder == NULL ? -1 : open(experiment->founder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (founder < 0)
		return -1;
	fd = openat(founder, name, DIRECTORY_FLAGS);
	close(founder);
	return fd;
}

static int read_files(struct reader *reader, int directory)
{
	struct experiment *experiment = reader->load->experiment;
	struct dirent **names;
	int count = scandirat(directory, ".", &names, is_sampler_file, versionsort);
	int rc = 0;

	if (count < 0)
		return errno == ENOMEM ? -ENOMEM : 0;
	for (int i = 0; i < count; i++) {
		reader->cpu = (uint32_t)cpu_of(names[i]->d_name);
		if (rc == 0)
			rc = read_file(experiment, directory, reader->name, names[i]->d_name, experiment->kernel_pid, take_record, reader);
		free(names[i]);
	}
	free(names);
	return rc;
}

static uint64_t least(uint64_t left, uint64_t right)
{
	return left < right ? left : right;
}

/* From the image's start, which is older than the collector's if the kernel has told of it, to the exec that ended it. */
static void find_span(const struct experiment *experiment, uint64_t *from_ns, uint64_t *to_ns)
{
	const struct exp_clock *clock = &experiment->clock;

	*from_ns = experiment->began_ns != 0 ? experiment->began_ns : clock->start_mono_ns;
	*to_ns = experiment->ended_ns != 0 ? experiment->ended_ns - 1 : UINT64_MAX;
	if (experiment->info.status != EXP_EXECED || experiment->directory < 0)
		return;
	for (size_t i = 0; i < experiment->info.event_count; i++)
		if (strcmp(experiment->info.events[i].kind, "exec") == 0 && experiment->event_ticks[i] > clock->start.ticks)
			*to_ns = least(*to_ns, clock->start_mono_ns + exp_whole((double)(experiment->event_ticks[i] - clock->start.ticks) / clock->hz * 1e9));
}

/* The period of samples, 0 if there are none: without --sampler, or if timers took them in its place, which are in `profile`. */
static uint64_t period_of(const struct experiment *experiment)
{
	uint64_t period_ns;

	if (exp_number_parse(experiment_setting(experiment, "sampler_ns", "0"), &period_ns) != 0 || experiment->clock.start_mono_ns == 0 ||
	    strcmp(experiment_setting(experiment, "sampler_timers", "0"), "0") != 0)
		return 0;
	return period_ns;
}

/* The name (name[EVENT_NAME], or NULL) and interval of the n-th counter, by the setting "NAME,INTERVAL NAME,INTERVAL ...". Returns 0, or -ENOENT. */
static int counter_of(const struct experiment *experiment, unsigned n, char *name, uint64_t *period)
{
	const char *at = experiment_setting(experiment, "counters", "");
	size_t len;
	char *end;

	if (experiment->clock.start_mono_ns == 0)
		return -ENOENT;
	for (unsigned i = 0; i < n; i++) {
		at += strcspn(at, " ");
		at += strspn(at, " ");
	}
	len = strcspn(at, ", ");
	if (len == 0 || len >= EVENT_NAME || at[len] != ',' || at[len + 1] < '0' || at[len + 1] > '9')
		return -ENOENT;
	errno = 0;
	*period = strtoull(at + len + 1, &end, 10);
	if (errno != 0 || *period == 0 || (*end != '\0' && *end != ' '))
		return -ENOENT;
	if (name != NULL) {
		memcpy(name, at, len);
		name[len] = '\0';
	}
	return 0;
}

/* ---- counts */

static int is_untold(const struct experiment *experiment, const char *directory)
{
	char count[COUNTER_NAME + sizeof("_samples")];
	struct stat st;

	snprintf(count, sizeof(count), "%s_samples", directory);
	return experiment_counter(experiment, count, UINT64_MAX) == UINT64_MAX &&
	       fstatat(experiment->directory, directory, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

unsigned exp_samples_untold(const struct experiment *experiment)
{
	char name[COUNTER_NAME];
	unsigned count;
	uint64_t period;

	if (experiment->info.lineage[0] != '\0')
		return 0; /* the founder's tell of all */
	count = period_of(experiment) > 0 && is_untold(experiment, FMT_DIR_SAMPLER);
	for (unsigned i = 0; i < FMT_COUNTERS_MAX; i++)
		count += counter_of(experiment, i, NULL, &period) == 0 && is_untold(experiment, counter_directory(name, i));
	return count;
}

/* ---- names of counters: what an event is called decides its metric, in all experiments of the process */

enum { SLOTS = EXP_COUNTER_LAST - EXP_COUNTER + 1 };
static char slot_names[SLOTS][EVENT_NAME];
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

/* ---- the map */

/* A program's code is told with its first sample, which may be older than the collector's start in it, but not than the program: the last one
 * that is told before the image's end is the one. */
struct map_reader {
	struct exp_fxtmap map;
	uint64_t to_ns;
	int is_other; /* another program begins */
};

/* The program of an experiment is the one that began last before its collector did; but xcollect begins a founder before that executes
 * anything. What comes after it in the process is another one. */
static void take_begin(struct map_reader *reader, const struct exp_kin_image *image)
{
	struct experiment *experiment = reader->map.experiment;
	int is_founder = experiment->info.lineage[0] == '\0' && image->forked == 0 && image->executed <= 1;
	uint64_t pid = image->inner != 0 && experiment->directory >= 0 ? image->inner : image->pid; /* as it knows itself */

	if (image->began <= experiment->clock.start_mono_ns) {
		if (pid == (uint64_t)experiment->info.pid && image->began > experiment->began_ns) {
			experiment->began_ns = image->began;
			experiment->kernel_pid = image->pid;
		}
	} else if (image->pid == experiment->kernel_pid && !is_founder && (image->forked != 0 || image->executed != 0)) {
		if (experiment->ended_ns == 0 || experiment->ended_ns > image->began)
			experiment->ended_ns = image->began;
		reader->to_ns = least(reader->to_ns, image->began - 1);
	}
}

static int take_code(void *context, const struct exp_fxt *fxt, const struct exp_fxt_record *record)
{
	struct map_reader *reader = context;
	struct experiment *experiment = reader->map.experiment;
	uint64_t time_ns = record->kind == FXT_module ? record->values[FXT_AT(module, time)].number
			   : record->kind == FXT_mmap ? record->values[FXT_AT(mmap, time)].number : 0;

	struct exp_kin_image image;

	if (exp_kin_take(fxt, record, &image) && image.ended == 0) {
		take_begin(reader, &image);
		reader->is_other |= image.pid == experiment->kernel_pid;
	}
	if (exp_fxtmap_process(record) != experiment->kernel_pid || time_ns > reader->to_ns)
		return 0;
	if (reader->is_other)
		reader->map.object_count = 0;
	reader->is_other = 0;
	return exp_fxtmap_take(&reader->map, record, 0, 0, UINT32_MAX);
}

/* Read a map of code, if there is one. Returns 0 or -ENOMEM. */
static int read_map(struct experiment *experiment, const char *where, uint64_t process, visitor *visit, void *context)
{
	int directory = open_directory(experiment, where), rc;

	if (directory < 0)
		return 0;
	rc = read_file(experiment, directory, where, FMT_FILE_SAMPLER_MAP, process, visit, context);
	close(directory);
	return rc;
}

int exp_samples_maps(struct experiment *experiment, visitor *visit, void *context)
{
	uint64_t period;
	char name[COUNTER_NAME];
	int rc = period_of(experiment) > 0 ? read_map(experiment, FMT_DIR_SAMPLER, 0, visit, context) : 0;

	for (unsigned i = 0; i < FMT_COUNTERS_MAX && rc == 0; i++)
		if (counter_of(experiment, i, NULL, &period) == 0)
			rc = read_map(experiment, counter_directory(name, i), 0, visit, context);
	return rc;
}

int exp_samples_objects(struct experiment *experiment, struct exp_map_object **out, size_t *count)
{
	struct map_reader reader = {.map = {.experiment = experiment}};
	uint64_t from_ns, period;
	char name[COUNTER_NAME];
	int rc = 0;

	*out = NULL;
	*count = 0;
	experiment->kernel_pid = (uint64_t)experiment->info.pid;
	find_span(experiment, &from_ns, &reader.to_ns);
	if (period_of(experiment) > 0)
		rc = read_map(experiment, FMT_DIR_SAMPLER, experiment->kernel_pid, take_code, &reader);
	for (unsigned i = 0; i < FMT_COUNTERS_MAX && rc == 0 && reader.map.object_count == 0; i++)
		if (counter_of(experiment, i, NULL, &period) == 0)
			rc = read_map(experiment, counter_directory(name, i), experiment->kernel_pid, take_code, &reader);
	if (rc == 0) {
		*out = reader.map.objects;
		*count = reader.map.object_count;
		reader.map.objects = NULL;
	}
	exp_fxtmap_fini(&reader.map);
	return rc;
}

static void destroy(struct exp_samples *samples)
{
	if (samples == NULL)
		return;
	free(samples->list);
	free(samples);
}

/* ---- samples */

/* Read one directory into *out, NULL if it has no samples of this experiment. Returns 0 or -ENOMEM. */
static int read_samples(struct exp_load *load, const char *name, uint64_t period, enum exp_metric metric, struct exp_samples **out)
{
	struct reader reader = {.load = load, .name = name};
	int directory = open_directory(load->experiment, name), rc;

	if (directory < 0)
		return 0;
	reader.samples = calloc(1, sizeof(*reader.samples));
	rc = reader.samples == NULL ? -ENOMEM : 0;
	find_span(load->experiment, &reader.from_ns, &reader.to_ns);
	if (rc == 0)
		rc = exp_pauses_read(load->experiment, &reader.pauses);
	if (rc == 0)
		rc = read_files(&reader, directory);
	close(directory);
	exp_pauses_fini(&reader.pauses);
	exp_fxtstacks_fini(&reader.stacks);
	if (rc != 0 || reader.samples->count == 0) {
		destroy(reader.samples);
		return rc;
	}
	reader.samples->period = period;
	reader.samples->metric = metric;
	*out = reader.samples;
	return 0;
}

static int read_counter(struct exp_load *load, unsigned n)
{
	char directory[COUNTER_NAME], event[EVENT_NAME];
	uint64_t period;
	unsigned slot;

	if (counter_of(load->experiment, n, event, &period) != 0)
		return 0;
	slot = slot_of(event);
	if (slot == SLOTS) {
		exp_warn(load->experiment, "%s is left out: experiments with more than %d counters are open", event, SLOTS);
		return 0;
	}
	/* A counter that found nothing is there all the same. */
	load->experiment->counted |= 1u << slot;
	return read_samples(load, counter_directory(directory, n), period, EXP_COUNTER + slot, &load->experiment->counters[n]);
}

void exp_samples_forget(struct experiment *experiment)
{
	destroy(experiment->samples);
	experiment->samples = NULL;
	for (unsigned i = 0; i < FMT_COUNTERS_MAX; i++) {
		destroy(experiment->counters[i]);
		experiment->counters[i] = NULL;
	}
}

int exp_samples_read(struct exp_load *load)
{
	struct experiment *experiment = load->experiment;
	uint64_t period_ns = period_of(experiment);
	int rc = 0;

	if (load->has_others_nodes)
		return 0; /* they were read with the nodes */
	exp_samples_forget(experiment);
	if (period_ns > 0)
		rc = read_samples(load, FMT_DIR_SAMPLER, period_ns, EXP_SAMPLES, &experiment->samples);
	for (unsigned i = 0; i < FMT_COUNTERS_MAX && rc == 0; i++)
		rc = read_counter(load, i);
	return rc;
}

/* ---- values */

/* What a sample is to filters, and what it counts for. */
static int count_sample(struct exp_load *load, struct exp_index *threads, const struct exp_samples *samples, const struct sample *sample)
{
	struct exp_fact fact = {.data = EXP_DATA_PROFILE, .type = FMT_clock_state_USER, .ticks = sample->ticks, .buffer_ticks = sample->ticks,
		.tid = sample->tid, .cpu = sample->cpu, .node = sample->node, .cpu_ns = samples->period};
	uint32_t row;

	if (samples->metric == EXP_SAMPLES)
		return exp_fxtstacks_count(load, threads, &fact);
	fact.data = EXP_DATA_COUNTERS;
	fact.type = samples->metric - EXP_COUNTER;
	fact.cpu_ns = 0;
	fact.bytes = samples->period;
	row = load->selection == NULL ? fact.node : exp_load_row_of(load, &fact);
	if (row != EXP_ROW_NONE) {
		exp_load_add(load, samples->metric, row, samples->period);
		load->set.quality.counter_samples++;
		exp_load_time(load, sample->ticks);
	}
	return load->rc;
}

static int count_samples(struct exp_load *load, struct exp_index *threads, const struct exp_samples *samples)
{
	int rc = 0;

	for (size_t i = 0; samples != NULL && i < samples->count && rc == 0; i++)
		rc = count_sample(load, threads, samples, &samples->list[i]);
	return rc;
}

int exp_samples_values(struct exp_load *load)
{
	struct experiment *experiment = load->experiment;
	struct exp_index threads = {0};
	int rc = experiment->samples != NULL ? exp_load_profile_metrics(load) : 0;

	for (unsigned slot = 0; slot < SLOTS && rc == 0; slot++)
		if (experiment->counted & 1u << slot)
			rc = exp_load_metric(load, EXP_COUNTER + slot);
	if (experiment->counted != 0)
		load->set.have |= EXP_DATA_COUNTERS;
	if (rc == 0)
		rc = count_samples(load, &threads, experiment->samples);
	for (unsigned i = 0; i < FMT_COUNTERS_MAX && rc == 0; i++)
		rc = count_samples(load, &threads, experiment->counters[i]);
	exp_index_fini(&threads);
	return rc;
}

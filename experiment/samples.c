/* samples.c: reads sampler/cpuN.fxt. A sample belongs to the image that its process executed at the time. Addresses have no generation: that
 * at the end is taken, or the first one if nothing is there at the end. See samples.h. */
#include "experiment/samples.h"

#include "experiment/fxt.h"
#include "experiment/index.h"
#include "experiment/xmlread.h"
#include "format/layout.h"
#include "format/record.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum { CPU_MAX = 65535, WAIT_TURNS = 50 };

struct sample {
	uint64_t ticks;
	uint32_t tid, node;
	uint32_t cpu;
};

struct exp_samples {
	struct sample *list;
	size_t count, capacity;
	uint64_t period_ns;
};

struct reader {
	struct exp_load *load;
	struct exp_samples *samples;
	uint64_t from_ns, to_ns; /* of CLOCK_MONOTONIC: when the process was this image */
	struct exp_index pcs, nodes; /* numbers of addresses; of parent << 32 | address */
	uint64_t *addresses;
	size_t address_count, address_capacity;
	uint32_t cpu;
};

/* ---- stacks */

static int number_of_pc(struct reader *reader, uint64_t pc, uint32_t *out)
{
	*out = exp_index_find(&reader->pcs, pc);
	if (*out != EXP_INDEX_NONE)
		return 0;
	if (exp_array_reserve(&reader->addresses, &reader->address_capacity, reader->address_count, sizeof(pc)) != 0)
		return -ENOMEM;
	*out = (uint32_t)reader->address_count;
	reader->addresses[reader->address_count++] = pc;
	return exp_index_add(&reader->pcs, pc, *out);
}

static uint32_t generation_of(const struct experiment *experiment, uint64_t pc)
{
	enum { LAST = UINT32_MAX - 1 };

	return experiment_object_at(experiment, pc, LAST) != NULL ? LAST : 0;
}

/* The node of `pc` called from the node `parent`. */
static int node_of(struct reader *reader, uint32_t parent, uint64_t pc, uint32_t *out)
{
	struct exp_node_table *nodes = &reader->load->nodes;
	uint32_t number;
	uint64_t key;
	int rc = number_of_pc(reader, pc, &number);

	if (rc != 0)
		return rc;
	key = (uint64_t)parent << 32 | number;
	*out = exp_index_find(&reader->nodes, key);
	if (*out != EXP_INDEX_NONE)
		return 0;
	if (nodes->count >= EXP_NODE_NONE - 1 || exp_nodes_add(nodes, pc, parent, generation_of(reader->load->experiment, pc)) != 0)
		return -ENOMEM;
	*out = (uint32_t)nodes->count - 1;
	return exp_index_add(&reader->nodes, key, *out);
}

static int add_sample(struct reader *reader, uint64_t time_ns, uint32_t tid, const uint64_t *pcs, size_t count)
{
	struct exp_samples *samples = reader->samples;
	uint32_t node = EXP_NODE_NONE;

	for (size_t i = count; i > 0; i--)
		if (node_of(reader, node, pcs[i - 1], &node) != 0)
			return -ENOMEM;
	if (exp_array_reserve(&samples->list, &samples->capacity, samples->count, sizeof(*samples->list)) != 0)
		return -ENOMEM;
	samples->list[samples->count++] = (struct sample){.ticks = exp_clock_ticks(&reader->load->experiment->clock, time_ns), .tid = tid,
		.node = node, .cpu = reader->cpu};
	return 0;
}

/* ---- files */

/* The value of a record's part of this kind; NULL if it has none. */
static const struct exp_fxt_value *value_of(const struct exp_fxt_record *record, enum fxt_part_kind kind)
{
	const struct fxt_part *parts = fxt_records[record->kind].parts;

	for (size_t i = 0; parts[i].name != NULL; i++)
		if (parts[i].kind == kind)
			return &record->values[i];
	return NULL;
}

static int take_record(struct reader *reader, const struct exp_fxt_record *record)
{
	const struct exp_fxt_value *thread, *time, *payload;

	if (record->kind != FXT_large_blob_event)
		return 0;
	thread = value_of(record, FXT_PART_THREAD);
	time = value_of(record, FXT_PART_TIME);
	payload = value_of(record, FXT_PART_PAYLOAD);
	if (thread->process != (uint64_t)reader->load->experiment->info.pid || time->number < reader->from_ns || time->number > reader->to_ns)
		return 0;
	if (payload->words == NULL || payload->word_count > FXT_SAMPLE_PCS_MAX)
		return 0;
	return add_sample(reader, time->number, (uint32_t)thread->thread, payload->words, payload->word_count);
}

static int read_file(struct reader *reader, int directory, const char *name)
{
	const struct exp_fxt_record *record;
	int fd = exp_file_open(directory, name);
	struct exp_fxt *fxt;
	int rc;

	if (fd < 0) {
		exp_warn(reader->load->experiment, "%s/%s: %s", FMT_DIR_SAMPLER, name, strerror(-fd));
		return 0;
	}
	fxt = exp_fxt_open(fd);
	rc = fxt == NULL ? -ENOMEM : 1;
	while (rc == 1) {
		rc = exp_fxt_next(fxt, &record);
		if (rc == 1 && take_record(reader, record) != 0)
			rc = -ENOMEM;
	}
	if (rc < 0 && rc != -ENOMEM) {
		exp_warn(reader->load->experiment, "%s/%s: %s", FMT_DIR_SAMPLER, name, rc == -EBADMSG ? exp_fxt_fault(fxt) : strerror(-rc));
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

void exp_samples_wait(int experiment_directory)
{
	const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};
	int fd = openat(experiment_directory, FMT_DIR_SAMPLER, DIRECTORY_FLAGS);

	if (fd < 0)
		return;
	for (int i = 0; i < WAIT_TURNS && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK; i++)
		nanosleep(&pause, NULL);
	close(fd);
}

/* The founder's directory of samples, or -1. */
static int open_directory(const struct experiment *experiment)
{
	int founder, fd;

	if (experiment->info.lineage[0] == '\0')
		return openat(experiment->directory, FMT_DIR_SAMPLER, DIRECTORY_FLAGS);
	founder = experiment->founder == NULL ? -1 : open(experiment->founder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (founder < 0)
		return -1;
	fd = openat(founder, FMT_DIR_SAMPLER, DIRECTORY_FLAGS);
	close(founder);
	return fd;
}

static int read_files(struct reader *reader, int directory)
{
	struct dirent **names;
	int count = scandirat(directory, ".", &names, is_sampler_file, versionsort);
	int rc = 0;

	if (count < 0)
		return errno == ENOMEM ? -ENOMEM : 0;
	for (int i = 0; i < count; i++) {
		reader->cpu = (uint32_t)cpu_of(names[i]->d_name);
		if (rc == 0)
			rc = read_file(reader, directory, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	return rc;
}

/* From the image's start to the exec that ended it. */
static void find_span(struct reader *reader)
{
	const struct experiment *experiment = reader->load->experiment;
	const struct exp_clock *clock = &experiment->clock;

	reader->from_ns = clock->start_mono_ns;
	reader->to_ns = UINT64_MAX;
	if (experiment->info.status != EXP_EXECED)
		return;
	for (size_t i = 0; i < experiment->info.event_count; i++)
		if (strcmp(experiment->info.events[i].kind, "exec") == 0 && experiment->event_ticks[i] > clock->start.ticks)
			reader->to_ns = clock->start_mono_ns + (uint64_t)((double)(experiment->event_ticks[i] - clock->start.ticks) / clock->hz * 1e9);
}

int exp_samples_read(struct exp_load *load)
{
	struct experiment *experiment = load->experiment;
	struct reader reader = {.load = load};
	uint64_t period_ns;
	int directory, rc;

	if (load->has_others_nodes)
		return 0; /* they were read with the nodes */
	exp_samples_destroy(experiment->samples);
	experiment->samples = NULL;
	if (exp_number_parse(experiment_setting(experiment, "sampler_ns", "0"), &period_ns) != 0 || period_ns == 0 || experiment->clock.start_mono_ns == 0)
		return 0;
	directory = open_directory(experiment);
	if (directory < 0)
		return 0;
	reader.samples = calloc(1, sizeof(*reader.samples));
	rc = reader.samples == NULL ? -ENOMEM : 0;
	find_span(&reader);
	if (rc == 0)
		rc = read_files(&reader, directory);
	close(directory);
	exp_index_fini(&reader.pcs);
	exp_index_fini(&reader.nodes);
	free(reader.addresses);
	if (rc != 0 || reader.samples->count == 0) {
		exp_samples_destroy(reader.samples);
		return rc;
	}
	reader.samples->period_ns = period_ns;
	experiment->samples = reader.samples;
	return 0;
}

void exp_samples_destroy(struct exp_samples *samples)
{
	if (samples == NULL)
		return;
	free(samples->list);
	free(samples);
}

/* ---- values */

/* The use of a sample's thread: one for each thread. */
static long use_of(struct exp_load *load, struct exp_index *threads, const struct sample *sample)
{
	uint32_t known = exp_index_find(threads, sample->tid);
	long use;

	if (known != EXP_INDEX_NONE)
		return known;
	use = exp_load_use(load, sample->tid, sample->ticks);
	if (use >= 0 && exp_index_add(threads, sample->tid, (uint32_t)use) != 0)
		return -ENOMEM;
	return use;
}

static int count_sample(struct exp_load *load, struct exp_index *threads, const struct sample *sample, uint64_t period_ns)
{
	struct exp_fact fact = {.data = EXP_DATA_PROFILE, .type = FMT_clock_state_USER, .ticks = sample->ticks, .buffer_ticks = sample->ticks,
		.tid = sample->tid, .cpu = sample->cpu, .node = sample->node, .cpu_ns = period_ns};
	long use = use_of(load, threads, sample);
	uint32_t row;

	if (use < 0)
		return -ENOMEM;
	exp_load_time(load, sample->ticks);
	row = load->selection == NULL ? sample->node : exp_load_row_of(load, &fact);
	if (row == EXP_ROW_NONE && load->selection != NULL)
		return load->rc;
	exp_load_add(load, EXP_CPU_USER, row, period_ns);
	exp_load_add(load, EXP_SAMPLES, row, 1);
	load->set.quality.sampled_ns += period_ns;
	load->set.quality.samples++;
	load->uses[use].cpu_ns += period_ns;
	load->uses[use].samples++;
	return load->rc;
}

int exp_samples_values(struct exp_load *load)
{
	const struct exp_samples *samples = load->experiment->samples;
	struct exp_index threads = {0};
	int rc;

	if (samples == NULL)
		return 0;
	rc = exp_load_profile_metrics(load);
	for (size_t i = 0; i < samples->count && rc == 0; i++)
		rc = count_sample(load, &threads, &samples->list[i], samples->period_ns);
	exp_index_fini(&threads);
	return rc;
}

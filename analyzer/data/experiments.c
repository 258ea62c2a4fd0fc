/* experiments.c: which experiments the dataset has, and which of them views see: opening them with
 * their descendants, alone or by groups, dropping, selecting and reading them again. */
#include "analyzer/data/dataset.h"
#include "experiment/base/boot.h"

#include "experiment/archive/archive.h"
#include "format/compress.h"
#include "analyzer/model/choices.h"
#include "experiment/symbols/code.h"
#include "experiment/open/group.h"
#include "experiment/xray/xraylog.h"
#include "analyzer/model/defaults.h"
#include "analyzer/data/filters.h"
#include "analyzer/data/killed.h"
#include "analyzer/data/places.h"
#include "format/layout.h"
#include "format/lineage.h"
#include "analyzer/base/files.h"
#include "analyzer/base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void warn(void *context, const char *message)
{
	output_say(context, "%s", message);
}

static void check_damage(struct output *output, const struct dataset_experiment *at)
{
	if (at->info->damaged && output->status < EXIT_TROUBLE)
		output->status = EXIT_TROUBLE;
}

/* Functions of foreign logs have the names of the program that the user has given. */
static void name_functions(const struct dataset *dataset, struct output *output,
                           struct experiment *experiment)
{
	int status = !dataset->instr_map ? 0 : experiment_instr_map(experiment, dataset->instr_map);

	if (status < 0)
		output_fail(output, EXIT_TROUBLE, "instr_map: %s: %s", dataset->instr_map,
		            status == -EBADMSG ? "it has no xray_instr_map" : strerror(-status));
}

/* Open one experiment that is not open yet. Returns it, or NULL after a message. `lineage`: NULL,
 * or that of a descendant of the founder with this number, whose path it is. */
static struct dataset_experiment *open_new(struct dataset *dataset, struct output *output,
                                           const char *path, unsigned group, unsigned founder,
                                           const char *lineage)
{
	const struct exp_reporter reporter = {.warn = warn, .context = output};
	struct exp_cause cause = {.text = ""};
	struct dataset_experiment *slot;
	struct experiment *experiment;
	int status = !lineage ? experiment_open(path, &reporter, &experiment, &cause)
	                      : experiment_open_descendant(
					dataset_find(dataset, founder)->experiment, lineage,
					&reporter, &experiment, &cause);

	if (status < 0) {
		char *near = lineage || access(path, F_OK) == 0 ? NULL : files_nearest(path, ".er");

		output_fail(output, EXIT_TROUBLE, "%s%s%s%s",
		            cause.text[0] ? cause.text : strerror(-status),
		            near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
		free(near);
		return NULL;
	}
	name_functions(dataset, output, experiment);
	dataset->experiments = memory_grow(dataset->experiments, dataset->count, &dataset->capacity,
	                                   sizeof(*dataset->experiments));
	slot = &dataset->experiments[dataset->count++];
	*slot = (struct dataset_experiment){.experiment = experiment,
	                                    .info = experiment_info(experiment),
	                                    .id = ++dataset->last_id,
	                                    .group = group,
	                                    .is_selected = 1};
	check_damage(output, slot);
	if (founder == 0 && symbols_remember(dataset->symbols, experiment) != 0)
		memory_fail();
	return slot;
}

static int has_archive(const char *path)
{
	char *name = memory_format("%s/" FMT_DIR_ARCHIVES, path);
	DIR *directory = opendir(name);
	size_t count = 0;

	free(name);
	if (!directory)
		return 0;
	while (readdir(directory))
		count++;
	closedir(directory);
	return count > 2; /* more than . and .. */
}

/* What could not be archived shows in the list of objects. */
static void ignore(void *context, const char *message)
{
	(void)context;
	(void)message;
}

/* Why the experiment is not to be archived, NULL if it is. The maker of one that belongs to
 * somebody else could choose which files of the reader are copied into it. The paths in one from
 * elsewhere are not those of the files here. */
static const char *why_not_archived(const struct dataset_experiment *at)
{
	if (!exp_archive_is_own(at->experiment))
		return "it belongs to another user; xer_archive(1) archives it";
	if (!exp_is_of_this_boot(at->experiment))
		return "it was recorded on another machine, or before this one was started; xer_archive(1) archives it";
	return access(at->info->path, W_OK) == 0 ? NULL : "it cannot be written";
}

/* A killed process could not archive its objects at its end: do it now, while they exist. */
static void archive_dead(struct output *output, const struct dataset_experiment *at)
{
	struct exp_archive_options options = {
		.what = EXP_ARCHIVE_ON,
		.compresses = compress_parse(experiment_setting(at->experiment, "compress",
	                                                        "archives")) != COMPRESS_OFF,
		.reporter = {.warn = ignore}};
	struct exp_cause cause = {.text = ""};
	const char *what, *why_not;

	if (at->info->status != EXP_DIED && at->info->status != EXP_EXECED)
		return;
	what = experiment_setting(at->experiment, "archive", "on");
	if (exp_archive_parse(what, &options.what) < 0 || options.what == EXP_ARCHIVE_OFF)
		return;
	why_not = why_not_archived(at);
	if (!why_not) {
		if (experiment_archive(at->experiment, &options, &cause) < 0)
			output_say(output, "not archived: %s", cause.text);
	} else if (at->info->lineage[0] == '\0' && !has_archive(at->info->path)) {
		output_say(output, "%s: not archived: %s", at->info->path, why_not);
	}
}

static void drop(struct dataset *dataset, size_t index)
{
	filters_forget(&dataset->experiments[index]);
	symbols_forget(dataset->symbols, dataset->experiments[index].experiment);
	experiment_close(dataset->experiments[index].experiment);
	memmove(&dataset->experiments[index], &dataset->experiments[index + 1],
	        (dataset->count - index - 1) * sizeof(*dataset->experiments));
	dataset->count--;
	places_forget(dataset->places);
}

/* Open the descendants of the experiment with this number that are not open yet. One that cannot be
 * read leaves the others readable. */
static void open_descendants(struct dataset *dataset, const struct choices *choices,
                             struct output *output, unsigned founder)
{
	const struct exp_info *info = dataset_find(dataset, founder)->info;
	unsigned group = dataset_find(dataset, founder)->group;

	for (size_t i = 0; i < info->descendant_count && defaults_may_open(choices->defaults);
	     i++) {
		char *name = memory_format("%s/%s" FMT_EXPERIMENT_SUFFIX, info->path,
		                           info->descendants[i]);
		struct dataset_experiment *known = dataset_find_path(dataset, name);

		if (!known)
			known = open_new(dataset, output, name, group, founder,
			                 info->descendants[i]);
		if (known)
			known->founder = founder;
		if (known &&
		    !defaults_opens(choices->defaults, known->info->lineage, known->info->program))
			drop(dataset, (size_t)(known - dataset->experiments));
		free(name);
	}
}

/* Returns 0, or a negative value after a message. */
static int open_tree(struct dataset *dataset, const struct choices *choices, struct output *output,
                     const char *path, unsigned group)
{
	size_t first = dataset->count;
	struct dataset_experiment *opened;

	if (dataset_find_path(dataset, path))
		return 0;
	opened = open_new(dataset, output, path, group, 0, NULL);
	if (!opened)
		return -EINVAL;
	open_descendants(dataset, choices, output, opened->id);
	killed_find(dataset, first);
	for (size_t i = first; i < dataset->count; i++)
		archive_dead(output, &dataset->experiments[i]);
	return 0;
}

struct members {
	struct dataset *dataset;
	const struct choices *choices;
	struct output *output;
	unsigned group;
};

static int open_member(void *context, const char *path, unsigned line)
{
	struct members *members = context;
	const char *group = members->dataset->groups[members->group].path;

	if (open_tree(members->dataset, members->choices, members->output, path, members->group) ==
	    0)
		return 0;
	output_say(members->output, "%s: line %u: not opened", group, line);
	return -EINVAL;
}

static int open_group(struct dataset *dataset, const struct choices *choices, struct output *output,
                      const char *path, unsigned group)
{
	struct members members = {dataset, choices, output, group};
	const struct exp_group_reader reader = {
		open_member, &members, {.warn = warn, .context = output}};
	struct exp_cause cause = {.text = ""};
	int status = experiment_group_read(path, &reader, &cause);

	if (status < 0)
		output_fail(output, EXIT_TROUBLE, "%s", cause.text);
	else if (status > 0)
		output_fail(output, EXIT_TROUBLE, "%s: %d of its lines could not be used", path,
		            status);
	return status < 0 ? status : 0;
}

int dataset_open(struct dataset *dataset, const struct choices *choices, struct output *output,
                 const char *path)
{
	size_t before = dataset->count;
	unsigned group = (unsigned)dataset->group_count;
	int status;

	dataset->groups = memory_grow(dataset->groups, dataset->group_count,
	                              &dataset->group_capacity, sizeof(*dataset->groups));
	dataset->groups[dataset->group_count++].path = memory_text(path, strlen(path));
	status = experiment_group_is(path) ? open_group(dataset, choices, output, path, group)
	                                   : open_tree(dataset, choices, output, path, group);
	if (dataset->count == before) /* nothing came of it: no group either */
		free(dataset->groups[--dataset->group_count].path);
	return status;
}

static int find_group(const struct dataset *dataset, const char *path)
{
	for (size_t i = 0; i < dataset->group_count; i++)
		if (strcmp(dataset->groups[i].path, path) == 0)
			return (int)i;
	return -1;
}

size_t dataset_drop(struct dataset *dataset, const char *path)
{
	const struct dataset_experiment *named = dataset_find_path(dataset, path);
	int group = experiment_group_is(path) ? find_group(dataset, path) : -1;
	unsigned id = !named ? 0 : named->id;
	size_t before = dataset->count;

	for (size_t i = dataset->count; i-- > 0;) {
		const struct dataset_experiment *at = &dataset->experiments[i];

		if ((id != 0 && (at->id == id || at->founder == id)) || (int)at->group == group)
			drop(dataset, i);
	}
	return before - dataset->count;
}

void dataset_drop_all(struct dataset *dataset)
{
	while (dataset->count > 0)
		drop(dataset, dataset->count - 1);
	while (dataset->group_count > 0)
		free(dataset->groups[--dataset->group_count].path);
	dataset->last_id = 0;
}

int dataset_open_alone(struct dataset *dataset, const struct choices *choices,
                       struct output *output, const char *path)
{
	struct dataset others = *dataset;
	int status;

	dataset->experiments = NULL;
	dataset->groups = NULL;
	dataset->count = dataset->capacity = dataset->group_count = dataset->group_capacity = 0;
	dataset->last_id = 0;
	places_forget(dataset->places);
	status = dataset_open(dataset, choices, output, path);
	if (dataset->count == 0) { /* the old ones stay */
		struct dataset none = *dataset;

		*dataset = others;
		others = none;
	}
	places_forget(dataset->places);
	dataset_drop_all(&others);
	free(others.experiments);
	free(others.groups);
	return status;
}

/* A descendant by its founder, as before, so that it holds no descriptor. */
static int open_again(const struct dataset *dataset, const struct dataset_experiment *at,
                      const struct exp_reporter *reporter, struct experiment **out,
                      struct exp_cause *cause)
{
	const struct dataset_experiment *founder = dataset_find(dataset, at->founder);
	char *lineage;
	int status;

	if (at->founder == 0 || !founder)
		return experiment_open(at->info->path, reporter, out, cause);
	lineage = memory_text(at->info->name, lineage_parse(at->info->name));
	status = experiment_open_descendant(founder->experiment, lineage, reporter, out, cause);
	free(lineage);
	return status;
}

/* Read one experiment again. Returns 0; if it cannot be opened any more, what was read stays. */
static int reopen(const struct dataset *dataset, struct output *output,
                  struct dataset_experiment *at)
{
	const struct exp_reporter reporter = {.warn = warn, .context = output};
	struct exp_cause cause = {.text = ""};
	struct experiment *experiment;
	int status = open_again(dataset, at, &reporter, &experiment, &cause);

	if (status < 0) {
		output_fail(output, EXIT_TROUBLE, "%s", cause.text);
		return status;
	}
	name_functions(dataset, output, experiment);
	filters_forget(at);
	symbols_forget(dataset->symbols, at->experiment);
	experiment_close(at->experiment);
	at->experiment = experiment;
	at->info = experiment_info(experiment);
	if (at->founder == 0 && symbols_remember(dataset->symbols, experiment) != 0)
		memory_fail();
	at->whole = NULL;
	at->data = NULL;
	places_forget(dataset->places);
	check_damage(output, at);
	return 0;
}

/* A tree can grow while any process of it lives. */
static int is_growing(const struct dataset *dataset, const struct dataset_experiment *at)
{
	for (size_t i = 0; i < dataset->count; i++) {
		const struct dataset_experiment *other = &dataset->experiments[i];

		if (other->info->status == EXP_RUNNING &&
		    (other->id == at->id || other->founder == at->id))
			return 1;
	}
	return 0;
}

size_t dataset_reload(struct dataset *dataset, const struct choices *choices, struct output *output)
{
	size_t read = 0, count = dataset->count;
	unsigned char *growing = memory_take(count, 1);

	for (size_t i = 0; i < count; i++)
		growing[i] = is_growing(dataset, &dataset->experiments[i]) != 0;
	for (size_t i = 0; i < count; i++)
		read += growing[i] && reopen(dataset, output, &dataset->experiments[i]) == 0;
	for (size_t i = 0; i < count; i++)
		if (growing[i])
			open_descendants(dataset, choices, output, dataset->experiments[i].id);
	killed_find(dataset, 0);
	for (size_t i = 0; i < dataset->count; i++)
		if (!dataset->experiments[i].data)
			archive_dead(output, &dataset->experiments[i]);
	free(growing);
	return read;
}

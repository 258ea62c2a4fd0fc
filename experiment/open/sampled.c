/* sampled.c: reads the images that sampler/map.fxt describes, finds those without an experiment,
 * and builds one for each. See sampled.h.
 * See doc/decisions/55-sampled-descendants.md. */
#include "experiment/open/sampled.h"

#include "experiment/base/regexwork.h"
#include "experiment/fxt/samplermap.h"
#include "experiment/table/index.h"
#include "format/lineage.h"

#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGES_MAX = 1 << 20 };

/* ---- records */

/* Where the collector's library is mapped. */
struct seen {
	uint64_t pid, time_ns;
};

struct gatherer {
	struct exp_sampled *sampled;
	struct exp_arena *arena;
	struct seen *seen;
	size_t seen_count, seen_capacity;
};

static int see(struct gatherer *gatherer, const struct exp_fxt_record *record)
{
	static const char library[] = "/libcollector.so";
	const struct exp_fxt_value *name = &record->values[FXT_AT(module, name)];
	size_t size = sizeof(library) - 1;

	if (name->number < size || memcmp(name->text + name->number - size, library, size) != 0)
		return 0;
	if (exp_array_reserve(&gatherer->seen, &gatherer->seen_capacity, gatherer->seen_count,
	                      sizeof(*gatherer->seen)) != 0)
		return -ENOMEM;
	gatherer->seen[gatherer->seen_count++] = (struct seen){
		record->values[FXT_AT(module, thread)].process,
		record->values[FXT_AT(module, time)].number};
	return 0;
}

static void mark_seen(const struct gatherer *gatherer)
{
	for (size_t i = 0; i < gatherer->seen_count; i++) {
		struct exp_sampled_image *image = exp_sampled_at(
			gatherer->sampled, gatherer->seen[i].pid, gatherer->seen[i].time_ns);

		if (image)
			image->has_collector = 1;
	}
}

static int keep(struct exp_arena *arena, struct exp_sampled_text *text)
{
	text->at = exp_arena_text(arena, text->size == 0 ? "" : text->at, text->size);
	return !text->at ? -ENOMEM : 0;
}

static int gather(void *context, const struct exp_fxt *fxt, const struct exp_fxt_record *record)
{
	struct gatherer *gatherer = context;
	struct exp_sampled *sampled = gatherer->sampled;
	struct exp_sampled_image image;

	if (record->kind == FXT_module)
		return see(gatherer, record);
	if (!exp_sampled_take(fxt, record, &image) || sampled->count == IMAGES_MAX)
		return 0;
	if (keep(gatherer->arena, &image.name) != 0 || keep(gatherer->arena, &image.program) != 0 ||
	    keep(gatherer->arena, &image.command) != 0 ||
	    exp_array_reserve(&sampled->images, &sampled->capacity, sampled->count,
	                      sizeof(image)) != 0)
		return -ENOMEM;
	sampled->images[sampled->count++] = image;
	return 0;
}

/* ---- which are shown */

static const char *program_name(const struct exp_sampled_image *image)
{
	const char *slash = image->program.size == 0 ? NULL : strrchr(image->program.at, '/');

	return slash ? slash + 1 : image->name.at;
}

/* The recorder chooses in the same way, by -F. The pattern is from a log, which may contain
 * anything. */
static void choose(const struct experiment *founder, struct exp_sampled *sampled)
{
	const char *follow = experiment_setting(founder, "follow", "on");
	int is_pattern = follow[0] == '=';
	char why[EXP_REGEX_WHY];
	regex_t pattern;

	if (strcmp(follow, "off") == 0 ||
	    (is_pattern && exp_regex_compile(&pattern, follow + 1, why) != 0))
		return;
	for (size_t i = 0; i < sampled->count; i++) {
		struct exp_sampled_image *image = &sampled->images[i];

		image->is_shown = image->sampled && !image->archiver &&
		                  image->log == EXP_INDEX_NONE && image->lineage &&
		                  !(image->has_collector && image->is_inside &&
		                    image->inner == 0) && /* it may have one of the experiments that
		                                             are there */
		                  (!is_pattern ||
		                   regexec(&pattern, image->lineage, 0, NULL, 0) == 0 ||
		                   regexec(&pattern, program_name(image), 0, NULL, 0) == 0);
	}
	if (is_pattern)
		regfree(&pattern);
}

static int compare_lineages(const void *a, const void *b)
{
	return lineage_compare(*(const char *const *)a, *(const char *const *)b);
}

/* Add them to the list of descendants, and count those that are left out. */
static int list(struct experiment *founder, struct exp_sampled *sampled)
{
	struct exp_info *info = &founder->info;
	size_t count = info->descendant_count;
	const char **names = exp_arena_alloc(&founder->arena,
	                                     (count + sampled->count) * sizeof(*names));

	if (!names)
		return -ENOMEM;
	if (count > 0)
		memcpy(names, info->descendants, count * sizeof(*names));
	for (size_t i = 0; i < sampled->count; i++) {
		struct exp_sampled_image *image = &sampled->images[i];

		if (image->is_shown) {
			names[count++] = image->lineage;
			if (exp_hash_add(&sampled->shown,
			                 exp_hash_text(EXP_HASH_START, image->lineage), image) != 0)
				return -ENOMEM;
		} else {
			info->left_out += image->sampled && !image->archiver &&
			                  image->log == EXP_INDEX_NONE;
		}
	}
	qsort(names, count, sizeof(*names), compare_lineages);
	info->descendants = names;
	info->descendant_count = count;
	return 0;
}

/* Older recorders record neither that, nor which process created another one. */
static int is_any_sampled(const struct exp_sampled *sampled)
{
	for (size_t i = 0; i < sampled->count; i++)
		if (sampled->images[i].sampled)
			return 1;
	return 0;
}

int exp_sampled_read(struct experiment *founder)
{
	struct exp_sampled *sampled = calloc(1, sizeof(*sampled));
	struct gatherer gatherer = {.sampled = sampled, .arena = &founder->arena};
	int rc = !sampled ? -ENOMEM : exp_samplermap_visit(founder, gather, &gatherer);

	founder->sampled = sampled;
	if (rc == 0 && is_any_sampled(sampled)) {
		exp_sampled_settle(sampled);
		mark_seen(&gatherer);
	}
	free(gatherer.seen);
	if (rc != 0 || !is_any_sampled(sampled))
		return rc;
	rc = exp_sampled_order(sampled);
	if (rc == 0)
		rc = exp_sampled_name(founder, sampled);
	if (rc != 0)
		return rc;
	choose(founder, sampled);
	return list(founder, sampled);
}

void exp_sampled_forget(struct experiment *founder)
{
	if (!founder->sampled)
		return;
	free(founder->sampled->images);
	free(founder->sampled->by_time);
	exp_hash_fini(&founder->sampled->shown);
	free(founder->sampled);
	founder->sampled = NULL;
}

/* ---- their experiments */

static int has_lineage(const void *item, const void *lineage)
{
	return strcmp(((const struct exp_sampled_image *)item)->lineage, lineage) == 0;
}

static const struct exp_sampled_image *find(const struct exp_sampled *sampled, const char *lineage)
{
	return !sampled ? NULL
	                : exp_hash_find(&sampled->shown, exp_hash_text(EXP_HASH_START, lineage),
	                                has_lineage, lineage);
}

static int fill_command(struct experiment *experiment, const struct exp_sampled_image *image)
{
	const char *at = image->command.size > 0 ? image->command.at : image->name.at;
	const char *end = at + (image->command.size > 0 ? image->command.size : image->name.size);
	const char **argv = NULL;
	size_t count = 0, capacity = 0;
	int rc;

	do {
		rc = exp_array_reserve(&argv, &capacity, count, sizeof(*argv));
		if (rc == 0 && !(argv[count++] = exp_arena_string(&experiment->arena, at)))
			rc = -ENOMEM;
		at += strlen(at) + 1;
	} while (rc == 0 && at <= end);
	experiment->info.argv = rc == 0 ? exp_arena_alloc(&experiment->arena, count * sizeof(*argv))
	                                : NULL;
	experiment->info.argc = count;
	if (experiment->info.argv)
		memcpy((void *)experiment->info.argv, argv, count * sizeof(*argv));
	free(argv);
	return !experiment->info.argv ? -ENOMEM : 0;
}

/* The founder's clock, from another moment on. */
static void fill_clock(const struct experiment *founder, struct experiment *experiment,
                       const struct exp_sampled_image *image)
{
	const struct exp_clock *clock = &founder->clock;
	uint64_t began = image->began > clock->start_mono_ns ? image->began : clock->start_mono_ns,
		 passed = began - clock->start_mono_ns;

	experiment->clock = *clock;
	experiment->clock.start_mono_ns = began;
	experiment->clock.start.ticks = exp_clock_ticks(clock, began);
	experiment->clock.start.raw_ns += passed;
	experiment->info.start_mono_ns = began;
	experiment->info.start_real_ns = passed < EXP_REAL_NS_MAX
	                                         ? founder->info.start_real_ns + (int64_t)passed
	                                         : founder->info.start_real_ns;
	experiment->began_ns = began;
	experiment->ended_ns = image->until;
}

/* The image that replaced it in the process, if there is one. */
static void fill_status(const struct experiment *founder, struct experiment *experiment,
                        const struct exp_sampled_image *image)
{
	const struct exp_sampled *sampled = founder->sampled;
	const struct exp_sampled_image *next = image + 1;
	struct exp_info *info = &experiment->info;

	info->status = image->ended != 0 || !founder->is_at_work ? EXP_ENDED : EXP_RUNNING;
	if (image->ended > image->began)
		info->duration_s = (double)(image->ended - image->began) * 1e-9;
	if (next == &sampled->images[sampled->count] || !exp_sampled_is_same_process(image, next))
		return;
	info->status = EXP_EXECED;
	info->executed = exp_arena_string(
		&experiment->arena, next->program.size > 0 ? next->program.at : next->name.at);
	info->executed_as = next->lineage && (next->is_shown || next->log != EXP_INDEX_NONE)
	                            ? exp_arena_string(&experiment->arena, next->lineage)
	                            : NULL;
}

int exp_sampled_make(const struct experiment *founder, struct experiment *experiment)
{
	struct exp_info *info = &experiment->info;
	char lineage[LINEAGE_MAX];
	const struct exp_sampled_image *image;
	size_t size = lineage_parse(info->name);

	if (size >= sizeof(lineage))
		return -ENOENT;
	memcpy(lineage, info->name, size);
	lineage[size] = '\0';
	image = find(founder->sampled, lineage);
	if (!image)
		return -ENOENT;
	info->pid = (int64_t)image->pid;
	info->ppid = (int64_t)image->parent;
	info->version = exp_arena_string(&experiment->arena, founder->info.version);
	info->lineage = exp_arena_string(&experiment->arena, lineage);
	info->program = info->object = exp_arena_string(
		&experiment->arena, image->program.size > 0 ? image->program.at : image->name.at);
	info->outside = exp_arena_string(&experiment->arena,
	                                 image->reason ? image->reason : "no collector was in it");
	fill_clock(founder, experiment, image);
	fill_status(founder, experiment, image);
	if (!info->version || !info->lineage || !info->program || !info->outside)
		return -ENOMEM;
	return fill_command(experiment, image);
}

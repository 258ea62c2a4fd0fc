/* absent.c: processes without an experiment, and their CPU time. See absent.h. */
#include "analyzer/report/quality/absent.h"

#include "analyzer/base/memory.h"
#include "analyzer/data/places.h"
#include "analyzer/report/report.h"

#include "format/lineage.h"

#include <stdlib.h>
#include <string.h>

static const char *attribute(const struct exp_event *event, const char *name)
{
	const char *value = report_attribute(event, name);

	return value ? value : "?";
}

static unsigned founder_of(const struct dataset_experiment *at)
{
	return at->founder == 0 ? at->id : at->founder;
}

/* Does the tree have an experiment of this lineage, or of its descendants? Ranks of an MPI job have
 * other names. */
static int has_experiment(const struct dataset *dataset, const struct dataset_experiment *founder,
                          const char *lineage)
{
	const char *const *names = founder->info->descendants;
	size_t low = 0, high = founder->info->descendant_count, open;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (lineage_compare(names[middle], lineage) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < founder->info->descendant_count && places_is_below(names[low], lineage))
		return 1;
	places_below(dataset, founder->id, lineage, &open);
	return open > 0;
}

/* Does an event of the process say why this lineage, or one of its descendants, was not recorded?
 */
static int has_reason(const struct exp_info *info, const char *lineage)
{
	for (size_t i = 0; i < info->event_count; i++)
		if (strcmp(info->events[i].kind, "unrecorded") == 0 &&
		    places_is_below(attribute(&info->events[i], "lineage"), lineage))
			return 1;
	return 0;
}

int absent_is_outside(const struct dataset *dataset, const struct dataset_experiment *at,
                      const char *lineage)
{
	size_t count = 0;
	const uint32_t *below = !lineage ? NULL
	                                 : places_below(dataset, founder_of(at), lineage, &count);

	/* What has the same lineage comes first. */
	for (size_t i = 0; i < count; i++) {
		const struct dataset_experiment *other = &dataset->experiments[below[i]];

		if (strcmp(other->info->lineage, lineage) != 0)
			break;
		if (other->founder != 0 && other->info->outside)
			return 1;
	}
	return 0;
}

/* Does an event tell that a process was made whose name is known for sure? */
static int makes_process(const struct exp_event *event)
{
	static const char *const kinds[] = {"fork", "_Fork", "vfork", "clone", "forkpty", "exec"};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(event->kind, kinds[i]) == 0)
			return report_attribute(event, "lineage") != NULL;
	return 0;
}

int absent_find(const struct dataset *dataset, const struct dataset_experiment *at,
                const struct exp_event *event, struct absent *out)
{
	const struct dataset_experiment *founder = at->founder == 0
	                                                   ? at
	                                                   : dataset_find(dataset, at->founder);

	*out = (struct absent){attribute(event, "lineage"), attribute(event, "path"),
	                       attribute(event, "reason")};
	if (strcmp(event->kind, "unrecorded") == 0)
		return !absent_is_outside(dataset, at, out->lineage);
	if (!founder || at->info->status == EXP_RUNNING || at->info->status == EXP_SNAPSHOT ||
	    !makes_process(event) || has_experiment(dataset, founder, out->lineage) ||
	    has_reason(at->info, out->lineage))
		return 0;
	out->path = report_attribute(event, "path") ? out->path : "a child";
	out->reason = experiment_setting(at->experiment, "follow", "on")[0] == '='
	                      ? "-F leaves it out, or it left no experiment"
	                      : "it left no experiment";
	return 1;
}

size_t absent_unexplained(const struct dataset *dataset, const struct dataset_experiment *at)
{
	const struct exp_info *info = at->info;
	struct absent absent;
	size_t count = 0;

	for (size_t i = 0; i < info->event_count; i++)
		count += strcmp(info->events[i].kind, "unrecorded") != 0 &&
		         absent_find(dataset, at, &info->events[i], &absent);
	return count;
}

/* ---- their CPU time ---- */

static int has_absent_child(const struct dataset *dataset, const struct dataset_experiment *at)
{
	struct absent absent;

	for (size_t i = 0; i < at->info->event_count; i++)
		if (absent_find(dataset, at, &at->info->events[i], &absent))
			return 1;
	return 0;
}

/* Is `lineage` of a process below that of `parent`, and not of a later image of the same one? */
static int is_below(const char *lineage, const char *parent)
{
	size_t len = strlen(parent);

	while (strncmp(lineage, parent, len) == 0 && lineage[len] == '_' && lineage[len + 1] == 'x')
		len += 2 + strspn(lineage + len + 2, "0123456789");
	return strncmp(lineage, parent, strlen(parent)) == 0 && lineage[len] == '_';
}

/* CPU time of all children that the process has waited for, with theirs. */
static uint64_t children_ns(const struct dataset_experiment *at)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < at->info->event_count; i++) {
		const char *text = report_attribute(&at->info->events[i], "children_ns");

		if (text)
			ns = strtoull(text, NULL, 10);
	}
	return ns;
}

enum { NOTICED_NS = 5000000 /* the end of a process takes time that is in no experiment either */ };

/* Is the whole tree of the experiment open? */
static int is_whole(const struct dataset *dataset, const struct dataset_experiment *at)
{
	const struct dataset_experiment *founder = dataset_find(dataset, founder_of(at));
	size_t open;

	places_below(dataset, founder_of(at), "", &open);
	return founder && founder->info->lineage[0] == '\0' &&
	       open > founder->info->descendant_count;
}

/* Of the children of this process that have no experiment, with theirs. */
static uint64_t missing_ns(const struct dataset *dataset, const struct dataset_experiment *at)
{
	const char *follow = experiment_setting(at->experiment, "follow", "on");
	uint64_t waited_ns = children_ns(at), known_ns = 0;
	const uint32_t *below;
	size_t count;

	if (waited_ns < NOTICED_NS || strcmp(follow, "off") == 0 || follow[0] == '=')
		return 0;
	below = places_below(dataset, founder_of(at), at->info->lineage, &count);
	for (size_t i = 0; i < count; i++) {
		const struct dataset_experiment *other = &dataset->experiments[below[i]];

		if (is_below(other->info->lineage, at->info->lineage))
			known_ns += report_cpu_ns(other);
	}
	return waited_ns >= known_ns + NOTICED_NS && is_whole(dataset, at) &&
	                       has_absent_child(dataset, at)
	               ? waited_ns - known_ns
	               : 0;
}

struct missing {
	const struct dataset_experiment *at;
	uint64_t ns;
};

/* Has another process that is counted waited for the process of the experiment? */
static int is_counted(const struct missing *missing, size_t count,
                      const struct dataset_experiment *at)
{
	for (size_t i = 0; i < count; i++)
		if (missing[i].at != at && founder_of(missing[i].at) == founder_of(at) &&
		    is_below(at->info->lineage, missing[i].at->info->lineage))
			return 1;
	return 0;
}

uint64_t absent_cpu_ns(const struct dataset *dataset)
{
	struct missing *missing = NULL;
	size_t count = 0, capacity = 0;
	uint64_t sum = 0;

	for (size_t i = 0; i < dataset->count; i++) {
		const struct dataset_experiment *at = &dataset->experiments[i];
		uint64_t ns = missing_ns(dataset, at);

		if (ns == 0)
			continue;
		missing = memory_grow(missing, count, &capacity, sizeof(*missing));
		missing[count++] = (struct missing){at, ns};
	}
	for (size_t i = 0; i < count; i++)
		if (!is_counted(missing, count, missing[i].at))
			sum += missing[i].ns;
	free(missing);
	return sum;
}

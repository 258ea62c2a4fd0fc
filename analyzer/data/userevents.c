/* userevents.c: walks over the user events that count. See userevents.h. */
#include "analyzer/data/userevents.h"

#include "experiment/streams/selection.h"
#include "analyzer/data/filters.h"
#include "analyzer/base/memory.h"

#include <errno.h>
#include <stdlib.h>

struct walk {
	struct user_family *family;
	exp_user_visitor *visit;
	void *context;
};

static unsigned founder_of(const struct dataset_experiment *at)
{
	return at->founder ? at->founder : at->id;
}

static int is_first_of_family(const struct dataset *dataset, const struct dataset_experiment *at)
{
	for (const struct dataset_experiment *other = dataset_next(dataset, NULL); other != at;
	     other = dataset_next(dataset, other))
		if (founder_of(other) == founder_of(at))
			return 0;
	return 1;
}

static void forget(struct user_family *family)
{
	for (size_t i = 0; family->filters && i < family->count; i++)
		filters_close(family->filters[i]);
	free(family->members);
	free(family->experiments);
	free(family->filters);
	family->members = NULL;
	family->experiments = NULL;
	family->filters = NULL;
	family->count = 0;
}

static void open_filters(struct user_family *family)
{
	const struct dataset *dataset = family->dataset;
	struct output *output = family->output;

	if (!filters_are_set(dataset->filters))
		return;
	dataset_load(dataset, output);
	family->filters = memory_take(family->count, sizeof(*family->filters));
	for (size_t i = 0; i < family->count; i++) {
		struct filter_place place = filters_place(dataset, family->members[i]);

		family->filters[i] = filters_open(dataset->filters, &place);
		if (filters_begin(family->filters[i], &family->members[i]->whole->nodes) != 0)
			memory_fail();
	}
}

int user_family_next(struct user_family *family)
{
	const struct dataset *dataset = family->dataset;
	const struct dataset_experiment *at = family->is_begun ? family->next
	                                                       : dataset_next(dataset, NULL);

	forget(family);
	family->is_begun = 1;
	while (at && !is_first_of_family(dataset, at))
		at = dataset_next(dataset, at);
	if (!at)
		return 0;
	family->next = dataset_next(dataset, at);
	family->members = memory_take(dataset->count, sizeof(*family->members));
	family->experiments = memory_take(dataset->count, sizeof(*family->experiments));
	for (const struct dataset_experiment *other = at; other != NULL;
	     other = dataset_next(dataset, other)) {
		if (founder_of(other) != founder_of(at))
			continue;
		family->members[family->count] = other;
		family->experiments[family->count++] = other->experiment;
	}
	open_filters(family);
	return 1;
}

static int visit_selected(void *context, const struct exp_user_event *event)
{
	const struct walk *walk = context;
	const struct exp_fact fact = {.data = EXP_DATA_USER,
	                              .type = event->hook,
	                              .ticks = event->ticks,
	                              .buffer_ticks = event->buffer_ticks,
	                              .tid = event->tid,
	                              .cpu = event->cpu,
	                              .node = EXP_NO_INDEX,
	                              .user = event};

	if (walk->family->filters && !filters_select(walk->family->filters[event->process], &fact))
		return 0;
	return walk->visit(walk->context, event);
}

int user_family_walk(struct user_family *family, exp_user_visitor *visit, void *context)
{
	struct walk walk = {family, visit, context};
	int rc = exp_user_events(family->experiments, family->count, visit_selected, &walk);

	if (rc == -ENOMEM)
		memory_fail();
	for (size_t i = 0; i < family->count; i++)
		if (family->members[i]->info->damaged && family->output->status < EXIT_TROUBLE)
			family->output->status = EXIT_TROUBLE;
	return rc;
}

/* filters.c: keeps the parts that choose events, and the data that they leave of each experiment.
 */
#include "analyzer/data/filters.h"

#include "analyzer/base/memory.h"
#include "analyzer/data/cuts.h"
#include "analyzer/model/datakind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct filters {
	struct expression *parts[FILTERS_PARTS]; /* NULL: chooses nothing */
	char *shown[FILTERS_PARTS];
	int has_changed;
};

struct filters_run {
	struct filter_run *parts[FILTERS_PARTS];
	size_t count;
	struct cuts *cuts; /* NULL: times do not matter */
};

/* The commands that set the parts, and that list what there is to be chosen; NULL: none does. */
static const struct {
	const char *command, *list;
} names[FILTERS_PARTS] = {
	[FILTERS_EXPRESSION] = {"filters", NULL},
	[FILTERS_TIME] = {"time", NULL},
	[FILTERS_SAMPLES] = {"sample_select", "sample_list"},
	[FILTERS_THREADS] = {"thread_select", "thread_list"},
	[FILTERS_LWPS] = {"lwp_select", "lwp_list"},
	[FILTERS_CPUS] = {"cpu_select", "cpu_list"},
};

struct filters *filters_create(void)
{
	return memory_take(1, sizeof(struct filters));
}

void filters_forget(struct dataset_experiment *at)
{
	if (at->data != at->whole)
		exp_data_set_destroy(at->data);
	at->data = at->whole;
}

void filters_destroy(struct filters *filters, const struct dataset *dataset)
{
	for (size_t i = 0; i < dataset->count; i++)
		filters_forget(&dataset->experiments[i]);
	for (size_t i = 0; i < FILTERS_PARTS; i++) {
		expression_destroy(filters->parts[i]);
		free(filters->shown[i]);
	}
	free(filters);
}

int filters_set(struct dataset *dataset, enum filters_part part, const char *shown,
                const char *expression, struct expression_error *error)
{
	struct filters *filters = dataset->filters;
	struct expression *compiled = NULL;

	if (expression) {
		compiled = expression_compile(expression, error);
		if (!compiled)
			return -EINVAL;
	}
	if (compiled || filters->parts[part])
		filters->has_changed = 1;
	expression_destroy(filters->parts[part]);
	free(filters->shown[part]);
	filters->parts[part] = compiled;
	filters->shown[part] = compiled ? memory_text(shown, strlen(shown)) : NULL;
	return 0;
}

const char *filters_shown(const struct filters *filters, enum filters_part part)
{
	return filters->shown[part];
}

int filters_are_set(const struct filters *filters)
{
	for (size_t i = 0; i < FILTERS_PARTS; i++)
		if (filters->parts[i])
			return 1;
	return 0;
}

const char *filters_of_data(const struct filters *filters)
{
	return filters_are_set(filters)
	               ? "in what filters and selections leave of the recorded data"
	               : "in the recorded data";
}

void filters_ask(const struct filters *filters, struct exp_selection *selection)
{
	for (size_t i = 0; i < FILTERS_PARTS; i++)
		if (filters->parts[i])
			filter_ask(filters->parts[i], selection);
}

static void put_count(const struct dataset *dataset, FILE *out, unsigned kind)
{
	const struct dataset_experiment *at = NULL;
	uint64_t selected = 0, all = 0;

	while ((at = dataset_next(dataset, at))) {
		selected += datakind_chosen(at->data, kind);
		all += datakind_chosen(at->whole, kind);
	}
	fprintf(out, ", %llu of %llu %s", (unsigned long long)selected, (unsigned long long)all,
	        datakinds[kind].chosen);
}

char *filters_text(const struct dataset *dataset)
{
	char *text = NULL;
	size_t size;
	FILE *out;

	if (!filters_are_set(dataset->filters))
		return NULL;
	out = memory_stream(&text, &size);
	fputs("selected", out);
	for (size_t i = 0; i < FILTERS_PARTS; i++)
		if (dataset->filters->shown[i])
			fprintf(out, ": %s %s", names[i].command, dataset->filters->shown[i]);
	for (unsigned kind = 0; kind < FMT_DATAKINDS; kind++)
		if (dataset->have & 1u << kind)
			put_count(dataset, out, kind);
	memory_stream_end(out, &text);
	return text;
}

void filters_change(struct filters *filters)
{
	filters->has_changed = 1;
}

struct filter_place filters_place(const struct dataset *dataset,
                                  const struct dataset_experiment *at)
{
	const struct dataset_experiment *founder = at->founder != 0
	                                                   ? dataset_find(dataset, at->founder)
	                                                   : at;

	return (struct filter_place){
		.experiment = at->experiment,
		.info = at->info,
		.whole = at->whole,
		.symbols = dataset->symbols,
		.mode = dataset->mode,
		.number = at->id,
		.group = at->founder != 0 ? at->founder : at->id,
		.founder_real_ns = (founder ? founder : at)->info->start_real_ns};
}

struct filters_run *filters_open(const struct filters *filters, const struct filter_place *place)
{
	return filters_open_with(filters, place, NULL, NULL);
}

struct filters_run *filters_open_with(const struct filters *filters,
                                      const struct filter_place *place,
                                      const struct expression *one, const struct expression *other)
{
	const struct expression *expressions[FILTERS_PARTS + 2] = {one, other};
	struct filters_run *run = memory_take(1, sizeof(*run));

	for (size_t i = 0; i < FILTERS_PARTS; i++) {
		expressions[i + 2] = filters->parts[i];
		if (filters->parts[i])
			run->parts[run->count++] = filter_run_create(filters->parts[i], place);
	}
	run->cuts = cuts_create(expressions, FILTERS_PARTS + 2, place);
	return run;
}

uint64_t filters_next_cut(const struct filters_run *run, uint64_t ticks)
{
	return run->cuts ? cuts_next(run->cuts, ticks) : UINT64_MAX;
}

void filters_close(struct filters_run *run)
{
	for (size_t i = 0; i < run->count; i++)
		filter_run_destroy(run->parts[i]);
	cuts_destroy(run->cuts);
	free(run);
}

int filters_begin(struct filters_run *run, const struct exp_nodes *nodes)
{
	int status = 0;

	for (size_t i = 0; i < run->count && status == 0; i++)
		status = filter_run_begin(run->parts[i], nodes);
	return status;
}

int filters_select(struct filters_run *run, const struct exp_fact *fact)
{
	int64_t value;

	for (size_t i = 0; i < run->count; i++)
		if (!filter_run_value(run->parts[i], fact, &value) || value == 0)
			return 0;
	return 1;
}

static int begin(void *context, const struct exp_nodes *nodes)
{
	return filters_begin(context, nodes);
}

static uint64_t next_cut(void *context, uint64_t ticks)
{
	return filters_next_cut(context, ticks);
}

static uint32_t row(void *context, const struct exp_fact *fact)
{
	return filters_select(context, fact) ? 0 : EXP_ROW_NONE;
}

/* A list of items that do not exist would leave tables and exports empty without a message. It is
 * not an error: of several experiments that one script reads, some may not have this thread. */
static void tell_of_nothing(const struct dataset *dataset, struct output *output)
{
	uint64_t selected = 0, all = 0;

	for (size_t i = 0; i < dataset->count; i++)
		for (unsigned kind = 0; kind < FMT_DATAKINDS; kind++) {
			selected += datakind_chosen(dataset->experiments[i].data, kind);
			all += datakind_chosen(dataset->experiments[i].whole, kind);
		}
	for (size_t i = 0; i < FILTERS_PARTS && selected == 0 && all > 0; i++)
		if (dataset->filters->shown[i] && names[i].list)
			output_say(output, "%s %s: no event is selected (%s lists what there is)",
			           names[i].command, dataset->filters->shown[i], names[i].list);
}

void filters_apply(const struct dataset *dataset, struct output *output)
{
	struct filters *filters = dataset->filters;

	if (!filters->has_changed)
		return;
	filters->has_changed = 0;
	dataset_forget_tables(dataset);
	for (size_t i = 0; i < dataset->count; i++) {
		struct dataset_experiment *at = &dataset->experiments[i];
		struct filter_place place = filters_place(dataset, at);
		struct exp_selection selection = {.begin = begin, .row = row, .next_cut = next_cut};

		filters_forget(at);
		if (!filters_are_set(filters))
			continue;
		selection.context = filters_open(filters, &place);
		filters_ask(filters, &selection);
		if (experiment_select(at->experiment, &selection, &at->data) < 0) {
			output_say(output, "%s: out of memory", at->info->path);
			exit(EXIT_TROUBLE);
		}
		filters_close(selection.context);
	}
	tell_of_nothing(dataset, output);
}

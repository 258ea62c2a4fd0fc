/* named.c: joins what several groups have of equal names into rows of one table. */
#include "analyzer/report/compare/named.h"

#include "analyzer/base/memory.h"
#include "analyzer/report/quality/quality.h"
#include "analyzer/table/compare.h"
#include "analyzer/table/listing.h"

#include <stdlib.h>
#include <string.h>

struct entry {
	char *name;
	int64_t place;
	size_t column;
	struct metric_values values;
};

struct compare_named {
	struct entry *entries; /* entries[count] */
	size_t count, capacity;
};

struct compare_named *compare_named_create(void)
{
	return memory_take(1, sizeof(struct compare_named));
}

void compare_named_add(struct compare_named *named, size_t column, char *name, int64_t place,
                       const struct metric_values *values)
{
	named->entries = memory_grow(named->entries, named->count, &named->capacity,
	                             sizeof(*named->entries));
	named->entries[named->count++] = (struct entry){name, place, column, *values};
}

static int by_place(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* The metrics of the kind, without flavors: things have no callers. Those that the user has chosen,
 * unless there are none of the kind. */
static void choose_metrics(const struct dataset *dataset, const struct choices *choices,
                           unsigned data, struct metric_list *out, struct metric_sort *sort)
{
	struct metric_list usual;
	const struct metric_list *from = &choices->metrics;

	*out = (struct metric_list){.count = 0};
	metric_defaults(data, &usual, sort);
	if (metric_left_out(dataset->have, &choices->metrics) != 0)
		from = &usual;
	for (int try = 0; try < 2 && out->count == 0; try++, from = &usual)
		for (size_t i = 0; i < from->count; i++) {
			struct metric metric = from->at[i];
			int is_new = 1;

			if (!(metric_data_of(metric.id) & data))
				continue;
			metric.flavor = METRIC_PLAIN;
			for (size_t j = 0; j < out->count; j++)
				is_new &= out->at[j].id != metric.id;
			if (is_new)
				out->at[out->count++] = metric;
		}
	if (metric_data_of(choices->sort.metric.id) & data ||
	    choices->sort.metric.id == METRIC_NAME)
		*sort = choices->sort;
	sort->metric.flavor = METRIC_PLAIN;
}

/* Add a row with values[columns]. */
static void add_row(struct table *table, const char *name, const struct metric_values *values,
                    const struct metric_list *metrics, const struct metric_sort *sort)
{
	for (size_t i = 0; i < table->group_count; i++)
		table->next[i] = (struct table_values){metric_view_of(&values[i]),
		                                       metric_view_of(&values[i])};
	if (table->count == 0 || table_next_is_worth(table, metrics, sort))
		table_take_next(table, listing_add(table, NULL, memory_text(name, strlen(name))));
}

/* Add up what the sorted entries have of one name in each column, and of all names in front:
 * values[name * columns + column], which the caller frees. */
static struct metric_values *add_up(const struct compare_named *named, size_t columns)
{
	struct metric_values *values = memory_take((named->count + 1) * columns, sizeof(*values));
	size_t row = 0;

	for (size_t i = 0; i < named->count; i++) {
		const struct entry *entry = &named->entries[i];

		if (i == 0 || strcmp(entry[-1].name, entry->name) != 0)
			row++;
		metric_values_add(&values[entry->column], &entry->values);
		metric_values_add(&values[row * columns + entry->column], &entry->values);
	}
	return values;
}

/* The rows that have something to show, and <Total> before them. */
static void fill(struct table *table, const struct compare_named *named,
                 const struct metric_values *values, const struct metric_list *metrics,
                 const struct metric_sort *sort)
{
	size_t columns = table->group_count, row = 0;

	for (size_t i = 0; i < columns; i++)
		table->groups[i].sum = values[i];
	table->sum = values[0];
	add_row(table, "<Total>", values, metrics, sort);
	for (size_t i = 0; i < named->count; i++)
		if (i == 0 || strcmp(named->entries[i - 1].name, named->entries[i].name) != 0)
			add_row(table, named->entries[i].name, &values[++row * columns], metrics,
			        sort);
}

static void put_title(const struct dataset *dataset, const struct choices *choices,
                      struct output *output, const char *what, const struct metric_sort *sort,
                      void (*put_note)(const struct dataset *dataset, const struct choices *choices,
                                       struct output *output))
{
	char text[METRIC_ERROR_MAX];

	quality_put(dataset, output);
	if (put_note)
		put_note(dataset, choices, output);
	metric_describe(&sort->metric, text);
	if (print_is_data(output))
		print_note(output, "%s sorted by metric: %s", what, text);
	else
		fprintf(output->out, "%s sorted by metric: %s\n\n", what, text);
}

void compare_named_put(const struct dataset *dataset, const struct choices *choices,
                       struct output *output, struct compare_named *named,
                       const struct compare_form *form)
{
	struct table table = {.count = 0};
	struct metric_values *values;

	if (named->count > 1)
		qsort(named->entries, named->count, sizeof(*named->entries), by_place);
	compare_table(dataset, &table, TREE_FUNCTIONS);
	values = add_up(named, table.group_count);
	fill(&table, named, values, &form->metrics, &form->sort);
	if (!form->is_by_place)
		table_sort(&table, 1, &form->sort, &form->metrics);
	table_put(dataset, output, &table, &form->metrics, choices->limit, form->key);
	fputc('\n', output->out);
	table_fini(&table);
	free(values);
	for (size_t i = 0; i < named->count; i++)
		free(named->entries[i].name);
	free(named->entries);
	free(named);
}

void compare_named_put_kind(const struct dataset *dataset, const struct choices *choices,
                            struct output *output, struct compare_named *named, unsigned data,
                            const char *what, const char *key,
                            void (*put_note)(const struct dataset *dataset,
                                             const struct choices *choices, struct output *output))
{
	struct compare_form form = {.key = key};

	choose_metrics(dataset, choices, data, &form.metrics, &form.sort);
	put_title(dataset, choices, output, what, &form.sort, put_note);
	compare_named_put(dataset, choices, output, named, &form);
}

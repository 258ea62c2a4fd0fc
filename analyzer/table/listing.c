/* listing.c: what listings of source and of instructions have in common. */
#include "analyzer/table/listing.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

#include <stdlib.h>
#include <string.h>

struct table_row *listing_add(struct table *table, const char *kind, char *text)
{
	struct table_row *row;

	table->rows = memory_grow(table->rows, table->count, &table->capacity,
	                          sizeof(*table->rows));
	row = &table->rows[table->count++];
	*row = (struct table_row){.kind = kind, .name = text};
	return row;
}

/* The value of a line, of compared groups the greatest. */
static uint64_t measured(const struct table *table, const struct table_row *row,
                         const struct metric *metric)
{
	uint64_t most = !row->has_values ? 0 : table_value(row, metric);

	for (size_t i = 1; row->has_values && i < table->group_count; i++)
		if (table_group_value(table, row, metric, i) > most)
			most = table_group_value(table, row, metric, i);
	return most;
}

void listing_mark_hot(struct table *table, const struct metric_list *metrics, unsigned threshold)
{
	for (size_t i = 0; i < metrics->count; i++) {
		const struct metric *metric = &metrics->at[i];
		uint64_t most = 0;

		if (metric->id >= METRIC_VALUES || metric->show & METRIC_SHOW_HIDDEN)
			continue;
		for (size_t j = 0; j < table->count; j++)
			if (measured(table, &table->rows[j], metric) > most)
				most = measured(table, &table->rows[j], metric);
		for (size_t j = 0; j < table->count && most != 0; j++) {
			uint64_t value = measured(table, &table->rows[j], metric);

			if (value != 0 && (double)value >= (double)most * threshold / 100)
				table->rows[j].is_hot = 1;
		}
	}
}

void listing_fact(struct output *output, const char *what, const char *text)
{
	if (!text)
		return;
	if (print_is_data(output)) {
		print_note(output, "%s: %s", what, text);
		return;
	}
	fprintf(output->out, "%s: ", what);
	text_put(output->out, text);
	fputc('\n', output->out);
}

void listing_object(struct output *output, const char *what, const struct sym_object *object)
{
	listing_fact(output, what, object->path);
	if (object->file && strcmp(object->file, object->path) != 0)
		listing_fact(output, "Found", object->file);
}

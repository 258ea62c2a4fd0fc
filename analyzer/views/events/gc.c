/* gc.c: garbage collections of Java machines, during which none of their threads runs. */
#include "analyzer/views/view.h"

#include "analyzer/base/memory.h"
#include "analyzer/print/print.h"
#include "analyzer/report/report.h"

#include <stdlib.h>

/* A collection, and where it was. */
struct gc {
	const struct dataset_experiment *at;
	const struct exp_gc *gc;
};

static int by_length(const void *left, const void *right)
{
	const struct exp_gc *a = ((const struct gc *)left)->gc, *b = ((const struct gc *)right)->gc;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return (a->time_s > b->time_s) - (a->time_s < b->time_s);
}

static void put_sum(struct output *output, const struct gc *gcs, size_t count)
{
	struct print_table *record = print_record_begin("gcs");
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += gcs[i].gc->ns;
	print_field(record, PRINT_COUNT, "count", "Garbage Collections", count);
	print_field(record, PRINT_NS, "time", "Time", sum);
	print_field(record, PRINT_NS, "longest", "Longest", count == 0 ? 0 : gcs[0].gc->ns);
	print_table_end(output, record, 0);
}

static int is_any_java(const struct dataset *dataset)
{
	const struct dataset_experiment *at = NULL;

	while ((at = dataset_next(dataset, at)))
		if (at->whole->gc_count > 0 || experiment_java_classes(at->experiment) > 0)
			return 1;
	return 0;
}

void view_gcevents(const struct dataset *dataset, const struct choices *choices,
                   struct output *output, const struct command_argument *argument)
{
	const struct dataset_experiment *at = NULL;
	struct print_table *table;
	struct gc *gcs = NULL;
	size_t count = 0, capacity = 0;

	(void)argument;
	if (!is_any_java(dataset)) {
		output_fail(
			output, EXIT_TROUBLE,
			"gcevents: no Java data (record a program of a Java machine, with xcollect -j on)");
		return;
	}
	while ((at = dataset_next(dataset, at)))
		for (size_t i = 0; i < at->data->gc_count; i++) {
			gcs = memory_grow(gcs, count, &capacity, sizeof(*gcs));
			gcs[count++] = (struct gc){at, &at->data->gcs[i]};
		}
	if (count > 1)
		qsort(gcs, count, sizeof(*gcs), by_length);
	put_sum(output, gcs, count);
	table = print_table_begin("gc");
	print_column(table, PRINT_ID, "experiment", "Experiment");
	print_column(table, PRINT_SECONDS, "start", "Start (sec.)");
	print_column(table, PRINT_NS, "time", "Time (sec.)");
	for (size_t i = 0; i < count; i++) {
		print_number(table, gcs[i].at->id);
		print_real(table, gcs[i].gc->time_s - report_seconds(gcs[i].gc->ns));
		print_number(table, gcs[i].gc->ns);
	}
	print_table_end(output, table, choices->limit);
	free(gcs);
}

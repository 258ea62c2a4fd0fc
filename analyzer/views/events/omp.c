/* omp.c: parallel regions, and the other constructs of OpenMP. */
#include "analyzer/views/view.h"

#include "analyzer/base/memory.h"
#include "analyzer/print/print.h"
#include "analyzer/report/quality/quality.h"
#include "analyzer/report/report.h"
#include "analyzer/report/stacks.h"
#include "format/record.h"

#include <stdlib.h>

struct row {
	const struct dataset_experiment *at;
	const struct exp_omp_construct *construct;
};

struct rows {
	struct row *row; /* row[count] */
	size_t count;
};

static int is_region(const struct exp_omp_construct *construct)
{
	return construct->event == FMT_omp_event_PARALLEL;
}

static int by_lost(const void *left, const void *right)
{
	const struct exp_omp_construct *a = ((const struct row *)left)->construct,
				       *b = ((const struct row *)right)->construct;
	uint64_t a_lost = a->lost_ns + a->wait_ns, b_lost = b->lost_ns + b->wait_ns;

	if (a_lost != b_lost)
		return a_lost > b_lost ? -1 : 1;
	if (a->time_ns != b->time_ns)
		return a->time_ns > b->time_ns ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

static int by_time(const void *left, const void *right)
{
	const struct exp_omp_construct *a = ((const struct row *)left)->construct,
				       *b = ((const struct row *)right)->construct;

	if (a->time_ns != b->time_ns)
		return a->time_ns > b->time_ns ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return a->event != b->event ? (int)a->event - (int)b->event
	                            : (a->node > b->node) - (a->node < b->node);
}

/* The regions, or the others, of all selected experiments. The caller frees rows.row. */
static struct rows find_rows(const struct dataset *dataset, int regions)
{
	struct rows rows = {.count = 0};
	const struct dataset_experiment *at = NULL;
	size_t capacity = 0;

	while ((at = dataset_next(dataset, at)))
		capacity += at->data->omp.count;
	rows.row = memory_take(capacity, sizeof(*rows.row));
	while ((at = dataset_next(dataset, at)))
		for (size_t i = 0; i < at->data->omp.count; i++)
			if (is_region(&at->data->omp.constructs[i]) == regions)
				rows.row[rows.count++] = (struct row){at,
				                                      &at->data->omp.constructs[i]};
	qsort(rows.row, rows.count, sizeof(*rows.row), regions ? by_lost : by_time);
	return rows;
}

static void put_place(const struct dataset *dataset, const struct choices *choices,
                      struct print_table *table, const struct row *row)
{
	char *name = stacks_name_place(dataset, choices, row->at, row->construct->node, 1);

	print_word(table, name ? name : "<Unknown>");
	free(name);
}

static double share(uint64_t part, uint64_t whole)
{
	return whole != 0 ? 100.0 * (double)part / (double)whole : 0.0;
}

/* `work` and `wait` are of all threads; `lost` is the work that they could have done in addition
 * with even shares. */
void view_ompregions(const struct dataset *dataset, const struct choices *choices,
                     struct output *output, const struct command_argument *argument)
{
	struct rows rows = find_rows(dataset, 1), others = find_rows(dataset, 0);
	struct print_table *table = print_table_begin("ompregions");

	(void)argument;
	quality_put(dataset, output);
	print_describe(table, "Parallel regions: work and waits are of all their threads", 1);
	print_column(table, PRINT_WORD, "region", "Region");
	print_column(table, PRINT_COUNT, "count", "Times");
	print_column(table, PRINT_COUNT, "threads", "Threads\nat most");
	print_column(table, PRINT_NS, "time", "Time\nsec.");
	print_column(table, PRINT_NS, "longest", "Longest\nsec.");
	print_column(table, PRINT_NS, "work", "Work\nsec.");
	print_column(table, PRINT_NS, "wait", "Wait\nsec.");
	print_column(table, PRINT_NS, "uneven", "Uneven\nsec.");
	print_column(table, PRINT_PERCENT, "efficiency", "Working\n%");
	for (size_t i = 0; i < rows.count; i++) {
		const struct exp_omp_construct *construct = rows.row[i].construct;

		put_place(dataset, choices, table, &rows.row[i]);
		print_number(table, construct->count);
		print_number(table, construct->most_threads);
		print_number(table, construct->time_ns);
		print_number(table, construct->longest_ns);
		print_number(table, construct->work_ns);
		print_number(table, construct->wait_ns);
		print_number(table, construct->lost_ns);
		print_real(table,
		           share(construct->work_ns, construct->work_ns + construct->wait_ns));
	}
	print_table_end(output, table, choices->limit);
	if (rows.count != 0 && others.count != 0)
		report_put_next(dataset, choices, output, "ompconstructs", NULL,
		                "what the threads waited for in them");
	free(rows.row);
	free(others.row);
}

void view_ompconstructs(const struct dataset *dataset, const struct choices *choices,
                        struct output *output, const struct command_argument *argument)
{
	struct rows rows = find_rows(dataset, 0);
	struct print_table *table = print_table_begin("ompconstructs");

	(void)argument;
	quality_put(dataset, output);
	print_describe(table, "Constructs: tasks, waits and shared work; times are of all threads",
	               2);
	print_column(table, PRINT_WORD, "construct", "Construct");
	print_column(table, PRINT_WORD, "place", "Place");
	print_column(table, PRINT_COUNT, "count", "Times");
	print_column(table, PRINT_NS, "time", "Time\nsec.");
	print_column(table, PRINT_NS, "longest", "Longest\nsec.");
	for (size_t i = 0; i < rows.count; i++) {
		const struct exp_omp_construct *construct = rows.row[i].construct;
		const char *name = fmt_enum_name("omp_event", construct->event);

		print_word(table, name ? name : "<Unknown>");
		put_place(dataset, choices, table, &rows.row[i]);
		print_number(table, construct->count);
		print_number(table, construct->time_ns);
		print_number(table, construct->longest_ns);
	}
	print_table_end(output, table, choices->limit);
	if (rows.count != 0)
		report_put_next(dataset, choices, output, "ompregions", NULL,
		                "the parallel regions");
	free(rows.row);
}

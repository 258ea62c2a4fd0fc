/* overview_section.c: the overview of one kind of data as text. See overview.h. */
#include "analyzer/views/experiments/overview.h"

#include "analyzer/model/datakind.h"
#include "analyzer/report/report.h"

static void put_total(const struct dataset *dataset, struct output *output, unsigned id)
{
	const struct metric_values *sum = &dataset_tree(dataset, TREE_FUNCTIONS)->sum;
	struct metric_scale scale = metric_scale_of(id, sum->of[id], 0);
	char value[METRIC_TEXT_MAX];

	fprintf(output->out, "  %-20s %12s%s", metric_meaning(id),
	        overview_grouped(output->out, id,
	                         metric_format_scaled(id, sum->of[id], &scale, value)),
	        metric_unit_of(id) != METRIC_UNIT_SECONDS ? ""
	        : scale.unit_ns == METRIC_SECOND_NS       ? " seconds"
	                                                  : " microseconds");
	if (id == METRIC_USER || id == METRIC_SYSTEM)
		fprintf(output->out, " (%s %%)",
		        metric_format_percent(sum->of[id], sum->of[METRIC_TOTALCPU], value));
	if (id == METRIC_WAIT)
		fputs(", in <Unknown>: ready to run, which has no stack", output->out);
	fputc('\n', output->out);
}

/* The time of a thread after its last sample is in the total only: no sample shows whether it was
 * user or system time. */
static void put_residual(const struct dataset *dataset, struct output *output)
{
	const struct metric_values *sum = &dataset_tree(dataset, TREE_FUNCTIONS)->sum;
	uint64_t known = sum->of[METRIC_USER] + sum->of[METRIC_SYSTEM],
		 total = sum->of[METRIC_TOTALCPU];
	char value[METRIC_TEXT_MAX], share[METRIC_TEXT_MAX];

	if (total > known)
		fprintf(output->out, "  %-20s %12s seconds (%s %%)\n", "User or System Time",
		        metric_format(METRIC_TOTALCPU, total - known, value),
		        metric_format_percent(total - known, total, share));
}

/* Processes that ended before a first sample are all <Unknown>, which is explained by that. */
static void put_unsampled(const struct dataset *dataset, struct output *output)
{
	const struct dataset_experiment *at = NULL;
	uint64_t cpu_ns = 0;
	size_t count = 0;
	char value[METRIC_TEXT_MAX];

	while ((at = dataset_next(dataset, at)))
		if (at->data->have & EXP_DATA_PROFILE && at->whole->quality.samples == 0 &&
		    report_cpu_ns(at) != 0) {
			cpu_ns += report_cpu_ns(at);
			count++;
		}
	if (count > 0)
		fprintf(output->out,
		        "  %-20s %12s seconds, in <Unknown>: of %zu process%s that ended before %s first sample\n",
		        "Without a Sample", metric_format(METRIC_TOTALCPU, cpu_ns, value), count,
		        count == 1 ? "" : "es", count == 1 ? "its" : "their");
}

/* Of the states of threads, those are shown that were there. */
static int is_absent_state(const struct dataset *dataset, unsigned id)
{
	return metric_data_of(id) == EXP_DATA_WALL &&
	       dataset_tree(dataset, TREE_FUNCTIONS)->sum.of[id] == 0;
}

void overview_put_section(const struct dataset *dataset, const struct choices *choices,
                          struct output *output, unsigned kind)
{
	const char *title;

	fprintf(output->out, "\n%s\n", datakinds[kind].title);
	for (unsigned id = 0; id < METRIC_VALUES; id++) {
		if (metric_data_of(id) == 1u << kind &&
		    metric_overview_of(id, &title) != METRIC_NO && !is_absent_state(dataset, id))
			put_total(dataset, output, id);
		if (id == METRIC_SYSTEM && kind == FMT_DATAKIND_PROFILE)
			put_residual(dataset, output);
	}
	if (kind == FMT_DATAKIND_PROFILE)
		put_unsampled(dataset, output);
	overview_put_tops(dataset, choices, output, kind);
}

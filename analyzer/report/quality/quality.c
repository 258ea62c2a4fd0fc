/* quality.c: says how much of what happened is in the data: as lines, and as a record for programs.
 * See quality.h. */
#include "analyzer/report/quality/quality.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/data/filters.h"
#include "analyzer/data/newest.h"
#include "analyzer/model/datakind.h"
#include "analyzer/report/quality/cutstacks.h"
#include "analyzer/report/quality/judged.h"
#include "analyzer/report/quality/sureness.h"
#include "analyzer/report/quality/unseen.h"
#include "analyzer/report/report.h"
#include "analyzer/table/compare.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN_NS = 5000000 /* less would be shown as 0.00 s */ };

static void put_clock(FILE *out, const struct judged *judged)
{
	const struct exp_quality *sum = &judged->sum;

	if (judged->cpu_ns != 0)
		fprintf(out, "CPU time covered %.1f %% (%.2f of %.2f s), ",
		        report_percent(judged->covered_ns, judged->cpu_ns),
		        report_seconds(judged->covered_ns), report_seconds(judged->cpu_ns));
	else
		fprintf(out, "CPU time covered unknown (%.2f s recorded), ",
		        report_seconds(sum->sampled_ns));
	if (judged->absent_ns != 0)
		fprintf(out, "%.2f s of it in processes that left no experiment, ",
		        report_seconds(judged->absent_ns));
	if (judged->since_ns >= SHOWN_NS)
		fprintf(out, "%.2f s more after the last usage sample, ",
		        report_seconds(judged->since_ns));
	if (judged->paused_ns != 0)
		fprintf(out, "%.2f s more while paused, ", report_seconds(judged->paused_ns));
	if (judged->outside_ns != 0 && judged->cpu_ns != 0)
		fprintf(out, "%.2f s more sampled from outside, ",
		        report_seconds(judged->outside_ns));
	fprintf(out, "%llu samples, ", (unsigned long long)sum->samples);
}

/* Time of threads of which the state is known. */
static uint64_t explained_ns(const struct exp_quality *sum)
{
	return sum->wall_ns > sum->wall_unknown_ns ? sum->wall_ns - sum->wall_unknown_ns : 0;
}

static void put_wall(FILE *out, const struct exp_quality *sum)
{
	if (sum->wall_ns != 0)
		fprintf(out, "wall-clock time explained %.1f %% (%.2f of %.2f s), ",
		        report_percent(explained_ns(sum), sum->wall_ns),
		        report_seconds(explained_ns(sum)), report_seconds(sum->wall_ns));
}

static uint64_t count_untold(const struct dataset *dataset)
{
	uint64_t count = 0;

	for (size_t i = 0; i < dataset->count; i++)
		count += dataset->experiments[i].info->untold;
	return count;
}

static uint64_t count_left_out(const struct dataset *dataset)
{
	uint64_t count = 0;

	for (size_t i = 0; i < dataset->count; i++)
		count += dataset->experiments[i].info->left_out;
	return count;
}

/* The text, beginning with a capital. */
static const char *titled(const char *text, char *out, size_t size)
{
	snprintf(out, size, "%s", text);
	if (out[0] >= 'a' && out[0] <= 'z')
		out[0] = (char)(out[0] - 'a' + 'A');
	return out;
}

static void add_ends(struct print_table *record, const struct stackends *ends)
{
	char name[STACKENDS_NAME];

	if (!stackends_are_many(ends) || ends->most[0].events == 0)
		return;
	print_field_word(record, "truncated_in", "Truncated stacks end in",
	                 stackends_name(&ends->most[0], name, sizeof(name)));
	print_field_real(record, PRINT_PERCENT, "truncated_in_share",
	                 "Share of the truncated stacks that end there",
	                 report_percent(ends->most[0].events, ends->cut));
}

/* The same for programs. */
static void add_quality_record(const struct dataset *dataset, struct output *output,
                               const struct judged *judged, const char *label)
{
	struct print_table *record = print_record_begin(PRINT_QUALITY);
	const struct exp_quality *sum = &judged->sum;
	double points;
	char text[64];

	if (label)
		print_field_word(record, "group", "Group", label);
	if (newest_from_ns(dataset) != 0)
		print_field(record, PRINT_NS, "kept_from", "All data from",
		            newest_from_ns(dataset));
	if (dataset->have & EXP_DATA_PROFILE) {
		print_field(record, PRINT_NS, "cpu_covered", "CPU time covered",
		            judged->covered_ns);
		print_field(record, PRINT_NS, "cpu", "CPU time", judged->cpu_ns);
		if (judged->absent_ns != 0)
			print_field(record, PRINT_NS, "cpu_absent",
			            "CPU time of processes without an experiment",
			            judged->absent_ns);
		if (judged->since_ns != 0)
			print_field(record, PRINT_NS, "cpu_since",
			            "CPU time after the last usage sample", judged->since_ns);
		if (judged->paused_ns != 0)
			print_field(record, PRINT_NS, "cpu_paused", "CPU time while paused",
			            judged->paused_ns);
		if (judged->outside_ns != 0)
			print_field(record, PRINT_NS, "cpu_outside",
			            "CPU time sampled from outside", judged->outside_ns);
	}
	if (sum->wall_ns != 0) {
		print_field(record, PRINT_NS, "wall_explained", "Wall-clock time explained",
		            explained_ns(sum));
		print_field(record, PRINT_NS, "wall", "Wall-clock time of threads", sum->wall_ns);
	}
	for (unsigned kind = 0; kind < FMT_DATAKINDS; kind++)
		if (dataset->have & 1u << kind)
			print_field(record, PRINT_COUNT, datakinds[kind].key,
			            titled(datakinds[kind].events, text, sizeof(text)),
			            datakind_events(sum, kind));
	if (ticked_is(&judged->ticked)) {
		print_field_real(record, PRINT_VALUE, "tick_hz",
		                 "Samples at the kernel's ticks, a second",
		                 1e9 / (double)judged->ticked.tick_ns);
		print_field_word(record, "tick_reason", "Reason", judged->ticked.clock);
	}
	if (judged->heap.every != 0) {
		print_field(record, PRINT_BYTES, "heap_sampled_every",
		            "Bytes to the next block of the heap that is chosen",
		            judged->heap.every);
		print_field(record, PRINT_COUNT, "heap_sampled_blocks",
		            "Blocks of the heap that were chosen", judged->heap.blocks);
	}
	print_field(record, PRINT_COUNT, "lost", "Events lost", sum->lost);
	if (count_untold(dataset) > 0)
		print_field(record, PRINT_COUNT, "untold", "Helpers ended early",
		            count_untold(dataset));
	if (count_left_out(dataset) > 0)
		print_field(record, PRINT_COUNT, "left_out",
		            "Sampled programs of descendants left out", count_left_out(dataset));
	print_field(record, PRINT_COUNT, "truncated", "Truncated stacks", sum->truncated_events);
	print_field_real(record, PRINT_PERCENT, "truncated_share", "Truncated stacks",
	                 report_percent(sum->truncated_events, sum->stack_events));
	add_ends(record, &judged->ends);
	print_field_real(record, PRINT_PERCENT, "unresolved_share", "In unresolved code",
	                 report_percent(judged->unresolved, judged->judged));
	/* As the line in text. */
	for (size_t i = 0; i < record->column_count; i++)
		if (record->columns[i].type == PRINT_NS) {
			record->columns[i].has_digits = 1;
			record->columns[i].digits = 2;
		}
	if (sureness_of_half(sum, &points)) {
		print_field_real(record, PRINT_PERCENT, "half_reach", "50 % is +-", points);
		print_column_digits(record, points < 1 ? 1 : 0);
	}
	print_table_end(output, record, 0);
}

static int is_any_attached(const struct dataset *dataset)
{
	for (size_t i = 0; i < dataset->count; i++)
		if (dataset->experiments[i].info->is_attached)
			return 1;
	return 0;
}

/* `label`: of the group that is compared, or NULL. */
static void put_quality(const struct dataset *dataset, struct output *output, const char *label)
{
	struct judged judged = judged_of(dataset);
	const struct exp_quality *sum = &judged.sum;
	FILE *out = output->out;
	char ticked[256], sampled[320], sure[160], ends[480];

	if (print_is_data(output)) {
		add_quality_record(dataset, output, &judged, label);
		return;
	}
	/* Always in the plural: programs read this line. */
	fputs(label ? "# quality of " : "# quality", out);
	text_put(out, label);
	fputs(": ", out);
	if (dataset->have & EXP_DATA_PROFILE)
		put_clock(out, &judged);
	put_wall(out, sum);
	for (unsigned kind = 0; kind < FMT_DATAKINDS; kind++)
		if (kind != FMT_DATAKIND_PROFILE && dataset->have & 1u << kind)
			fprintf(out, "%llu %s, ", (unsigned long long)datakind_events(sum, kind),
			        datakinds[kind].events);
	fprintf(out, "%llu lost, %llu truncated stacks (%.2f %%), %.1f %% in unresolved code",
	        (unsigned long long)sum->lost, (unsigned long long)sum->truncated_events,
	        report_percent(sum->truncated_events, sum->stack_events),
	        report_percent(judged.unresolved, judged.judged));
	if (is_any_attached(dataset))
		fputs(", recorded from an attach on", out);
	if (sureness_text(&judged.sum, ticked_is(&judged.ticked), sure, sizeof(sure)))
		fprintf(out, ", %s", sure);
	fputc('\n', out);
	if (ticked_text(&judged.ticked, ticked, sizeof(ticked)))
		fprintf(out, "# clock: %s\n", ticked);
	if (heapsampled_text(&judged.heap, sampled, sizeof(sampled)))
		fprintf(out, "# heap: %s\n", sampled);
	if (stackends_text(&judged.ends, ends, sizeof(ends))) {
		fputs("# stacks: ", out);
		text_put(out, ends);
		fputc('\n', out);
	}
	newest_put(dataset, output);
	cutstacks_put(dataset, output);
	unseen_put_left_out(dataset, output);
	if (count_untold(dataset) > 0)
		fputs("# " QUALITY_UNTOLD "\n", out);
}

static void put_filters(const struct dataset *dataset, struct output *output)
{
	char *text = filters_text(dataset);

	if (text)
		print_note(output, "%s", text);
	free(text);
}

/* What compared values are told for. */
static void put_work(const struct dataset *dataset, struct output *output)
{
	const struct work *work = &dataset->tables->work;
	size_t columns = dataset_columns(dataset);
	char text[METRIC_ERROR_MAX];

	if (work->kind == WORK_NONE || columns < 2)
		return;
	work_spell(work, text, sizeof(text));
	for (size_t i = 0; i < columns; i++) {
		char *label = compare_title(dataset, i);
		double done = work_done(dataset, i, i);

		if (!(done > 0))
			print_note(output, "per %s: %s has none, its values are as measured", text,
			           label);
		else if (i > 0)
			print_note(
				output,
				"per %s: values of %s are those of as much work as the first did, times %.4g",
				work->kind == WORK_NUMBERS ? "number" : text, label,
				work_factor(dataset, i));
		free(label);
	}
}

static void put_all(const struct dataset *dataset, struct output *output)
{
	size_t columns = dataset_is_programs(dataset) ? 0 : dataset_columns(dataset);

	if (columns == 1)
		put_quality(dataset, output, NULL);
	for (size_t i = 0; i < columns && columns > 1; i++) {
		const struct dataset part = compare_part(dataset, i);
		char *label = compare_title(dataset, i);

		put_quality(&part, output, label);
		free(label);
	}
	put_work(dataset, output);
	put_filters(dataset, output);
}

void quality_put(const struct dataset *dataset, struct output *output)
{
	FILE *out = output->out;
	char *text = NULL;
	size_t size = 0;

	if (print_is_data(output)) {
		put_all(dataset, output);
		return;
	}
	output->out = memory_stream(&text, &size);
	put_all(dataset, output);
	memory_stream_end(output->out, &text);
	output->out = out;
	if (output->quality && strcmp(output->quality, text) == 0) {
		free(text);
		return;
	}
	fputs(text, out);
	free(output->quality);
	output->quality = text;
}

void quality_put_title(const struct dataset *dataset, const struct choices *choices,
                       struct output *output, const char *what)
{
	char text[METRIC_ERROR_MAX];

	const char *by = choices->sort.metric.id < METRIC_VALUES ? "metric" : "property";
	const char *reversed = choices->sort.reverse ? ", reversed" : "";

	quality_put(dataset, output);
	metric_describe(&choices->sort.metric, text);
	if (print_is_data(output))
		print_note(output, "%s sorted by %s: %s%s", what, by, text, reversed);
	else
		fprintf(output->out, "%s sorted by %s: %s%s\n\n", what, by, text, reversed);
}

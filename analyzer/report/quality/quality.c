/* quality.c: how much of what happened is in the data. See quality.h. */
#include "analyzer/report/quality/quality.h"

#include "analyzer/base/text.h"
#include "analyzer/data/filters.h"
#include "analyzer/data/newest.h"
#include "analyzer/data/stackends.h"
#include "analyzer/model/datakind.h"
#include "analyzer/report/quality/absent.h"
#include "analyzer/report/quality/heapsampled.h"
#include "analyzer/report/quality/sureness.h"
#include "analyzer/report/quality/ticked.h"
#include "analyzer/report/report.h"
#include "analyzer/table/compare.h"

#include "experiment/base/totals.h"
#include "format/layout.h"

#include <stdlib.h>
#include <string.h>

static void add_quality(struct exp_quality *to, const struct exp_quality *from)
{
	datakind_add_events(to, from);
	to->sampled_ns += from->sampled_ns;
	to->sampled_squares += from->sampled_squares;
	to->cpu_ns += from->cpu_ns;
	to->lost += from->lost;
	to->stacks += from->stacks;
	to->truncated += from->truncated;
	to->guessed += from->guessed;
	to->failed += from->failed;
	to->stack_events += from->stack_events;
	to->truncated_events += from->truncated_events;
	to->wall_ns += from->wall_ns;
	to->wall_unknown_ns += from->wall_unknown_ns;
}

/* Quality of all experiments of the dataset together. */
struct quality {
	struct exp_quality sum;
	uint64_t covered_ns; /* CPU time in clock samples */
	uint64_t cpu_ns;     /* CPU time of the process at the same moment, without paused_ns */
	uint64_t paused_ns;  /* CPU time while events were paused */
	uint64_t since_ns;   /* CPU time in clock samples after that moment */
	uint64_t absent_ns;  /* part of cpu_ns: of processes without an experiment */
	uint64_t outside_ns; /* CPU time in samples of programs that were sampled from outside: how
	                        much they used is not known */
	uint64_t judged;     /* samples; where there are none, allocations, waits or I/O calls */
	uint64_t unresolved; /* those of them in code without a name */
	struct ticked ticked;
	struct heapsampled heap;
	struct stackends ends;
};

/* CPU time of a process, but for that in which nothing was to be recorded. */
static void add_used(struct quality *quality, const struct dataset_experiment *at, uint64_t cpu_ns)
{
	uint64_t paused_ns = experiment_paused_ns(at->experiment, cpu_ns);

	quality->cpu_ns += cpu_ns - paused_ns;
	quality->paused_ns += paused_ns;
}

/* Where the beginning was dropped, both sides are known from one usage sample to another one. */
static void add_newest(struct quality *quality, const struct dataset_experiment *at)
{
	const struct exp_data_set *data = at->whole;
	const struct exp_usage *first = newest_usage(at),
			       *last = &data->usage[data->usage_count - 1];

	if (!first || first == last || last->sampled_ns < first->sampled_ns)
		return;
	quality->covered_ns += last->sampled_ns - first->sampled_ns;
	add_used(quality, at, last->cpu_ns);
	quality->cpu_ns -= first->cpu_ns - experiment_paused_ns(at->experiment, first->cpu_ns);
	quality->paused_ns -= experiment_paused_ns(at->experiment, first->cpu_ns);
}

/* For a running or killed process, both sides are known only up to its last usage sample. */
static void add_coverage(struct quality *quality, const struct dataset_experiment *at)
{
	const struct exp_data_set *data = at->whole;
	const struct exp_usage *last = data->usage_count > 1 ? &data->usage[data->usage_count - 1]
	                                                     : NULL;

	if (at->info->kept_from_s > 0)
		add_newest(quality, at);
	else if (at->info->outside)
		quality->outside_ns += data->quality.sampled_ns;
	else if (at->info->status == EXP_ENDED || at->info->status == EXP_EXECED ||
	         at->info->status == EXP_DETACHED) {
		quality->covered_ns += data->quality.sampled_ns;
		add_used(quality, at, data->quality.cpu_ns);
	} else if (last) {
		quality->covered_ns += last->sampled_ns;
		if (data->quality.sampled_ns > last->sampled_ns)
			quality->since_ns += data->quality.sampled_ns - last->sampled_ns;
		add_used(quality, at, last->cpu_ns);
	}
}

/* The metric that counts the first kind of events that there are. */
static unsigned judged_metric(const struct dataset *dataset)
{
	for (unsigned id = 0; id < METRIC_VALUES; id++) {
		const uint8_t *from = metric_from[id];

		if (from[0] != EXP_METRICS && exp_totals[from[0]].role <= EXP_ROLE_PATHS &&
		    dataset_has_value(dataset, id))
			return id;
	}
	return METRIC_SAMPLES;
}

static void judge_code(const struct dataset *dataset, struct quality *quality)
{
	unsigned metric = judged_metric(dataset);
	const struct tree *tree = dataset_functions(dataset, UINT64_C(1) << metric);

	quality->judged = tree->sum.of[metric];
	for (size_t row = 0; row < tree->own.values.count; row++)
		if (tree->items[tree->nodes[tree->own.node_of[row]].item].function->unresolved)
			quality->unresolved += columns_at(&tree->own.values, row, metric);
}

static struct quality judge(const struct dataset *dataset)
{
	struct quality quality = {.judged = 0};
	const struct dataset_experiment *at = NULL;

	while ((at = dataset_next(dataset, at))) {
		add_quality(&quality.sum, &at->whole->quality);
		heapsampled_add(&quality.heap, at);
		if (!(dataset_data_of(at) & EXP_DATA_PROFILE))
			continue;
		add_coverage(&quality, at);
		ticked_add(&quality.ticked, at);
	}
	if (quality.cpu_ns != 0 && quality.outside_ns == 0) {
		quality.absent_ns = absent_cpu_ns(dataset);
		quality.cpu_ns += quality.absent_ns;
	}
	judge_code(dataset, &quality);
	quality.ends = stackends_find(dataset);
	return quality;
}

/* Growth of less than this, or of less than so many times the peak of the heap, has other reasons:
 * code, stacks, the recorder. */
enum { UNSEEN_MIB = 64, UNSEEN_TIMES = 4 };

int quality_rings(const struct dataset_experiment *at, char *text, size_t size)
{
	uint64_t requests = experiment_counter(at->experiment, "uring_requests", 0),
		 calls = experiment_counter(at->experiment, "uring_calls", 0),
		 rings = experiment_counter(at->experiment, "uring_rings", 0);

	if (requests == 0 && calls == 0 && rings == 0)
		return 0;
	snprintf(
		text, size,
		"requests of io_uring, as far as calls handed them over: %llu, by %llu calls; rings: "
		"%llu: not recorded",
		(unsigned long long)requests, (unsigned long long)calls, (unsigned long long)rings);
	return 1;
}

int quality_unseen(const struct dataset_experiment *at, char *text, size_t size)
{
	const struct exp_data_set *data = at->whole;
	/* Most blocks lie in memory that was mapped for them: the two are not added up. */
	uint64_t blocks = data->heap.peak_bytes, maps = data->heap.maps.peak_bytes;
	uint64_t first, last, heap_mib = (blocks > maps ? blocks : maps) >> 20, grown_mib;

	if (data->usage_count < 2 || !(dataset_data_of(at) & EXP_DATA_HEAP))
		return 0;
	/* A process that recorded no event has only its end: what it began with is unknown. */
	first = data->usage[0].maxrss_kib;
	if (first == 0)
		return 0;
	last = data->usage[data->usage_count - 1].maxrss_kib;
	grown_mib = last > first ? (last - first) >> 10 : 0;
	if (grown_mib / UNSEEN_TIMES < heap_mib || grown_mib < heap_mib + UNSEEN_MIB)
		return 0;
	snprintf(
		text, size,
		"the process grew by %llu MiB, heap events account for %llu MiB: memory mapped without the C "
		"library, or for files, is not seen",
		(unsigned long long)grown_mib, (unsigned long long)heap_mib);
	return 1;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole != 0 ? 100.0 * (double)part / (double)whole : 0.0;
}

enum { SHOWN_NS = 5000000 /* less would be shown as 0.00 s */ };

static void put_clock(FILE *out, const struct quality *quality)
{
	const struct exp_quality *sum = &quality->sum;

	if (quality->cpu_ns != 0)
		fprintf(out, "CPU time covered %.1f %% (%.2f of %.2f s), ",
		        percent(quality->covered_ns, quality->cpu_ns),
		        report_seconds(quality->covered_ns), report_seconds(quality->cpu_ns));
	else
		fprintf(out, "CPU time covered unknown (%.2f s recorded), ",
		        report_seconds(sum->sampled_ns));
	if (quality->absent_ns != 0)
		fprintf(out, "%.2f s of it in processes that left no experiment, ",
		        report_seconds(quality->absent_ns));
	if (quality->since_ns >= SHOWN_NS)
		fprintf(out, "%.2f s more after the last usage sample, ",
		        report_seconds(quality->since_ns));
	if (quality->paused_ns != 0)
		fprintf(out, "%.2f s more while paused, ", report_seconds(quality->paused_ns));
	if (quality->outside_ns != 0 && quality->cpu_ns != 0)
		fprintf(out, "%.2f s more sampled from outside, ",
		        report_seconds(quality->outside_ns));
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
		        percent(explained_ns(sum), sum->wall_ns), report_seconds(explained_ns(sum)),
		        report_seconds(sum->wall_ns));
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

int quality_left_out(const struct dataset_experiment *at, char *text, size_t size)
{
	const char *follow = experiment_setting(at->experiment, "follow", "on");
	unsigned count = at->info->left_out;

	snprintf(text, size, "%u program%s of descendants %s samples, and no experiment: ", count,
	         count == 1 ? "" : "s", count == 1 ? "has" : "have");
	if (strcmp(follow, "off") == 0 || follow[0] == '=')
		snprintf(text + strlen(text), size - strlen(text), "xcollect -F %s leaves %s out",
		         follow, count == 1 ? "it" : "them");
	else
		snprintf(text + strlen(text), size - strlen(text),
		         "%s place among the processes is not known", count == 1 ? "its" : "their");
	return count > 0;
}

void quality_put_left_out(const struct dataset *dataset, const struct output *output)
{
	char text[1024];

	for (size_t i = 0; i < dataset->count; i++) {
		if (!quality_left_out(&dataset->experiments[i], text, sizeof(text)))
			continue;
		fputs("# sampler: ", output->out);
		text_put(output->out, text);
		fputc('\n', output->out);
	}
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
	                 percent(ends->most[0].events, ends->cut));
}

/* The same for programs. */
static void add_quality_record(const struct dataset *dataset, struct output *output,
                               const struct quality *quality, const char *label)
{
	struct print_table *record = print_record_begin(PRINT_QUALITY);
	const struct exp_quality *sum = &quality->sum;
	double points;
	char text[64];

	if (label)
		print_field_word(record, "group", "Group", label);
	if (newest_from_ns(dataset) != 0)
		print_field(record, PRINT_NS, "kept_from", "All data from",
		            newest_from_ns(dataset));
	if (dataset->have & EXP_DATA_PROFILE) {
		print_field(record, PRINT_NS, "cpu_covered", "CPU time covered",
		            quality->covered_ns);
		print_field(record, PRINT_NS, "cpu", "CPU time", quality->cpu_ns);
		if (quality->absent_ns != 0)
			print_field(record, PRINT_NS, "cpu_absent",
			            "CPU time of processes without an experiment",
			            quality->absent_ns);
		if (quality->since_ns != 0)
			print_field(record, PRINT_NS, "cpu_since",
			            "CPU time after the last usage sample", quality->since_ns);
		if (quality->paused_ns != 0)
			print_field(record, PRINT_NS, "cpu_paused", "CPU time while paused",
			            quality->paused_ns);
		if (quality->outside_ns != 0)
			print_field(record, PRINT_NS, "cpu_outside",
			            "CPU time sampled from outside", quality->outside_ns);
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
	if (ticked_is(&quality->ticked)) {
		print_field_real(record, PRINT_VALUE, "tick_hz",
		                 "Samples at the kernel's ticks, a second",
		                 1e9 / (double)quality->ticked.tick_ns);
		print_field_word(record, "tick_reason", "Reason", quality->ticked.clock);
	}
	if (quality->heap.every != 0) {
		print_field(record, PRINT_BYTES, "heap_sampled_every",
		            "Bytes to the next block of the heap that is chosen",
		            quality->heap.every);
		print_field(record, PRINT_COUNT, "heap_sampled_blocks",
		            "Blocks of the heap that were chosen", quality->heap.blocks);
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
	                 percent(sum->truncated_events, sum->stack_events));
	add_ends(record, &quality->ends);
	print_field_real(record, PRINT_PERCENT, "unresolved_share", "In unresolved code",
	                 percent(quality->unresolved, quality->judged));
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

/* Stacks of code without frame pointers, walked by frame pointers, are recognized by their ends. */
static void put_frameless(const struct dataset *dataset, const struct output *output)
{
	uint64_t samples = 0, one_frame = 0, cut = 0;

	for (size_t i = 0; i < dataset->count; i++) {
		const struct experiment *experiment = dataset->experiments[i].experiment;

		if (strcmp(experiment_setting(experiment, "sampler_stack", "0"), "0") != 0)
			continue;
		samples += experiment_counter(experiment, "sampler_samples", 0);
		one_frame += experiment_counter(experiment, "sampler_one_frame", 0);
		cut += experiment_counter(experiment, "sampler_cut_stacks", 0);
	}
	if ((one_frame + cut) * 4 > samples)
		fprintf(output->out,
		        "# sampler: %.1f %% of the stacks have one frame only, %.1f %% are cut: code without frame pointers; "
		        "--sampler=1m,stack finds whole ones\n",
		        percent(one_frame, samples), percent(cut, samples));
}

int quality_cut(const struct experiment *experiment, double *share, char *text, size_t size)
{
	uint64_t samples = experiment_counter(experiment, "sampler_samples", 0),
		 cut = experiment_counter(experiment, "sampler_cut_stacks", 0);
	unsigned long long kb = strtoull(experiment_setting(experiment, "sampler_stack", "0"), NULL,
	                                 10) >>
	                        10;

	*share = percent(cut, samples);
	snprintf(
		text, size,
		"where they are longer than the %llu KB that were copied, --sampler=1m,stack:%llu finds more",
		kb, kb < FMT_STACK_KB_MAX / 2 ? 2 * kb : FMT_STACK_KB_MAX);
	return kb > 0 && kb<FMT_STACK_KB_MAX && * share> 25;
}

static void put_cut(const struct dataset *dataset, const struct output *output)
{
	char text[160];
	double share;

	for (size_t i = 0; i < dataset->count; i++)
		if (quality_cut(dataset->experiments[i].experiment, &share, text, sizeof(text)))
			fprintf(output->out, "# sampler: %.1f %% of the stacks are cut: %s\n",
			        share, text);
}

/* `label`: of the group that is compared, or NULL. */
static void put_quality(const struct dataset *dataset, struct output *output, const char *label)
{
	struct quality quality = judge(dataset);
	const struct exp_quality *sum = &quality.sum;
	FILE *out = output->out;
	char ticked[256], sampled[320], sure[160], ends[480];

	if (print_is_data(output)) {
		add_quality_record(dataset, output, &quality, label);
		return;
	}
	/* Always in the plural: programs read this line. */
	fputs(label ? "# quality of " : "# quality", out);
	text_put(out, label);
	fputs(": ", out);
	if (dataset->have & EXP_DATA_PROFILE)
		put_clock(out, &quality);
	put_wall(out, sum);
	for (unsigned kind = 0; kind < FMT_DATAKINDS; kind++)
		if (kind != FMT_DATAKIND_PROFILE && dataset->have & 1u << kind)
			fprintf(out, "%llu %s, ", (unsigned long long)datakind_events(sum, kind),
			        datakinds[kind].events);
	fprintf(out, "%llu lost, %llu truncated stacks (%.2f %%), %.1f %% in unresolved code",
	        (unsigned long long)sum->lost, (unsigned long long)sum->truncated_events,
	        percent(sum->truncated_events, sum->stack_events),
	        percent(quality.unresolved, quality.judged));
	if (is_any_attached(dataset))
		fputs(", recorded from an attach on", out);
	if (sureness_text(&quality.sum, ticked_is(&quality.ticked), sure, sizeof(sure)))
		fprintf(out, ", %s", sure);
	fputc('\n', out);
	if (ticked_text(&quality.ticked, ticked, sizeof(ticked)))
		fprintf(out, "# clock: %s\n", ticked);
	if (heapsampled_text(&quality.heap, sampled, sizeof(sampled)))
		fprintf(out, "# heap: %s\n", sampled);
	if (stackends_text(&quality.ends, ends, sizeof(ends))) {
		fputs("# stacks: ", out);
		text_put(out, ends);
		fputc('\n', out);
	}
	newest_put(dataset, output);
	put_frameless(dataset, output);
	put_cut(dataset, output);
	quality_put_left_out(dataset, output);
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

void quality_put(const struct dataset *dataset, struct output *output)
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

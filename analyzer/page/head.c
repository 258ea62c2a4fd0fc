/* head.c: the head of a report page: what there is, as JSON; section.def describes it. */
#include "analyzer/page/page.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/data/sampled.h"
#include "analyzer/model/datakind.h"
#include "analyzer/model/name.h"
#include "analyzer/report/axis.h"
#include "analyzer/report/report.h"
#include "experiment/base/clock.h"
#include "experiment/base/totals.h"

#include <stdlib.h>
#include <string.h>

enum { VERSION = 1, TOP = 6 };

static void put_text(FILE *out, const char *name, const char *text)
{
	fprintf(out, "\"%s\": ", name);
	if (text)
		print_json_string(out, text, strlen(text));
	else
		fputs("null", out);
}

static void put_origins(const struct page *page, FILE *out)
{
	const struct dataset *dataset = page->dataset;
	const char *separator = "";

	fputs(",\n\"origins\": [", out);
	for (unsigned group = 0; group < dataset->group_count; group++) {
		const struct dataset_experiment *at = NULL;

		while ((at = dataset_next(dataset, at)) && at->group != group) {
		}
		if (!at || page_is_base(page, at))
			continue;
		fputs(separator, out);
		print_json_string(out, dataset->groups[group].path,
		                  strlen(dataset->groups[group].path));
		separator = ", ";
	}
	fputs("],\n", out);
	put_text(out, "base", page->base);
}

static void put_kinds(const struct page *page, FILE *out)
{
	const char *separator = "";

	fputs(",\n\"kinds\": [", out);
	for (size_t i = 0; i < FMT_DATAKINDS; i++) {
		unsigned kind = datakinds_shown[i];

		if (!(page->dataset->have & 1u << kind))
			continue;
		fprintf(out, "%s\n  {\"number\": %u, ", separator, kind);
		put_text(out, "name", datakinds[kind].name);
		fputs(", ", out);
		put_text(out, "title", datakinds[kind].title);
		fputs(", ", out);
		put_text(out, "chosen", datakinds[kind].chosen);
		fputc('}', out);
		separator = ",";
	}
	fputc(']', out);
}

static void put_totals(const struct page *page, FILE *out)
{
	static const char *const names[] = {
#define TOTAL(id, kind, role, meaning) #id,
#include "format/datakind.def"
	};
	const char *separator = "";

	fputs(",\n\"totals\": [", out);
	for (unsigned i = 0; i < EXP_METRICS; i++) {
		if (!page->totals[i].row)
			continue;
		fprintf(out, "%s\n  {\"number\": %u, \"name\": \"%s\", \"count\": %zu}", separator,
		        i, names[i], column_count(page->totals[i].row));
		separator = ",";
	}
	fputc(']', out);
}

static int is_usual(unsigned id, const struct metric_list *usual)
{
	for (size_t i = 0; i < usual->count; i++)
		if (usual->at[i].id == id && !(usual->at[i].show & METRIC_SHOW_HIDDEN))
			return 1;
	return 0;
}

/* Digits behind the point that times of a metric deserve, as in tables. */
static unsigned digits_of(const struct dataset *dataset, unsigned id)
{
	uint64_t sum = columns_at(&dataset_fold(dataset, TREE_FUNCTIONS)->total, TREE_ROOT, id);
	struct sampled sampled = sampled_in(dataset, DATASET_ALL, id, sum);

	return metric_scale_of(id, sum, sampled.sum > 0 ? sampled.squares / sampled.sum : 0).digits;
}

/* The functions with most of a metric. */
static void put_top(const struct page *page, unsigned id, FILE *out)
{
	const struct tree *tree = dataset_tree(page->dataset, TREE_FUNCTIONS);
	const uint64_t *own = columns_of(&dataset_fold(page->dataset, TREE_FUNCTIONS)->own, id);
	unsigned char *taken = memory_take(tree->item_count, 1);

	fputs(", \"top\": [", out);
	for (size_t i = 0; i < TOP && own; i++) {
		uint32_t best = 0;
		char *name;

		for (uint32_t item = 1; item < tree->item_count; item++)
			if (!taken[item] && own[item] > (best ? own[best] : 0))
				best = item;
		if (best == 0)
			break;
		taken[best] = 1;
		name = name_function(page->choices, tree->items[best].function);
		fputs(i ? ", [" : "[", out);
		print_json_string(out, name, strlen(name));
		fprintf(out, ", %llu]", (unsigned long long)own[best]);
		free(name);
	}
	fputc(']', out);
	free(taken);
}

/* What an overview of all says, so that no row must be read for it. */
static void put_whole(const struct page *page, unsigned id, int is_shown, FILE *out)
{
	const struct fold *fold = dataset_fold(page->dataset, TREE_FUNCTIONS);

	if (page->base) /* it is in the sums, too */
		return;
	fprintf(out, ", \"whole\": %llu",
	        (unsigned long long)columns_at(&fold->total, TREE_ROOT, id));
	if (is_shown)
		put_top(page, id, out);
}

static void put_metric(const struct page *page, unsigned id, int is_shown, FILE *out)
{
	static const char *const units[] = {
		[METRIC_UNIT_SECONDS] = "s",   [METRIC_UNIT_COUNT] = "count",
		[METRIC_UNIT_BYTES] = "bytes", [METRIC_UNIT_HEX] = "address",
		[METRIC_UNIT_TEXT] = "text",   [METRIC_UNIT_RATIO] = "ratio"};

	fputs("\n  {", out);
	put_text(out, "keyword", metric_keyword(id));
	fputs(", ", out);
	put_text(out, "heading", metric_heading(id));
	fputs(", ", out);
	put_text(out, "meaning", metric_meaning(id));
	fprintf(out, ", \"unit\": \"%s\", \"kind\": %d, \"usual\": %s, \"digits\": %u, \"from\": [",
	        units[metric_unit_of(id)], __builtin_ctz(metric_data_of(id)),
	        is_shown ? "true" : "false",
	        metric_unit_of(id) == METRIC_UNIT_SECONDS ? digits_of(page->dataset, id) : 0);
	for (const uint8_t *from = metric_from[id]; *from != EXP_METRICS; from++)
		fprintf(out, from == metric_from[id] ? "%u" : ",%u", *from);
	fputc(']', out);
	put_whole(page, id, is_shown, out);
	fputc('}', out);
}

/* Metrics that are sums, and have data. */
static void put_metrics(const struct page *page, FILE *out)
{
	const char *separator = "";

	fputs(",\n\"metrics\": [", out);
	for (unsigned id = 0; id < METRIC_VALUES; id++) {
		if (!(metric_data_of(id) & page->dataset->have) ||
		    metric_unit_of(id) == METRIC_UNIT_RATIO)
			continue;
		fputs(separator, out);
		put_metric(page, id, is_usual(id, &page->choices->metrics), out);
		separator = ",";
	}
	fputs("],\n", out);
	put_text(out, "sort",
	         page->choices->sort.metric.id < METRIC_VALUES
	                 ? metric_keyword(page->choices->sort.metric.id)
	                 : NULL);
}

static void put_experiment(const struct page *page, const struct dataset_experiment *at, FILE *out)
{
	const struct exp_info *info = at->info;
	char *command = report_command(info);
	char status[64];

	fprintf(out, "\n  {\"id\": %u, ", at->id);
	put_text(out, "name", info->name);
	fputs(", ", out);
	put_text(out, "command", command ? command : "");
	fputs(", ", out);
	put_text(out, "program", text_base(info->argc > 0 ? info->argv[0] : info->name));
	fputs(", ", out);
	put_text(out, "status", report_status(at, status, sizeof(status)));
	fprintf(out,
	        ", \"pid\": %lld, \"parent\": %lld, \"start_ns\": %lld, \"duration_ns\": %lld, "
	        "\"group\": %u, \"is_base\": %s, \"usages\": %zu, \"threads\": %zu, \"cpu_ns\": "
	        "%llu, \"rank\": %lld}",
	        (long long)info->pid, (long long)info->ppid,
	        (long long)axis_time_ns(page->dataset, at, 0),
	        (long long)exp_whole_signed(info->duration_s * 1e9), at->group,
	        page_is_base(page, at) ? "true" : "false", at->whole->usage_count,
	        at->whole->thread_count, (unsigned long long)report_cpu_ns(at),
	        (long long)info->mpi_rank);
	free(command);
}

static void put_threads(const struct page *page, const struct dataset_experiment *at,
                        size_t experiment, FILE *out)
{
	fprintf(out,
	        "%s\n  {\"experiment\": %zu, \"number\": 0, \"tid\": 0, \"name\": \"\", "
	        "\"start_ns\": 0}",
	        experiment ? "," : "", experiment);
	for (size_t i = 0; i < at->whole->thread_count; i++) {
		const struct exp_thread *thread = &at->whole->threads[i];

		fprintf(out,
		        ",\n  {\"experiment\": %zu, \"number\": %zu, \"tid\": %u, \"start_ns\": "
		        "%lld, ",
		        experiment, i + 1, thread->tid,
		        (long long)axis_time_ns(page->dataset, at, thread->time_s));
		put_text(out, "name", thread->name);
		fputc('}', out);
	}
}

static void put_labels(const struct page *page, FILE *out)
{
	const struct dataset_experiment *at = NULL;
	const char *separator = "";

	for (size_t experiment = 0; (at = dataset_next(page->dataset, at)); experiment++)
		for (size_t i = 0; i < at->whole->usage_count; i++) {
			const struct exp_usage *usage = &at->whole->usage[i];

			if (!usage->label)
				continue;
			fprintf(out, "%s\n  {\"experiment\": %zu, \"time_ns\": %lld, ", separator,
			        experiment,
			        (long long)axis_time_ns(page->dataset, at, usage->time_s));
			put_text(out, "text", usage->label);
			fputc('}', out);
			separator = ",";
		}
}

static void put_collections(const struct page *page, FILE *out)
{
	const struct dataset_experiment *at = NULL;
	const char *separator = "";

	for (size_t experiment = 0; (at = dataset_next(page->dataset, at)); experiment++)
		for (size_t i = 0; i < at->whole->gc_count; i++) {
			const struct exp_gc *gc = &at->whole->gcs[i];
			int64_t end_ns = axis_time_ns(page->dataset, at, gc->time_s);

			fprintf(out,
			        "%s\n  {\"experiment\": %zu, \"begin_ns\": %lld, \"duration_ns\": "
			        "%llu}",
			        separator, experiment,
			        end_ns > 0 && (uint64_t)end_ns > gc->ns
			                ? (long long)((uint64_t)end_ns - gc->ns)
			                : 0,
			        (unsigned long long)gc->ns);
			separator = ",";
		}
}

static void put_experiments(const struct page *page, FILE *out)
{
	const struct dataset_experiment *at = NULL;
	size_t experiment = 0;

	fputs(",\n\"experiments\": [", out);
	while ((at = dataset_next(page->dataset, at))) {
		fputs(experiment++ ? "," : "", out);
		put_experiment(page, at, out);
	}
	fputs("],\n\"threads\": [", out);
	for (experiment = 0, at = NULL; (at = dataset_next(page->dataset, at)); experiment++)
		put_threads(page, at, experiment, out);
	fputs("],\n\"labels\": [", out);
	put_labels(page, out);
	fputs("],\n\"collections\": [", out);
	put_collections(page, out);
	fputc(']', out);
}

void page_add_head(struct page *page)
{
	const struct dataset_experiment *first = dataset_next(page->dataset, NULL);
	char *text;
	size_t size;
	FILE *out = memory_stream(&text, &size);

	fprintf(out,
	        "{\"version\": %d, \"maker\": \"xer_print " XER_VERSION
	        "\", \"start_real_ns\": \"%lld\", \"duration_ns\": %llu, \"rows\": %zu, "
	        "\"is_cut\": %s, \"merged\": %u, \"rounding_ns\": %llu, "
	        "\"deaths\": %zu, \"lacks_sizes\": %s",
	        VERSION, (long long)first->info->start_real_ns, (unsigned long long)page->end_ns,
	        page->rows, page->has_overflow ? "true" : "false", page->merged,
	        (unsigned long long)page->rounding_ns, column_count(page->sections[PAGE_DEATH_ROW]),
	        page->lacks_sizes ? "true" : "false");
	put_origins(page, out);
	put_kinds(page, out);
	put_totals(page, out);
	put_metrics(page, out);
	put_experiments(page, out);
	memory_stream_end(page->blocks, &page->blocks_text);
	memory_stream_end(page->curves, &page->curves_text);
	memory_stream_end(page->uses, &page->uses_text);
	fprintf(out, ",\n\"blocks\": [%s],\n\"uses\": [%s],\n\"curves\": [%s],\n",
	        page->blocks_text, page->uses_text, page->curves_text);
	fprintf(out, "\"marks\": {\"kept\": %zu, \"all\": %llu}}\n", page->marks.count,
	        (unsigned long long)page->marks.all);
	memory_stream_end(out, &text);
	column_put(page->sections[PAGE_HEAD], text, size);
	free(text);
}

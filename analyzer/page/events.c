/* events.c: the events of a report page, experiment by experiment: rows with their sums, the
 * longest events, the curve of the heap, and usage samples. */
#include "analyzer/page/page.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/terminal.h"
#include "analyzer/model/datakind.h"
#include "analyzer/page/curve.h"
#include "analyzer/page/rows.h"
#include "experiment/base/clock.h"
#include "experiment/base/totals.h"
#include "experiment/events/usertrace.h"
#include "format/record.h"
#include "template/template.h"

#include <stdlib.h>
#include <string.h>

/* From so many rows on, times are rounded; more than MISSING ns is not missing by rounding; so many
 * events are read kind by kind, which takes less memory. */
enum { NAMES = 1 << 12, ROUNDED_ROWS = 1 << 18, MISSING = 1000000, MANY_EVENTS = 1 << 19 };

/* The experiment that is read. */
struct walk {
	struct page *page;
	const struct dataset_experiment *at;
	struct tree_places places;
	struct curve live;
	int has_live;
	uint32_t names[FMT_DATAKINDS][NAMES]; /* numbers of texts + 1, by type of an event */
};

/* ---- what is told of single events ---- */

/* The node of the tree for an event of this kind. */
static uint32_t place_of(struct walk *walk, uint32_t node, unsigned kind)
{
	const struct sym_frame unknown = {
		.function = symbols_unknown(walk->page->dataset->symbols)};

	if (node < walk->places.count)
		return kind == FMT_DATAKIND_PROFILE ? walk->places.clock[node]
		                                    : walk->places.own[node];
	if (walk->places.no_stack == TREE_ROOT)
		walk->places.no_stack = tree_child(walk->page->tree, TREE_ROOT, &unknown);
	return walk->places.no_stack;
}

static uint32_t user_name(struct page *page, const struct exp_user_event *user)
{
	char text[40], id[5];

	template_hook_text(user->hook, id);
	snprintf(text, sizeof(text), "hook %s %04X", id, user->subhook);
	return page_string(page, text);
}

/* What was called. */
static uint32_t name_of(struct walk *walk, const struct exp_fact *fact, unsigned kind)
{
	static const char *const types[FMT_DATAKINDS] = {[FMT_DATAKIND_SYNC] = "sync_func",
	                                                 [FMT_DATAKIND_IO] = "io_func",
	                                                 [FMT_DATAKIND_OMP] = "omp_event",
	                                                 [FMT_DATAKIND_MPI] = "mpi_func"};
	uint32_t *known = &walk->names[kind][fact->type % NAMES];

	if (kind == FMT_DATAKIND_USER)
		return user_name(walk->page, fact->user);
	if (kind == FMT_DATAKIND_FUNCTRACE) /* its stack tells */
		return 0;
	if (*known == 0)
		*known = page_string(walk->page, types[kind]
		                                         ? fmt_enum_name(types[kind], fact->type)
		                                         : datakinds[kind].title) +
		         1;
	return *known - 1;
}

/* Is an event of this kind shown as a mark? */
static int is_mark(const struct exp_fact *fact)
{
	if (fact->data == EXP_DATA_USER)
		return 1;
	if (fact->data == EXP_DATA_MPI) /* a message that is not the call's own has no time */
		return fact->mpi->message <= FMT_mpi_message_RECEIVED;
	return fact->wait_ticks != 0;
}

static void see(void *context, const struct page_fact *seen)
{
	struct walk *walk = context;
	const struct exp_fact *fact = seen->fact;
	struct page *page = walk->page;
	unsigned kind = (unsigned)__builtin_ctz((unsigned)fact->data);
	uint64_t duration_ns = (uint64_t)seen->end_ns - (uint64_t)seen->begin_ns;

	if (!page_is_base(page, walk->at) && seen->end_ns > 0 &&
	    (uint64_t)seen->end_ns > page->end_ns)
		page->end_ns = (uint64_t)seen->end_ns;
	if (fact->data == EXP_DATA_HEAP && !fact->is_map) {
		curve_add(&walk->live, seen->end_ns, fact->live_bytes);
		walk->has_live = 1;
	}
	if (!is_mark(fact) || !marks_want(&page->marks, duration_ns))
		return;
	marks_add(&page->marks, &(struct mark){.begin_ns = seen->begin_ns,
	                                       .duration_ns = duration_ns,
	                                       .bytes = fact->bytes,
	                                       .thread = (uint32_t)page->thread_base + seen->thread,
	                                       .node = place_of(walk, fact->node, kind),
	                                       .name = name_of(walk, fact, kind),
	                                       .kind = (uint8_t)kind});
}

/* ---- rows ---- */

enum { NO_ROW = UINT32_MAX };

/* Where the values of a row are written: those of clock samples, and all others. A sample at a call
 * stands at its own node, what else is known of it at that of the call. */
struct written {
	uint32_t clock, own; /* numbers of rows of the page, NO_ROW: there is no such value */
};

static int is_clock(unsigned total)
{
	return exp_totals[total].data == EXP_DATA_PROFILE;
}

/* The value of a total in a row, 0 for totals that are no sums. */
static uint64_t value_of(const struct page_rows *rows, const struct page_row *row, unsigned total)
{
	const struct exp_nodes *values = &rows->set->nodes;

	if (exp_totals[total].role == EXP_ROLE_MOST || !values->value[total] ||
	    row->value >= values->count)
		return 0;
	return values->value[total][row->value];
}

/* The number of a node among those that have rows. */
static uint32_t stack_of(struct page *page, uint32_t node)
{
	if (node >= page->stacks_size) {
		size_t size = 2 * (size_t)node + 1024;

		page->stacks = memory_resize(page->stacks, size, sizeof(*page->stacks));
		memset(page->stacks + page->stacks_size, 0,
		       (size - page->stacks_size) * sizeof(*page->stacks));
		page->stacks_size = size;
	}
	if (page->stacks[node] == 0) {
		page->stacks[node] = ++page->stack_count;
		column_step(page->sections[PAGE_STACK_NODE], node);
	}
	return page->stacks[node] - 1;
}

static uint32_t put_row(struct page *page, const struct page_row *row, uint32_t node)
{
	column_step(page->sections[PAGE_ROW_TIME], row->end);
	column_number(page->sections[PAGE_ROW_SPAN], row->end - row->begin);
	column_step(page->sections[PAGE_ROW_THREAD], (int64_t)(page->thread_base + row->thread));
	column_number(page->sections[PAGE_ROW_STACK], stack_of(page, node));
	return (uint32_t)page->rows++;
}

/* Write a row, unless the one before it is at the same place, and was written as `before`. */
static struct written put_parts(struct walk *walk, const struct page_rows *rows,
                                const struct page_row *row, struct written before)
{
	uint32_t clock = place_of(walk, row->node, row->kind);
	uint32_t own = place_of(walk, row->node, FMT_DATAKINDS);
	struct written written = before;

	for (unsigned i = 0; i < EXP_METRICS; i++) {
		uint32_t *to = is_clock(i) ? &written.clock : &written.own;

		if (*to == NO_ROW && value_of(rows, row, i) != 0)
			*to = put_row(walk->page, row, is_clock(i) ? clock : own);
		if (clock == own && *to != NO_ROW)
			written.clock = written.own = *to;
	}
	return written;
}

/* Rows can have become equal when steps of time became wider. */
static int is_same_place(const struct page_row *left, const struct page_row *right)
{
	return left->kind == right->kind && left->end == right->end &&
	       left->begin == right->begin && left->thread == right->thread &&
	       left->node == right->node;
}

static void put_block(const struct page *page, unsigned kind, uint64_t width_ns, size_t first)
{
	if (page->rows == first)
		return;
	fprintf(page->blocks,
	        "%s\n  {\"experiment\": %zu, \"kind\": %u, \"width_ns\": %llu, \"first\": %zu, "
	        "\"count\": %zu}",
	        first ? "," : "", page->experiment, kind, (unsigned long long)width_ns, first,
	        page->rows - first);
}

/* What a stack's sum is more than that of its rows: times are converted from ticks and rounded, the
 * sum once, and each row. */
static int64_t *find_missing(const struct walk *walk, const struct page_rows *rows,
                             const uint64_t *values, unsigned total)
{
	const struct exp_nodes *nodes = &walk->at->data->nodes;
	int64_t *missing = memory_take(nodes->count, sizeof(*missing));

	for (size_t i = 0; i < nodes->count && nodes->value[total]; i++)
		missing[i] = (int64_t)nodes->value[total][i];
	for (size_t i = 0; i < rows->count; i++)
		if (rows->rows[i].node < nodes->count)
			missing[rows->rows[i].node] -= (int64_t)values[i];
	return missing;
}

/* Values of a total on their way out: those of equal rows are added up. */
struct sum {
	struct page_total *out;
	uint32_t row;
	uint64_t value;
};

static void put_sum(struct sum *sum, uint32_t row, uint64_t value)
{
	if (row == sum->row) {
		sum->value += value;
		return;
	}
	if (sum->value != 0) {
		column_step(sum->out->row, sum->row);
		column_number(sum->out->value, sum->value);
	}
	sum->row = row;
	sum->value = value;
}

/* Of very many rows, times are rounded to steps; what is missing goes to the next row of the stack,
 * so that no sum is ever wrong by more than a step. Returns the step, 0: they are not rounded. */
static uint64_t rounding_of(const uint64_t *values, size_t count, unsigned total)
{
	uint64_t sum = 0, step = 1;
	size_t some = 0;

	if (!is_clock(total) || exp_totals[total].role == EXP_ROLE_EVENTS)
		return 0;
	for (size_t i = 0; i < count; i++) {
		sum += values[i];
		some += values[i] != 0;
	}
	if (some < ROUNDED_ROWS)
		return 0;
	while (step < sum / some / 16)
		step *= 2;
	return step;
}

static void round_values(const struct page_rows *rows, uint64_t *values, size_t nodes,
                         uint64_t step)
{
	uint64_t *left = memory_take(nodes, sizeof(*left));

	for (size_t i = 0; i < rows->count; i++) {
		uint32_t node = rows->rows[i].node;
		uint64_t whole;

		if (node >= nodes || values[i] == 0)
			continue;
		whole = values[i] + left[node];
		values[i] = whole / step * step;
		left[node] = whole - values[i];
	}
	free(left);
}

static void put_values(const struct walk *walk, const struct page_rows *rows,
                       const struct written *written, unsigned total, const uint64_t *values,
                       uint64_t most_missing)
{
	size_t nodes = walk->at->data->nodes.count;
	int64_t *missing = find_missing(walk, rows, values, total);
	struct sum sum = {.out = &walk->page->totals[total], .row = NO_ROW};

	for (size_t i = 0; i < rows->count; i++) {
		uint32_t node = rows->rows[i].node;
		uint64_t value = values[i];

		if (value == 0)
			continue;
		/* The first row of each stack takes what is missing to its sum. */
		if (node < nodes && missing[node] > -(int64_t)value &&
		    missing[node] < (int64_t)most_missing &&
		    missing[node] > -(int64_t)most_missing) {
			value += (uint64_t)missing[node];
			missing[node] = 0;
		}
		put_sum(&sum, is_clock(total) ? written[i].clock : written[i].own, value);
	}
	put_sum(&sum, NO_ROW, 0);
	free(missing);
}

/* Write the values of a total. */
static void put_total(struct walk *walk, const struct page_rows *rows,
                      const struct written *written, unsigned total)
{
	uint64_t *values = memory_take(rows->count, sizeof(*values)), step;
	struct page_total *out = &walk->page->totals[total];

	if (!out->row) {
		out->row = column_create(0);
		out->value = column_create(0);
	}
	for (size_t i = 0; i < rows->count; i++)
		values[i] = value_of(rows, &rows->rows[i], total);
	step = rounding_of(values, rows->count, total);
	if (step > 1) {
		round_values(rows, values, walk->at->data->nodes.count, step);
		if (step > walk->page->rounding_ns)
			walk->page->rounding_ns = step;
	}
	put_values(walk, rows, written, total, values, step > MISSING ? 2 * step : MISSING);
	free(values);
}

static int has_total(const struct page_rows *rows, unsigned total)
{
	for (size_t i = 0; i < rows->count; i++)
		if (value_of(rows, &rows->rows[i], total) != 0)
			return 1;
	return 0;
}

static void put_rows(struct walk *walk, const struct page_rows *rows)
{
	struct page *page = walk->page;
	struct written *written = memory_take(rows->count, sizeof(*written));
	const struct written nowhere = {NO_ROW, NO_ROW};

	for (size_t i = 0; i < rows->count;) {
		unsigned kind = rows->rows[i].kind;
		size_t first = page->rows;

		for (; i < rows->count && rows->rows[i].kind == kind; i++)
			written[i] = put_parts(
				walk, rows, &rows->rows[i],
				i > 0 && is_same_place(&rows->rows[i], &rows->rows[i - 1])
					? written[i - 1]
					: nowhere);
		put_block(page, kind, rows->width_ns[kind], first);
	}
	for (unsigned total = 0; total < EXP_METRICS; total++)
		if (has_total(rows, total))
			put_total(walk, rows, written, total);
	free(written);
}

/* ---- curves and usage samples ---- */

static void put_live(struct walk *walk)
{
	struct page *page = walk->page;

	if (!walk->has_live)
		return;
	curve_fill(&walk->live);
	fprintf(page->curves,
	        "%s\n  {\"experiment\": %zu, \"kind\": %d, \"title\": \"Bytes live in the heap\", "
	        "\"unit\": \"bytes\", \"width_ns\": %llu, \"values\": [",
	        ftello(page->curves) > 0 ? "," : "", page->experiment, FMT_DATAKIND_HEAP,
	        (unsigned long long)walk->live.width_ns);
	for (size_t i = 0; i < walk->live.count; i++)
		fprintf(page->curves, i ? ",%llu" : "%llu",
		        (unsigned long long)walk->live.values[i]);
	fputs("]}", page->curves);
}

static void put_usage(struct page *page, const struct dataset_experiment *at,
                      const struct exp_usage *usage)
{
	column_step(page->sections[PAGE_USAGE_TIME],
	            page_time_ns(page->dataset, at, usage->time_s));
	column_step(page->sections[PAGE_USAGE_USER], (int64_t)usage->user_ns);
	column_step(page->sections[PAGE_USAGE_SYSTEM], (int64_t)usage->system_ns);
	column_step(page->sections[PAGE_USAGE_RESIDENT], (int64_t)usage->maxrss_kib);
	column_step(page->sections[PAGE_USAGE_FAULTS], (int64_t)(usage->minflt + usage->majflt));
	column_step(page->sections[PAGE_USAGE_SWITCHES], (int64_t)(usage->nvcsw + usage->nivcsw));
}

/* ---- experiments ---- */

static uint64_t events_of(const struct dataset_experiment *at)
{
	uint64_t sum = 1;

	for (unsigned kind = 0; kind < FMT_DATAKINDS; kind++)
		sum += datakind_events(&at->whole->quality, kind);
	return sum;
}

/* Read events of some kinds, and write their rows. */
static void add_kinds(struct walk *walk, unsigned kinds, double share)
{
	const struct page_reading reading = {
		.kinds = kinds, .share = share, .see = see, .context = walk};
	struct page *page = walk->page;
	struct page_rows rows;

	if (page_rows_read(page->dataset, walk->at, &reading, &rows) != 0)
		memory_fail();
	page->has_overflow |= rows.has_overflow;
	page->merged |= rows.merged;
	put_rows(walk, &rows);
	page_rows_fini(&rows);
}

static void add_rows(struct walk *walk, double share)
{
	const unsigned sampled = EXP_DATA_PROFILE | EXP_DATA_COUNTERS;

	if (events_of(walk->at) < MANY_EVENTS) {
		add_kinds(walk, ~0u, share);
	} else {
		add_kinds(walk, sampled, share);
		add_kinds(walk, ~sampled, share);
	}
	put_live(walk);
}

static void add_experiment(struct page *page, const struct dataset_experiment *at, double share)
{
	const struct dataset *dataset = page->dataset;
	const struct tree_view view = {dataset->mode, dataset->tables->stand_in, dataset->shown};
	struct walk *walk = memory_take(1, sizeof(*walk));

	walk->page = page;
	walk->at = at;
	curve_init(&walk->live);
	if (tree_place_experiment(page->tree, dataset->symbols, at->experiment, at->data, &view,
	                          &walk->places) < 0)
		memory_fail();
	add_rows(walk, share);
	for (size_t i = 0; i < at->whole->usage_count; i++)
		put_usage(page, at, &at->whole->usage[i]);
	tree_places_fini(&walk->places);
	free(walk);
}

static void add_marks(struct page *page)
{
	marks_sort(&page->marks);
	for (size_t i = 0; i < page->marks.count; i++) {
		const struct mark *mark = &page->marks.at[i];

		column_number(page->sections[PAGE_MARK_KIND], mark->kind);
		column_step(page->sections[PAGE_MARK_BEGIN], mark->begin_ns);
		column_number(page->sections[PAGE_MARK_DURATION], mark->duration_ns);
		column_number(page->sections[PAGE_MARK_THREAD], mark->thread);
		column_number(page->sections[PAGE_MARK_NODE], mark->node);
		column_number(page->sections[PAGE_MARK_NAME], mark->name);
		column_number(page->sections[PAGE_MARK_BYTES], mark->bytes);
	}
}

int64_t page_time_ns(const struct dataset *dataset, const struct dataset_experiment *at,
                     double time_s)
{
	const struct dataset_experiment *founder = at->founder ? dataset_find(dataset, at->founder)
	                                                       : NULL;
	int64_t offset_ns = 0, time_ns;

	if (founder && __builtin_sub_overflow(at->info->start_real_ns, founder->info->start_real_ns,
	                                      &offset_ns))
		return 0;
	return __builtin_add_overflow(offset_ns, exp_whole_signed(time_s * 1e9), &time_ns)
	               ? 0
	               : time_ns;
}

void page_add_events(struct page *page)
{
	const struct dataset_experiment *at = NULL;
	uint64_t all = 0;

	while ((at = dataset_next(page->dataset, at)))
		all += events_of(at);
	while ((at = dataset_next(page->dataset, at))) {
		int64_t end_ns = page_time_ns(page->dataset, at, at->info->duration_s);

		progress_begin("reading %s", at->info->path);
		add_experiment(page, at, (double)events_of(at) / (double)all);
		progress_end();
		if (!page_is_base(page, at) && end_ns > 0 && (uint64_t)end_ns > page->end_ns)
			page->end_ns = (uint64_t)end_ns;
		page->experiment++;
		page->thread_base += at->whole->thread_count + 1;
	}
	add_marks(page);
}

/* events.c: the events of a report page, experiment by experiment: rows with their sums, the
 * longest events, the curve of the heap, and usage samples. */
#include "analyzer/page/walk.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/terminal.h"
#include "analyzer/model/datakind.h"
#include "analyzer/report/axis.h"
#include "analyzer/report/wallwait.h"
#include "experiment/events/usertrace.h"
#include "format/record.h"
#include "template/template.h"

#include <stdlib.h>
#include <string.h>

/* So many events are read kind by kind, which takes less memory. */
enum { MANY_EVENTS = 1 << 19 };

/* ---- what is told of single events ---- */

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
	uint32_t *known = &walk->names[kind][fact->type % WALK_NAMES];
	const char *name = datakinds[kind].title;

	if (kind == FMT_DATAKIND_USER)
		return user_name(walk->page, fact->user);
	if (kind == FMT_DATAKIND_FUNCTRACE) /* its stack tells */
		return 0;
	if (*known != 0)
		return *known - 1;
	if (kind == FMT_DATAKIND_WALL)
		name = wall_wait_name(fact);
	else if (types[kind])
		name = fmt_enum_name(types[kind], fact->type);
	*known = page_string(walk->page, name) + 1;
	return *known - 1;
}

/* Is an event of this kind shown as a mark? */
static int is_mark(const struct walk *walk, const struct exp_fact *fact)
{
	if (fact->data == EXP_DATA_WALL)
		return wall_wait_is_event(walk->at->whole, fact);
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
	if (fact->java) {
		walk_use_java(walk, seen);
		return;
	}
	if (fact->data == EXP_DATA_HEAP && !fact->is_map) {
		curve_add(&walk->live, seen->end_ns, fact->live_bytes);
		walk->has_live = 1;
	}
	if ((unsigned)fact->data & (EXP_DATA_SYNC | EXP_DATA_IO | EXP_DATA_USER | EXP_DATA_MPI))
		walk_use(walk, seen, name_of(walk, fact, kind));
	if (!is_mark(walk, fact) || !marks_want(&page->marks, duration_ns))
		return;
	marks_add(&page->marks, &(struct mark){.begin_ns = seen->begin_ns,
	                                       .duration_ns = duration_ns,
	                                       .bytes = fact->bytes,
	                                       .thread = (uint32_t)page->thread_base + seen->thread,
	                                       .node = walk_place(walk, fact->node, kind),
	                                       .name = name_of(walk, fact, kind),
	                                       .kind = (uint8_t)kind});
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
	            axis_time_ns(page->dataset, at, usage->time_s));
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
	walk_put_rows(walk, &rows);
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
	const struct tree_view view = {.mode = dataset->mode,
	                               .stand_in = dataset->tables->stand_in,
	                               .shown = dataset->shown};
	struct walk *walk = memory_take(1, sizeof(*walk));

	walk->page = page;
	walk->at = at;
	curve_init(&walk->live);
	tree_place_experiment(page->tree, dataset->symbols, at->experiment, at->data, &view,
	                      &walk->places);
	walk_begin_uses(walk, share);
	page->lacks_sizes |= at->whole->heap.sampled_every != 0;
	add_rows(walk, share);
	walk_put_uses(walk);
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

void page_add_events(struct page *page)
{
	const struct dataset_experiment *at = NULL;
	uint64_t all = 0;

	while ((at = dataset_next(page->dataset, at)))
		all += events_of(at);
	while ((at = dataset_next(page->dataset, at))) {
		int64_t end_ns = axis_time_ns(page->dataset, at, at->info->duration_s);

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

/* view_heap.c: leaks and allocations by call stack, and statistics of the heap. */
#include "view.h"

#include "memory.h"
#include "name.h"
#include "report.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

/* What a list of stacks counts. */
struct subject {
	unsigned count, bytes;         /* metrics */
	const char *one, *many, *verb; /* "Leak", "Leaks", "Leaked" */
	const char *meaning;
};

static const struct subject leaks = {METRIC_HEAPLEAKCNT,
				     METRIC_HEAPLEAKBYTES,
				     "Leak",
				     "Leaks",
				     "Leaked",
				     "not freed at the end of the recording"};
static const struct subject allocs = {METRIC_HEAPALLOCCNT, METRIC_HEAPALLOCBYTES,
				      "Allocation",        "Allocations",
				      "Allocated",         "allocated, freed later or not"};

struct order {
	const struct tree *tree;
	const struct subject *subject;
};

static int compare(const void *left, const void *right, void *context)
{
	const struct order *order = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	const struct metric_values *x = &order->tree->own[a], *y = &order->tree->own[b];

	if (x->of[order->subject->bytes] != y->of[order->subject->bytes])
		return x->of[order->subject->bytes] > y->of[order->subject->bytes] ? -1 : 1;
	if (x->of[order->subject->count] != y->of[order->subject->count])
		return x->of[order->subject->count] > y->of[order->subject->count] ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* Innermost nodes of the stacks that count, greatest first. The caller frees. */
static uint32_t *find_stacks(const struct tree *tree, const struct subject *subject, size_t *count)
{
	struct order order = {tree, subject};
	uint32_t *stacks = NULL;
	size_t capacity = 0;

	*count = 0;
	for (size_t node = 0; node < tree->count; node++) {
		if (tree->own[node].of[subject->count] == 0)
			continue;
		stacks = memory_grow(stacks, *count, &capacity, sizeof(*stacks));
		stacks[(*count)++] = (uint32_t)node;
	}
	if (*count > 1)
		qsort_r(stacks, *count, sizeof(*stacks), compare, &order);
	return stacks;
}

/* Of a deeper stack the frames between these are left out: ten thousand stacks of a deep recursion
 * are as many frames squared. */
enum { STACK_INNER = 200, STACK_OUTER = 50 };

static size_t count_frames(const struct tree *tree, uint32_t node)
{
	size_t count = 0;

	for (; node != TREE_ROOT; node = tree->nodes[node].parent)
		count++;
	return count;
}

static void put_frame(struct session *session, const struct sym_frame *item)
{
	char *name = name_item(session, TREE_FRAMES, item);

	fputs("  ", session->out);
	text_put(session->out, name);
	fputc('\n', session->out);
	free(name);
}

static void put_stack(struct session *session, const struct tree *tree,
		      const struct subject *subject, size_t number, uint32_t node)
{
	const struct metric_values *values = &tree->own[node];
	size_t depth = 1, left = count_frames(tree, node);

	fprintf(session->out, "\n%s #%zu, Instances = %llu, Bytes %s = %llu\n", subject->one,
		number, (unsigned long long)values->of[subject->count], subject->verb,
		(unsigned long long)values->of[subject->bytes]);
	for (; node != TREE_ROOT; node = tree->nodes[node].parent) {
		if (depth <= STACK_INNER || left <= STACK_OUTER)
			put_frame(session, &tree->items[tree->nodes[node].item]);
		else if (left == STACK_OUTER + 1)
			fprintf(session->out, "  ... %zu frames not shown\n", depth - STACK_INNER);
		depth++;
		left--;
	}
}

/* The innermost function of a stack that has a name and is not in a library. */
static const struct sym_function *culprit(const struct tree *tree, uint32_t node)
{
	for (; node != TREE_ROOT; node = tree->nodes[node].parent) {
		const struct sym_function *function = tree->items[tree->nodes[node].item].function;

		if (function->name[0] != '<' && !function->unresolved &&
		    strstr(function->object->name, ".so") == NULL)
			return function;
	}
	return NULL;
}

static void put_stacks(struct session *session, const struct subject *subject)
{
	const struct tree *tree = session_tree(session, TREE_FRAMES);
	const struct metric_values *sum = &tree->total[TREE_ROOT];
	const struct sym_function *function;
	size_t count;
	uint32_t *stacks = find_stacks(tree, subject, &count);
	size_t shown = session->limit != 0 && session->limit < count ? session->limit : count;

	report_put_quality(session);
	fprintf(session->out, "# %s: %s\n", subject->many, subject->meaning);
	fprintf(session->out,
		"Summary Results: Distinct %s = %zu, Total Instances = %llu, Total Bytes %s = "
		"%llu\n",
		subject->many, count, (unsigned long long)sum->of[subject->count], subject->verb,
		(unsigned long long)sum->of[subject->bytes]);
	for (size_t i = 0; i < shown; i++)
		put_stack(session, tree, subject, i + 1, stacks[i]);
	fputc('\n', session->out);
	function = count != 0 ? culprit(tree, stacks[0]) : NULL;
	if (function != NULL)
		report_put_next(session, "csingle", function, "who asked for the greatest of them");
	if (count != 0)
		report_put_next(session, "heapstat", NULL, "their sizes, and the peak of the heap");
	if (count != 0)
		fputc('\n', session->out);
	free(stacks);
}

void view_leaks(struct session *session, const struct command_argument *argument)
{
	(void)argument;
	put_stacks(session, &leaks);
}

void view_allocs(struct session *session, const struct command_argument *argument)
{
	(void)argument;
	put_stacks(session, &allocs);
}

/* "1 KiB" for 1024: histogram bounds are powers of 2. */
static void put_bound(FILE *out, unsigned bits, const char *behind)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

	fprintf(out, "%5llu %-3s%s", 1ull << bits % 10, units[bits / 10], behind);
}

static void put_histogram(FILE *out, const uint64_t counts[EXP_HISTOGRAM], const char *what)
{
	fprintf(out, "  %-23s  %s\n", "Block size", what);
	for (unsigned i = 0; i < EXP_HISTOGRAM; i++) {
		if (counts[i] == 0)
			continue;
		if (i == 0) {
			fputs("        0 B              ", out);
		} else {
			put_bound(out, i - 1, " to < ");
			if (i < 64)
				put_bound(out, i, "");
			else
				fputs("   16 EiB", out);
		}
		fprintf(out, "  %llu\n", (unsigned long long)counts[i]);
	}
}

static void put_count(FILE *out, const char *what, uint64_t value)
{
	fprintf(out, "  %-23s  %llu\n", what, (unsigned long long)value);
}

/* Heap facts of all experiments together; the peak is that of the process with the highest. */
static struct exp_heap sum_up(struct session *session, size_t *peak)
{
	struct exp_heap sum = {.smallest = UINT64_MAX};

	*peak = 0;
	for (size_t i = 0; i < session->count; i++) {
		const struct exp_heap *heap = &session->experiments[i].data->heap;

		sum.allocs += heap->allocs;
		sum.alloc_bytes += heap->alloc_bytes;
		sum.frees += heap->frees;
		sum.unmatched_frees += heap->unmatched_frees;
		sum.leaks += heap->leaks;
		sum.leak_bytes += heap->leak_bytes;
		if (heap->allocs != 0 && heap->smallest < sum.smallest)
			sum.smallest = heap->smallest;
		if (heap->largest > sum.largest)
			sum.largest = heap->largest;
		for (size_t bits = 0; bits < EXP_HISTOGRAM; bits++) {
			sum.size_count[bits] += heap->size_count[bits];
			sum.leak_size_count[bits] += heap->leak_size_count[bits];
		}
		if (heap->peak_bytes > session->experiments[*peak].data->heap.peak_bytes)
			*peak = i;
	}
	if (sum.allocs == 0)
		sum.smallest = 0;
	return sum;
}

void view_heapstat(struct session *session, const struct command_argument *argument)
{
	FILE *out = session->out;
	size_t peak;
	struct exp_heap sum = sum_up(session, &peak);
	const struct session_experiment *at = &session->experiments[peak];

	(void)argument;
	report_put_quality(session);
	fprintf(out, "%s\n", session->count > 1 ? "Process with the highest peak" : "Peak");
	put_count(out, "Heap size bytes", at->data->heap.peak_bytes);
	fprintf(out, "  %-23s  %.3f (secs.)\n", "Time of peak", at->data->heap.peak_time_s);
	put_count(out, "Experiment Id", peak + 1);
	fprintf(out, "  %-23s  %lld\n", "Process Id", (long long)at->info->pid);
	fputs("\nAllocations\n", out);
	put_count(out, "Total allocations", sum.allocs);
	put_count(out, "Total bytes", sum.alloc_bytes);
	put_count(out, "Smallest bytes", sum.smallest);
	put_count(out, "Largest bytes", sum.largest);
	put_count(out, "Average bytes", sum.allocs != 0 ? sum.alloc_bytes / sum.allocs : 0);
	put_count(out, "Total frees", sum.frees);
	if (sum.unmatched_frees != 0)
		put_count(out, "Frees of unknown blocks", sum.unmatched_frees);
	put_histogram(out, sum.size_count, "Allocations");
	fputs("\nLeaks (not freed at the end of the recording)\n", out);
	put_count(out, "Total leaks", sum.leaks);
	put_count(out, "Total bytes", sum.leak_bytes);
	if (sum.leaks != 0)
		put_histogram(out, sum.leak_size_count, "Leaks");
	fputc('\n', out);
	if (sum.leaks != 0)
		report_put_next(session, "leaks", NULL,
				"the stacks that allocated what was not freed");
	report_put_next(session, "allocs", NULL, "the stacks that allocate most");
	fputc('\n', out);
}

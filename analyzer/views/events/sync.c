/* sync.c: waits by call stack and by object. */
#include "analyzer/views/view.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/report/compare/named.h"
#include "analyzer/report/quality/quality.h"
#include "analyzer/report/report.h"
#include "analyzer/report/stacks.h"
#include "analyzer/table/compare.h"
#include "analyzer/views/events/locks.h"
#include "format/record.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS_TOLD = 63 };

static const char *const class_names[] = {
	[EXP_SYNC_OTHER] = "other",         [EXP_SYNC_MUTEX] = "mutex",
	[EXP_SYNC_COND] = "condition",      [EXP_SYNC_RWLOCK] = "rwlock",
	[EXP_SYNC_SPIN] = "spin lock",      [EXP_SYNC_BARRIER] = "barrier",
	[EXP_SYNC_SEMAPHORE] = "semaphore", [EXP_SYNC_SEMAPHORE_SET] = "System V set",
	[EXP_SYNC_JOIN] = "thread join",    [EXP_SYNC_FUTEX] = "futex",
	[EXP_SYNC_MONITOR] = "monitor",     [EXP_SYNC_ONCE] = "once",
};

const char *lock_class_name(unsigned class)
{
	const size_t count = sizeof(class_names) / sizeof(class_names[0]);

	return class_names[class < count ? class : EXP_SYNC_OTHER];
}

static double share(uint64_t wait_ns, double wall_s)
{
	return wall_s > 0 ? 100.0 * report_seconds(wait_ns) / wall_s : 0.0;
}

/* A killed process does not tell when it ended. */
static void put_open(const struct dataset *dataset, FILE *out)
{
	const struct dataset_experiment *at = NULL;
	unsigned long long open = 0;
	int died = 0;

	while ((at = dataset_next(dataset, at))) {
		open += at->data->sync.open;
		died |= at->data->sync.open != 0 && at->info->status == EXP_DIED;
	}
	if (open == 0)
		return;
	fprintf(out, "# %llu %s had not ended at the end (syncwaits shows them first)%s\n", open,
	        open == 1 ? "wait" : "waits",
	        died ? "; when a killed process ended is not known: they lasted longer" : "");
}

void lock_put_threshold(const struct dataset *dataset, const struct choices *choices,
                        struct output *output)
{
	const struct dataset_experiment *at = NULL;
	double highest = 0;

	(void)choices;
	put_open(dataset, output->out);
	while ((at = dataset_next(dataset, at))) {
		double ns = strtod(experiment_setting(at->experiment, "sync_threshold_ns", "0"),
		                   NULL);

		if (ns > highest)
			highest = ns;
	}
	if (highest > 0)
		fprintf(output->out, "# Waits of less than %.3f microseconds were not recorded\n",
		        highest / 1e3);
}

/* ---- by call stack ---- */

static uint64_t waits_of(const struct metric_view *values, const void *context)
{
	(void)context;
	return metric_at(values, METRIC_SYNCN);
}

/* That main waits for its threads to end is what it does meanwhile, and no fault: such stacks are
 * the last ones. */
static uint64_t time_of(const struct metric_view *values, const void *context)
{
	(void)context;
	return metric_at(values, METRIC_SYNCOBJECT);
}

static void put_head(const struct dataset *dataset, const struct choices *choices,
                     struct output *output, const struct tree *tree, uint32_t node, size_t number,
                     const void *context)
{
	const struct metric_view values = tree_own_view(tree, node);

	(void)choices;
	(void)context;
	fprintf(output->out,
	        "Stack #%zu, Waits = %llu, Total = %.6f (secs., %.2f %% of wall time), Longest = "
	        "%.6f\n",
	        number, (unsigned long long)metric_at(&values, METRIC_SYNCN),
	        report_seconds(metric_at(&values, METRIC_SYNC)),
	        share(metric_at(&values, METRIC_SYNC), report_wall_seconds(dataset)),
	        report_seconds(tree_longest_of(tree, node).sync));
}

static void put_summary(const struct dataset *dataset, const struct choices *choices,
                        struct output *output, const struct tree *tree, const void *context)
{
	const struct metric_values *sum = &tree->sum;
	double wall_s = report_wall_seconds(dataset);
	size_t distinct = 0;

	(void)choices;
	(void)context;
	for (size_t row = 0; row < tree->own.values.count; row++)
		distinct += columns_at(&tree->own.values, row, METRIC_SYNCN) != 0;
	fprintf(output->out,
	        "Summary Results: Distinct Stacks = %zu, Total Waits = %llu, Total Time = %.6f "
	        "(secs., %.2f %% of %.3f wall time)\n",
	        distinct, (unsigned long long)sum->of[METRIC_SYNCN],
	        report_seconds(sum->of[METRIC_SYNC]), share(sum->of[METRIC_SYNC], wall_s), wall_s);
}

void view_sync(const struct dataset *dataset, const struct choices *choices, struct output *output,
               const struct command_argument *argument)
{
	static const struct stacks_kind kind = {waits_of, time_of, put_head,
	                                        NULL,     "sync",  EXP_DATA_SYNC};
	const struct tree *tree = stacks_tree(dataset, output, &kind, metric_set_of(EXP_DATA_SYNC));
	size_t count;
	uint32_t *stacks = stacks_find(tree, &kind, &count);

	(void)argument;
	quality_put(dataset, output);
	fputs("# Waits: from the request to the grant; those of several threads add up\n",
	      output->out);
	lock_put_threshold(dataset, choices, output);
	stacks_put_parts(dataset, choices, output, tree, put_summary, NULL);
	stacks_put(dataset, choices, output, tree, &kind, stacks, count);
	if (count != 0) {
		const struct sym_function *function = stacks_culprit(tree, stacks[0]);

		report_put_next(dataset, choices, output, "locks", NULL, "what was waited for");
		if (function)
			report_put_next(dataset, choices, output, "csingle", function,
			                "who waits the longest");
		fputc('\n', output->out);
	}
	free(stacks);
}

/* ---- by object ---- */

static int by_wait(const void *left, const void *right)
{
	const struct exp_sync_object *a = ((const struct lock *)left)->object;
	const struct exp_sync_object *b = ((const struct lock *)right)->object;
	int a_joins = a->object_class == EXP_SYNC_JOIN, b_joins = b->object_class == EXP_SYNC_JOIN;

	if (a_joins != b_joins)
		return a_joins ? 1 : -1;
	if (a->wait_ns != b->wait_ns)
		return a->wait_ns > b->wait_ns ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return (int)a->object_class - (int)b->object_class;
}

static uint32_t generation_of(const struct lock *lock)
{
	const struct exp_nodes *nodes = &lock->at->data->nodes;

	return lock->object->node < nodes->count ? nodes->generation[lock->object->node] : 0;
}

/* As java.lang.Object.toString does it: the class and the identity hash. */
static char *monitor_name(const struct experiment *experiment, uint64_t address)
{
	const char *class = experiment_java_class(experiment, (uint32_t)(address >> 32));
	char *name = memory_format("%s@%x", class ? class : "monitor", (unsigned)address);

	for (char *at = name; *at != '\0'; at++)
		if (*at == '/')
			*at = '.';
	return name;
}

char *lock_name(const struct dataset *dataset, const struct lock *lock)
{
	const struct exp_sync_object *object = lock->object;
	unsigned long long address = object->address;
	const char *name = NULL, *file = NULL;
	uint64_t offset = 0;

	if (object->object_class == EXP_SYNC_SEMAPHORE_SET)
		return memory_format("set %llu", address);
	if (object->object_class == EXP_SYNC_MONITOR)
		return monitor_name(lock->at->experiment, address);
	if (object->object_class == EXP_SYNC_JOIN)
		return memory_format("thread 0x%llx", address);
	if (symbols_variable(dataset->symbols, lock->at->experiment, object->address,
	                     generation_of(lock), &name, &file, &offset) != 0 ||
	    !file)
		return memory_format("0x%llx", address);
	if (!name)
		return memory_format("%s+0x%llx", file, (unsigned long long)offset);
	if (offset == 0)
		return memory_text(name, strlen(name));
	return memory_format("%s+0x%llx", name, (unsigned long long)offset);
}

char *lock_mutex_name(const struct dataset *dataset, const struct dataset_experiment *at,
                      uint64_t address, uint32_t node)
{
	const struct exp_sync_object mutex = {
		.address = address, .object_class = EXP_SYNC_MUTEX, .node = node};

	return address != 0 ? lock_name(dataset, &(struct lock){at, &mutex}) : NULL;
}

static void put_mutex(const struct dataset *dataset, struct output *output, const struct lock *lock)
{
	char *name = lock_mutex_name(dataset, lock->at, lock->object->mutex, lock->object->node);

	if (!name)
		return;
	fputs(" with ", output->out);
	text_put(output->out, name);
	free(name);
}

static void put_site(const struct dataset *dataset, const struct choices *choices,
                     struct output *output, const struct lock *lock, const char *what,
                     uint32_t node)
{
	char *name = stacks_name_node(dataset, choices, lock->at, node);

	if (!name)
		return;
	fprintf(output->out, "; %s ", what);
	text_put(output->out, name);
	free(name);
}

static void put_lock(const struct dataset *dataset, const struct choices *choices,
                     struct output *output, const struct lock *lock)
{
	const struct exp_sync_object *object = lock->object;
	int threads = __builtin_popcountll(object->threads);
	char *name = lock_name(dataset, lock);
	FILE *out = output->out;

	if (dataset->count > 1)
		fprintf(out, "%3u  ", lock->at->id);
	fprintf(out, "%12.6f  %6.2f  %10.6f  %9llu  %8llu  %6d%s  %-12s  ",
	        report_seconds(object->wait_ns), share(object->wait_ns, lock->at->info->duration_s),
	        report_seconds(object->longest_ns), (unsigned long long)object->count,
	        (unsigned long long)object->failed, threads, threads > THREADS_TOLD ? "+" : " ",
	        class_names[object->object_class]);
	text_put(out, name);
	put_mutex(dataset, output, lock);
	put_site(dataset, choices, output, lock, "made in", object->creation);
	put_site(dataset, choices, output, lock, "longest wait in", object->node);
	fputc('\n', out);
	free(name);
}

/* For programs. */
static void put_locks(const struct dataset *dataset, const struct choices *choices,
                      struct output *output, const struct lock *locks, size_t count)
{
	struct print_table *table = print_table_begin("locks");

	print_column(table, PRINT_ID, "experiment", "Experiment");
	print_column(table, PRINT_WORD, "kind", "Kind");
	print_column(table, PRINT_WORD, "object", "Object");
	print_column(table, PRINT_WORD, "mutex", "Mutex");
	print_column(table, PRINT_NS, "wait", "Wait Time");
	print_column(table, PRINT_NS, "longest", "Longest Wait");
	print_column(table, PRINT_COUNT, "waits", "Waits");
	print_column(table, PRINT_COUNT, "failed", "Failed");
	print_column(table, PRINT_COUNT, "threads", "Threads");
	print_column(table, PRINT_WORD, "made_in", "Made in");
	print_column(table, PRINT_WORD, "longest_in", "Longest Wait in");
	for (size_t i = 0; i < count; i++) {
		const struct exp_sync_object *object = locks[i].object;
		char *texts[] = {
			lock_name(dataset, &locks[i]),
			stacks_name_node(dataset, choices, locks[i].at, object->creation),
			stacks_name_node(dataset, choices, locks[i].at, object->node),
			lock_mutex_name(dataset, locks[i].at, object->mutex, object->node)};

		print_number(table, locks[i].at->id);
		print_word(table, class_names[object->object_class]);
		print_word(table, texts[0]);
		print_word(table, texts[3]);
		print_number(table, object->wait_ns);
		print_number(table, object->longest_ns);
		print_number(table, object->count);
		print_number(table, object->failed);
		print_number(table, (uint64_t)__builtin_popcountll(object->threads));
		print_word(table, texts[1]);
		print_word(table, texts[2]);
		for (size_t j = 0; j < sizeof(texts) / sizeof(texts[0]); j++)
			free(texts[j]);
	}
	print_table_end(output, table, 0);
}

/* All objects of the dataset, those waited for the longest first. The caller frees. */
static struct lock *find_locks(const struct dataset *dataset, size_t *count)
{
	struct lock *locks = NULL;
	size_t capacity = 0;

	const struct dataset_experiment *at = NULL;

	*count = 0;
	while ((at = dataset_next(dataset, at))) {
		for (size_t j = 0; j < at->data->sync.object_count; j++) {
			locks = memory_grow(locks, *count, &capacity, sizeof(*locks));
			locks[(*count)++] = (struct lock){at, &at->data->sync.objects[j]};
		}
	}
	if (*count > 1)
		qsort(locks, *count, sizeof(*locks), by_wait);
	return locks;
}

/* What a lock is called in a comparison: its variable; others, whose addresses mean nothing, by
 * where they were made or waited for the longest. The caller frees. */
static char *compared_name(const struct dataset *dataset, const struct choices *choices,
                           const struct lock *lock)
{
	const struct exp_sync_object *object = lock->object;
	char *own = lock_name(dataset, lock), *site, *name;

	if (strncmp(own, "0x", 2) != 0 && object->object_class != EXP_SYNC_JOIN &&
	    object->object_class != EXP_SYNC_SEMAPHORE_SET) {
		name = memory_format("%s %s", class_names[object->object_class], own);
		free(own);
		return name;
	}
	free(own);
	site = stacks_name_place(dataset, choices, lock->at, object->creation, 1);
	if (site) {
		name = memory_format("%s made in %s", class_names[object->object_class], site);
	} else {
		site = stacks_name_place(dataset, choices, lock->at, object->node, 0);
		name = memory_format("%s, longest wait in %s", class_names[object->object_class],
		                     site ? site : "?");
	}
	free(site);
	return name;
}

static void put_compared(const struct dataset *dataset, const struct choices *choices,
                         struct output *output)
{
	struct compare_named *named = compare_named_create();

	for (size_t i = 0, columns = dataset_columns(dataset); i < columns; i++) {
		const struct dataset part = compare_part(dataset, i);
		size_t count;
		struct lock *locks = find_locks(&part, &count);

		for (size_t j = 0; j < count; j++) {
			const struct metric_values values = {
				.of = {[METRIC_SYNC] = locks[j].object->wait_ns,
			               [METRIC_SYNCN] = locks[j].object->count}};

			compare_named_add(named, i, compared_name(&part, choices, &locks[j]), 0,
			                  &values);
		}
		free(locks);
	}
	compare_named_put_kind(dataset, choices, output, named, EXP_DATA_SYNC, "Objects waited for",
	                       "locks", lock_put_threshold);
}

void view_locks(const struct dataset *dataset, const struct choices *choices, struct output *output,
                const struct command_argument *argument)
{
	size_t count, shown;
	struct lock *locks;

	(void)argument;
	if (dataset_columns(dataset) > 1) {
		put_compared(dataset, choices, output);
		return;
	}
	locks = find_locks(dataset, &count);
	shown = choices->limit != 0 && choices->limit < count ? choices->limit : count;
	quality_put(dataset, output);
	lock_put_threshold(dataset, choices, output);
	fprintf(output->out, "Objects waited for: %zu, sorted by total wait time, joins last\n\n",
	        count);
	if (!print_is_data(output))
		fprintf(output->out, "%s%12s  %6s  %10s  %9s  %8s  %7s  %-12s  %s\n",
		        dataset->count > 1 ? " ID  " : "", "Total sec.", "% wall", "Longest",
		        "Waits", "Failed", "Threads", "Kind", "Object; where");
	if (print_is_data(output))
		put_locks(dataset, choices, output, locks, shown);
	for (size_t i = 0; i < shown && !print_is_data(output); i++)
		put_lock(dataset, choices, output, &locks[i]);
	fputc('\n', output->out);
	if (count != 0) {
		report_put_next(dataset, choices, output, "sync", NULL, "the stacks that wait");
		report_put_next(dataset, choices, output, "syncwaits", NULL,
		                "when the longest waits were");
		fputc('\n', output->out);
	}
	free(locks);
}

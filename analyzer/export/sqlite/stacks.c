/* stacks.c: the stacks of all processes as one tree of frames. Ids are given in depth-first order,
 * so that what was called below a stack is a range of ids; the greatest is known before the rows
 * are written. Values of a process stand at the nodes where its events are; those above get their
 * inclusive values, and nodes of other processes cost nothing. See sqlite.h. */
#include "analyzer/export/sqlite/sqlite.h"

#include "analyzer/base/memory.h"
#include "analyzer/views/events/kept.h"

#include <stdlib.h>
#include <string.h>

/* ---- the tree ---- */

static void place_processes(struct sql *sql)
{
	const struct dataset *dataset = sql->job->dataset;
	const struct tree_view view = {.mode = dataset->mode,
	                               .stand_in = dataset->tables->stand_in,
	                               .shown = dataset->shown};

	sql->tree = tree_create(TREE_FRAMES, symbols_total(dataset->symbols));
	for (size_t i = 0; i < sql->process_count; i++) {
		struct sql_process *process = &sql->processes[i];

		tree_place_experiment(sql->tree, dataset->symbols, process->at->experiment,
		                      process->at->data, &view, &process->places);
	}
	tree_tables_fini(sql->tree);
}

/* The functions, or the lines, on the way to a node. */
struct way {
	int64_t *items; /* items[depth] */
	size_t depth, capacity;
	uint32_t *on_way; /* by item: how often it is there */
	size_t item_capacity;
};

/* What is on the way to a node. */
struct ways {
	struct way functions, lines;
	struct tree *of_lines; /* numbers the lines: its items */
};

/* Go to an item at a depth, from 1. Returns whether it is not there yet. */
static int step(struct way *way, size_t depth, int64_t item)
{
	size_t known = way->item_capacity;

	for (; way->depth >= depth; way->depth--)
		way->on_way[way->items[way->depth - 1]]--;
	way->items = memory_grow(way->items, way->depth, &way->capacity, sizeof(*way->items));
	way->items[way->depth++] = item;
	if ((size_t)item >= known) {
		way->item_capacity = 2 * (size_t)item + 64;
		way->on_way = memory_resize(way->on_way, way->item_capacity, sizeof(*way->on_way));
		memset(way->on_way + known, 0, (way->item_capacity - known) * sizeof(*way->on_way));
	}
	return way->on_way[item]++ == 0;
}

static void free_way(struct way *way)
{
	free(way->items);
	free(way->on_way);
}

static void put_stack(struct sql *sql, uint32_t node, uint32_t size, struct ways *ways,
                      size_t depth)
{
	const struct sym_frame *frame = &sql->tree->items[sql->tree->nodes[node].item];
	int64_t function = sql_function(sql, frame->function), file = sql_file(sql, frame->file);
	uint32_t id = sql->ids[node], parent = sql->parents[id];
	struct cell *row = database_row(sql->database, SQL_STACK);

	cell_integer(&row[SQL_STACK_id], id);
	if (parent != 0)
		cell_integer(&row[SQL_STACK_parent], parent);
	cell_integer(&row[SQL_STACK_last], (int64_t)id + size - 1);
	cell_count(&row[SQL_STACK_depth], depth);
	cell_integer(&row[SQL_STACK_call_path], sql->call_paths[node]);
	cell_integer(&row[SQL_STACK_function], function);
	if (file != 0)
		cell_integer(&row[SQL_STACK_source_file], file);
	if (frame->line != 0)
		cell_integer(&row[SQL_STACK_line], frame->line);
	if (frame->address != 0)
		cell_address(&row[SQL_STACK_address], frame->address);
	cell_integer(&row[SQL_STACK_is_inlined], frame->inlined);
	cell_integer(&row[SQL_STACK_is_outermost], step(&ways->functions, depth, function));
	cell_integer(&row[SQL_STACK_is_outermost_line],
	             step(&ways->lines, depth, tree_item(ways->of_lines, frame)));
	cell_integer(&row[SQL_STACK_is_kept], kept_set_apart(sql->tree, &node, 1) == 0);
}

void sql_stacks_put(struct sql *sql)
{
	struct ways ways = {.of_lines = NULL};
	uint32_t *sizes, node = TREE_ROOT, id = 0;
	size_t depth = 0;

	place_processes(sql);
	ways.of_lines = tree_create(TREE_LINES, symbols_total(sql->job->dataset->symbols));
	sql_call_paths_put(sql);
	sizes = sql_tree_sizes(sql->tree);
	sql->ids = memory_take(sql->tree->count, sizeof(*sql->ids));
	sql->parents = memory_take(sql->tree->count, sizeof(*sql->parents));
	while ((node = tree_next(sql->tree, node, &depth)) != TREE_NONE) {
		sql->ids[node] = ++id;
		sql->parents[id] = sql->ids[sql->tree->nodes[node].parent];
		put_stack(sql, node, sizes[node], &ways, depth);
	}
	free(sizes);
	free_way(&ways.functions);
	free_way(&ways.lines);
	tree_destroy(ways.of_lines);
}

static uint64_t key_of(uint32_t parent, uint64_t pc, uint32_t generation)
{
	return exp_hash_number(exp_hash_number(exp_hash_number(EXP_HASH_START, parent), pc),
	                       generation);
}

static int begins_with(const struct exp_nodes *now, const struct exp_nodes *old)
{
	size_t count = old->count;

	return now->count >= count &&
	       (count == 0 ||
	        (memcmp(now->pc, old->pc, count * sizeof(*now->pc)) == 0 &&
	         memcmp(now->parent, old->parent, count * sizeof(*now->parent)) == 0 &&
	         memcmp(now->generation, old->generation, count * sizeof(*now->generation)) == 0));
}

uint32_t *sql_nodes_find(const struct exp_nodes *now, const struct exp_nodes *old)
{
	struct exp_index known = {.count = 0};
	uint32_t *found;

	if (begins_with(now, old))
		return NULL;
	for (size_t i = 0; i < old->count; i++) {
		uint64_t key = key_of(old->parent[i], old->pc[i], old->generation[i]);

		if (exp_index_find(&known, key) == EXP_INDEX_NONE &&
		    exp_index_add(&known, key, (uint32_t)i) != 0)
			memory_fail();
	}
	found = memory_take(now->count, sizeof(*found));
	for (size_t i = 0; i < now->count; i++) {
		uint32_t parent = now->parent[i] < i ? found[now->parent[i]] : EXP_NO_INDEX;

		found[i] = now->parent[i] < i && parent == EXP_NO_INDEX
		                   ? EXP_NO_INDEX
		                   : exp_index_find(&known,
		                                    key_of(parent, now->pc[i], now->generation[i]));
	}
	exp_index_fini(&known);
	return found;
}

void sql_stacks_fini(struct sql *sql)
{
	for (size_t i = 0; i < sql->process_count; i++)
		tree_places_fini(&sql->processes[i].places);
	tree_destroy(sql->tree);
	free(sql->call_paths);
	free(sql->ids);
	free(sql->parents);
}

/* ---- values ---- */

/* The values of the stacks of a process. */
struct values {
	const struct sql *sql;
	const struct sql_process *process;
	uint64_t *exclusive, *inclusive; /* by id; all 0 between metrics */
	unsigned char *is_met;           /* by id; all 0 between processes */
	uint32_t *met;                   /* met[count]: the ids that have values, in order */
	size_t count, capacity;
};

static void meet(struct values *values, uint32_t id)
{
	for (; id != 0 && !values->is_met[id]; id = values->sql->parents[id]) {
		values->is_met[id] = 1;
		values->met = memory_grow(values->met, values->count, &values->capacity,
		                          sizeof(*values->met));
		values->met[values->count++] = id;
	}
}

static int by_id(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

static void meet_all(struct values *values)
{
	const struct sql *sql = values->sql;
	const struct tree_places *places = &values->process->places;

	for (size_t i = 0; i < places->count; i++) {
		meet(values, sql->ids[places->own[i]]);
		meet(values, sql->ids[places->clock[i]]);
	}
	meet(values, sql->ids[places->no_stack]);
	if (values->count > 1)
		qsort(values->met, values->count, sizeof(*values->met), by_id);
}

/* The exclusive values of a metric. */
static void take_values(const struct values *values, unsigned metric)
{
	const struct exp_nodes *nodes = &values->process->at->data->nodes;
	const struct tree_places *places = &values->process->places;
	const uint32_t *place = metric_data_of(metric) == EXP_DATA_PROFILE ? places->clock
	                                                                   : places->own;
	const uint32_t *ids = values->sql->ids;

	for (const uint8_t *from = metric_from[metric]; *from != EXP_METRICS; from++) {
		const uint64_t *value = nodes->value[*from];

		values->exclusive[ids[places->no_stack]] += nodes->no_stack[*from];
		for (size_t row = 0; value && row < nodes->row_count; row++)
			values->exclusive[ids[place[nodes->node_of[row]]]] += value[row];
	}
}

static void put_values(const struct values *values, unsigned metric)
{
	const struct sql *sql = values->sql;

	for (size_t i = values->count; i-- > 0;) {
		uint32_t id = values->met[i];

		values->inclusive[id] += values->exclusive[id];
		values->inclusive[sql->parents[id]] += values->inclusive[id];
	}
	for (size_t i = 0; i < values->count; i++) {
		uint32_t id = values->met[i];

		if (values->inclusive[id] != 0) {
			struct cell *row = database_row(sql->database, SQL_STACK_METRIC);

			cell_integer(&row[SQL_STACK_METRIC_process], values->process->at->id);
			cell_integer(&row[SQL_STACK_METRIC_metric], metric);
			cell_integer(&row[SQL_STACK_METRIC_stack], id);
			cell_count(&row[SQL_STACK_METRIC_exclusive], values->exclusive[id]);
			cell_count(&row[SQL_STACK_METRIC_inclusive], values->inclusive[id]);
		}
		values->exclusive[id] = values->inclusive[id] = 0;
	}
	values->exclusive[0] = values->inclusive[0] = 0;
}

static void put_process(struct values *values)
{
	const struct export_job *job = values->sql->job;

	meet_all(values);
	for (size_t i = 0; i < job->metric_count; i++) {
		take_values(values, job->metrics[i]);
		put_values(values, job->metrics[i]);
	}
	for (size_t i = 0; i < values->count; i++)
		values->is_met[values->met[i]] = 0;
	values->count = 0;
}

static void put_metric(const struct sql *sql, unsigned id)
{
	static const char *const units[3] = {"ns", "bytes", "count"};
	struct cell *row = database_row(sql->database, SQL_METRIC);

	cell_integer(&row[SQL_METRIC_id], id);
	cell_text(&row[SQL_METRIC_keyword], metric_keyword(id));
	cell_text(&row[SQL_METRIC_name], metric_meaning(id));
	cell_text(&row[SQL_METRIC_unit], export_unit(id, units));
}

/* Events ask for ids, millions of times. */
static void find_stacks(struct sql *sql, struct sql_process *process)
{
	struct tree_places *places = &process->places;

	for (size_t i = 0; i < places->count; i++) {
		places->own[i] = sql->ids[places->own[i]];
		places->clock[i] = sql->ids[places->clock[i]];
	}
	process->stacks = (struct sql_stacks){places->own, places->clock, places->count};
}

void sql_metrics_put(struct sql *sql)
{
	struct values values = {.sql = sql};

	for (size_t i = 0; i < sql->job->metric_count; i++)
		put_metric(sql, sql->job->metrics[i]);
	values.exclusive = memory_take(sql->tree->count, sizeof(*values.exclusive));
	values.inclusive = memory_take(sql->tree->count, sizeof(*values.inclusive));
	values.is_met = memory_take(sql->tree->count, 1);
	for (size_t i = 0; i < sql->process_count; i++) {
		values.process = &sql->processes[i];
		put_process(&values);
		find_stacks(sql, &sql->processes[i]);
	}
	free(values.exclusive);
	free(values.inclusive);
	free(values.is_met);
	free(values.met);
}

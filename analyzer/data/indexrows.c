/* indexrows.c: sorts the events of the dataset into the rows of an index object, in one reading of
 * each experiment.
 * See doc/decisions/32-filters.md. */
#include "analyzer/data/indexobj.h"

#include "analyzer/base/memory.h"
#include "analyzer/data/filters.h"
#include "analyzer/filter/valuenames.h"
#include "analyzer/model/tree.h"
#include "experiment/table/hash.h"
#include "experiment/table/index.h"

#include <stdlib.h>
#include <string.h>

struct gather {
	struct index_rows *rows;
	const struct token *named; /* keys are names of this token's values, which differ between
	                              experiments; or NULL */
	struct exp_index by_key;   /* key -> row */
	struct exp_hash texts;     /* of rows->names: struct interned */
	uint32_t missing;          /* row of events without a key, EXP_ROW_NONE: none yet */
	/* Of the experiment that is read: */
	const struct exp_data_set *whole;
	struct filters_run *filters;
	struct filter_run *key, *list; /* list may be NULL */
	struct exp_index names;        /* value -> number of its name */
	struct exp_index files;        /* number -> index, if names are those of files */
	int is_out_of_memory;
};

static uint32_t add_row(struct gather *gather, int64_t key, int is_missing)
{
	struct index_rows *rows = gather->rows;

	if (rows->count == EXP_ROWS_MAX) {
		rows->has_overflow = 1;
		return EXP_ROW_NONE;
	}
	rows->rows = memory_grow(rows->rows, rows->count, &rows->capacity, sizeof(*rows->rows));
	rows->rows[rows->count] = (struct index_row){
		.key = key, .is_missing = is_missing, .number = (uint32_t)rows->count};
	return (uint32_t)rows->count++;
}

static void remember(struct gather *gather, struct exp_index *index, uint64_t key, uint32_t value)
{
	if (exp_index_add(index, key, value) != 0)
		gather->is_out_of_memory = 1;
}

static uint32_t find_row(struct gather *gather, int64_t key)
{
	uint32_t row = exp_index_find(&gather->by_key, (uint64_t)key);

	if (row != EXP_INDEX_NONE)
		return row;
	row = add_row(gather, key, 0);
	if (row != EXP_ROW_NONE)
		remember(gather, &gather->by_key, (uint64_t)key, row);
	return row;
}

static int is_same_text(const void *item, const void *key)
{
	return strcmp(item, key) == 0;
}

/* Number of a name, the same in all experiments: it stands before the text. */
static uint32_t intern(struct gather *gather, const char *name)
{
	struct index_rows *rows = gather->rows;
	uint64_t hash = exp_hash_text(EXP_HASH_START, name);
	const char *known = exp_hash_find(&gather->texts, hash, is_same_text, name);
	uint32_t number = (uint32_t)rows->name_count;
	char *made;

	if (known) {
		memcpy(&number, known - sizeof(number), sizeof(number));
		return number;
	}
	made = memory_take(sizeof(number) + strlen(name) + 1, 1);
	memcpy(made, &number, sizeof(number));
	strcpy(made + sizeof(number), name);
	rows->names = memory_grow(rows->names, rows->name_count, &rows->name_capacity,
	                          sizeof(char *));
	rows->names[rows->name_count++] = made + sizeof(number);
	if (exp_hash_add(&gather->texts, hash, made + sizeof(number)) != 0)
		gather->is_out_of_memory = 1;
	return number;
}

static void index_files(struct gather *gather)
{
	const struct exp_io *io = gather->whole->io;

	for (size_t i = 0; i < io->file_count; i++)
		remember(gather, &gather->files, io->files[i].number, (uint32_t)i);
}

static const char *name_of(const struct gather *gather, int64_t value)
{
	const struct exp_data_set *whole = gather->whole;
	const struct exp_io_file *file;
	const char *counter;
	uint32_t at;

	if (gather->named->kind == TOKEN_KIND_COUNTER) {
		counter = value >= 0 ? experiment_counter_name((unsigned)value) : NULL;
		return counter ? counter : "<Unknown>";
	}
	if (gather->named->kind == TOKEN_KIND_THREAD)
		return value >= 0 && (uint64_t)value < whole->thread_count
		               ? whole->threads[value].name
		               : "<Unknown>";
	at = exp_index_find(&gather->files, (uint64_t)value);
	if (at == EXP_INDEX_NONE)
		return "<Unknown>";
	file = &whole->io->files[at];
	if (gather->named->kind == TOKEN_KIND_SYSTEM)
		return value_file_system(file);
	return file->name ? file->name : "<Unknown>";
}

static int64_t name_key(struct gather *gather, int64_t value)
{
	uint32_t known = exp_index_find(&gather->names, (uint64_t)value);

	if (known == EXP_INDEX_NONE) {
		known = intern(gather, name_of(gather, value));
		remember(gather, &gather->names, (uint64_t)value, known);
	}
	return known;
}

static uint32_t row(void *context, const struct exp_fact *fact)
{
	struct gather *gather = context;
	int64_t key;

	if (!filters_select(gather->filters, fact))
		return EXP_ROW_NONE;
	if (gather->list && (!filter_run_value(gather->list, fact, &key) || key == 0))
		return EXP_ROW_NONE;
	if (filter_run_value(gather->key, fact, &key))
		return find_row(gather, gather->named ? name_key(gather, key) : key);
	if (gather->missing == EXP_ROW_NONE)
		gather->missing = add_row(gather, 0, 1);
	return gather->missing;
}

static uint64_t next_cut(void *context, uint64_t ticks)
{
	const struct gather *gather = context;

	return filters_next_cut(gather->filters, ticks);
}

static int begin(void *context, const struct exp_nodes *nodes)
{
	struct gather *gather = context;
	int status = filters_begin(gather->filters, nodes);

	if (status == 0)
		status = filter_run_begin(gather->key, nodes);
	if (status == 0 && gather->list)
		status = filter_run_begin(gather->list, nodes);
	return status;
}

/* What the rows hold of an experiment. */
static void add_values(struct index_rows *rows, const struct exp_nodes *nodes)
{
	size_t count = nodes->row_count < rows->count ? nodes->row_count : rows->count;

	columns_extend(&rows->values, rows->count);
	for (unsigned id = 0; id < METRIC_VALUES; id++)
		for (const uint8_t *from = metric_from[id]; *from != EXP_METRICS; from++)
			for (size_t i = 0; nodes->value[*from] && i < count; i++)
				if (nodes->value[*from][i] != 0)
					columns_add(&rows->values, i, id, nodes->value[*from][i]);
}

/* Returns 0 or -ENOMEM. */
static int gather_experiment(struct gather *gather, const struct dataset *dataset,
                             const struct dataset_experiment *at, const struct index_type *type,
                             const struct expression *list)
{
	const struct filter_place place = filters_place(dataset, at);
	const struct exp_data_set *set;
	struct exp_selection selection = {.context = gather,
	                                  .begin = begin,
	                                  .row = row,
	                                  .next_cut = next_cut,
	                                  .is_grouped = 1};
	int status;

	filters_ask(dataset->filters, &selection);
	filter_ask(type->expression, &selection);
	gather->whole = at->whole;
	gather->filters = filters_open_with(dataset->filters, &place, type->expression, list);
	gather->key = filter_run_create(type->expression, &place);
	gather->list = list ? filter_run_create(list, &place) : NULL;
	if (gather->named &&
	    (gather->named->kind == TOKEN_KIND_FILE || gather->named->kind == TOKEN_KIND_SYSTEM))
		index_files(gather);
	status = experiment_select(at->experiment, &selection, &set);
	if (status == 0) {
		add_values(gather->rows, &set->nodes);
		exp_data_set_destroy(set);
	}
	exp_index_fini(&gather->names);
	exp_index_fini(&gather->files);
	filter_run_destroy(gather->list);
	filter_run_destroy(gather->key);
	filters_close(gather->filters);
	return status;
}

static const struct token *named_token(const struct expression *expression)
{
	const struct token *token;

	if (expression->count != 1 || expression->steps[0].op != OP_TOKEN)
		return NULL;
	token = &token_table[expression->steps[0].at];
	return token_has_names(token) && !token_has_fixed_names(token) ? token : NULL;
}

struct index_rows index_gather(const struct dataset *dataset, struct output *output,
                               const struct index_type *type, const struct expression *list)
{
	struct index_rows rows = {.count = 0};
	struct gather gather = {
		.rows = &rows, .missing = EXP_ROW_NONE, .named = named_token(type->expression)};
	const struct dataset_experiment *at = NULL;

	while ((at = dataset_next(dataset, at)))
		if (gather_experiment(&gather, dataset, at, type, list) != 0 ||
		    gather.is_out_of_memory) {
			output_say(output, "%s: out of memory", at->info->path);
			exit(EXIT_TROUBLE);
		}
	exp_index_fini(&gather.by_key);
	exp_hash_fini(&gather.texts);
	return rows;
}

void index_rows_fini(struct index_rows *rows)
{
	for (size_t i = 0; i < rows->name_count; i++)
		free(rows->names[i] - sizeof(uint32_t));
	free(rows->names);
	free(rows->rows);
	columns_fini(&rows->values);
}

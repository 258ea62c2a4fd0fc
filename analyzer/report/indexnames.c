/* indexnames.c: what the rows of index objects are called. */
#include "analyzer/report/indexnames.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/data/places.h"
#include "analyzer/filter/token.h"
#include "analyzer/report/stacks.h"

#include <string.h>

static char *copy(const char *text)
{
	return memory_text(text, strlen(text));
}

static char *name_thread(const struct dataset *dataset, int64_t key)
{
	unsigned long experiment = (unsigned long)(key >> 32),
		      number = (unsigned long)(key & UINT32_MAX);
	const struct dataset_experiment *at = dataset_find(dataset, experiment);
	const char *name = "";

	if (number == 0)
		return memory_format("Process %lu, thread unknown", experiment);
	if (at && number <= at->whole->thread_count)
		name = at->whole->threads[number - 1].name;
	return memory_format("Process %lu, Thread %lu%s%s", experiment, number,
	                     name[0] != '\0' ? ", " : "", name);
}

static char *name_process(const struct dataset *dataset, int64_t key)
{
	const struct dataset_experiment *at = places_process(dataset, key);

	if (!at || !at->info->program)
		return memory_format("PID %lld", (long long)key);
	return memory_format("PID %lld, %s", (long long)key, text_base(at->info->program));
}

static char *name_experiment(const struct dataset *dataset, int64_t key)
{
	const struct dataset_experiment *at = dataset_find(dataset, (unsigned long)key);

	return memory_format("Experiment %lld, %s", (long long)key, at ? at->info->name : "");
}

/* A construct is told by the first node at its place, + 1. */
static char *name_construct(const struct dataset *dataset, const struct choices *choices,
                            int64_t key)
{
	const struct dataset_experiment *at = dataset_find(dataset, (unsigned long)(key >> 32));
	char *name = at && (key & UINT32_MAX) != 0
	                     ? stacks_name_place(dataset, choices, at,
	                                         (uint32_t)(key & UINT32_MAX) - 1, 1)
	                     : NULL;

	return name ? name : copy("outside of all");
}

/* Key 0: nothing; key n: numbers of n binary digits. */
static char *name_size(int64_t key)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

	if (key <= 0 || key > 63)
		return memory_text("0 B", 3);
	return memory_format("%4llu %-3s to < %4llu %s", 1ull << (key - 1) % 10,
	                     units[(key - 1) / 10], 1ull << key % 10, units[key / 10]);
}

/* Key 0: no time; key n: ns of n decimal digits. */
static char *name_duration(int64_t key)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	static const unsigned powers[] = {1, 10, 100};

	if (key <= 0)
		return memory_text("0 ns", 4);
	if (key > 12)
		return memory_text("1000 s and more", 15);
	return memory_format("%3u %s to < %3u %s", powers[(key - 1) % 3], units[(key - 1) / 3],
	                     key == 12 ? 1000 : powers[key % 3], units[key == 12 ? 3 : key / 3]);
}

/* From when to when, in seconds, with as many digits as the length has. */
static char *name_piece(int64_t length_ns, int64_t key)
{
	int decimals = 9;
	int64_t from_ns, to_ns;

	for (int64_t ns = length_ns; decimals > 0 && ns % 10 == 0; ns /= 10)
		decimals--;
	if (__builtin_mul_overflow(key, length_ns, &from_ns) ||
	    __builtin_add_overflow(from_ns, length_ns, &to_ns))
		return copy("<Unknown>");
	return memory_format("%.*f to %.*f s", decimals, (double)from_ns / 1e9, decimals,
	                     (double)to_ns / 1e9);
}

static char *name_number(const struct index_type *type, const struct index_rows *rows, int64_t key)
{
	const struct expression *expression = type->expression;
	const struct token *token;
	const char *name;

	if (rows->names && key >= 0 && (uint64_t)key < rows->name_count)
		return copy(rows->names[key]);
	if (expression->count == 1 && expression->steps[0].op == OP_TOKEN) {
		token = &token_table[expression->steps[0].at];
		name = token_value_name(token, key);
		if (token->kind == TOKEN_KIND_HEX)
			return memory_format("0x%llx", (unsigned long long)key);
		if (name)
			return copy(name);
		if (token->kind == TOKEN_KIND_ERROR && key == 0)
			return copy("no error");
	}
	return memory_format("%s %lld", type->name, (long long)key);
}

char *index_row_name(const struct dataset *dataset, const struct choices *choices,
                     const struct index_type *type, const struct index_rows *rows,
                     const struct index_row *row)
{
	if (row->is_missing)
		return copy("<Unknown>");
	switch (type->label) {
	case INDEX_THREAD:
		return name_thread(dataset, row->key);
	case INDEX_CPU:
		return memory_format("CPU %lld", (long long)row->key);
	case INDEX_SAMPLE:
		return memory_format("Process %lld, Sample %lld", (long long)(row->key >> 32),
		                     (long long)(row->key & UINT32_MAX));
	case INDEX_SECOND:
		return memory_format("Second %lld", (long long)row->key);
	case INDEX_PIECE:
		return name_piece(type->length_ns, row->key);
	case INDEX_PROCESS:
		return name_process(dataset, row->key);
	case INDEX_EXPERIMENT:
		return name_experiment(dataset, row->key);
	case INDEX_DATASIZE:
		return name_size(row->key);
	case INDEX_DURATION:
		return name_duration(row->key);
	case INDEX_HEX:
		return memory_format("0x%llx", (unsigned long long)row->key << type->shift);
	case INDEX_CONSTRUCT:
		return name_construct(dataset, choices, row->key);
	case INDEX_NUMBER:
		break;
	}
	return name_number(type, rows, row->key);
}

/* What a process is in a group, whatever its id: founder, or a descendant by its lineage. */
static const char *name_sampled(const struct dataset_experiment *at)
{
	if (!at)
		return "<Unknown>";
	return at->info->lineage[0] != '\0' ? at->info->lineage : "Founder";
}

char *index_row_compared_name(const struct dataset *dataset, const struct choices *choices,
                              const struct index_type *type, const struct index_rows *rows,
                              const struct index_row *row)
{
	const struct dataset_experiment *at = dataset_find(dataset,
	                                                   (unsigned long)(row->key >> 32));
	unsigned long number = (unsigned long)(row->key & UINT32_MAX);
	const char *name = "";

	if (row->is_missing)
		return copy("<Unknown>");
	switch (type->label) {
	case INDEX_THREAD:
		if (number == 0)
			return memory_format("%s, thread unknown", name_sampled(at));
		/* The first is called after the program, which may have another name in each build.
		 */
		if (at && number > 1 && number <= at->whole->thread_count)
			name = at->whole->threads[number - 1].name;
		return memory_format("%s, Thread %lu%s%s", name_sampled(at), number,
		                     name[0] != '\0' ? ", " : "", name);
	case INDEX_SAMPLE:
		return memory_format("%s, Sample %lu", name_sampled(at), number);
	case INDEX_PROCESS:
		return copy(name_sampled(places_process(dataset, row->key)));
	case INDEX_EXPERIMENT:
		return copy(name_sampled(dataset_find(dataset, (unsigned long)row->key)));
	case INDEX_CPU:
	case INDEX_SECOND:
	case INDEX_PIECE:
	case INDEX_DATASIZE:
	case INDEX_DURATION:
	case INDEX_HEX:
	case INDEX_CONSTRUCT:
	case INDEX_NUMBER:
		break;
	}
	return index_row_name(dataset, choices, type, rows, row);
}

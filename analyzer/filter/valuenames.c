/* valuenames.c: finds the values that texts in expressions stand for. */
#include "analyzer/filter/valuenames.h"

#include "format/record.h"
#include "analyzer/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { COUNTERS = EXP_COUNTER_LAST - EXP_COUNTER + 1 };

static int compare(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return (a > b) - (a < b);
}

int value_set_has(const struct value_set *set, int64_t value)
{
	return set->count != 0 &&
	       bsearch(&value, set->values, set->count, sizeof(value), compare) != NULL;
}

struct search {
	struct value_set set;
	size_t capacity;
	const struct expression_text *text;
};

static void try(struct search *search, const char *name, int64_t value)
{
	if (!name || !expression_text_matches(search->text, name))
		return;
	search->set.values = memory_grow(search->set.values, search->set.count, &search->capacity,
	                                 sizeof(value));
	search->set.values[search->set.count++] = value;
}

const char *value_file_system_name(uint32_t magic)
{
	static const struct {
		uint32_t magic;
		const char *name;
	} known[] = {
#define FILE_SYSTEM(magic, name) {magic, name},
#include "analyzer/filter/filesystem.def"
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].magic == magic)
			return known[i].name;
	return NULL;
}

const char *value_file_system(const struct exp_io_file *file)
{
	const char *name = value_file_system_name(file->file_system);

	if (!name)
		name = fmt_enum_name("file_type", file->type);
	return name ? name : "";
}

struct value_set value_set_find(const struct token *token, const struct expression_text *text,
                                const struct exp_data_set *whole)
{
	struct search search = {.text = text};

	for (int value = -1; (value = token_value_next(token, value)) >= 0;)
		try(&search, token_value_name(token, value), value);
	for (size_t i = 0; i < whole->io->file_count; i++) {
		const struct exp_io_file *file = &whole->io->files[i];

		if (token->kind == TOKEN_KIND_FILE)
			try(&search, file->name ? file->name : "<Unknown>", file->number);
		if (token->kind == TOKEN_KIND_SYSTEM)
			try(&search, value_file_system(file), file->number);
	}
	for (size_t i = 0; i < whole->thread_count && token->kind == TOKEN_KIND_THREAD; i++)
		try(&search, whole->threads[i].name, (int64_t)i);
	for (unsigned slot = 0; slot < COUNTERS && token->kind == TOKEN_KIND_COUNTER; slot++)
		try(&search, experiment_counter_name(slot), slot);
	if (search.set.count > 1)
		qsort(search.set.values, search.set.count, sizeof(*search.set.values), compare);
	return search.set;
}

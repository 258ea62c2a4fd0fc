/* functions.c: functions, source files and load objects, each of which gets a row when it is first
 * met. See sqlite.h. */
#include "analyzer/export/sqlite/sqlite.h"

#include "analyzer/base/memory.h"
#include "analyzer/model/name.h"

#include <stdlib.h>
#include <string.h>

struct key {
	const struct sql *sql;
	const char *path;
};

/* Items of the table are ids. */
static int is_same(const void *item, const void *context)
{
	const struct key *key = context;

	return strcmp(key->sql->files[(uintptr_t)item - 1], key->path) == 0;
}

int64_t sql_file(struct sql *sql, const char *path)
{
	const struct key key = {sql, path};
	struct cell *row;
	uint64_t hash;
	uintptr_t id;

	if (!path)
		return 0;
	hash = exp_hash_text(EXP_HASH_START, path);
	id = (uintptr_t)exp_hash_find(&sql->by_path, hash, is_same, &key);
	if (id != 0)
		return (int64_t)id;
	sql->files = memory_grow(sql->files, sql->file_count, &sql->file_capacity,
	                         sizeof(*sql->files));
	sql->files[sql->file_count++] = path;
	id = sql->file_count;
	if (exp_hash_add(&sql->by_path, hash, (void *)id) != 0)
		memory_fail();
	row = database_row(sql->database, SQL_SOURCE_FILE);
	cell_integer(&row[SQL_SOURCE_FILE_id], (int64_t)id);
	cell_foreign(&row[SQL_SOURCE_FILE_path], path);
	return (int64_t)id;
}

static void put_function(struct sql *sql, int64_t id, const struct sym_function *function)
{
	int64_t file = sql_file(sql, function->file);
	struct cell *row = database_row(sql->database, SQL_FUNCTION);
	char *name = name_function(sql->job->choices, function);

	cell_integer(&row[SQL_FUNCTION_id], id);
	cell_foreign(&row[SQL_FUNCTION_name], name);
	cell_foreign(&row[SQL_FUNCTION_linker_name], function->mangled);
	if (function->object)
		cell_count(&row[SQL_FUNCTION_object], function->object->index + 1);
	if (file != 0)
		cell_integer(&row[SQL_FUNCTION_source_file], file);
	if (function->line != 0)
		cell_integer(&row[SQL_FUNCTION_line], function->line);
	if (function->address != 0)
		cell_address(&row[SQL_FUNCTION_address], function->address);
	if (function->size != 0)
		cell_count(&row[SQL_FUNCTION_size], function->size);
	cell_integer(&row[SQL_FUNCTION_is_named], !function->unresolved);
	free(name);
}

int64_t sql_function(struct sql *sql, const struct sym_function *function)
{
	size_t id = export_function_number(sql->job, function);

	if (id > sql->function_count) {
		sql->function_count = id;
		put_function(sql, (int64_t)id, function);
	}
	return (int64_t)id;
}

void sql_objects_put(struct sql *sql)
{
	const struct symbols *symbols = sql->job->dataset->symbols;

	for (size_t i = 0; i < symbols_object_count(symbols); i++) {
		const struct sym_object *object = symbols_object(symbols, i);
		struct cell *row = database_row(sql->database, SQL_OBJECT);

		cell_count(&row[SQL_OBJECT_id], i + 1);
		cell_foreign(&row[SQL_OBJECT_path], object->path);
		cell_foreign(&row[SQL_OBJECT_name], object->name);
		if (object->build_id && object->build_id[0] != '\0')
			cell_foreign(&row[SQL_OBJECT_build_id], object->build_id);
	}
}

/* database.c: owns the connection to SQLite, and the arrays of rows that wait to be written. An
 * array is a virtual table for SQLite, which `INSERT INTO table SELECT * FROM new_table` empties.
 * The file is new, and removed if anything fails, so nothing is done for crashes. See database.h.
 */
#include "analyzer/export/sqlite/database.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH_CELLS = 4096, APPLICATION_ID = 0x58657231 /* "Xer1" */ };

struct column {
	const char *name, *type, *unit, *meaning;
};

#define TABLE(id, name, meaning) static const struct column columns_of_##id[] = {
#define COLUMN(id, name, type, unit, meaning) {#name, type, unit, meaning},
#define TABLE_END(id) \
	} \
	;
#include "analyzer/export/sqlite/schema.def"

static const struct {
	const char *name, *meaning;
	const struct column *columns;
	size_t count;
} tables[] = {
#define TABLE(id, name, meaning) {#name, meaning, columns_of_##id, SQL_##id##_COLUMNS},
#include "analyzer/export/sqlite/schema.def"
};

/* The rows of a table that wait. */
struct batch {
	struct cell *cells; /* cells[room * columns]; NULL until there is a row */
	size_t columns, count, room;
	sqlite3_stmt *insert;
	enum sql_table table;
};

struct database {
	sqlite3 *sqlite;
	struct batch batches[SQL_TABLES];
	char *trouble;
};

/* ---- the arrays as virtual tables ---- */

struct table {
	sqlite3_vtab base; /* first, as SQLite wants it */
	struct batch *batch;
};

struct cursor {
	sqlite3_vtab_cursor base; /* likewise */
	const struct cell *row, *end;
	size_t columns;
};

static int on_connect(sqlite3 *sqlite, void *context, int argc, const char *const *argv,
                      sqlite3_vtab **out, char **error)
{
	struct batch *batch = context;
	struct table *table;
	char *text;
	size_t size;
	FILE *declaration = memory_stream(&text, &size);
	int status;

	(void)argc;
	(void)argv;
	(void)error;
	fputs("CREATE TABLE x(", declaration);
	for (size_t i = 0; i < batch->columns; i++)
		fprintf(declaration, "%s%s", i ? "," : "", tables[batch->table].columns[i].name);
	fputs(")", declaration);
	memory_stream_end(declaration, &text);
	status = sqlite3_declare_vtab(sqlite, text);
	free(text);
	if (status != SQLITE_OK)
		return status;
	table = memory_take(1, sizeof(*table));
	table->batch = batch;
	*out = &table->base;
	return SQLITE_OK;
}

static int on_disconnect(sqlite3_vtab *table)
{
	free(table);
	return SQLITE_OK;
}

static int on_plan(sqlite3_vtab *table, sqlite3_index_info *info)
{
	(void)table;
	info->estimatedCost = 1;
	return SQLITE_OK;
}

static int on_open(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
	struct cursor *cursor = memory_take(1, sizeof(*cursor));

	(void)table;
	*out = &cursor->base;
	return SQLITE_OK;
}

static int on_close(sqlite3_vtab_cursor *cursor)
{
	free(cursor);
	return SQLITE_OK;
}

static int on_filter(sqlite3_vtab_cursor *base, int number, const char *text, int argc,
                     sqlite3_value **argv)
{
	struct cursor *cursor = (struct cursor *)base;
	const struct batch *batch = ((struct table *)base->pVtab)->batch;

	(void)number;
	(void)text;
	(void)argc;
	(void)argv;
	cursor->row = batch->cells;
	cursor->end = batch->cells + batch->count * batch->columns;
	cursor->columns = batch->columns;
	return SQLITE_OK;
}

static int on_next(sqlite3_vtab_cursor *base)
{
	struct cursor *cursor = (struct cursor *)base;

	cursor->row += cursor->columns;
	return SQLITE_OK;
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
	const struct cursor *cursor = (const struct cursor *)base;

	return cursor->row >= cursor->end;
}

static int on_column(sqlite3_vtab_cursor *base, sqlite3_context *result, int column)
{
	const struct cell *cell = &((const struct cursor *)base)->row[column];

	switch ((enum cell_type)cell->type) {
	case CELL_NULL:
		break;
	case CELL_INTEGER:
		sqlite3_result_int64(result, cell->integer);
		break;
	case CELL_TEXT:
		sqlite3_result_text(result, cell->text, -1, SQLITE_STATIC);
		break;
	case CELL_BYTES:
		sqlite3_result_blob(result, cell->text, (int)cell->size, SQLITE_STATIC);
		break;
	}
	return SQLITE_OK;
}

static int on_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
	const struct cursor *cursor = (const struct cursor *)base;

	*out = cursor->end - cursor->row;
	return SQLITE_OK;
}

/* Tables of this kind are there without being created. */
static const sqlite3_module module = {.iVersion = 0,
                                      .xConnect = on_connect,
                                      .xBestIndex = on_plan,
                                      .xDisconnect = on_disconnect,
                                      .xOpen = on_open,
                                      .xClose = on_close,
                                      .xFilter = on_filter,
                                      .xNext = on_next,
                                      .xEof = is_at_end,
                                      .xColumn = on_column,
                                      .xRowid = on_rowid};

/* ---- errors and statements ---- */

static void check(struct database *database, int status)
{
	if (status == SQLITE_OK || status == SQLITE_DONE || database->trouble)
		return;
	if (status == SQLITE_NOMEM)
		memory_fail();
	database->trouble = memory_format("%s", sqlite3_errmsg(database->sqlite));
}

int database_failed(const struct database *database)
{
	return database->trouble != NULL;
}

void database_run(struct database *database, const char *statements)
{
	if (!database->trouble)
		check(database, sqlite3_exec(database->sqlite, statements, NULL, NULL, NULL));
}

static void make_table(struct database *database, enum sql_table id)
{
	const struct column *columns = tables[id].columns;
	size_t count = tables[id].count, size;
	char *text;
	FILE *out = memory_stream(&text, &size);

	fprintf(out, "CREATE TABLE %s ( -- %s\n", tables[id].name, tables[id].meaning);
	for (size_t i = 0; i < count; i++) {
		const struct column *column = &columns[i];

		fprintf(out, "  %s %s%s", column->name, column->type, i + 1 < count ? "," : "");
		if (column->unit[0] != '\0' || column->meaning[0] != '\0')
			fprintf(out, " -- %s%s%s", column->unit,
			        column->unit[0] != '\0' && column->meaning[0] != '\0' ? ": " : "",
			        column->meaning);
		fputs("\n", out);
	}
	fputs(")", out);
	memory_stream_end(out, &text);
	database_run(database, text);
	free(text);
}

static void begin_batch(struct database *database, enum sql_table id)
{
	struct batch *batch = &database->batches[id];
	char *name = memory_format("new_%s", tables[id].name);

	batch->table = id;
	batch->columns = tables[id].count;
	batch->room = BATCH_CELLS / batch->columns;
	check(database, sqlite3_create_module(database->sqlite, name, &module, batch));
	free(name);
}

struct database *database_open(const char *path)
{
	struct database *database = memory_take(1, sizeof(*database));
	char *version = memory_format("PRAGMA application_id = %d; PRAGMA user_version = %d",
	                              APPLICATION_ID, SQL_SCHEMA_VERSION);

	check(database, sqlite3_open_v2(path, &database->sqlite,
	                                SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL));
	database_run(database, "PRAGMA page_size = 16384; PRAGMA journal_mode = OFF;"
	                       "PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;"
	                       "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8192");
	database_run(database, version);
	database_run(database, "BEGIN EXCLUSIVE");
	for (enum sql_table id = 0; id < SQL_TABLES; id++) {
		make_table(database, id);
		begin_batch(database, id);
	}
	free(version);
	return database;
}

/* ---- rows ---- */

static void clear(struct batch *batch)
{
	for (size_t i = 0; i < batch->count * batch->columns; i++)
		if (batch->cells[i].is_owned)
			free(batch->cells[i].owned);
	batch->count = 0;
}

static void prepare(struct database *database, struct batch *batch)
{
	const char *name = tables[batch->table].name;
	char *text = memory_format("INSERT INTO %s SELECT * FROM new_%s", name, name);

	check(database, sqlite3_prepare_v3(database->sqlite, text, -1, SQLITE_PREPARE_PERSISTENT,
	                                   &batch->insert, NULL));
	free(text);
}

static void write_batch(struct database *database, struct batch *batch)
{
	if (batch->count > 0 && !database->trouble && !batch->insert)
		prepare(database, batch);
	if (batch->count > 0 && !database->trouble) {
		check(database, sqlite3_step(batch->insert));
		check(database, sqlite3_reset(batch->insert));
	}
	clear(batch);
}

struct cell *database_row(struct database *database, enum sql_table table)
{
	struct batch *batch = &database->batches[table];
	struct cell *row;

	if (!batch->cells)
		batch->cells = memory_take(batch->room * batch->columns, sizeof(*batch->cells));
	if (batch->count == batch->room)
		write_batch(database, batch);
	row = &batch->cells[batch->count++ * batch->columns];
	memset(row, 0, batch->columns * sizeof(*row));
	return row;
}

void cell_foreign(struct cell *cell, const char *text)
{
	if (text)
		cell_take(cell, text_escape(text));
}

void cell_bytes(struct cell *cell, const void *bytes, uint32_t size)
{
	cell->type = CELL_BYTES;
	cell->is_owned = 1;
	cell->size = size;
	cell->owned = memory_text(bytes, size);
}

void database_flush(struct database *database)
{
	for (size_t i = 0; i < SQL_TABLES; i++)
		write_batch(database, &database->batches[i]);
}

char *database_close(struct database *database)
{
	char *trouble;

	database_flush(database);
	database_run(database, "COMMIT");
	for (size_t i = 0; i < SQL_TABLES; i++) {
		sqlite3_finalize(database->batches[i].insert);
		free(database->batches[i].cells);
	}
	check(database, sqlite3_close(database->sqlite));
	trouble = database->trouble;
	free(database);
	return trouble;
}

/* database.h: a database with the tables of schema.def, which is filled once.
 *
 * Rows are put into arrays of some hundred rows, one for each table, and a statement of SQLite
 * takes a whole array: that costs half as much as a statement for each row. */
#ifndef XER_ANALYZER_EXPORT_SQLITE_DATABASE_H
#define XER_ANALYZER_EXPORT_SQLITE_DATABASE_H

#include "analyzer/export/sqlite/schema.h"

#include <stddef.h>
#include <stdint.h>

enum cell_type { CELL_NULL, CELL_INTEGER, CELL_TEXT, CELL_BYTES };

/* A value of a row. */
struct cell {
	uint8_t type;     /* enum cell_type */
	uint8_t is_owned; /* the text is freed when it was written */
	uint32_t size;    /* of bytes */
	union {
		int64_t integer;
		const char *text;
		char *owned;
	};
};

struct database;

/* Make a database in an empty file. Never NULL; what goes wrong is told by database_close. */
struct database *database_open(const char *path);

/* A new row, all of whose cells are NULL: row[column]. It is valid until the next call for this
 * table. */
struct cell *database_row(struct database *database, enum sql_table table);

/* Run statements, which do not depend on rows in the arrays. */
void database_run(struct database *database, const char *statements);

/* Write what is in the arrays. */
void database_flush(struct database *database);

/* Has anything gone wrong so far? Then nothing is written any more. */
int database_failed(const struct database *database);

/* End it. Returns NULL, or what went wrong first; the caller frees that. */
char *database_close(struct database *database);

static inline void cell_integer(struct cell *cell, int64_t value)
{
	cell->type = CELL_INTEGER;
	cell->integer = value;
}

/* A value that is positive in all but damaged experiments: what is beyond the type of SQL is its
 * greatest. */
static inline void cell_count(struct cell *cell, uint64_t value)
{
	cell_integer(cell, value < INT64_MAX ? (int64_t)value : INT64_MAX);
}

/* An address: the type of SQL has its bits. */
static inline void cell_address(struct cell *cell, uint64_t value)
{
	cell_integer(cell, (int64_t)value);
}

/* A text of the program's own; NULL stays NULL. */
static inline void cell_text(struct cell *cell, const char *text)
{
	cell->type = text ? CELL_TEXT : CELL_NULL;
	cell->text = text;
}

/* A text from an experiment, which may have any bytes: those that are no characters are escaped.
 * NULL stays NULL. */
void cell_foreign(struct cell *cell, const char *text);

/* A text that the database frees. */
static inline void cell_take(struct cell *cell, char *text)
{
	cell->type = CELL_TEXT;
	cell->is_owned = 1;
	cell->owned = text;
}

/* A copy of bytes. */
void cell_bytes(struct cell *cell, const void *bytes, uint32_t size);

#endif

/* schema.h: the tables of schema.def as numbers: SQL_SAMPLE is a table, SQL_SAMPLE_stack one of its
 * columns. */
#ifndef XER_ANALYZER_EXPORT_SQLITE_SCHEMA_H
#define XER_ANALYZER_EXPORT_SQLITE_SCHEMA_H

#define SQL_SCHEMA_VERSION 1

enum sql_table {
#define TABLE(id, name, meaning) SQL_##id,
#include "analyzer/export/sqlite/schema.def"
	SQL_TABLES
};

#define TABLE(id, name, meaning) enum {
#define COLUMN(id, name, type, unit, meaning) SQL_##id##_##name,
#define TABLE_END(id) \
	SQL_##id##_COLUMNS \
	} \
	;
#include "analyzer/export/sqlite/schema.def"

#endif

/* Tests of analyzer/export/sqlite/database.c: what is put into rows is in the file. */
#include "analyzer/export/sqlite/database.h"

#include "analyzer/base/memory.h"

#include <criterion/criterion.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/xer-database-XXXXXX";

static void set_up(void)
{
	int fd = mkstemp(path);

	cr_assert(fd >= 0);
	close(fd);
}

static void tear_down(void)
{
	unlink(path);
}

TestSuite(database, .init = set_up, .fini = tear_down);

static void is(const char *question, const char *expected)
{
	sqlite3_stmt *statement;
	sqlite3 *sqlite;
	const char *text;

	cr_assert_eq(sqlite3_open(path, &sqlite), SQLITE_OK);
	cr_assert_eq(sqlite3_prepare_v2(sqlite, question, -1, &statement, NULL), SQLITE_OK,
	             "%s: %s", question, sqlite3_errmsg(sqlite));
	cr_assert_eq(sqlite3_step(statement), SQLITE_ROW, "%s", question);
	text = (const char *)sqlite3_column_text(statement, 0);
	cr_expect_str_eq(text ? text : "NULL", expected, "%s: %s", question, text);
	sqlite3_finalize(statement);
	sqlite3_close(sqlite);
}

Test(database, has_its_rows_whatever_they_hold)
{
	struct database *database = database_open(path);
	struct cell *row = database_row(database, SQL_ABOUT);

	cell_text(&row[SQL_ABOUT_name], "own");
	cell_take(&row[SQL_ABOUT_value], memory_format("%d", 7));
	row = database_row(database, SQL_ABOUT);
	cell_text(&row[SQL_ABOUT_name], "foreign");
	cell_foreign(&row[SQL_ABOUT_value], "'); DROP TABLE about; --\n\xff\x1b[31m\xc3\xa4");
	row = database_row(database, SQL_ABOUT);
	cell_text(&row[SQL_ABOUT_name], "nothing");
	cell_foreign(&row[SQL_ABOUT_value], NULL);
	row = database_row(database, SQL_ABOUT);
	cell_text(&row[SQL_ABOUT_name], "bytes");
	cell_bytes(&row[SQL_ABOUT_value], "a\0b", 3);
	cr_expect(!database_failed(database));
	cr_expect_null(database_close(database));
	is("SELECT value FROM about WHERE name = 'own'", "7");
	is("SELECT value FROM about WHERE name = 'foreign'",
	   "'); DROP TABLE about; --\\x0a\\xff\\x1b[31m\xc3\xa4");
	is("SELECT value FROM about WHERE name = 'nothing'", "NULL");
	is("SELECT hex(value) FROM about WHERE name = 'bytes'", "610062");
	is("PRAGMA user_version", "1");
	is("PRAGMA integrity_check", "ok");
}

Test(database, has_more_rows_than_an_array_in_order)
{
	enum { COUNT = 100000 };
	struct database *database = database_open(path);

	for (int i = 0; i < COUNT; i++) {
		struct cell *row = database_row(database, SQL_THREAD_METRIC);

		cell_integer(&row[SQL_THREAD_METRIC_thread], i);
		cell_integer(&row[SQL_THREAD_METRIC_metric], -i);
		cell_count(&row[SQL_THREAD_METRIC_value], UINT64_MAX - (uint64_t)i);
	}
	cr_expect_null(database_close(database));
	is("SELECT COUNT(*) FROM thread_metric WHERE rowid = thread + 1 AND metric = -thread",
	   "100000");
	is("SELECT MIN(value) FROM thread_metric", "9223372036854775807");
}

Test(database, says_what_each_column_means)
{
	struct database *database = database_open(path);

	cr_expect_null(database_close(database));
	is("SELECT sql LIKE '%cpu_ns INTEGER NOT NULL, -- ns: the CPU time that it stands for%' "
	   "FROM sqlite_schema WHERE name = 'sample'",
	   "1");
}

Test(database, tells_what_went_wrong_first)
{
	struct database *database = database_open(path);
	char *trouble;

	for (int i = 0; i < 2; i++)
		cell_text(&database_row(database, SQL_ABOUT)[SQL_ABOUT_name], "twice");
	database_flush(database);
	cr_expect(database_failed(database));
	database_run(database, "SELECT nonsense");
	for (int i = 0; i < 10000; i++)
		cell_take(&database_row(database, SQL_ABOUT)[SQL_ABOUT_name],
		          memory_format("%d", i));
	trouble = database_close(database);
	cr_expect_str_eq(trouble, "UNIQUE constraint failed: about.name");
	free(trouble);
}

Test(database, cannot_be_where_there_is_no_file)
{
	char *trouble = database_close(database_open("/nonexistent/database"));

	cr_expect_str_eq(trouble, "unable to open database file");
	free(trouble);
}

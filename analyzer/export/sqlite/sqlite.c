/* sqlite.c: writes a database of all selected experiments: what they are, their stacks, their
 * events. See sqlite.h and doc/decisions/111-sqlite.md. */
#include "analyzer/export/sqlite/sqlite.h"

#include "analyzer/base/memory.h"
#include "analyzer/data/filters.h"

#include <stdlib.h>

static void add_processes(struct sql *sql)
{
	const struct dataset_experiment *at = NULL;

	while ((at = dataset_next(sql->job->dataset, at))) {
		sql->processes = memory_grow(sql->processes, sql->process_count,
		                             &sql->process_capacity, sizeof(*sql->processes));
		sql->processes[sql->process_count++] = (struct sql_process){.at = at};
	}
}

static void put_about(const struct sql *sql, const char *name, char *value)
{
	struct cell *row;

	if (!value)
		return;
	row = database_row(sql->database, SQL_ABOUT);
	cell_text(&row[SQL_ABOUT_name], name);
	cell_take(&row[SQL_ABOUT_value], value);
}

static void put_all(struct sql *sql)
{
	put_about(sql, "schema", memory_format("%d", SQL_SCHEMA_VERSION));
	put_about(sql, "program", memory_format("xer_print %s", XER_VERSION));
	put_about(sql, "filters", filters_text(sql->job->dataset));
	sql_processes_put(sql);
	sql_stacks_put(sql);
	sql_metrics_put(sql);
	for (size_t i = 0; i < sql->process_count && !database_failed(sql->database); i++)
		sql_events_put(sql, &sql->processes[i]);
	sql_objects_put(sql);
	sql_views_put(sql);
}

char *export_sqlite(struct export_job *job, const char *path)
{
	struct sql sql = {.job = job, .database = database_open(path), .trace.job = job};

	dataset_load(job->dataset, job->output);
	if (job->dataset->have & EXP_DATA_WALL)
		sql.trace.writers = writers_create(job->dataset);
	add_processes(&sql);
	put_all(&sql);
	sql_stacks_fini(&sql);
	if (sql.trace.writers)
		writers_destroy(sql.trace.writers);
	free(sql.processes);
	free(sql.files);
	exp_hash_fini(&sql.by_path);
	return database_close(sql.database);
}

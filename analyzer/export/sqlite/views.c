/* views.c: makes the views of views.def, which have a column for each metric that there are data
 * of. See sqlite.h. */
#include "analyzer/export/sqlite/sqlite.h"

#include "analyzer/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *meaning, *text;
} views[] = {
#define VIEW(name, meaning, text) {#name, meaning, text},
#include "analyzer/export/sqlite/views.def"
};

/* An identifier, which may have any characters: names of counters do. */
static void put_name(FILE *out, const char *prefix, const char *name)
{
	fprintf(out, "\"%s", prefix);
	for (; *name != '\0'; name++)
		fprintf(out, *name == '"' ? "\"\"" : "%c", *name);
	fputs("\"", out);
}

/* `arguments` are "column, prefix)". */
static void put_metrics(const struct sql *sql, FILE *out, const char *arguments)
{
	char column[32], prefix[32];

	if (sscanf(arguments, "%31[^,], %31[^)]", column, prefix) != 2)
		return;
	for (size_t i = 0; i < sql->job->metric_count; i++) {
		unsigned id = sql->job->metrics[i];

		fprintf(out, ",\n  SUM(CASE metric WHEN %u THEN %s ELSE 0 END)%s AS ", id, column,
		        metric_unit_of(id) == METRIC_UNIT_SECONDS ? " / 1e9" : "");
		put_name(out, prefix, metric_keyword(id));
	}
}

/* Write the text of a view with what stands for its marks. */
static void put_text(const struct sql *sql, FILE *out, const char *text)
{
	static const char metrics[] = "%METRICS(", sort[] = "%SORT%";

	for (; *text != '\0'; text++) {
		if (strncmp(text, metrics, sizeof(metrics) - 1) == 0) {
			put_metrics(sql, out, text + sizeof(metrics) - 1);
			text = strstr(text, ")%") + 1;
		} else if (strncmp(text, sort, sizeof(sort) - 1) == 0) {
			fputs(metric_keyword(sql->job->metric), out);
			text += sizeof(sort) - 2;
		} else {
			fputc(*text, out);
		}
	}
}

void sql_views_put(struct sql *sql)
{
	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		char *text;
		size_t size;
		FILE *out = memory_stream(&text, &size);

		fprintf(out, "CREATE VIEW %s AS -- %s\n", views[i].name, views[i].meaning);
		put_text(sql, out, views[i].text);
		memory_stream_end(out, &text);
		database_run(sql->database, text);
		free(text);
	}
}

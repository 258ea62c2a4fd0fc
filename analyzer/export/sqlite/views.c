/* views.c: makes the views of views.def, which have a column for each metric that there are data
 * of. See sqlite.h. */
#include "analyzer/export/sqlite/sqlite.h"

#include "analyzer/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	unsigned need; /* the kind of data, 0: any */
	const char *name, *meaning, *text;
} views[] = {
#define VIEW(need, name, meaning, text) {need, #name, meaning, text},
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

/* `arguments` are "column, prefix)"; there may be no prefix. */
static void put_metrics(const struct sql *sql, FILE *out, const char *arguments)
{
	char column[32] = "", prefix[32] = "";

	sscanf(arguments, "%31[^,], %31[^)]", column, prefix);
	for (size_t i = 0; i < sql->job->metric_count; i++) {
		unsigned id = sql->job->metrics[i];

		fprintf(out, ",\n  SUM(CASE metric WHEN %u THEN %s ELSE 0 END)%s AS ", id, column,
		        metric_unit_of(id) == METRIC_UNIT_SECONDS ? " / 1e9" : "");
		put_name(out, prefix, metric_keyword(id));
	}
}

/* `arguments` are "prefix)". */
static void put_sort(const struct sql *sql, FILE *out, const char *arguments)
{
	char prefix[32] = "";

	sscanf(arguments, "%31[^)]", prefix);
	put_name(out, prefix, metric_keyword(sql->job->metric));
}

/* Write the text of a view with what stands for its marks. */
static void put_text(const struct sql *sql, FILE *out, const char *text)
{
	static const struct {
		const char *mark;
		void (*put)(const struct sql *sql, FILE *out, const char *arguments);
	} marks[] = {{"%METRICS(", put_metrics}, {"%SORT(", put_sort}};

	for (; *text != '\0'; text++) {
		size_t i = 0;

		while (i < 2 && strncmp(text, marks[i].mark, strlen(marks[i].mark)) != 0)
			i++;
		if (i == 2) {
			fputc(*text, out);
			continue;
		}
		marks[i].put(sql, out, text + strlen(marks[i].mark));
		text = strstr(text, ")%") + 1;
	}
}

void sql_views_put(struct sql *sql)
{
	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		char *text;
		size_t size;
		FILE *out;

		if (views[i].need != 0 && !(views[i].need & sql->job->dataset->have))
			continue;
		out = memory_stream(&text, &size);
		fprintf(out, "CREATE VIEW %s AS -- %s\n", views[i].name, views[i].meaning);
		put_text(sql, out, views[i].text);
		memory_stream_end(out, &text);
		database_run(sql->database, text);
		free(text);
	}
}

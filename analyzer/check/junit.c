/* junit.c: results of checks as JUnit XML, in the form that Jenkins, GitLab and others read: a
 * failed check is a failure, an undecided one is skipped, and one that could not be evaluated is an
 * error. */
#include "analyzer/check/check.h"

#include "analyzer/print/print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put_attribute(FILE *out, const char *name, const char *value)
{
	fprintf(out, " %s=\"", name);
	print_html_text(out, value, strlen(value));
	fputc('"', out);
}

/* The element of a verdict; NULL: none. */
static const char *element_of(const struct check_results *results, enum check_verdict verdict)
{
	if (verdict == CHECK_UNDECIDED)
		return results->is_strict ? "failure" : "skipped";
	return verdict == CHECK_FAILED ? "failure" : verdict == CHECK_ERROR ? "error" : NULL;
}

static size_t count_elements(const struct check_results *results, const char *name)
{
	size_t count = 0;

	for (size_t i = 0; i < results->count; i++) {
		const char *element = element_of(results, results->at[i].outcome.verdict);

		count += element && strcmp(element, name) == 0;
	}
	return count;
}

static void put_counts(const struct check_results *results, FILE *out)
{
	fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", results->count,
	        count_elements(results, "failure"), count_elements(results, "error"));
}

static void put_figure(FILE *out, const char *name, double value)
{
	if (isfinite(value))
		fprintf(out, "%s %.9g\n", name, value);
}

/* All that is known, for whoever opens the case. */
static void put_figures(const struct check_result *result, FILE *out)
{
	const struct check_outcome *outcome = &result->outcome;

	fputs("      <system-out>", out);
	put_figure(out, "value", outcome->value);
	put_figure(out, "low", outcome->low);
	put_figure(out, "high", outcome->high);
	put_figure(out, "limit", outcome->limit);
	if (result->has_base)
		put_figure(out, "base", result->base);
	if (result->unit[0])
		fprintf(out, "unit %s\n", result->unit);
	if (outcome->runs[CHECK_NEW] != 0)
		fprintf(out, "runs %zu\n", outcome->runs[CHECK_NEW]);
	if (outcome->runs[CHECK_OLD] != 0)
		fprintf(out, "base_runs %zu\n", outcome->runs[CHECK_OLD]);
	if (outcome->samples > 0)
		fprintf(out, "samples %.0f\n", outcome->samples);
	fputs("</system-out>\n", out);
}

static void put_case(const struct check_results *results, const struct check_result *result,
                     const char *name, FILE *out)
{
	const enum check_verdict verdict = result->outcome.verdict;
	const char *element = element_of(results, verdict);
	char text[CHECK_ERROR_MAX];

	fputs("    <testcase", out);
	put_attribute(out, "classname", name);
	put_attribute(out, "name", result->text);
	fputs(" time=\"0\">\n", out);
	if (element) {
		fprintf(out, "      <%s", element);
		if (strcmp(element, "skipped") != 0)
			put_attribute(out, "type",
			              verdict == CHECK_ERROR    ? "data"
			              : verdict == CHECK_FAILED ? "check"
			                                        : "undecided");
		put_attribute(out, "message", check_explain(result, text));
		fputs("/>\n", out);
	}
	if (verdict != CHECK_ERROR)
		put_figures(result, out);
	fputs("    </testcase>\n", out);
}

void check_junit(const struct check_results *results, const char *name, FILE *out)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", out);
	put_counts(results, out);
	fputs(">\n  <testsuite", out);
	put_attribute(out, "name", "xer_print check");
	put_counts(results, out);
	fprintf(out, " skipped=\"%zu\" time=\"0\">\n", count_elements(results, "skipped"));
	for (size_t i = 0; i < results->count; i++)
		put_case(results, &results->at[i], name, out);
	fputs("  </testsuite>\n</testsuites>\n", out);
}

void check_results_fini(struct check_results *results)
{
	for (size_t i = 0; i < results->count; i++) {
		free(results->at[i].text);
		free(results->at[i].trouble);
	}
	free(results->at);
	*results = (struct check_results){.count = 0};
}

/* junit.c: results of checks as JUnit XML, in the form that Jenkins, GitLab and others read:
 * a failed check is a failure, one that could not be decided an error. */
#include "analyzer/check/check.h"

#include "analyzer/print/print.h"

#include <stdlib.h>
#include <string.h>

static void put_attribute(FILE *out, const char *name, const char *value)
{
	fprintf(out, " %s=\"", name);
	print_html_text(out, value, strlen(value));
	fputc('"', out);
}

static void put_counts(const struct check_results *results, FILE *out)
{
	size_t failures = 0, errors = 0;

	for (size_t i = 0; i < results->count; i++) {
		errors += results->at[i].trouble != NULL;
		failures += !results->at[i].trouble && !results->at[i].holds;
	}
	fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", results->count, failures,
	        errors);
}

static void put_failure(const struct check_result *result, FILE *out)
{
	fprintf(out,
	        "\n      <failure type=\"check\" message=\"%.9g is beyond the limit %.9g%s%s\">value %.9g\nlimit %.9g\n",
	        result->value, result->limit, result->unit[0] ? " " : "", result->unit,
	        result->value, result->limit);
	if (result->has_base)
		fprintf(out, "base %.9g\n", result->base);
	fputs("</failure>\n    ", out);
}

static void put_case(const struct check_result *result, const char *name, FILE *out)
{
	fputs("    <testcase", out);
	put_attribute(out, "classname", name);
	put_attribute(out, "name", result->text);
	fputs(" time=\"0\">", out);
	if (result->trouble) {
		fputs("\n      <error type=\"data\"", out);
		put_attribute(out, "message", result->trouble);
		fputs("/>\n    ", out);
	} else if (!result->holds) {
		put_failure(result, out);
	}
	fputs("</testcase>\n", out);
}

void check_junit(const struct check_results *results, const char *name, FILE *out)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", out);
	put_counts(results, out);
	fputs(">\n  <testsuite", out);
	put_attribute(out, "name", "xer_print check");
	put_counts(results, out);
	fputs(" skipped=\"0\" time=\"0\">\n", out);
	for (size_t i = 0; i < results->count; i++)
		put_case(&results->at[i], name, out);
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

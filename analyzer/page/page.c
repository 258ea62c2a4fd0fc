/* page.c: the command `report`: one file that browsers show, with all that an experiment holds.
 * See doc/decisions/90-report-page.md. */
#include "analyzer/page/page.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/outfile.h"
#include "analyzer/check/check.h"
#include "analyzer/views/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int is_text(unsigned section)
{
	return section == PAGE_HEAD || section == PAGE_STRINGS || section == PAGE_DOCUMENTS;
}

static void init(struct page *page, struct analysis *analysis)
{
	page->dataset = &analysis->dataset;
	page->choices = &analysis->choices;
	page->output = &analysis->output;
	page->tree = tree_create(TREE_LINES, symbols_total(page->dataset->symbols));
	for (size_t i = 0; i < PAGE_SECTIONS; i++)
		page->sections[i] = column_create(is_text((unsigned)i));
	marks_init(&page->marks);
	page->blocks = memory_stream(&page->blocks_text, &page->blocks_size);
	page->curves = memory_stream(&page->curves_text, &page->curves_size);
	page->uses = memory_stream(&page->uses_text, &page->uses_size);
	page_string(page, "");
}

static void fini(struct page *page)
{
	for (size_t i = 0; i < PAGE_SECTIONS; i++)
		column_destroy(page->sections[i]);
	for (size_t i = 0; i < EXP_METRICS; i++) {
		column_destroy(page->totals[i].row);
		column_destroy(page->totals[i].value);
	}
	free(page->blocks_text);
	free(page->curves_text);
	free(page->uses_text);
	marks_fini(&page->marks);
	exp_hash_fini(&page->texts);
	for (size_t i = 0; i < page->string_count; i++)
		free(page->strings[i]);
	free(page->strings);
	free(page->stacks);
	tree_destroy(page->tree);
}

static void put_section(const char *name, struct column *column, FILE *out)
{
	fprintf(out, "<script type=\"application/octet-stream\" id=\"xer-%s\">", name);
	column_write(column, out);
	fputs("</script>\n", out);
}

static void put_total(unsigned total, const char *part, struct column *column, FILE *out)
{
	char name[40];

	snprintf(name, sizeof(name), "total.%u.%s", total, part);
	put_section(name, column, out);
}

static void put_page(struct page *page, FILE *out)
{
	static const char *const names[] = {
#define SECTION(id, name, coding, meaning) name,
#include "analyzer/page/section.def"
	};

	fwrite(page_viewer, 1, page_viewer_size, out);
	/* Columns without numbers are left out. */
	for (unsigned i = 0; i < PAGE_SECTIONS; i++)
		if (is_text(i) || column_count(page->sections[i]) != 0)
			put_section(names[i], page->sections[i], out);
	for (unsigned i = 0; i < EXP_METRICS; i++) {
		if (!page->totals[i].row)
			continue;
		put_total(i, "row", page->totals[i].row, out);
		put_total(i, "value", page->totals[i].value, out);
	}
	fputs("</body></html>\n", out);
}

/* The experiments that -base has named are a part of the events, and of nothing else. */
static void select_base(struct page *page, int is_selected)
{
	struct dataset_experiment *experiments = page->dataset->experiments;

	for (size_t i = 0; i < page->dataset->count; i++)
		if (page_is_base(page, &experiments[i]))
			experiments[i].is_selected = is_selected;
}

/* Returns 0 or -EIO. */
static int write_page(struct page *page, FILE *out)
{
	if (page->base) {
		page->tree->compare = TREE_COMPARE_ON;
		shown_set_compare(page->dataset->shown, 1);
	}
	page_add_events(page);
	page_add_stacks(page);
	page_add_head(page);
	/* The documents do not know of the base. */
	if (page->base) {
		select_base(page, 0);
		shown_set_compare(page->dataset->shown, 0);
		dataset_forget_tables(page->dataset);
	}
	page_add_documents(page);
	put_page(page, out);
	return fflush(out) != 0 || ferror(out) ? -EIO : 0;
}

/* Open what is compared with, as further groups. Returns 0, or -1 after a message. */
static int open_base(struct analysis *analysis, struct page *page)
{
	char *const *paths;
	size_t count = check_base_paths(analysis, &paths);

	page->base_group = DATASET_ALL;
	if (count == 0)
		return 0;
	page->base = paths[0];
	page->base_group = (unsigned)analysis->dataset.group_count;
	for (size_t i = 0; i < count; i++)
		if (dataset_open(&analysis->dataset, &analysis->choices, &analysis->output,
		                 paths[i]) < 0)
			return -1;
	analysis_refresh(analysis);
	dataset_load(&analysis->dataset, &analysis->output);
	return 0;
}

/* Close it again. */
static void close_base(struct analysis *analysis, const struct page *page)
{
	char *const *paths;
	size_t count = check_base_paths(analysis, &paths);

	if (!page->base)
		return;
	for (size_t i = 0; i < count; i++)
		dataset_drop(&analysis->dataset, paths[i]);
	analysis_refresh(analysis);
}

/* Returns 0; -EIO; or -1 after a message. */
static int write_all(struct analysis *analysis, FILE *out)
{
	struct page page = {.base = NULL};
	int status = open_base(analysis, &page);

	if (status == 0) {
		init(&page, analysis);
		status = write_page(&page, out);
		fini(&page);
	}
	close_base(analysis, &page);
	return status;
}

void view_report(struct analysis *analysis, const struct command_argument *argument)
{
	struct output *output = &analysis->output;
	FILE *out;
	int status;

	if (strcmp(argument->text, "-") == 0) {
		if (write_all(analysis, print_sink(output)) == -EIO)
			output_fail(output, EXIT_TROUBLE,
			            "report: standard output: cannot be written");
		return;
	}
	out = outfile_open(argument->text);
	if (!out) {
		output_fail(output, EXIT_TROUBLE, "report: %s: %s", argument->text,
		            strerror(errno));
		return;
	}
	status = write_all(analysis, out);
	if (outfile_close(out, status == 0) != 0 || status == -EIO)
		output_fail(output, EXIT_TROUBLE, "report: %s: cannot be written", argument->text);
}

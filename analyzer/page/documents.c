/* documents.c: the tables of a report page that other commands make: the views of document.def, and
 * source and instructions of the hottest functions. The viewer shows them as they are. */
#include "analyzer/page/page.h"
#include "analyzer/page/bound.h"

#include "analyzer/base/memory.h"
#include "analyzer/code/code.h"
#include "analyzer/code/sourcefile.h"
#include "analyzer/data/names.h"
#include "analyzer/model/name.h"
#include "analyzer/report/quality/quality.h"
#include "analyzer/views/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* How many rows a table has, how many functions have a listing, how many lines around those with
 * data it shows, and at how many compressed bytes of listings the last one is written. */
enum {
	LARGE_TREE = 20000, /* nodes */
	ROWS = 250,
	HOT_OF_SORT = 16,
	HOT_OF_OTHERS = 3,
	HOT_MAX = 40,
	AROUND = 5,
	LISTINGS = 50000
};

typedef void view(const struct dataset *dataset, const struct choices *choices,
                  struct output *output, const struct command_argument *argument);

static const struct document {
	const char *group, *command, *title;
	unsigned data; /* enum exp_data, 0: none is needed */
	view *show;
} documents[] = {
#define EXP_DATA_NONE 0
#define DOCUMENT(group, command, kind, title) \
	{group, #command, title, EXP_DATA_##kind, view_##command},
#include "analyzer/page/document.def"
};
enum { DOCUMENTS = sizeof(documents) / sizeof(documents[0]) };

/* What is written. */
struct writing {
	struct page *page;
	struct choices choices;
	size_t count;
};

static int is_empty(const struct print_document *document)
{
	return document->table_count == 0 && document->note_count == 0 &&
	       (!document->text || document->text[0] == '\0');
}

/* The lines above all tables, as text. They are about all documents, and stand once. */
static void put_quality(struct writing *writing)
{
	struct column *column = writing->page->sections[PAGE_DOCUMENTS];
	char *text, *json, *rest, *line;
	size_t size;
	struct output output = {.out = memory_stream(&text, &size)};
	FILE *out = memory_stream(&json, &size);

	quality_put(writing->page->dataset, &output);
	memory_stream_end(output.out, &text);
	fputs("[{\"group\": \"quality\", \"notes\": [", out);
	for (rest = text; (line = strsep(&rest, "\n")) && *line != '\0';) {
		fputs(line == text ? "" : ", ", out);
		line += strspn(line, "# ");
		if (strncmp(line, "quality: ", strlen("quality: ")) == 0)
			line += strlen("quality: ");
		print_json_string(out, line, strlen(line));
	}
	fputs("]}", out);
	memory_stream_end(out, &json);
	column_put(column, json, size);
	writing->count++;
	free(output.quality);
	free(text);
	free(json);
}

/* Put what a page does not show behind what it does: the quality, which stands once, and the tables
 * of the overview, which the viewer makes itself. */
static void leave_out(struct print_document *document, const struct document *of)
{
	size_t kept = 0, count = document->table_count;

	for (size_t i = 0; i < count; i++) {
		struct print_table *table = document->tables[i];

		if (of->show == view_overview || strcmp(table->name, PRINT_QUALITY) == 0)
			continue;
		document->tables[i] = document->tables[kept];
		document->tables[kept++] = table;
	}
	document->table_count = kept;
}

/* A listing that is too long for a page says so. */
static void put_bound(struct print_document *document, FILE *out)
{
	for (size_t i = 0; i < document->table_count; i++) {
		struct print_table *table = document->tables[i];
		size_t lines = strcmp(table->name, PRINT_QUALITY) != 0 ? bound_listing(table) : 0;

		if (lines != 0)
			fprintf(out, ", \"lines\": %zu", lines);
	}
}

/* Run a view, and write what it says. function: that it is about, NULL: none. */
static void put_view(struct writing *writing, const struct document *of,
                     const struct command_argument *argument, const struct sym_function *function)
{
	struct page *page = writing->page;
	struct print_gathering gathering;
	struct print_document document;
	char *text, *name = NULL;
	size_t size, count;
	FILE *out;

	print_gather_begin(page->output, &gathering);
	/* The viewer does not show the ends of intervals of lines, which are much of a page. */
	page->output->print.leaves_out_ends = function != NULL;
	of->show(page->dataset, &writing->choices, page->output, argument);
	print_gather_all(page->output, &gathering, &document);
	document.command = of->command;
	if (is_empty(&document)) {
		print_clear(&document);
		return;
	}
	out = memory_stream(&text, &size);
	writing->count++;
	fprintf(out, ",\n{\"group\": \"%s\", \"command\": \"%s\", \"title\": \"%s\"", of->group,
	        of->command, of->title);
	if (function) {
		put_bound(&document, out);
		name = name_function(page->choices, function);
		fputs(", \"function\": ", out);
		print_json_string(out, name, strlen(name));
		fputs(", \"object\": ", out);
		print_json_string(out, function->object->name, strlen(function->object->name));
		fprintf(out, ", \"number\": %lu", argument->number);
		free(name);
	}
	fputs(", \"document\": ", out);
	count = document.table_count;
	leave_out(&document, of);
	print_json(&document, out);
	document.table_count = count;
	fputc('}', out);
	memory_stream_end(out, &text);
	column_put(page->sections[PAGE_DOCUMENTS], text, size);
	free(text);
	free(document.text);
	print_clear(&document);
}

/* Is there anything that the view could show? */
static int has_data(const struct dataset *dataset, const struct document *of)
{
	const struct dataset_experiment *at = NULL;

	if (of->data != 0 && !(of->data & dataset->have))
		return 0;
	if (of->show != view_gcevents && of->show != view_javaheap)
		return 1;
	while ((at = dataset_next(dataset, at)))
		if (of->show == view_gcevents ? at->whole->gc_count : at->whole->java_alloc_count)
			return 1;
	return 0;
}

/* ---- the hottest functions ---- */

static int is_code(const struct sym_function *function)
{
	return function->object && !(function->name[0] == '<' && function->address == 0);
}

static void add_hot(const struct sym_function **hot, size_t *count,
                    const struct sym_function *function)
{
	for (size_t i = 0; i < *count; i++)
		if (hot[i] == function)
			return;
	if (*count < HOT_MAX)
		hot[(*count)++] = function;
}

/* Add the functions with most of a metric to hot[*count]. */
static void find_hot(const struct dataset *dataset, unsigned id, size_t wanted,
                     const struct sym_function **hot, size_t *count)
{
	const struct tree *tree = dataset_tree(dataset, TREE_FUNCTIONS);
	const uint64_t *own = columns_of(&dataset_fold(dataset, TREE_FUNCTIONS)->own, id);
	unsigned char *taken = memory_take(tree->item_count, 1);

	for (size_t i = 0; i < wanted && own; i++) {
		uint32_t best = 0;

		for (uint32_t item = 1; item < tree->item_count; item++)
			if (!taken[item] && is_code(tree->items[item].function) &&
			    own[item] > (best ? own[best] : 0))
				best = item;
		if (best == 0)
			break;
		taken[best] = 1;
		add_hot(hot, count, tree->items[best].function);
	}
	free(taken);
}

/* The argument of commands that means a function; its text is freed by the caller. */
static struct command_argument argument_of(const struct page *page,
                                           const struct sym_function *function)
{
	const struct tree *tree = dataset_tree(page->dataset, TREE_FUNCTIONS);
	char *name = name_function(page->choices, function);
	struct command_argument argument = {.text = name};
	uint32_t *items;
	size_t count = name_find(page->dataset, page->choices, name, &items);

	for (size_t i = 0; i < count && count > 1; i++)
		if (tree->items[items[i]].function == function)
			argument.number = i + 1;
	free(items);
	if (count == 0) {
		free(name);
		argument.text = NULL;
	}
	return argument;
}

static int has_source(const struct dataset *dataset, const struct sym_function *function)
{
	struct source_files files = {.dataset = dataset};
	const char *file = name_file(dataset, function);
	int found = file && source_files_get(&files, file, function->object->build_id)->status == 0;

	source_files_fini(&files);
	return found;
}

static int has_code(const struct page *page, const struct sym_function *function)
{
	struct code code;
	int rc = code_init(&code, page->dataset, page->choices, function);

	if (rc == -ENOMEM)
		memory_fail();
	if (rc != 0)
		return 0;
	code_fini(&code);
	return 1;
}

static void put_listings(struct writing *writing, const struct sym_function *function)
{
	static const struct document source = {"code", "source", "Source", 0, view_source},
				     disasm = {"code", "disasm", "Instructions", 0, view_disasm};
	struct page *page = writing->page;
	struct command_argument argument = argument_of(page, function);

	if (!argument.text)
		return;
	if (has_source(page->dataset, function))
		put_view(writing, &source, &argument, function);
	if (has_code(page, function))
		put_view(writing, &disasm, &argument, function);
	free((char *)argument.text);
}

static void put_code(struct writing *writing)
{
	const struct page *page = writing->page;
	const struct sym_function *hot[HOT_MAX];
	const struct metric_list *metrics = &page->choices->metrics;
	unsigned sort = page->choices->sort.metric.id;
	size_t count = 0, start;

	if (sort < METRIC_VALUES)
		find_hot(page->dataset, sort, HOT_OF_SORT, hot, &count);
	for (size_t i = 0; i < metrics->count; i++)
		if (metrics->at[i].id < METRIC_VALUES)
			find_hot(page->dataset, metrics->at[i].id, HOT_OF_OTHERS, hot, &count);
	start = column_size(page->sections[PAGE_DOCUMENTS]);
	for (size_t i = 0;
	     i < count && column_size(page->sections[PAGE_DOCUMENTS]) - start < LISTINGS; i++)
		put_listings(writing, hot[i]);
}

/* Views of one group use the same tables. Large ones are made again for the next group, so that not
 * all are there at once. */
static void relax(const struct page *page)
{
	if (page->tree->count > LARGE_TREE)
		dataset_forget_tables(page->dataset);
}

void page_add_documents(struct page *page)
{
	struct writing writing = {.page = page, .choices = *page->choices};
	const struct command_argument none = {.text = NULL};

	writing.choices.limit = ROWS;
	put_quality(&writing);
	for (size_t i = 0; i < DOCUMENTS; i++) {
		if (i > 0 && strcmp(documents[i].group, documents[i - 1].group) != 0)
			relax(page);
		if (has_data(page->dataset, &documents[i]))
			put_view(&writing, &documents[i], &none, NULL);
	}
	relax(page);
	writing.choices.listing.context = AROUND;
	put_code(&writing);
	column_put(page->sections[PAGE_DOCUMENTS], "]", 1);
}

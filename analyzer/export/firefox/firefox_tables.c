/* firefox_tables.c: what occurs in a thread, numbered, and its tables. See firefox_tables.h. */
#include "analyzer/export/firefox/firefox_tables.h"

#include "analyzer/base/memory.h"
#include "analyzer/model/name.h"
#include "analyzer/print/print.h"

#include <stdlib.h>
#include <string.h>

static void put_string(FILE *out, const char *text)
{
	print_json_string(out, text, strlen(text));
}

/* The same number, or word, so many times. */
static void put_same(FILE *out, const char *name, size_t count, const char *value)
{
	fprintf(out, ", \"%s\": [", name);
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%s%s", i ? "," : "", value);
	fputc(']', out);
}

/* ---- what occurs ---- */

void firefox_tables_use(struct firefox_tables *tables, uint32_t node)
{
	const struct tree *tree = tables->process->tree;
	uint32_t *stacks = tables->process->stacks;

	while (node != TREE_ROOT && stacks[node] == 0) {
		tables->nodes = memory_grow(tables->nodes, tables->stack_count,
		                            &tables->stack_capacity, sizeof(*tables->nodes));
		tables->nodes[tables->stack_count++] = node;
		stacks[node] = 1;
		node = tree->nodes[node].parent;
	}
}

static int compare_numbers(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

static void number_frame(struct firefox_tables *tables, uint32_t item)
{
	struct firefox_process *process = tables->process;
	const struct sym_function *function = process->tree->items[item].function;
	size_t number = export_function_number(process->job, function);

	if (process->frames[item] != 0)
		return;
	tables->items = memory_grow(tables->items, tables->frame_count, &tables->frame_capacity,
	                            sizeof(*tables->items));
	tables->items[tables->frame_count++] = item;
	process->frames[item] = (uint32_t)tables->frame_count;
	if (process->functions[number] != 0)
		return;
	tables->functions = memory_grow(tables->functions, tables->function_count,
	                                &tables->function_capacity, sizeof(*tables->functions));
	tables->functions[tables->function_count++] = function;
	process->functions[number] = (uint32_t)tables->function_count;
}

/* Parents have smaller numbers in the tree, and so in the table. */
void firefox_tables_number(struct firefox_tables *tables)
{
	const struct tree *tree = tables->process->tree;

	if (tables->stack_count > 1)
		qsort(tables->nodes, tables->stack_count, sizeof(*tables->nodes), compare_numbers);
	for (size_t i = 0; i < tables->stack_count; i++) {
		tables->process->stacks[tables->nodes[i]] = (uint32_t)i + 1;
		number_frame(tables, tree->nodes[tables->nodes[i]].item);
	}
}

static uint32_t function_number(const struct firefox_tables *tables,
                                const struct sym_function *function)
{
	return tables->process->functions[export_function_number(tables->process->job, function)] -
	       1;
}

/* ---- what refers to them ---- */

void firefox_tables_put_stack(const struct firefox_tables *tables, uint32_t node)
{
	if (node == TREE_ROOT)
		fputs("null", tables->out);
	else
		fprintf(tables->out, "%u", tables->process->stacks[node] - 1);
}

/* Strings: 2 i is the name of function i, 2 i + 1 its file; the objects stand behind them, then
 * the names of markers. */
static size_t first_object(const struct firefox_tables *tables)
{
	return 2 * tables->function_count;
}

static size_t first_name(const struct firefox_tables *tables)
{
	return first_object(tables) + symbols_object_count(tables->process->job->dataset->symbols);
}

size_t firefox_tables_name(struct firefox_tables *tables, uint32_t name)
{
	uint32_t known = exp_index_find(&tables->names, name);

	if (known != EXP_INDEX_NONE)
		return first_name(tables) + known;
	tables->name_list = memory_grow(tables->name_list, tables->name_count,
	                                &tables->name_capacity, sizeof(*tables->name_list));
	tables->name_list[tables->name_count] = name;
	if (exp_index_add(&tables->names, name, (uint32_t)tables->name_count) != 0)
		memory_fail();
	return first_name(tables) + tables->name_count++;
}

/* ---- stacks, frames, functions ---- */

static void put_stacks(const struct firefox_tables *tables)
{
	const struct tree *tree = tables->process->tree;
	FILE *out = tables->out;

	fprintf(out, "   \"stackTable\": {\"length\": %zu", tables->stack_count);
	FIREFOX_PUT_ARRAY(out, "frame", tables->stack_count, "%u",
	                  tables->process->frames[tree->nodes[tables->nodes[i]].item] - 1);
	fputs(", \"prefix\": [", out);
	for (size_t i = 0; i < tables->stack_count; i++) {
		fputs(i ? "," : "", out);
		firefox_tables_put_stack(tables, tree->nodes[tables->nodes[i]].parent);
	}
	fputc(']', out);
	put_same(out, "category", tables->stack_count, "0");
	put_same(out, "subcategory", tables->stack_count, "0");
	fputs("},\n", out);
}

static void put_line(FILE *out, unsigned line)
{
	if (line != 0)
		fprintf(out, "%u", line);
	else
		fputs("null", out);
}

static void put_frames(const struct firefox_tables *tables)
{
	const struct sym_frame *items = tables->process->tree->items;
	FILE *out = tables->out;
	size_t count = tables->frame_count;

	fprintf(out, "   \"frameTable\": {\"length\": %zu", count);
	FIREFOX_PUT_ARRAY(out, "address", count, "%llu",
	                  (unsigned long long)items[tables->items[i]].address);
	FIREFOX_PUT_ARRAY(out, "inlineDepth", count, "%u",
	                  (unsigned)items[tables->items[i]].inlined);
	FIREFOX_PUT_ARRAY(out, "func", count, "%u",
	                  function_number(tables, items[tables->items[i]].function));
	fputs(", \"line\": [", out);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? "," : "", out);
		put_line(out, items[tables->items[i]].line);
	}
	fputc(']', out);
	put_same(out, "category", count, "0");
	put_same(out, "subcategory", count, "0");
	put_same(out, "nativeSymbol", count, "null");
	put_same(out, "innerWindowID", count, "null");
	put_same(out, "implementation", count, "null");
	put_same(out, "column", count, "null");
	fputs("},\n", out);
}

static void put_functions(const struct firefox_tables *tables)
{
	FILE *out = tables->out;
	size_t count = tables->function_count;

	fprintf(out, "   \"funcTable\": {\"length\": %zu", count);
	FIREFOX_PUT_ARRAY(out, "name", count, "%zu", 2 * i);
	fputs(", \"fileName\": [", out);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? "," : "", out);
		if (tables->functions[i]->file)
			fprintf(out, "%zu", 2 * i + 1);
		else
			fputs("null", out);
	}
	fputs("], \"lineNumber\": [", out);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? "," : "", out);
		put_line(out, tables->functions[i]->line);
	}
	fputc(']', out);
	FIREFOX_PUT_ARRAY(out, "resource", count, "%zu",
	                  tables->functions[i]->object ? tables->functions[i]->object->index : 0);
	put_same(out, "isJS", count, "false");
	put_same(out, "relevantForJS", count, "false");
	put_same(out, "columnNumber", count, "null");
	fputs("},\n", out);
}

enum { RESOURCE_LIBRARY = 1 };

static void put_resources(const struct firefox_tables *tables)
{
	FILE *out = tables->out;
	size_t count = symbols_object_count(tables->process->job->dataset->symbols);
	char type[16];

	snprintf(type, sizeof(type), "%d", RESOURCE_LIBRARY);
	fprintf(out, "   \"resourceTable\": {\"length\": %zu", count);
	FIREFOX_PUT_ARRAY(out, "name", count, "%zu", first_object(tables) + i);
	FIREFOX_PUT_ARRAY(out, "lib", count, "%zu", i);
	put_same(out, "host", count, "null");
	put_same(out, "type", count, type);
	fputs("},\n   \"nativeSymbols\": {\"length\": 0, \"address\": [], \"functionSize\": [], \"libIndex\": [], "
	      "\"name\": []},\n",
	      out);
}

static void put_strings(const struct firefox_tables *tables)
{
	const struct export_job *job = tables->process->job;
	const struct trace *trace = tables->process->markers->trace;
	const struct symbols *symbols = job->dataset->symbols;
	const char *separator = "\n    ";
	FILE *out = tables->out;

	fputs("   \"stringArray\": [", out);
	for (size_t i = 0; i < tables->function_count; i++) {
		const struct sym_function *function = tables->functions[i];
		char *name = name_function(job->choices, function);

		fputs(separator, out);
		put_string(out, name);
		fputc(',', out);
		put_string(out, function->file ? function->file : "");
		free(name);
		separator = ",\n    ";
	}
	for (size_t i = 0; i < symbols_object_count(symbols); i++) {
		fputs(separator, out);
		put_string(out, symbols_object(symbols, i)->name);
		separator = ",\n    ";
	}
	for (size_t i = 0; i < tables->name_count; i++) {
		const struct trace_name *name = &trace->names[tables->name_list[i]];

		fputs(separator, out);
		print_json_string(out, name->text, name->size);
		separator = ",\n    ";
	}
	fputs("]}", out);
}

void firefox_tables_put(const struct firefox_tables *tables)
{
	put_stacks(tables);
	put_frames(tables);
	put_functions(tables);
	put_resources(tables);
	put_strings(tables);
}

void firefox_tables_fini(struct firefox_tables *tables)
{
	struct firefox_process *process = tables->process;

	for (size_t i = 0; i < tables->stack_count; i++)
		process->stacks[tables->nodes[i]] = 0;
	for (size_t i = 0; i < tables->frame_count; i++)
		process->frames[tables->items[i]] = 0;
	for (size_t i = 0; i < tables->function_count; i++)
		process->functions[export_function_number(process->job, tables->functions[i])] = 0;
	free(tables->nodes);
	free(tables->items);
	free(tables->functions);
	free(tables->name_list);
	exp_index_fini(&tables->names);
}

/* codes.c: finds the code of functions. In a comparison, each group is looked at separately,
 * because its build has its own code for the function that matches one of the base. */
#include "analyzer/code/codes.h"

#include "analyzer/table/compare.h"
#include "experiment/symbols/code.h"
#include "analyzer/base/memory.h"
#include "analyzer/code/sourcefile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void explain(const struct dataset *dataset, struct output *output,
                    const struct sym_function *function, int rc)
{
	const struct sym_object *object = function->object;

	if (rc == -ENOMEM)
		memory_fail();
	if (rc == -ENOSYS)
		output_fail(
			output, EXIT_TROUBLE,
			"disasm: the library capstone, which disassembles, is not here, or was not when xer_print was built");
	else if (rc == -ENOTSUP)
		output_fail(output, EXIT_TROUBLE, "disasm: the machine of %s is not known",
		            object->path);
	else if (symbols_is_jit(dataset->symbols, function))
		output_fail(output, EXIT_TROUBLE,
		            "disasm: %s is a JIT function, and its code was not recorded",
		            function->name);
	else if (!object->file)
		output_fail(
			output, EXIT_TROUBLE,
			"disasm: no file of %s (%s): say where it is now with pathmap OLD-PREFIX NEW-PREFIX or setpath "
			"DIRECTORY",
			object->path,
			object->mismatch ? "another build is there now"
					 : "neither there nor archived");
	else
		output_fail(output, EXIT_TROUBLE, "disasm: %s has no code at 0x%llx, where %s is",
		            object->file, (unsigned long long)function->address, function->name);
}

static void explain_inlined(const struct dataset *dataset, struct output *output,
                            const struct sym_function *function)
{
	const struct tree *tree = dataset_tree(dataset, TREE_FUNCTIONS);
	char *callers = memory_text("", 0);
	size_t count = 0;

	for (size_t i = 1; i < tree->count && count < 5; i++) {
		const struct sym_function
			*caller = tree->items[tree->nodes[tree->nodes[i].parent].item].function;
		char *longer;

		if (tree->items[tree->nodes[i].item].function != function || caller == function ||
		    strstr(callers, caller->name))
			continue;
		longer = memory_format("%s%s%s", callers, count == 0 ? "" : ", ", caller->name);
		free(callers);
		callers = longer;
		count++;
	}
	if (function->object->is_java)
		output_fail(
			output, EXIT_TROUBLE,
			"disasm: %s: 'viewmode machine' has the code that methods of Java were compiled to",
			function->name);
	else
		output_fail(output, EXIT_TROUBLE,
		            "disasm: %s has no code of its own: it is inlined in %s",
		            function->name, callers);
	free(callers);
}

static int by_address(const void *left, const void *right)
{
	const struct sym_function *a = *(const struct sym_function *const *)left,
				  *b = *(const struct sym_function *const *)right;

	if (a->object != b->object)
		return a->object->index < b->object->index ? -1 : 1;
	return (a->address > b->address) - (a->address < b->address);
}

static void add_function(struct codes *codes, const struct sym_function *function)
{
	codes->functions = memory_grow(codes->functions, codes->count, &codes->capacity,
	                               sizeof(struct sym_function *));
	codes->functions[codes->count++] = function;
}

static void find_functions(struct codes *codes, const struct dataset *dataset, const char *file)
{
	const struct tree *tree = dataset_tree(dataset, TREE_FUNCTIONS);

	for (size_t i = 0; i < tree->item_count; i++) {
		const struct sym_function *function = tree->items[i].function;

		if (function->file && function->address != 0 &&
		    source_is_same(function->file, file))
			add_function(codes, function);
	}
	if (codes->count > 1)
		qsort(codes->functions, codes->count, sizeof(struct sym_function *), by_address);
}

/* ---- one build ---- */

static int decode_alone(struct codes *codes, const struct dataset *dataset,
                        const struct choices *choices, struct output *output)
{
	size_t decoded = 0;

	for (size_t i = 0; i < codes->count; i++) {
		int rc = code_init(&codes->at[i], dataset, choices, codes->functions[i]);

		decoded += rc == 0;
		if (rc != 0)
			explain(dataset, output, codes->functions[i], rc);
	}
	return decoded != 0 ? 0 : -ENOENT;
}

/* ---- several ---- */

/* The functions of all builds that match functions[i]: same[i][count[i]]. */
struct builds {
	const struct sym_function ***same;
	size_t *count;
};

/* Which functions have instructions in stacks of the group in focus, by their index. The caller
 * frees. */
static char *find_present(const struct dataset *dataset, size_t *count)
{
	const struct tree *tree = dataset_tree(dataset, TREE_PCS);
	char *present;

	*count = 0;
	for (size_t i = 0; i < tree->item_count; i++)
		if (tree->items[i].function->index >= *count)
			*count = tree->items[i].function->index + 1;
	present = memory_take(*count, 1);
	for (size_t i = 0; i < tree->item_count; i++)
		present[tree->items[i].function->index] = 1;
	return present;
}

/* Decode what the group in focus has of each function. Returns how many could be. */
static size_t decode_group(struct codes *codes, const struct dataset *dataset,
                           const struct choices *choices, struct output *output,
                           const struct builds *builds, size_t column)
{
	size_t present_count, decoded = 0;
	char *present = find_present(dataset, &present_count);

	for (size_t i = 0; i < codes->count; i++)
		for (size_t j = 0; j < builds->count[i]; j++) {
			const struct sym_function *own = builds->same[i][j];
			int rc;

			if (own->address == 0 || own->index >= present_count ||
			    !present[own->index])
				continue;
			rc = code_init(&codes->at[i * codes->columns + column], dataset, choices,
			               own);
			decoded += rc == 0;
			if (rc != 0)
				explain(dataset, output, own, rc);
			break;
		}
	free(present);
	return decoded;
}

static int decode_compared(struct codes *codes, const struct dataset *dataset,
                           const struct choices *choices, struct output *output)
{
	struct builds builds = {memory_take(codes->count, sizeof(*builds.same)),
	                        memory_take(codes->count, sizeof(*builds.count))};
	size_t decoded = 0;

	for (size_t i = 0; i < codes->count; i++)
		builds.count[i] = shown_same(dataset->shown, codes->functions[i], &builds.same[i]);
	for (size_t i = 0; i < codes->columns; i++) {
		const struct dataset part = compare_part(dataset, i);
		enum tree_compare compare = compare_begin_alone(&part);

		decoded += decode_group(codes, &part, choices, output, &builds, i);
		compare_end_alone(&part, compare);
	}
	for (size_t i = 0; i < codes->count; i++)
		free(builds.same[i]);
	free(builds.same);
	free(builds.count);
	return decoded != 0 ? 0 : -ENOENT;
}

int codes_init(struct codes *codes, const struct dataset *dataset, const struct choices *choices,
               struct output *output, const struct place *place)
{
	*codes = (struct codes){.columns = dataset_columns(dataset)};
	if (place->function && place->function->address == 0) {
		explain_inlined(dataset, output, place->function);
		return -ENOENT;
	}
	if (place->function)
		add_function(codes, place->function);
	else
		find_functions(codes, dataset, place->file);
	if (codes->count == 0) {
		output_fail(output, EXIT_TROUBLE, "disasm: no function of %s has code of its own",
		            place->file);
		return -ENOENT;
	}
	codes->at = memory_take(codes->count * codes->columns, sizeof(*codes->at));
	return codes->columns > 1 ? decode_compared(codes, dataset, choices, output)
	                          : decode_alone(codes, dataset, choices, output);
}

void codes_fini(struct codes *codes)
{
	for (size_t i = 0; codes->at && i < codes->count * codes->columns; i++)
		code_fini(&codes->at[i]);
	free(codes->at);
	free(codes->functions);
}

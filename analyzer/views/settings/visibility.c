/* visibility.c: the commands that show the functions of load objects, or objects in place of
 * them. */
#include "analyzer/views/view.h"

#include "analyzer/base/memory.h"
#include "format/nearest.h"
#include "analyzer/base/text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const words[] = {
	[SHOWN_ALL] = "show", [SHOWN_API] = "api", [SHOWN_NAME] = "hide"};

/* Paths of all load objects, each once, in the order in which processes met them. The caller frees
 * the array. */
static const char **find_paths(const struct dataset *dataset, size_t *count)
{
	const struct dataset_experiment *at = NULL;
	const struct exp_function *functions;
	const char **paths = NULL;
	size_t capacity = 0;
	int has_dynamic = 0;

	*count = 0;
	while ((at = dataset_next(dataset, at))) {
		const struct exp_object *objects;
		size_t object_count = experiment_objects(at->experiment, &objects);

		for (size_t i = 0; i < object_count; i++) {
			size_t known = 0;

			while (known < *count && strcmp(paths[known], objects[i].path) != 0)
				known++;
			if (known < *count)
				continue;
			paths = memory_grow(paths, *count, &capacity, sizeof(*paths));
			paths[(*count)++] = objects[i].path;
		}
		has_dynamic |= experiment_functions(at->experiment, &functions) != 0;
	}
	if (has_dynamic) {
		paths = memory_grow(paths, *count, &capacity, sizeof(*paths));
		paths[(*count)++] = "<Dynamic>"; /* the object of JIT functions */
	}
	return paths;
}

static int is_known(const char *const *paths, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(paths[i], name) == 0 || strcmp(text_base(paths[i]), name) == 0)
			return 1;
	return 0;
}

static const char *nearest(const char *const *paths, size_t count, const char *name)
{
	struct nearest near = {.word = name, .limit = SIZE_MAX}; /* versions make names long */

	for (size_t i = 0; i < count; i++)
		nearest_try(&near, text_base(paths[i]));
	return near.name;
}

/* Names in a list are separated by commas. Returns 0, or -1 after a message. */
static int check_names(const struct dataset *dataset, struct output *output, const char *command,
                       const char *list)
{
	size_t count;
	const char **paths = find_paths(dataset, &count);
	char *copy = memory_text(list, strlen(list)), *rest = copy, *name;
	int status = 0;

	while (status == 0 && (name = strsep(&rest, ",")) != NULL) {
		const char *near;

		if (strcasecmp(name, "all") == 0 || is_known(paths, count, name))
			continue;
		near = nearest(paths, count, name);
		output_fail(output, EXIT_USAGE, "%s: column %zu: no load object '%.200s'%s%.100s%s",
		            command, (size_t)(name - copy) + 1, name,
		            near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
		status = -1;
	}
	free(copy);
	free(paths);
	return status;
}

static void set_names(const struct dataset *dataset, const char *list, enum shown_how how)
{
	char *copy = memory_text(list, strlen(list)), *rest = copy, *name;

	while ((name = strsep(&rest, ",")))
		shown_set(dataset->shown, strcasecmp(name, "all") == 0 ? NULL : name, how);
	free(copy);
}

static void change(const struct dataset *dataset, struct output *output, const char *command,
                   const char *list, enum shown_how how)
{
	if (check_names(dataset, output, command, list) != 0)
		return;
	dataset_forget_tables(dataset);
	set_names(dataset, list, how);
}

void view_object_show(struct analysis *analysis, const struct command_argument *argument)
{
	change(&analysis->dataset, &analysis->output, "object_show", argument->text, SHOWN_ALL);
}

void view_object_hide(struct analysis *analysis, const struct command_argument *argument)
{
	change(&analysis->dataset, &analysis->output, "object_hide", argument->text, SHOWN_NAME);
}

void view_object_api(struct analysis *analysis, const struct command_argument *argument)
{
	change(&analysis->dataset, &analysis->output, "object_api", argument->text, SHOWN_API);
}

void view_object_select(struct analysis *analysis, const struct command_argument *argument)
{
	if (check_names(&analysis->dataset, &analysis->output, "object_select", argument->text) !=
	    0)
		return;
	dataset_forget_tables(&analysis->dataset);
	shown_set(analysis->dataset.shown, NULL, SHOWN_NAME);
	set_names(&analysis->dataset, argument->text, SHOWN_ALL);
}

void view_objects_default(struct analysis *analysis, const struct command_argument *argument)
{
	(void)argument;
	dataset_forget_tables(&analysis->dataset);
	shown_reset(analysis->dataset.shown);
}

void view_object_list(const struct dataset *dataset, const struct choices *choices,
                      struct output *output, const struct command_argument *argument)
{
	struct print_table *table = print_table_begin("object_list");
	size_t count;
	const char **paths = find_paths(dataset, &count);

	(void)choices;
	(void)argument;
	print_column(table, PRINT_WORD, "shown", "Shown");
	print_column(table, PRINT_WORD, "name", "Name");
	print_column(table, PRINT_WORD, "path", "Path");
	for (size_t i = 0; i < count; i++) {
		const struct sym_object object = {.path = paths[i], .name = text_base(paths[i])};

		print_word(table, words[shown_how(dataset->shown, &object)]);
		print_word(table, object.name);
		print_word(table, object.path);
	}
	print_table_end(output, table, 0);
	if (!print_is_data(output))
		fputc('\n', output->out);
	free(paths);
}

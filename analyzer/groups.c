/* groups.c: runs commands for each of the groups that are compared. */
#include "analyzer/groups.h"

#include "analyzer/base/text.h"
#include "analyzer/print/print.h"
#include "analyzer/report/compare/beside.h"
#include "analyzer/table/compare.h"

#include <string.h>

/* How commands that do not handle groups are run. */
static const struct {
	const char *command;
	int is_beside;
} kinds[] = {
#define EACH(command) {command, 0},
#define BESIDE(command) {command, 1},
#include "analyzer/compare.def"
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

/* Its number in kinds[], KINDS if it is not there. */
static size_t find_kind(const struct command *command)
{
	size_t at = 0;

	while (at < KINDS && strcmp(kinds[at].command, command->name) != 0)
		at++;
	return at;
}

static void put_group(const struct dataset *dataset, struct output *output, size_t column)
{
	const char *path = dataset->groups[dataset_column_group(dataset, column)].path;

	if (print_is_data(output)) {
		print_note(output, "[%zu] %s", column + 1, path);
		return;
	}
	fprintf(output->out, "# compare: [%zu] ", column + 1);
	text_put(output->out, path);
	fputc('\n', output->out);
}

struct showing {
	const struct command *command;
	const struct command_argument *argument;
};

static void run(const struct dataset *dataset, const struct choices *choices, struct output *output,
                const void *context)
{
	const struct showing *showing = context;

	showing->command->show(dataset, choices, output, showing->argument);
}

static void call(struct analysis *analysis, const struct command *command,
                 const struct command_argument *argument)
{
	if (command->show)
		command->show(&analysis->dataset, &analysis->choices, &analysis->output, argument);
	else
		command->run(analysis, argument);
}

void groups_run(struct analysis *analysis, const struct command *command,
                const struct command_argument *argument)
{
	size_t columns = dataset_columns(&analysis->dataset), kind = find_kind(command);

	if (columns == 1 || kind == KINDS) {
		call(analysis, command, argument);
		return;
	}
	if (kinds[kind].is_beside) {
		compare_beside_alone(&analysis->dataset, &analysis->choices, &analysis->output, run,
		                     &(const struct showing){command, argument});
		return;
	}
	for (size_t i = 0; i < columns; i++) {
		enum tree_compare compare;

		put_group(&analysis->dataset, &analysis->output, i);
		analysis->dataset.focus = dataset_column_group(&analysis->dataset, i);
		compare = compare_begin_alone(&analysis->dataset);
		call(analysis, command, argument);
		compare_end_alone(&analysis->dataset, compare);
		analysis->dataset.focus = DATASET_ALL;
	}
}

/* groups.c: runs commands for each of the groups that are compared. */
#include "analyzer/groups.h"

#include "analyzer/base/text.h"
#include "analyzer/print/print.h"
#include "analyzer/report/compare_beside.h"
#include "analyzer/table/compare.h"

#include <string.h>

/* How commands are run that know of no groups. */
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

static void put_group(struct session *session, size_t column)
{
	const char *path = session->groups[session_column_group(session, column)].path;

	if (print_is_data(session)) {
		print_note(session, "[%zu] %s", column + 1, path);
		return;
	}
	fprintf(session->out, "# compare: [%zu] ", column + 1);
	text_put(session->out, path);
	fputc('\n', session->out);
}

struct call {
	const struct command *command;
	const struct command_argument *argument;
};

static void run(struct session *session, const void *context)
{
	const struct call *call = context;

	call->command->run(session, call->argument);
}

void groups_run(struct session *session, const struct command *command,
                const struct command_argument *argument)
{
	size_t columns = session_columns(session), kind = find_kind(command);

	if (columns == 1 || kind == KINDS) {
		command->run(session, argument);
		return;
	}
	if (kinds[kind].is_beside) {
		compare_beside_alone(session, run, &(const struct call){command, argument});
		return;
	}
	for (size_t i = 0; i < columns; i++) {
		enum tree_compare compare;

		put_group(session, i);
		compare = compare_begin_alone(session, i);
		command->run(session, argument);
		compare_end_alone(session, compare);
	}
}

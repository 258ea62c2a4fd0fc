/* Tests of groups.c: which commands have their own way to run in a comparison. */
#include "analyzer/groups.h"

#include <criterion/criterion.h>

Test(groups, what_it_runs_in_a_way_of_its_own_are_commands)
{
	static const char *const names[] = {
#define EACH(command) command,
#define BESIDE(command) command,
#include "analyzer/compare.def"
	};
	char error[64];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct command *command = command_find(names[i], error, sizeof(error));

		cr_assert_not_null(command, "%s", names[i]);
		cr_assert_str_eq(command->name, names[i]);
	}
}

/* Tests that the table of commands has those that users of older tools know, by the list in
 * inventory.def. */
#include "analyzer/command.h"
#include "analyzer/data/indexobj.h"

#include <criterion/criterion.h>
#include <string.h>
#include <strings.h>

enum reason { DONE, COUNTS, THREADS, DATASPACE, JAVA, DUMP };

static const struct {
	const char *name;
	enum reason reason;
} inventory[] = {
#define DONE(name) {#name, DONE},
#define LEFT_OUT(name, reason) {#name, reason},
#include "tests/unit/analyzer/inventory.def"
};

static int is_known(const char *name)
{
	char error[512];
	const struct command *command = command_find(name, error, sizeof(error));

	return command && (strcasecmp(command->name, name) == 0 ||
	                   (command->alias && strcasecmp(command->alias, name) == 0));
}

Test(inventory, every_command_is_there_or_left_out_for_a_reason)
{
	for (size_t i = 0; i < sizeof(inventory) / sizeof(inventory[0]); i++)
		cr_assert_eq(is_known(inventory[i].name), inventory[i].reason == DONE, "%s",
		             inventory[i].name);
}

Test(inventory, every_index_object_has_its_command)
{
	struct index_types *types = index_types_create();
	const struct index_type *type;

	for (size_t i = 0; (type = index_at(types, i)); i++)
		cr_assert(type->is_memory || is_known(type->name), "%s", type->name);
	index_types_destroy(types);
}

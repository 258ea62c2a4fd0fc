/* names.c: the names of the commands, without what they do. */
#include "analyzer/views/view.h"

#include <strings.h>

int view_is_command(const char *name)
{
	static const char *const names[][2] = {
#define GROUP(heading)
#define COMMAND(name, alias, argument, need, function, argument_text, help) {name, alias},
#define VIEW COMMAND
#include "analyzer/views/command.def"
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcasecmp(names[i][0], name) == 0 ||
		    (names[i][1] && strcasecmp(names[i][1], name) == 0))
			return 1;
	return 0;
}

/* groupfile.c: reads the groups of hooks that a user has named. See groupfile.h. */
#include "collect/options/groupfile.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

int groupfile_path(const char *last, char *out)
{
	const char *base = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");
	int len;

	if (base && *base == '/')
		len = snprintf(out, PATH_MAX, "%s/xer%s", base, last);
	else if (home && *home == '/')
		len = snprintf(out, PATH_MAX, "%s/.config/xer%s", home, last);
	else
		return -ENOENT;
	return len < PATH_MAX ? 0 : -ENAMETOOLONG;
}

static char *cut_word(char **text)
{
	char *word = *text + strspn(*text, " \t");

	*text = word + strcspn(word, " \t");
	if (**text)
		*(*text)++ = '\0';
	return word;
}

int groupfile_next(FILE *file, struct group *group)
{
	while (fgets(group->text, sizeof(group->text), file)) {
		char *at = group->text;

		at[strcspn(at, "\n")] = '\0';
		if (*at == '#')
			continue;
		group->name = cut_word(&at);
		group->hooks = cut_word(&at);
		group->description = at + strspn(at, " \t");
		if (*group->hooks)
			return 1;
	}
	return 0;
}

FILE *groupfile_open(void)
{
	char path[PATH_MAX];

	return groupfile_path("/groups", path) == 0 ? fopen(path, "re") : NULL;
}

int groupfile_find(const char *name, size_t len, char *out, size_t size)
{
	struct group group;
	FILE *file = groupfile_open();
	int status = -ENOENT;

	while (file && status == -ENOENT && groupfile_next(file, &group))
		if (strlen(group.name) == len && strncmp(group.name, name, len) == 0)
			status = snprintf(out, size, "%s", group.hooks) < (int)size ? 0 : -E2BIG;
	if (file)
		fclose(file);
	return status;
}

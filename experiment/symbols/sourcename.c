/* sourcename.c: where source files stand in archives. */
#include "experiment/symbols/sourcename.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#define SOURCE_ROOT "src"

/* Drop the last component of name[len]. Returns the new length, at least that of the root. */
static size_t drop_component(const char *name, size_t len)
{
	while (len > strlen(SOURCE_ROOT) && name[len - 1] != '/')
		len--;
	return len > strlen(SOURCE_ROOT) ? len - 1 : len;
}

int exp_source_name(char *name, size_t size, const char *path)
{
	size_t len = strlen(SOURCE_ROOT);

	if (path[0] != '/' || size <= len)
		return -EINVAL;
	memcpy(name, SOURCE_ROOT, len + 1);
	while (*path != '\0') {
		size_t part;

		path += strspn(path, "/");
		part = strcspn(path, "/");
		if (part == 2 && memcmp(path, "..", 2) == 0) {
			len = drop_component(name, len);
		} else if (part > 0 && !(part == 1 && path[0] == '.')) {
			if (part > NAME_MAX || len + 1 + part >= size)
				return -EINVAL;
			name[len] = '/';
			memcpy(name + len + 1, path, part);
			len += 1 + part;
		}
		path += part;
	}
	name[len] = '\0';
	return len > strlen(SOURCE_ROOT) ? 0 : -EINVAL;
}

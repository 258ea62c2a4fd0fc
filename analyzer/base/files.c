/* files.c: see files.h. */
#include "analyzer/base/files.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "format/nearest.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static int ends_in(const char *name, const char *ending)
{
	size_t len = strlen(name), size = strlen(ending);

	return len > size && strcmp(name + len - size, ending) == 0;
}

char *files_nearest(const char *path, const char *ending)
{
	const char *base = text_base(path);
	size_t shown = (size_t)(base - path);
	char *folder = shown == 0 ? memory_format(".") : memory_text(path, shown), *best = NULL;
	struct nearest nearest = {.word = base, .limit = NEAREST_SLIP};
	DIR *directory = opendir(folder);
	struct dirent *entry;

	free(folder);
	while (directory && (entry = readdir(directory))) {
		char *name;

		if (!ends_in(entry->d_name, ending))
			continue;
		name = memory_text(entry->d_name, strlen(entry->d_name));
		nearest_try(&nearest, name);
		if (nearest.name != name) {
			free(name);
			continue;
		}
		free(best);
		best = name;
	}
	if (directory)
		closedir(directory);
	if (best) {
		char *found = memory_format("%.*s%s", (int)shown, path, best);

		free(best);
		best = found;
	}
	return best;
}

/* paths.c: see paths.h. */
#include "analyzer/prompt/paths.h"

#include "analyzer/base/memory.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int ends_in(const char *name, const char *ending)
{
	size_t len = strlen(name), size = strlen(ending);

	return len > size && strcmp(name + len - size, ending) == 0;
}

/* Add a file of a directory, typed as text[shown]. */
static void add(enum paths_kind kind, int directory, const char *name, const char *text,
                size_t shown, struct words *out)
{
	int is_experiment = kind == PATHS_EXPERIMENTS &&
	                    (ends_in(name, ".er") || ends_in(name, ".erg"));
	struct stat st;
	int is_directory = fstatat(directory, name, &st, 0) == 0 && S_ISDIR(st.st_mode);
	char *path;

	if (kind != PATHS_FILES && !is_directory && !is_experiment)
		return;
	path = memory_format("%.*s%s%s", (int)shown, text, name,
	                     is_directory && !is_experiment ? "/" : "");
	if (is_directory && !is_experiment)
		out->after = '\0';
	words_add(out, "", 0, path, strlen(path));
	free(path);
}

void paths_complete(enum paths_kind kind, const char *text, size_t len, struct words *out)
{
	const char *slash = memrchr(text, '/', len), *start = slash ? slash + 1 : text,
		   *home = getenv("HOME");
	size_t shown = (size_t)(start - text), size = len - shown;
	int from_home = slash && text[0] == '~' && text[1] == '/' && home;
	char *path = from_home ? memory_format("%s/%.*s", home, (int)shown - 2, text + 2)
	                       : memory_format("%.*s", (int)shown, text);
	DIR *directory = opendir(shown == 0 ? "." : path);
	struct dirent *entry;

	free(path);
	out->typed = len;
	while (directory && (entry = readdir(directory))) {
		const char *name = entry->d_name;

		if (strncmp(name, start, size) == 0 &&
		    (name[0] != '.' || (size > 0 && name[1] != '\0' && strcmp(name, "..") != 0)))
			add(kind, dirfd(directory), name, text, shown, out);
	}
	if (directory)
		closedir(directory);
}

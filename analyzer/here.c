/* here.c: experiments of the working directory. See here.h. */
#include "analyzer/here.h"

#include "format/layout.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Is the entry an experiment? It has a log.xml, to which is written from its beginning to its
 * end. */
static int is_experiment(int directory, const char *name, struct timespec *written)
{
	static const char suffix[] = FMT_EXPERIMENT_SUFFIX;
	size_t len = strlen(name);
	char path[NAME_MAX + sizeof("/" FMT_FILE_LOG)];
	struct stat status;

	if (len < sizeof(suffix) || strcmp(name + len - (sizeof(suffix) - 1), suffix) != 0)
		return 0;
	snprintf(path, sizeof(path), "%s/%s", name, FMT_FILE_LOG);
	if (fstatat(directory, path, &status, 0) != 0)
		return 0;
	*written = status.st_mtim;
	return 1;
}

static int is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

size_t here_experiments(char latest[NAME_MAX + 1])
{
	DIR *directory = opendir(".");
	struct timespec last = {.tv_sec = 0}, written;
	struct dirent *entry;
	size_t count = 0;

	while (directory && (entry = readdir(directory)))
		if (is_experiment(dirfd(directory), entry->d_name, &written) &&
		    (count++ == 0 || is_later(&written, &last))) {
			last = written;
			snprintf(latest, NAME_MAX + 1, "%s", entry->d_name);
		}
	if (directory)
		closedir(directory);
	return count;
}

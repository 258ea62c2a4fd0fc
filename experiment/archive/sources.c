/* sources.c: copies source files of recorded code below archives/src. */
#include "experiment/archive/sources.h"

#include "experiment/archive/copy.h"
#include "experiment/elf/object.h"
#include "experiment/symbols/sourcename.h"
#include "experiment/table/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES_MAX = 10000, FILE_SIZE_MAX = 16 << 20 };

/* Open the directory of `name` below `directory`, made where it is missing. *base is the last
 * component. Returns a descriptor or -errno. */
static int open_parent(int directory, char *name, const char **base)
{
	int at = fcntl(directory, F_DUPFD_CLOEXEC, 0);
	char *slash;

	while (at >= 0 && (slash = strchr(name, '/')) != NULL) {
		int next;

		*slash = '\0';
		next = exp_copy_subdirectory(at, name);
		close(at);
		at = next;
		name = slash + 1;
	}
	*base = name;
	return at;
}

int exp_source_open_original(const char *path)
{
	int fd = exp_path_open(path);
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size <= FILE_SIZE_MAX)
		return fd;
	if (fd >= 0)
		close(fd);
	return -ENOENT;
}

static int archive_source(int archives, const char *path, int rewrite)
{
	char name[PATH_MAX];
	const char *base;
	int from, to, rc;

	if (exp_source_name(name, sizeof(name), path) != 0)
		return 0;
	from = exp_source_open_original(path);
	if (from < 0)
		return 0;
	to = open_parent(archives, name, &base);
	rc = to < 0 ? to : 0;
	if (rc == 0 && (rewrite || !exp_copy_exists(to, base)))
		rc = exp_copy(from, to, base, rewrite);
	if (to >= 0)
		close(to);
	close(from);
	return rc;
}

static int is_path(const void *item, const void *key)
{
	return strcmp(item, key) == 0;
}

/* A walk over the sources. */
struct walk {
	int (*file)(void *context, const char *path);
	void *context;
	struct symbols *symbols;
	struct exp_hash done;
};

static int visit_once(struct walk *walk, const char *path)
{
	uint64_t hash;

	if (!path || walk->done.count >= FILES_MAX)
		return 0;
	hash = exp_hash_text(EXP_HASH_START, path);
	if (exp_hash_find(&walk->done, hash, is_path, path))
		return 0;
	if (exp_hash_add(&walk->done, hash, (char *)path) != 0)
		return -ENOMEM;
	return walk->file(walk->context, path);
}

static int visit_node(struct walk *walk, struct experiment *experiment,
                      const struct exp_nodes *nodes, size_t node)
{
	const struct sym_frame *frames;
	int count = symbols_frames(walk->symbols, experiment, nodes->pc[node],
	                           nodes->generation[node], 0, &frames);
	int rc = count < 0 ? count : 0;

	for (int i = 0; i < count && rc == 0; i++) {
		rc = visit_once(walk, frames[i].file);
		if (rc == 0)
			rc = visit_once(walk, frames[i].function->file);
	}
	return rc;
}

int exp_sources_each(struct experiment *experiment, int (*file)(void *context, const char *path),
                     void *context)
{
	struct walk walk = {.file = file, .context = context, .symbols = symbols_create()};
	const struct exp_data_set *set;
	int rc = !walk.symbols ? -ENOMEM : experiment_load(experiment, &set);

	for (size_t i = 0; rc == 0 && i < set->nodes.count; i++)
		rc = visit_node(&walk, experiment, &set->nodes, i);
	exp_hash_fini(&walk.done);
	symbols_destroy(walk.symbols);
	return rc;
}

static int archive_file(void *context, const char *path)
{
	const struct exp_sources_target *target = context;
	int rc = archive_source(target->archives, path, target->rewrite);

	if (rc != 0)
		target->fail(target->context, path, -rc);
	return 0;
}

int exp_sources_archive(struct experiment *experiment, const struct exp_sources_target *target)
{
	return exp_sources_each(experiment, archive_file, (void *)target);
}

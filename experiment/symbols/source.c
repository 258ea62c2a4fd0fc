/* source.c: finds a source file in the places where it may be, and reads it. */
#include "experiment/symbols/source.h"

#include "experiment/base/internal.h"
#include "experiment/elf/debuginfod.h"
#include "experiment/elf/object.h"
#include "experiment/symbols/sourcename.h"
#include "format/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SOURCE_SIZE_MAX = 64 << 20 };

/* A search under way. */
struct search {
	const struct exp_source_query *query;
	struct exp_source *out;
	enum exp_source_origin origin;
};

static int read_whole(int fd, struct exp_source *out)
{
	struct stat st;
	ssize_t got = 1;

	if (fstat(fd, &st) != 0)
		return -ENOENT;
	if (st.st_size > SOURCE_SIZE_MAX)
		return -EFBIG;
	out->text = malloc((size_t)st.st_size + 1);
	if (!out->text)
		return -ENOMEM;
	out->size = 0;
	while (got > 0 && out->size < (size_t)st.st_size) {
		got = read(fd, out->text + out->size, (size_t)st.st_size - out->size);
		out->size += got > 0 ? (size_t)got : 0;
	}
	out->text[out->size] = '\0';
	out->modified_s = st.st_mtime;
	return 0;
}

/* Returns 1 if it was read, 0 if the place is tried in vain, or -errno: no further place is. */
static int try_place(void *context, const char *place)
{
	struct search *search = context;
	int fd = exp_path_open(place);
	int rc;

	if (fd < 0) {
		if (search->query->tried)
			search->query->tried(search->query->context, search->origin, place);
		return 0;
	}
	rc = read_whole(fd, search->out);
	close(fd);
	if (rc != 0)
		return rc == -ENOENT ? 0 : rc;
	search->out->path = strdup(place);
	if (!search->out->path) {
		free(search->out->text);
		return -ENOMEM;
	}
	search->out->origin = search->origin;
	return 1;
}

/* Nothing below an archive's src is a link that leads out of it: archives are made of regular
 * files, but an experiment may come from anywhere. */
static int is_inside(const char *directory, const char *place)
{
	char *root = realpath(directory, NULL), *real = realpath(place, NULL);
	size_t len = !root ? 0 : strlen(root);
	int inside = root && real && strncmp(real, root, len) == 0 && real[len] == '/';

	free(root);
	free(real);
	return inside;
}

static int try_archives(struct search *search)
{
	char name[PATH_MAX], directory[PATH_MAX], place[PATH_MAX];
	int rc = 0;

	if (exp_source_name(name, sizeof(name), search->query->path) != 0)
		return 0;
	for (size_t i = 0; i < search->query->experiment_count && rc == 0; i++) {
		const struct experiment *experiment = search->query->experiments[i];

		if (i > 0 &&
		    strcmp(experiment->founder, search->query->experiments[i - 1]->founder) == 0)
			continue;
		if (snprintf(directory, sizeof(directory), "%s/" FMT_DIR_ARCHIVES,
		             experiment->founder) >= (int)sizeof(directory) ||
		    snprintf(place, sizeof(place), "%s/%s", directory, name) >= (int)sizeof(place))
			continue;
		if (is_inside(directory, place))
			rc = try_place(search, place);
	}
	return rc;
}

static int try_list(struct search *search)
{
	const struct exp_source_query *query = search->query;
	const char **places = calloc(query->experiment_count + 1, sizeof(*places));
	int rc;

	if (!places)
		return -ENOMEM;
	for (size_t i = 0; i < query->experiment_count; i++)
		places[i] = query->experiments[i]->info.path;
	rc = exp_paths_searched(query->paths, query->path, places, query->experiment_count,
	                        try_place, search);
	free(places);
	return rc;
}

static int try_server(struct search *search)
{
	const struct exp_source_query *query = search->query;
	char *place;
	int rc;

	if (!query->build_id || query->build_id[0] == '\0' || query->path[0] != '/')
		return 0;
	place = exp_debuginfod_source(query->build_id, query->path);
	rc = !place ? 0 : try_place(search, place);
	free(place);
	return rc;
}

int exp_source_open(const struct exp_source_query *query, struct exp_source *out)
{
	struct exp_source found = {0};
	struct search search = {.query = query, .out = &found, .origin = EXP_SOURCE_MAPPED};
	int rc = exp_paths_mapped(query->paths, query->path, try_place, &search);

	search.origin = EXP_SOURCE_ARCHIVED;
	if (rc == 0)
		rc = try_archives(&search);
	search.origin = EXP_SOURCE_RECORDED;
	if (rc == 0 && query->path[0] == '/')
		rc = try_place(&search, query->path);
	search.origin = EXP_SOURCE_SEARCHED;
	if (rc == 0)
		rc = try_list(&search);
	search.origin = EXP_SOURCE_SERVED;
	if (rc == 0)
		rc = try_server(&search);
	if (rc <= 0)
		return rc == 0 ? -ENOENT : rc;
	*out = found;
	return 0;
}

void exp_source_fini(struct exp_source *source)
{
	free(source->text);
	free(source->path);
	*source = (struct exp_source){0};
}

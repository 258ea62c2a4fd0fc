/* paths.c: the lists that pathmap, setpath and addpath fill. */
#include "experiment/symbols/paths.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATHS_DEFAULT EXP_PATHS_EXPERIMENTS ":."

struct map {
	struct map *next;
	char *to;
	char from[];
};

struct exp_paths {
	struct map *maps; /* the last one added first */
	char *list;
};

struct exp_paths *exp_paths_create(void)
{
	struct exp_paths *paths = calloc(1, sizeof(*paths));

	if (paths && exp_paths_set(paths, PATHS_DEFAULT) != 0) {
		free(paths);
		return NULL;
	}
	return paths;
}

void exp_paths_destroy(struct exp_paths *paths)
{
	if (!paths)
		return;
	while (paths->maps) {
		struct map *map = paths->maps;

		paths->maps = map->next;
		free(map);
	}
	free(paths->list);
	free(paths);
}

/* Length of a prefix without the slashes at its end; that of "/" is 0. */
static size_t prefix_len(const char *prefix)
{
	size_t len = strlen(prefix);

	while (len > 0 && prefix[len - 1] == '/')
		len--;
	return len;
}

int exp_paths_map(struct exp_paths *paths, const char *from, const char *to)
{
	size_t from_len = prefix_len(from), to_len = prefix_len(to);
	struct map *map = calloc(1, sizeof(*map) + from_len + to_len + 2);

	if (!map)
		return -ENOMEM;
	map->to = map->from + from_len + 1;
	memcpy(map->from, from, from_len);
	memcpy(map->to, to, to_len);
	map->next = paths->maps;
	paths->maps = map;
	return 0;
}

int exp_paths_set(struct exp_paths *paths, const char *list)
{
	char *copy = strdup(list);

	if (!copy)
		return -ENOMEM;
	free(paths->list);
	paths->list = copy;
	return 0;
}

int exp_paths_add(struct exp_paths *paths, const char *list)
{
	size_t len = strlen(paths->list);
	char *whole = malloc(len + strlen(list) + 2);

	if (!whole)
		return -ENOMEM;
	sprintf(whole, "%s%s%s", paths->list, len == 0 ? "" : ":", list);
	free(paths->list);
	paths->list = whole;
	return 0;
}

const char *exp_paths_list(const struct exp_paths *paths)
{
	return paths->list;
}

static const struct map *nth_map(const struct exp_paths *paths, size_t n)
{
	const struct map *map = paths->maps;

	while (map && n-- > 0)
		map = map->next;
	return map;
}

const char *exp_paths_map_from(const struct exp_paths *paths, size_t n)
{
	const struct map *map = nth_map(paths, n);

	if (!map)
		return NULL;
	return map->from[0] == '\0' ? "/" : map->from;
}

const char *exp_paths_map_to(const struct exp_paths *paths, size_t n)
{
	const struct map *map = nth_map(paths, n);

	if (!map)
		return NULL;
	return map->to[0] == '\0' ? "/" : map->to;
}

int exp_paths_mapped(const struct exp_paths *paths, const char *path,
                     int (*take)(void *context, const char *place), void *context)
{
	int rc = 0;

	for (const struct map *map = paths->maps; map && rc == 0; map = map->next) {
		size_t len = strlen(map->from);
		char place[PATH_MAX];

		if (strncmp(path, map->from, len) != 0 || (path[len] != '/' && path[len] != '\0'))
			continue;
		if (snprintf(place, sizeof(place), "%s%s", map->to, path + len) <
		    (int)sizeof(place))
			rc = take(context, place);
	}
	return rc;
}

/* Offer directory[len] with every tail of a path. */
static int search_directory(const char *directory, size_t len, const char *path,
                            int (*take)(void *context, const char *place), void *context)
{
	const char *tail = path;
	int rc = 0;

	while (tail && rc == 0) {
		char place[PATH_MAX];

		tail += strspn(tail, "/");
		if (*tail != '\0' && snprintf(place, sizeof(place), "%.*s/%s", (int)len, directory,
		                              tail) < (int)sizeof(place))
			rc = take(context, place);
		tail = strchr(tail, '/');
	}
	return rc;
}

int exp_paths_searched(const struct exp_paths *paths, const char *path,
                       const char *const *experiments, size_t count,
                       int (*take)(void *context, const char *place), void *context)
{
	const char *at = paths->list;
	int rc = 0;

	while (*at != '\0' && rc == 0) {
		size_t len = strcspn(at, ":");

		if (len == strlen(EXP_PATHS_EXPERIMENTS) &&
		    strncmp(at, EXP_PATHS_EXPERIMENTS, len) == 0)
			for (size_t i = 0; i < count && rc == 0; i++)
				rc = search_directory(experiments[i], strlen(experiments[i]), path,
				                      take, context);
		else if (len > 0)
			rc = search_directory(at, len, path, take, context);
		at += len + (at[len] == ':');
	}
	return rc;
}

/* moved.c: finds load objects that are elsewhere now: below another prefix, in a directory to
 * search, or on a debuginfod server. */
#include "experiment/base/internal.h"
#include "experiment/elf/debuginfod.h"
#include "experiment/symbols/symbols_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct moved {
	const struct sym_object *object;
	struct exp_object_file *out;
};

/* Returns 1 if the object is there. */
static int try_place(void *context, const char *place)
{
	struct moved *moved = context;
	int fd = exp_path_open(place);

	if (fd < 0)
		return 0;
	if (!exp_object_matches(fd, moved->object->build_id)) {
		close(fd);
		moved->out->mismatch = 1;
		return 0;
	}
	moved->out->fd = fd;
	moved->out->mismatch = 0;
	snprintf(moved->out->path, sizeof(moved->out->path), "%.4000s", place);
	return 1;
}

static int try_server(struct moved *moved)
{
	char *place = moved->object->build_id[0] == '\0'
	                      ? NULL
	                      : exp_debuginfod_object(moved->object->build_id);
	int found = place && try_place(moved, place);

	free(place);
	return found;
}

int exp_sym_find_moved(struct symbols *symbols, const struct experiment *experiment,
                       const struct sym_object *object, struct exp_object_file *out)
{
	struct moved moved = {.object = object, .out = out};
	const char *directories[] = {experiment->info.path};

	if (object->path[0] != '/')
		return -ENOENT;
	if (exp_paths_mapped(symbols->paths, object->path, try_place, &moved) > 0)
		return 0;
	/* Without a build-id nothing says that a file of the same name is the same. */
	if (object->build_id[0] == '\0')
		return -ENOENT;
	if (exp_paths_searched(symbols->paths, object->path, directories, 1, try_place, &moved) >
	            0 ||
	    try_server(&moved))
		return 0;
	return -ENOENT;
}

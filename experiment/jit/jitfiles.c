/* jitfiles.c: finds the files in which programs describe their JIT functions, and reads them. See
 * jitfiles.h. */
#include "experiment/jit/jitfiles.h"

#include "experiment/base/boot.h"
#include "experiment/base/internal.h"
#include "experiment/base/xmlread.h"
#include "format/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { JITDUMPS_MAX = 8 };

/* Times of files are those of the last timer tick; what a process wrote last may come after its
 * exit event. */
#define TICK_S 0.01
#define END_S 2.0

#define PERF_MAP_SIZE_MAX ((uint64_t)256 << 20)
#define JITDUMP_SIZE_MAX ((uint64_t)2 << 30)

static const char *value_of(const struct exp_event *event, const char *name)
{
	for (size_t i = 0; i < event->attribute_count; i++)
		if (strcmp(event->attributes[i].name, name) == 0)
			return event->attributes[i].value;
	return NULL;
}

static int each_jitdump(struct experiment *experiment,
                        int (*take)(void *context, const struct exp_jit_file *file), void *context)
{
	const struct exp_info *info = &experiment->info;
	unsigned count = 0;
	int rc = 0;

	for (size_t i = 0; i < info->event_count && count < JITDUMPS_MAX && rc == 0; i++) {
		const char *path = strcmp(info->events[i].kind, "jitdump") == 0
		                           ? value_of(&info->events[i], "path")
		                           : NULL;
		struct exp_jit_file file = {.what = "jitdump",
		                            .path = path,
		                            .is_told = 1,
		                            .size_max = JITDUMP_SIZE_MAX,
		                            .read = exp_jitdump_read};

		if (!path || path[0] != '/')
			continue;
		file.name = exp_arena_printf(&experiment->arena, FMT_FILE_JITDUMP, ++count);
		rc = !file.name ? -ENOMEM : take(context, &file);
	}
	return rc;
}

int exp_jit_each(struct experiment *experiment,
                 int (*take)(void *context, const struct exp_jit_file *file), void *context)
{
	struct exp_jit_file map = {
		.what = "perf map",
		.name = FMT_FILE_PERF_MAP,
		.size_max = PERF_MAP_SIZE_MAX,
		.read = exp_perfmap_read,
	};
	int rc = each_jitdump(experiment, take, context);

	for (size_t i = 0; i < experiment->info.event_count; i++)
		map.is_told |= strcmp(experiment->info.events[i].kind, "perf_map") == 0;
	map.path = exp_arena_printf(&experiment->arena, "/tmp/perf-%lld.map",
	                            (long long)experiment->info.pid);
	if (rc == 0)
		rc = !map.path ? -ENOMEM : take(context, &map);
	return rc;
}

/* Process ids are used again: the file must have been written while this process ran. */
static int is_of_its_time(const struct experiment *experiment, const struct stat *st)
{
	const struct exp_info *info = &experiment->info;
	double start_s = (double)info->start_real_ns * 1e-9;
	double written_s = (double)st->st_mtim.tv_sec + (double)st->st_mtim.tv_nsec * 1e-9;

	if (!info->is_attached && written_s < start_s - TICK_S)
		return 0;
	if (info->status == EXP_EXECED) /* the next image has the same number */
		return written_s <= start_s + info->duration_s;
	return info->status != EXP_ENDED || written_s <= start_s + info->duration_s + END_S;
}

int exp_jit_open_original(const struct experiment *experiment, const struct exp_jit_file *file)
{
	int fd = open(file->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st, own;
	int rc = 0, directory;

	if (fd < 0)
		return errno == ELOOP ? -ENOENT : -errno;
	directory = exp_directory_get(experiment);
	if (fstat(fd, &st) != 0 || fstat(directory, &own) != 0 || !S_ISREG(st.st_mode) ||
	    st.st_uid != own.st_uid || !is_of_its_time(experiment, &st) ||
	    !exp_is_of_this_boot(experiment))
		rc = -ENOENT;
	else if ((uint64_t)st.st_size > file->size_max)
		rc = -EFBIG;
	exp_directory_put(experiment, directory);
	if (rc == 0)
		return fd;
	close(fd);
	return rc;
}

int exp_jit_open_text(const struct experiment *experiment, const char *file)
{
	struct exp_jit_file original = {.path = file, .size_max = JITDUMP_SIZE_MAX};

	return file[0] == '/' ? exp_jit_open_original(experiment, &original)
	                      : exp_own_file_open(experiment, file);
}

static int say_read(const struct exp_jit_file *file, const struct exp_jit_reader *reader)
{
	struct experiment *experiment = reader->dynamic->experiment;
	char skipped[64] = "";

	if (reader->skipped > 0)
		snprintf(skipped, sizeof(skipped), ", %zu entries without sense", reader->skipped);
	return exp_jit_say(experiment,
	                   exp_arena_printf(&experiment->arena, "%s: %zu functions%s%s%s",
	                                    file->what, reader->functions, skipped,
	                                    reader->fault ? "; the rest was not read: " : "",
	                                    reader->fault ? reader->fault : ""));
}

static int read_one(void *context, const struct exp_jit_file *file)
{
	struct exp_jit_reader reader = {.dynamic = context, .file = file->name};
	struct experiment *experiment = reader.dynamic->experiment;
	struct stat st;
	int rc;

	reader.fd = exp_own_file_open(experiment, file->name);
	if (reader.fd == -ENOENT) {
		reader.file = exp_arena_string(&experiment->arena, file->path);
		reader.fd = !reader.file ? -ENOMEM : exp_jit_open_original(experiment, file);
	}
	if (reader.fd == -ENOENT && !file->is_told)
		return 0;
	if (reader.fd == -ENOENT)
		return exp_jit_say(
			experiment,
			exp_arena_printf(&experiment->arena,
		                         "%s: %s does not exist, or is not of this process",
		                         file->what, file->path));
	if (reader.fd < 0)
		return exp_jit_say(experiment,
		                   exp_arena_printf(&experiment->arena, "%s: not read: %s",
		                                    file->what, strerror(-reader.fd)));
	rc = fstat(reader.fd, &st) != 0 ? -errno : 0;
	reader.size = rc == 0 && (uint64_t)st.st_size < file->size_max ? (uint64_t)st.st_size
	                                                               : file->size_max;
	rc = file->read(&reader);
	close(reader.fd);
	return rc == 0 ? say_read(file, &reader) : rc;
}

int exp_jit_read(struct exp_dynamic *dynamic)
{
	return exp_jit_each(dynamic->experiment, read_one, dynamic);
}

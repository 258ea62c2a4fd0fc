/* archive.c: copies the load objects of an experiment, with their separate debug files, into the
 * founder's archives. An archive is a union: the name of a file says what is in it, and its content
 * never changes.
 * See doc/decisions/110-archives.md. */
#include "experiment/archive/archive.h"

#include "experiment/archive/complete.h"
#include "experiment/archive/copy.h"
#include "experiment/archive/logappend.h"
#include "experiment/archive/sources.h"
#include "experiment/base/internal.h"
#include "experiment/base/regexwork.h"
#include "experiment/elf/debugfile.h"
#include "experiment/elf/object.h"
#include "experiment/jit/jitfiles.h"
#include "experiment/open/load.h"
#include "experiment/packed/frame.h"
#include "experiment/packed/pack.h"
#include "experiment/packed/unpack.h"
#include "experiment/table/hash.h"
#include "format/layout.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COMPRESS_LEAST = 16 << 10 /* bytes of a file that is compressed */ };

static const struct what {
	const char *word;
	unsigned objects : 1, sources : 1, used : 1;
} whats[] = {
#define WHAT(name, word, objects, sources, used, meaning) {word, objects, sources, used},
	EXP_ARCHIVE_WHATS(WHAT)
#undef WHAT
};

struct archive {
	struct experiment *experiment;
	const struct exp_archive_options *options;
	int directory; /* that takes the files */
	regex_t match;
	unsigned char *used; /* by object; NULL: all are */
	int failed;          /* files */
};

int exp_archive_parse(const char *word, enum exp_archive_what *out)
{
	for (size_t i = 0; i < sizeof(whats) / sizeof(whats[0]); i++) {
		if (strcmp(word, whats[i].word) == 0) {
			*out = (enum exp_archive_what)i;
			return 0;
		}
	}
	return -EINVAL;
}

int exp_regex_matches(const regex_t *regex, const char *text)
{
	int status = regexec(regex, text, 0, NULL, 0);

	exp_memory_note(status == REG_ESPACE ? ENOMEM : 0);
	return status == 0;
}

static void fail(struct archive *archive, const char *path, const char *what)
{
	char text[1024];

	archive->failed++;
	if (!archive->options->reporter.warn)
		return;
	snprintf(text, sizeof(text), "%.400s: not archived: %.400s: %.100s",
	         archive->experiment->info.path, path, what);
	archive->options->reporter.warn(archive->options->reporter.context, text);
}

static void fail_error(struct archive *archive, const char *path, int error)
{
	fail(archive, path, error == ESTALE ? "the file has changed since" : strerror(error));
}

/* A copy takes the place of one in the other form. */
static void replace(const struct archive *archive, const char *name, const char *packed,
                    int is_packed)
{
	if (archive->options->rewrite)
		unlinkat(archive->directory, is_packed ? name : packed, 0);
}

/* Copy a file, compressed if that is asked for and makes it smaller. Returns 0 or -errno. */
static int copy_file(const struct archive *archive, int file, const char *name)
{
	char packed[EXP_ARCHIVE_NAME_MAX + sizeof(FMT_PACKED_SUFFIX)];
	struct exp_plain_file plain = {.fd = file, .level = EXP_PACK_OBJECTS};
	struct stat st;
	int rc = EXP_PACK_NOT_WORTH, is_packed;

	snprintf(packed, sizeof(packed), "%s" FMT_PACKED_SUFFIX, name);
	if (archive->options->compresses && exp_frames_are_known() && fstat(file, &st) == 0 &&
	    st.st_size >= COMPRESS_LEAST && st.st_size <= EXP_UNPACK_MOST) {
		plain.size = (uint64_t)st.st_size;
		rc = exp_copy_with(file, archive->directory, packed, archive->options->rewrite,
		                   exp_pack_file, &plain);
	}
	is_packed = rc != EXP_PACK_NOT_WORTH;
	if (!is_packed)
		rc = exp_copy(file, archive->directory, name, archive->options->rewrite);
	if (rc == 0)
		replace(archive, name, packed, is_packed);
	return rc;
}

static void archive_under(struct archive *archive, int file, const char *name)
{
	int rc;

	if (!archive->options->rewrite && exp_archived_exists(archive->directory, name))
		return;
	rc = copy_file(archive, file, name);
	if (rc != 0)
		fail_error(archive, name, -rc);
}

/* The file with which the file at a path shares debug information. */
static void archive_shared(struct archive *archive, int file, const char *path)
{
	char name[EXP_ARCHIVE_NAME_MAX];
	struct exp_shared_file shared;
	int fd;

	if (exp_shared_file_link(file, &shared) != 0)
		return;
	fd = exp_shared_file_open(path, &shared);
	if (fd < 0)
		return;
	exp_archive_name(name, shared.name, shared.build_id, ".debug");
	archive_under(archive, fd, name);
	close(fd);
}

/* fd: the object, wherever it is. */
static void archive_debug_file(struct archive *archive, const struct exp_object *object, int fd)
{
	char name[EXP_ARCHIVE_NAME_MAX], path[EXP_PLACE_MAX];
	int debug = exp_debug_file_open(fd, object->path, object->build_id);

	if (debug < 0) {
		archive_shared(archive, fd, object->path);
		return;
	}
	if (exp_descriptor_path(debug, path) == 0)
		archive_shared(archive, debug, path);
	exp_archive_name(name, object->path, object->build_id, ".debug");
	archive_under(archive, debug, name);
	close(debug);
}

/* Has this process not yet searched the debug file of the archived object of this name? Processes
 * of a tree have the same libraries. */
static int is_new(const struct archive *archive, const char *name)
{
	static uint64_t seen[1 << 12];
	const size_t count = sizeof(seen) / sizeof(seen[0]);
	struct stat st = {.st_ino = 0};
	uint64_t hash;

	fstat(archive->directory, &st);
	hash = exp_hash_text(EXP_HASH_START ^ (uint64_t)st.st_ino ^ (uint64_t)st.st_dev << 32,
	                     name) |
	       1;
	if (seen[hash / 2 % count] == hash)
		return 0;
	seen[hash / 2 % count] = hash;
	return 1;
}

/* The debug file of an object that is already archived: it may not have existed then, or the disk
 * may have been full. */
static void archive_rest(struct archive *archive, const struct exp_object *object, const char *name)
{
	struct exp_object_file file = {.fd = -1};
	int fd;

	if (!is_new(archive, name))
		return;
	/* Where the original is, the copy need not be decompressed. */
	fd = object->build_id[0] == '\0' ? -ENOENT
	                                 : exp_object_open_recorded(object->path, object->build_id);
	if (fd < 0 && exp_object_find_archived(archive->experiment, object->path, object->build_id,
	                                       &file) == 0)
		fd = file.fd;
	if (fd < 0)
		return;
	archive_debug_file(archive, object, fd);
	close(fd);
}

/* "[heap]" and the like never had a file. */
static void fail_object(struct archive *archive, const struct exp_object *object, int error)
{
	if (exp_object_is_vdso(object->path))
		fail(archive, object->path, "this kernel has another one");
	else if (object->path[0] == '/')
		fail_error(archive, object->path, error);
}

/* One of the mappings of [start, end) in a process. Only privileged users may open them. */
static int open_mapping(long pid, uint64_t start, uint64_t end)
{
	char path[64 + NAME_MAX];
	const struct dirent *entry;
	int fd = -ENOENT;
	DIR *mappings;

	snprintf(path, sizeof(path), "/proc/%ld/map_files", pid);
	mappings = opendir(path);
	while (mappings && fd < 0 && (entry = readdir(mappings))) {
		uint64_t at = strtoull(entry->d_name, NULL, 16);

		if (entry->d_name[0] == '.' || at < start || at >= end)
			continue;
		snprintf(path, sizeof(path), "/proc/%ld/map_files/%s", pid, entry->d_name);
		fd = exp_path_open(path);
	}
	if (mappings)
		closedir(mappings);
	return fd;
}

/* A file that was deleted or replaced can be read as long as a process runs it: at the end of a
 * recording, the process waits for the archive. Its number may belong to another one by now, but a
 * build-id says what a file is. Returns a descriptor, or -ENOENT. */
static int open_of_process(const struct archive *archive, const struct exp_object *object)
{
	long pid = (long)archive->experiment->info.pid;
	char path[64];
	int fd;

	if (object->build_id[0] == '\0' || exp_object_is_vdso(object->path))
		return -ENOENT;
	snprintf(path, sizeof(path), "/proc/%ld/exe", pid);
	fd = exp_path_open(path);
	fd = exp_object_if_matches(fd < 0 ? -ENOENT : fd, object->build_id);
	if (fd < 0) {
		fd = open_mapping(pid, object->start, object->end);
		fd = exp_object_if_matches(fd < 0 ? -ENOENT : fd, object->build_id);
	}
	return fd;
}

static void archive_object(struct archive *archive, const struct exp_object *object)
{
	char name[EXP_ARCHIVE_NAME_MAX];
	int fd, rc;

	exp_archive_name(name, object->path, object->build_id, "");
	if (!archive->options->rewrite && exp_archived_exists(archive->directory, name)) {
		archive_rest(archive, object, name);
		return;
	}
	fd = exp_object_open_recorded(object->path, object->build_id);
	if (fd < 0 && !exp_archived_exists(archive->directory, name)) {
		int of_process = open_of_process(archive, object);

		fd = of_process < 0 ? fd : of_process;
	}
	if (fd < 0) {
		/* An archived file outlives the one it was copied from. */
		if (!exp_archived_exists(archive->directory, name))
			fail_object(archive, object, -fd);
		return;
	}
	archive_debug_file(archive, object, fd);
	rc = copy_file(archive, fd, name);
	if (rc != 0)
		fail_error(archive, object->path, -rc);
	close(fd);
}

struct exp_archive_needs exp_archive_needs(enum exp_archive_what what)
{
	return (struct exp_archive_needs){.sources = whats[what].sources,
	                                  .used_only = whats[what].used};
}

int exp_archive_find_used(struct experiment *experiment, unsigned char **used)
{
	struct exp_load *load;
	int is_whole, rc = exp_load_stacks(experiment, &load, &is_whole);
	const struct exp_nodes *nodes;

	if (rc != 0)
		return rc;
	nodes = &load->set.nodes;
	*used = malloc(experiment->object_count + 1);
	if (*used)
		memset(*used, !is_whole, experiment->object_count + 1);
	for (size_t i = 0; *used && i < nodes->count; i++) {
		const struct exp_object *object = experiment_object_at(experiment, nodes->pc[i],
		                                                       nodes->generation[i]);

		if (object)
			(*used)[object - experiment->objects] = 1;
	}
	/* Its functions are shown as one, whose name is known. */
	for (size_t i = 0; *used && i < experiment->object_count; i++)
		if (exp_path_is_recorder(experiment->objects[i].path))
			(*used)[i] = 0;
	exp_load_destroy(load);
	return *used ? 0 : -ENOMEM;
}

static void archive_objects(struct archive *archive)
{
	struct experiment *experiment = archive->experiment;

	for (size_t i = 0; i < experiment->object_count; i++) {
		const struct exp_object *object = &experiment->objects[i];

		if (archive->used && !archive->used[i])
			continue;
		if (archive->options->match && !exp_regex_matches(&archive->match, object->path))
			continue;
		archive_object(archive, object);
	}
}

static int is_logged(const struct exp_info *info, const char *warning)
{
	for (size_t i = 0; i < info->event_count; i++)
		for (size_t k = 0; k < info->events[i].attribute_count; k++)
			if (strcmp(info->events[i].attributes[k].name, "text") == 0 &&
			    strcmp(info->events[i].attributes[k].value, warning) == 0)
				return 1;
	return 0;
}

/* The log says why a file is not archived, since no one reads messages at the end of a process.
 * Once, since the experiment of a killed process is archived each time that it is read. */
static void refuse_made(struct archive *archive, const struct exp_jit_file *file, int error)
{
	char text[512];

	fail(archive, file->path, strerror(error));
	snprintf(text, sizeof(text), "%s %.300s was not taken: %s", file->what, file->path,
	         strerror(error));
	if (!is_logged(&archive->experiment->info, text))
		exp_log_append_warning(archive->experiment, text);
}

/* Files about JIT functions go into the experiment itself. */
static int archive_made(void *context, const struct exp_jit_file *file)
{
	struct archive *archive = context;
	int fd, rc;

	if (!archive->options->rewrite &&
	    exp_copy_exists(archive->experiment->directory, file->name))
		return 0;
	fd = exp_jit_open_original(archive->experiment, file);
	if (fd == -ENOENT)
		return 0;
	rc = fd < 0 ? fd
	            : exp_copy(fd, archive->experiment->directory, file->name,
	                       archive->options->rewrite);
	if (fd >= 0)
		close(fd);
	if (rc != 0)
		refuse_made(archive, file, -rc);
	return 0;
}

static void fail_source(void *context, const char *path, int error)
{
	fail_error(context, path, error);
}

/* Open the founder's archives and, if one is asked for, the common archive that they then name. */
static int open_directory(struct archive *archive, struct exp_cause *cause)
{
	const char *founder = archive->experiment->founder;
	int directory = open(founder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int archives = directory < 0 ? -errno : exp_copy_subdirectory(directory, FMT_DIR_ARCHIVES);
	int rc = archives < 0 ? archives : 0;

	if (directory >= 0)
		close(directory);
	archive->directory = archives;
	if (rc == 0 && archive->options->common) {
		char *common = realpath(archive->options->common, NULL);

		archive->directory = !common ? -1
		                             : open(common, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		rc = archive->directory < 0 ? -errno
		                            : exp_copy_text(common, archives, EXP_ARCHIVE_COMMON);
		free(common);
		close(archives);
	}
	if (rc != 0)
		snprintf(cause->text, sizeof(cause->text), "%.250s: cannot write %.100s: %s",
		         archive->experiment->info.path,
		         archive->options->common != NULL && archives >= 0
		                 ? archive->options->common
		                 : FMT_DIR_ARCHIVES,
		         strerror(-rc));
	else
		exp_copy_sweep(archive->experiment->directory);
	return rc;
}

int exp_archive_is_own(const struct experiment *experiment)
{
	struct stat founder, own;
	int directory = exp_directory_get(experiment);
	int is_own = stat(experiment->founder, &founder) == 0 && fstat(directory, &own) == 0 &&
	             founder.st_uid == geteuid() && own.st_uid == geteuid();

	exp_directory_put(experiment, directory);
	return is_own;
}

static int run(struct archive *archive, struct exp_cause *cause)
{
	const struct what *what = &whats[archive->options->what];
	int rc = open_directory(archive, cause);

	exp_memory_lacked();
	if (rc == 0 && what->used)
		rc = exp_archive_find_used(archive->experiment, &archive->used);
	if (rc == 0)
		archive_objects(archive);
	if (rc == 0)
		rc = exp_jit_each(archive->experiment, archive_made, archive);
	if (rc == 0 && what->sources)
		rc = exp_sources_archive(archive->experiment,
		                         &(struct exp_sources_target){archive->directory,
		                                                      archive->options->rewrite,
		                                                      fail_source, archive});
	if (rc == 0 && exp_memory_lacked())
		rc = -ENOMEM;
	if (rc != 0 && cause->text[0] == '\0')
		snprintf(cause->text, sizeof(cause->text), "%.250s: cannot archive: %s",
		         archive->experiment->info.path, strerror(-rc));
	if (archive->directory >= 0)
		close(archive->directory);
	free(archive->used);
	return rc == 0 ? archive->failed : rc;
}

int experiment_archive(struct experiment *experiment, const struct exp_archive_options *options,
                       struct exp_cause *cause)
{
	struct archive archive = {.experiment = experiment, .options = options, .directory = -1};
	char why[EXP_REGEX_WHY];
	int rc, held;

	cause->text[0] = '\0';
	if (!whats[options->what].objects)
		return 0;
	if (experiment->info.status == EXP_RUNNING) {
		snprintf(cause->text, sizeof(cause->text), "%.250s: still being recorded",
		         experiment->info.path);
		return -EBUSY;
	}
	held = exp_directory_hold(experiment);
	if (held < 0) {
		snprintf(cause->text, sizeof(cause->text), "%.250s: %s", experiment->info.path,
		         strerror(-held));
		return held;
	}
	/* Where nothing can be written, nothing is missed. */
	(void)exp_complete(experiment);
	rc = 0;
	if (options->match) {
		rc = exp_regex_compile(&archive.match, options->match, why);
		if (rc == -EINVAL)
			snprintf(cause->text, sizeof(cause->text), "'%.250s': %s", options->match,
			         why);
	}
	if (rc == 0) {
		rc = run(&archive, cause);
		if (options->match)
			regfree(&archive.match);
	}
	exp_directory_let_go(experiment, held);
	return rc;
}

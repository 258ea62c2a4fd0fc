/* verify.c: checks that the load objects of an experiment, their separate debug files and, if they
 * are wanted, the sources of its code are in the founder's own archives: a common archive stays
 * behind when the experiment is moved. The code of JIT functions is in the experiment itself, or
 * nowhere. */
#include "experiment/archive/verify.h"

#include "experiment/archive/copy.h"
#include "experiment/archive/sources.h"
#include "experiment/base/internal.h"
#include "experiment/base/regexwork.h"
#include "experiment/elf/debugfile.h"
#include "experiment/elf/object.h"
#include "experiment/jit/jitfiles.h"
#include "experiment/symbols/sourcename.h"
#include "experiment/table/hash.h"
#include "format/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct exp_verify {
	struct exp_archive_options options;
	int has_what, has_match;
	regex_t match;
	struct exp_verify_counts counts;
	struct exp_arena arena;
	struct exp_hash seen; /* of keys in the arena */
	/* of the experiment that is checked */
	struct experiment *experiment;
	int archives; /* descriptor, -1: there are none */
};

struct exp_verify *exp_verify_create(const struct exp_archive_options *options, int has_what)
{
	struct exp_verify *verify = calloc(1, sizeof(*verify));
	char why[EXP_REGEX_WHY];

	if (!verify)
		return NULL;
	verify->options = *options;
	verify->has_what = has_what;
	verify->archives = -1;
	if (!options->match)
		return verify;
	verify->has_match = exp_regex_compile(&verify->match, options->match, why) == 0;
	if (verify->has_match)
		return verify;
	free(verify);
	return NULL;
}

void exp_verify_destroy(struct exp_verify *verify)
{
	if (!verify)
		return;
	if (verify->has_match)
		regfree(&verify->match);
	exp_hash_fini(&verify->seen);
	exp_arena_fini(&verify->arena);
	free(verify);
}

const struct exp_verify_counts *exp_verify_counts(const struct exp_verify *verify)
{
	return &verify->counts;
}

static void miss(struct exp_verify *verify, const char *path, const char *why)
{
	char text[PATH_MAX + 1024];

	verify->counts.missing++;
	if (!verify->options.reporter.warn)
		return;
	snprintf(text, sizeof(text), "%.400s: %.4000s: %.500s", verify->experiment->founder, path,
	         why);
	verify->options.reporter.warn(verify->options.reporter.context, text);
}

static int is_key(const void *item, const void *wanted)
{
	return strcmp(item, wanted) == 0;
}

/* Is this the first time that something of this founder is met? Returns 1, 0 or -ENOMEM. */
static int is_new(struct exp_verify *verify, const char *path, const char *build_id)
{
	char *key = exp_arena_printf(&verify->arena, "%s\n%s\n%s", verify->experiment->founder,
	                             build_id, path);
	uint64_t hash;

	if (!key)
		return -ENOMEM;
	hash = exp_hash_text(EXP_HASH_START, key);
	if (exp_hash_find(&verify->seen, hash, is_key, key))
		return 0;
	return exp_hash_add(&verify->seen, hash, key) == 0 ? 1 : -ENOMEM;
}

/* ---- objects ---- */

/* Is the archived file in the experiment itself, and not in an archive that several share? */
static int is_own(const struct exp_verify *verify, const char *path)
{
	size_t len = strlen(verify->experiment->founder);

	return strncmp(path, verify->experiment->founder, len) == 0 && path[len] == '/';
}

/* The same is needed of the file with which the file at a path shares debug information. */
static void check_shared(struct exp_verify *verify, int file, const char *path)
{
	char name[EXP_ARCHIVE_NAME_MAX], place[EXP_PLACE_MAX];
	struct exp_shared_file shared;
	int fd = exp_shared_file_link(file, &shared) == 0 ? exp_shared_file_open(path, &shared)
	                                                  : -ENOENT;

	if (fd < 0)
		return;
	exp_archive_name(name, shared.name, shared.build_id, ".debug");
	if ((verify->archives < 0 || !exp_archived_exists(verify->archives, name)) &&
	    is_new(verify, name, "shared") != 0)
		miss(verify, exp_descriptor_path(fd, place) == 0 ? place : shared.name,
		     "debug file: not archived");
	close(fd);
}

/* A debug file that is on this machine must be in the archive. */
static void check_debug_file(struct exp_verify *verify, const struct exp_object *object, int fd)
{
	int debug = exp_debug_file_open(fd, object->path, object->build_id), archived;
	char path[EXP_PLACE_MAX], own[EXP_PLACE_MAX];

	if (debug < 0) {
		check_shared(verify, fd, object->path);
		return;
	}
	if (exp_descriptor_path(debug, path) != 0)
		snprintf(path, sizeof(path), "%.4000s", object->path);
	archived = exp_object_find_archived_debug(verify->experiment, object->path,
	                                          object->build_id,
	                                          EXP_ARCHIVED_PLAIN | EXP_ARCHIVED_PACKED, own);
	if (archived >= 0 && is_own(verify, own))
		verify->counts.debug_files++;
	else
		miss(verify, path,
		     archived >= 0 ? "debug file: only in the common archive"
		                   : "debug file: not archived");
	check_shared(verify, debug, path);
	if (archived >= 0)
		close(archived);
	close(debug);
}

static void check_object(struct exp_verify *verify, const struct exp_object *object)
{
	struct exp_object_file file;
	int rc = exp_object_find_archived(verify->experiment, object->path, object->build_id,
	                                  &file);

	if (rc != 0)
		rc = exp_object_find(verify->experiment, object->path, object->build_id, &file);
	if (rc == 0 && file.archived && is_own(verify, file.path))
		verify->counts.objects++;
	else if (rc == 0)
		miss(verify, object->path,
		     file.archived ? "only in the common archive" : "not archived");
	else
		miss(verify, object->path,
		     exp_object_is_vdso(object->path)
		             ? "not archived, and this kernel has another one"
		     : file.mismatch ? "not archived, and the file has changed since"
		                     : "not archived, and the file is gone");
	if (rc != 0)
		return;
	check_debug_file(verify, object, file.fd);
	close(file.fd);
}

/* "[heap]" and the like never had a file; of them only the vDSO has code. */
static int has_file(const struct exp_object *object)
{
	return object->path[0] == '/' || exp_object_is_vdso(object->path);
}

static int is_wanted(const struct exp_verify *verify, const struct exp_object *object)
{
	return has_file(object) &&
	       (!verify->has_match || exp_regex_matches(&verify->match, object->path));
}

/* used: by object, NULL: all are needed. */
static int check_objects(struct exp_verify *verify, const unsigned char *used)
{
	const struct experiment *experiment = verify->experiment;

	for (size_t i = 0; i < experiment->object_count; i++) {
		const struct exp_object *object = &experiment->objects[i];
		int rc;

		if ((used && !used[i]) || !is_wanted(verify, object))
			continue;
		rc = is_new(verify, object->path, object->build_id);
		if (rc < 0)
			return rc;
		if (rc > 0)
			check_object(verify, object);
	}
	return 0;
}

/* ---- JIT functions ---- */

static void check_function(struct exp_verify *verify, const struct exp_function *function,
                           uint64_t text_size)
{
	if (function->origin != EXP_ORIGIN_ANNOUNCED)
		return; /* files are checked; of other JIT functions, everything that exists is in
		         * the experiment */
	if (function->is_machine && !function->has_text)
		return; /* what a Java machine makes for itself is never kept */
	const char *name = function->name[0] != '\0' ? function->name : "a function without a name";

	if (function->has_text && function->text_offset <= text_size &&
	    function->size <= text_size - function->text_offset)
		verify->counts.functions++;
	else
		miss(verify, name,
		     function->has_text ? FMT_FILE_DYNTEXT ": its code is cut off"
		                        : "its code was not recorded");
}

static void check_functions(struct exp_verify *verify)
{
	const struct exp_function *functions;
	size_t count = experiment_functions(verify->experiment, &functions);
	struct stat st = {.st_size = 0};
	int directory = count > 0 ? exp_directory_get(verify->experiment) : -1;

	if (count > 0 && fstatat(directory, FMT_FILE_DYNTEXT, &st, AT_SYMLINK_NOFOLLOW) != 0)
		st.st_size = 0;
	exp_directory_put(verify->experiment, directory);
	for (size_t i = 0; i < count; i++)
		check_function(verify, &functions[i], (uint64_t)st.st_size);
}

/* A file about JIT functions that would stay behind. */
static int check_made(void *context, const struct exp_jit_file *file)
{
	struct exp_verify *verify = context;
	int fd = exp_own_file_open(verify->experiment, file->name);

	if (fd == -ENOENT && (fd = exp_jit_open_original(verify->experiment, file)) >= 0)
		miss(verify, file->path, "JIT functions: not archived");
	if (fd >= 0)
		close(fd);
	return 0;
}

/* ---- sources ---- */

/* Sources that are not on this machine are not missing, as those of most libraries. */
static int check_source(void *context, const char *path)
{
	struct exp_verify *verify = context;
	char name[PATH_MAX];
	struct stat st;
	int rc, fd;

	if (exp_source_name(name, sizeof(name), path) != 0)
		return 0;
	rc = is_new(verify, name, "source");
	if (rc <= 0)
		return rc;
	if (verify->archives >= 0 &&
	    fstatat(verify->archives, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode)) {
		verify->counts.sources++;
		return 0;
	}
	fd = exp_source_open_original(path);
	if (fd < 0)
		return 0;
	close(fd);
	miss(verify, path, "source: not archived");
	return 0;
}

/* ---- one experiment ---- */

static struct exp_archive_needs needs_of(const struct exp_verify *verify)
{
	enum exp_archive_what what = verify->options.what;

	if (!verify->has_what &&
	    exp_archive_parse(experiment_setting(verify->experiment, "archive", "on"), &what) != 0)
		what = EXP_ARCHIVE_ON; /* as all experiments without the setting were made */
	if (what ==
	    EXP_ARCHIVE_OFF) /* what was not asked for at the time is missing all the same */
		what = EXP_ARCHIVE_DEFAULT;
	return exp_archive_needs(what);
}

static int open_archives(const struct experiment *experiment)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%.3800s/" FMT_DIR_ARCHIVES, experiment->founder);
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Sources that were archived once are wanted, whatever the experiment said. */
static int has_sources(const struct exp_verify *verify)
{
	struct stat st;

	return verify->archives >= 0 &&
	       fstatat(verify->archives, "src", &st, AT_SYMLINK_NOFOLLOW) == 0;
}

int exp_verify_experiment(struct exp_verify *verify, struct experiment *experiment)
{
	size_t before = verify->counts.missing;
	struct exp_archive_needs needs;
	unsigned char *used = NULL;
	int rc = 0;

	exp_memory_lacked();
	verify->experiment = experiment;
	verify->archives = open_archives(experiment);
	needs = needs_of(verify);
	if (needs.used_only)
		rc = exp_archive_find_used(experiment, &used);
	if (rc == 0)
		rc = check_objects(verify, used);
	if (rc == 0)
		check_functions(verify);
	if (rc == 0)
		rc = exp_jit_each(experiment, check_made, verify);
	if (rc == 0 && (needs.sources || has_sources(verify)))
		rc = exp_sources_each(experiment, check_source, verify);
	if (rc == 0 && exp_memory_lacked())
		rc = -ENOMEM;
	free(used);
	if (verify->archives >= 0)
		close(verify->archives);
	verify->archives = -1;
	return rc < 0 ? rc : (int)(verify->counts.missing - before);
}

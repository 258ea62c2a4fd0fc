/* open.c: opens an experiment directory: its type, whether its process lives, its notes and its
 * descendants. */
#include "experiment/base/internal.h"
#include "experiment/base/xmlread.h"
#include "experiment/fxt/fxtindex.h"
#include "experiment/fxt/samplers.h"
#include "experiment/fxt/samples.h"
#include "experiment/open/sampled.h"
#include "experiment/open/load.h"
#include "experiment/open/log.h"
#include "experiment/open/logfile.h"
#include "experiment/open/map.h"
#include "experiment/streams/keep.h"
#include "format/layout.h"
#include "format/lineage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOTES_MAX = 1 << 20, DESCENDANTS_MAX = 1 << 20 };

/* True if a writer holds its lock on log.xml. Asked before the log is read: what an unlocked log
 * lacks will not come any more. */
static int is_locked(int log)
{
	struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};

	return log >= 0 && fcntl(log, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

static int read_notes(struct experiment *experiment)
{
	int fd = exp_own_file_open(experiment, FMT_FILE_NOTES);
	size_t len = 0;
	ssize_t got;
	char *notes;

	if (fd < 0)
		return 0;
	notes = malloc(NOTES_MAX + 1);
	if (!notes) {
		close(fd);
		return -ENOMEM;
	}
	while (len < NOTES_MAX && (got = read(fd, notes + len, NOTES_MAX - len)) > 0)
		len += (size_t)got;
	close(fd);
	experiment->info.notes = exp_arena_text(&experiment->arena, notes, len);
	free(notes);
	return !experiment->info.notes ? -ENOMEM : 0;
}

static int compare_names(const void *a, const void *b)
{
	return lineage_compare(*(const char *const *)a, *(const char *const *)b);
}

static int list_descendants(struct experiment *experiment)
{
	int fd = openat(experiment->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	const char **names = NULL;
	size_t count = 0, capacity = 0;
	struct dirent *entry;
	int rc = 0;

	if (!directory) {
		rc = errno == ENOMEM ? -ENOMEM : 0;
		if (fd >= 0)
			close(fd);
		return rc;
	}
	while (rc == 0 && count < DESCENDANTS_MAX && (entry = readdir(directory)) != NULL) {
		if (!lineage_is_experiment(entry->d_name))
			continue;
		rc = exp_array_reserve(&names, &capacity, count, sizeof(*names));
		if (rc != 0)
			break;
		names[count] = exp_arena_text(&experiment->arena, entry->d_name,
		                              lineage_parse(entry->d_name));
		if (!names[count])
			rc = -ENOMEM;
		else
			count++;
	}
	closedir(directory);
	if (count > 1)
		qsort(names, count, sizeof(*names), compare_names);
	experiment->info.descendants = exp_arena_alloc(&experiment->arena, count * sizeof(*names));
	if (!experiment->info.descendants)
		rc = -ENOMEM;
	else if (count > 0)
		memcpy((void *)experiment->info.descendants, names, count * sizeof(*names));
	experiment->info.descendant_count = count;
	free(names);
	return rc;
}

/* Length of a path without slashes, and components that mean nothing, at its end. */
static size_t trimmed(const char *path)
{
	size_t len = strlen(path);

	while (len > 1 && (path[len - 1] == '/' || (path[len - 1] == '.' && path[len - 2] == '/')))
		len--;
	return len;
}

static int set_names(struct experiment *experiment, const char *path)
{
	size_t len = trimmed(path);
	const char *slash;
	char *own;

	own = exp_arena_text(&experiment->arena, path, len);
	if (!own)
		return -ENOMEM;
	slash = strrchr(own, '/');
	experiment->info.path = own;
	experiment->info.name = !slash || slash[1] == '\0' ? own : slash + 1;
	if (!lineage_is_experiment(experiment->info.name))
		experiment->founder = own;
	else if (!slash)
		experiment->founder = exp_arena_string(&experiment->arena, ".");
	else
		experiment->founder = exp_arena_text(&experiment->arena, own,
		                                     slash == own ? 1 : (size_t)(slash - own));
	return !experiment->founder ? -ENOMEM : 0;
}

/* A descendant is recognized by the name of its directory. If it was reached by another name, a
 * link or ".", its founder is where the directory really is. Returns 0 or -ENOMEM. */
static int find_founder(struct experiment *experiment)
{
	struct exp_info *info = &experiment->info;
	char real[PATH_MAX];
	const char *name = info->name;
	char *slash;

	if (!lineage_is_experiment(name)) {
		if (info->lineage[0] == '\0' || !realpath(info->path, real))
			return 0;
		slash = strrchr(real, '/');
		name = slash + 1;
		if (!lineage_is_experiment(name))
			return 0;
		experiment->founder = exp_arena_text(&experiment->arena, real,
		                                     (size_t)(slash - real));
	}
	if (info->lineage[0] == '\0')
		info->lineage = exp_arena_text(&experiment->arena, name, lineage_parse(name));
	return !experiment->founder || !info->lineage ? -ENOMEM : 0;
}

static int is_empty(int fd)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;
	int empty = 1;

	if (!directory) {
		if (copy >= 0)
			close(copy);
		return 0;
	}
	while (empty && (entry = readdir(directory)) != NULL)
		empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
	closedir(directory);
	return empty;
}

static void set_identity(struct experiment *experiment)
{
	struct stat st;

	if (fstat(experiment->directory, &st) != 0)
		return;
	experiment->info.device = st.st_dev;
	experiment->info.inode = st.st_ino;
}

static int is_link(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

/* A name like that of a descendant in an untrusted directory: a link there may lead to files of
 * other users. */
static int open_directory(struct experiment *experiment, struct exp_cause *cause)
{
	int is_descendant = lineage_is_experiment(experiment->info.name);
	int fd = open(experiment->info.path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC |
	                                             (is_descendant ? O_NOFOLLOW : 0));
	int rc = errno;

	if (fd >= 0) {
		experiment->directory = fd;
		exp_place_offer(experiment->place, fd);
		set_identity(experiment);
		return 0;
	}
	if (is_descendant && is_link(experiment->info.path)) {
		snprintf(cause->text, sizeof(cause->text), "a link, which is not followed");
		return -ELOOP;
	}
	if (rc == ENOENT)
		snprintf(cause->text, sizeof(cause->text), "no such experiment");
	else if (rc == ENOTDIR)
		snprintf(cause->text, sizeof(cause->text), "not an experiment: not a directory");
	else
		snprintf(cause->text, sizeof(cause->text), "%s", strerror(rc));
	return -rc;
}

/* The log of a descendant is there only when it is whole. */
static int is_unfinished_descendant(const struct experiment *experiment)
{
	return lineage_is_experiment(experiment->info.name) &&
	       faccessat(experiment->directory, "../" FMT_FILE_LOG, F_OK, 0) == 0;
}

static int without_log(const struct experiment *experiment, struct exp_cause *cause)
{
	int is_nothing = is_empty(experiment->directory);
	const char *why = is_nothing ? "empty directory"
	                             : "not an experiment: it has no " FMT_FILE_LOG;

	if (is_unfinished_descendant(experiment)) {
		why = "nothing is recorded: the process was killed before its log existed, or is about to begin";
		is_nothing = 1;
	}
	snprintf(cause->text, sizeof(cause->text), "%s", why);
	return is_nothing ? -ENODATA : -EBADMSG;
}

/* By its own log: a process that was just created may have no lock yet. */
static int has_ended(const struct experiment *experiment)
{
	return experiment->info.status == EXP_ENDED || experiment->info.status == EXP_EXECED;
}

static int read_all(struct experiment *experiment, struct exp_cause *cause)
{
	int rc = open_directory(experiment, cause), is_at_work, log, locked;

	if (rc == -ENOTDIR)
		return exp_logfile_open(experiment, cause);
	if (rc != 0)
		return rc;
	log = exp_file_open(experiment->directory, FMT_FILE_LOG);
	locked = is_locked(log);
	experiment->info.status = locked ? EXP_RUNNING : EXP_DIED;
	/* Descendants are sampled into the files of their founder. */
	is_at_work = experiment->info.status == EXP_RUNNING ||
	             (!lineage_is_experiment(experiment->info.name) &&
	              exp_samplers_wait(experiment->directory));
	rc = exp_log_read(experiment, log, cause);
	if (rc == -ENOENT)
		return without_log(experiment, cause);
	if (rc != 0)
		return rc;
	if (!locked && lineage_is_experiment(experiment->info.name) && has_ended(experiment))
		exp_directory_list(experiment);
	if (experiment->info.outside && experiment->info.status == EXP_DIED)
		experiment->info.status = is_at_work ? EXP_RUNNING : EXP_ENDED;
	exp_log_apply_clock(experiment, 0);
	experiment->info.untold = is_at_work || experiment->info.status == EXP_SNAPSHOT
	                                  ? 0
	                                  : exp_samplers_untold(experiment);
	experiment->is_at_work = is_at_work;
	rc = find_founder(experiment);
	if (rc == 0)
		exp_keep_read(experiment);
	if (rc == 0)
		rc = exp_map_read(experiment);
	if (rc == 0)
		rc = read_notes(experiment);
	if (rc == 0 && experiment->founder == experiment->info.path)
		rc = list_descendants(experiment);
	if (rc == 0 && experiment->founder == experiment->info.path &&
	    experiment->info.lineage[0] == '\0')
		rc = exp_sampled_read(experiment);
	if (rc != 0)
		snprintf(cause->text, sizeof(cause->text), "%s", strerror(-rc));
	return rc;
}

static const struct exp_info initial_info = {
	.lineage = "",
	.mpi_rank = -1,
	.mpi_library = "",
	.version = "",
	.exit_code = -1,
	.program = "",
	.object = "",
	.cwd = "",
	.host = "",
	.os = "",
	.release = "",
	.arch = "",
	.cpu_model = "",
	.boot_id = "",
};

/* A descendant without a directory: what its founder knows about it. *founder NULL: it is opened
 * for that. */
static int read_of_founder(const struct experiment *founder, struct experiment *experiment)
{
	struct experiment *opened = NULL;
	struct exp_cause cause;
	int rc = 0;

	if (!founder) {
		rc = experiment_open(experiment->founder, NULL, &opened, &cause);
		founder = opened;
	}
	if (rc == 0)
		rc = exp_sampled_make(founder, experiment);
	if (rc == 0)
		rc = exp_log_inherit(experiment);
	if (rc == 0)
		rc = exp_map_read(experiment);
	experiment_close(opened);
	return rc == -ENOMEM ? rc : rc == 0 ? 0 : -ENOENT;
}

/* founder: NULL, or already open. */
static int open_path(const char *path, const struct experiment *founder,
                     const struct exp_reporter *reporter, struct experiment **out,
                     struct exp_cause *cause)
{
	struct experiment *experiment = calloc(1, sizeof(*experiment));
	struct exp_cause reason = {""};
	int rc = -ENOMEM;

	if (experiment) {
		experiment->directory = -1;
		experiment->info = initial_info;
		experiment->clock.hz = 1e9;
		if (reporter)
			experiment->reporter = *reporter;
		experiment->indexes = exp_fxtindexes_share(!founder ? NULL : founder->indexes);
		experiment->place = exp_place_share(!founder ? NULL : founder->place);
		rc = !experiment->indexes || !experiment->place ? -ENOMEM
		                                                : set_names(experiment, path);
	}
	if (rc == 0)
		rc = read_all(experiment, &reason);
	if (rc == -ENOENT && experiment->directory < 0 &&
	    lineage_is_experiment(experiment->info.name))
		rc = read_of_founder(founder, experiment);
	if (rc == -ENOMEM)
		reason.text[0] = '\0'; /* what it says is older */
	if (rc == 0) {
		if (founder)
			exp_directory_rest(experiment);
		else
			exp_log_lend(experiment);
		*out = experiment;
		return 0;
	}
	snprintf(cause->text, sizeof(cause->text), "%.300s: %.200s", path,
	         reason.text[0] != '\0' ? reason.text : strerror(-rc));
	experiment_close(experiment);
	return rc;
}

int experiment_open(const char *path, const struct exp_reporter *reporter, struct experiment **out,
                    struct exp_cause *cause)
{
	return open_path(path, NULL, reporter, out, cause);
}

int experiment_open_descendant(const struct experiment *founder, const char *lineage,
                               const struct exp_reporter *reporter, struct experiment **out,
                               struct exp_cause *cause)
{
	char path[PATH_MAX + NAME_MAX];

	if (snprintf(path, sizeof(path), "%s/%s" FMT_EXPERIMENT_SUFFIX, founder->info.path,
	             lineage) >= (int)sizeof(path))
		path[0] = '\0';
	return open_path(path, founder, reporter, out, cause);
}

void experiment_close(struct experiment *experiment)
{
	if (!experiment)
		return;
	exp_load_destroy(experiment->load);
	exp_samples_forget(experiment);
	exp_fxtindexes_release(experiment->indexes);
	exp_sampled_forget(experiment);
	exp_logfile_close(experiment);
	free(experiment->methods.methods);
	free(experiment->kernel);
	exp_index_fini(&experiment->kernel_nodes);
	free(experiment->methods.classes);
	exp_arena_fini(&experiment->arena);
	free(experiment->instants);
	if (experiment->directory >= 0 && !exp_place_is(experiment->place, experiment->directory))
		close(experiment->directory);
	exp_place_release(experiment->place);
	free(experiment);
}

/* target.c: the table of targets, and the files that inputs stand in. */
#include "target.h"

#include "experiment/internal.h"
#include "experiment/usertrace.h"
#include "experiment/functrace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const struct fuzz_target fuzz_targets[] = {
#define FILE_TARGET(name, base, file) {#name, file " of an experiment", NULL, #base, file},
#define TARGET(name, what) {#name, what, fuzz_##name, NULL, NULL},
#include "../targets.def"
#undef TARGET
#undef FILE_TARGET
};
const size_t fuzz_target_count = sizeof(fuzz_targets) / sizeof(fuzz_targets[0]);

static char directory[64]; /* of this process, "" before there is one */
static pid_t owner;

static void fail(const char *what)
{
	perror(what);
	exit(2);
}

static void remove_all(void)
{
	char command[128];

	if (owner != getpid())
		return;
	snprintf(command, sizeof(command), "rm -rf '%s'", directory);
	if (system(command) != 0)
		perror(directory);
}

/* Where files are made: in memory if there is a place. */
const char *fuzz_directory(void)
{
	if (directory[0] != '\0')
		return directory;
	snprintf(directory, sizeof(directory), "%s/xer-fuzz-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	if (mkdtemp(directory) == NULL)
		fail(directory);
	owner = getpid();
	atexit(remove_all);
	return directory;
}

const struct fuzz_target *fuzz_find(const char *name)
{
	for (size_t i = 0; i < fuzz_target_count; i++)
		if (strcmp(fuzz_targets[i].name, name) == 0)
			return &fuzz_targets[i];
	return NULL;
}

static void put(int fd, const uint8_t *bytes, size_t size)
{
	if (ftruncate(fd, 0) != 0 || pwrite(fd, bytes, size, 0) != (ssize_t)size || lseek(fd, 0, SEEK_SET) != 0)
		fail("an input");
}

int fuzz_descriptor(const uint8_t *bytes, size_t size)
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("input", MFD_CLOEXEC);
	put(fd, bytes, size);
	return fd;
}

/* The same for a file of our directory, which stays open. */
static void put_file(int *fd, const char *path, const uint8_t *bytes, size_t size)
{
	if (*fd < 0) {
		*fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		if (*fd < 0)
			fail(path);
	}
	put(*fd, bytes, size);
}

const char *fuzz_path(const uint8_t *bytes, size_t size)
{
	static int fd = -1;
	static char path[80];

	if (fd < 0)
		snprintf(path, sizeof(path), "%s/input", fuzz_directory());
	put_file(&fd, path, bytes, size);
	return path;
}

static int visit(void *context, const struct exp_user_event *event)
{
	volatile uint8_t last;

	(void)context;
	if (event->byte_count > 0)
		last = event->bytes[event->byte_count - 1];
	(void)last;
	return 0;
}

unsigned fuzz_complaints;

static void complain(void *context, const char *message)
{
	(void)context;
	FUZZ_ASSERT(message[0] != '\0');
	fuzz_complaints++;
}

static void ask(struct experiment *experiment)
{
	const struct exp_data_set *set;
	int rc = experiment_load(experiment, &set);

	if (rc == 0)
		for (size_t i = 0; i < set->nodes.count; i++) {
			FUZZ_ASSERT(set->nodes.parent[i] == UINT32_MAX || set->nodes.parent[i] < i);
			experiment_object_at(experiment, set->nodes.pc[i], set->nodes.generation[i]);
			experiment_function_at(experiment, set->nodes.pc[i], set->nodes.generation[i]);
		}
	exp_user_events(&experiment, 1, visit, NULL);
}

void fuzz_read_experiment(const char *path)
{
	static const struct exp_reporter reporter = {.warn = complain};
	struct experiment *experiment;
	struct exp_cause cause = {""};

	if (experiment_open(path, &reporter, &experiment, &cause) != 0) {
		FUZZ_ASSERT(cause.text[0] != '\0');
		fuzz_complaints++;
		return;
	}
	ask(experiment);
	experiment_close(experiment);
}

struct experiment *fuzz_blank_experiment(void)
{
	struct experiment *experiment = calloc(1, sizeof(*experiment));

	if (experiment == NULL)
		fail("memory");
	experiment->directory = -1;
	experiment->clock.hz = 1e9;
	experiment->info.path = experiment->info.name = "blank";
	experiment->info.lineage = "";
	return experiment;
}

/* A copy of a golden experiment, in which the target's file is the input. */
static void copy_base(const struct fuzz_target *target, char *path, size_t path_size)
{
	char command[512];

	snprintf(path, path_size, "%s/%s.er", fuzz_directory(), target->name);
	snprintf(command, sizeof(command), "cp -r tests/golden/%s.er '%s' && chmod -R u+w '%s'", target->base, path, path);
	if (system(command) != 0)
		fail("tests/golden");
}

void fuzz_give(const struct fuzz_target *target, const uint8_t *bytes, size_t size)
{
	static const struct fuzz_target *of;
	static char path[128];
	static int fd = -1;
	char file[256];

	if (target->run != NULL) {
		target->run(bytes, size);
		return;
	}
	if (of != target) {
		if (fd >= 0)
			close(fd);
		fd = -1;
		copy_base(target, path, sizeof(path));
		of = target;
	}
	snprintf(file, sizeof(file), "%s/%s", path, target->file);
	put_file(&fd, file, bytes, size);
	fuzz_read_experiment(path);
}

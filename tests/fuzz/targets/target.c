/* target.c: the table of targets, and the files that inputs are put into. */
#include "tests/fuzz/targets/target.h"

#include "experiment/base/internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

const struct fuzz_target fuzz_targets[] = {
#define FILE_TARGET(name, base, file) {#name, file " of an experiment", NULL, #base, file},
#define TARGET(name, what) {#name, what, fuzz_##name, NULL, NULL},
#include "tests/fuzz/targets.def"
#undef TARGET
#undef FILE_TARGET
};
const size_t fuzz_target_count = sizeof(fuzz_targets) / sizeof(fuzz_targets[0]);

static char directory[64]; /* of this process, "" before it is created */
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

/* Where files are created: in memory if possible. */
const char *fuzz_directory(void)
{
	if (directory[0] != '\0')
		return directory;
	snprintf(directory, sizeof(directory), "%s/xer-fuzz-XXXXXX",
	         access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	if (!mkdtemp(directory))
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

/* A number that depends on every byte of an input: the same input gets the same question. */
unsigned fuzz_sum(const uint8_t *bytes, size_t size)
{
	unsigned sum = (unsigned)size;

	for (size_t i = 0; i < size; i++)
		sum = (sum ^ bytes[i]) * 16777619u;
	return sum >> 8;
}

static void put(int fd, const uint8_t *bytes, size_t size)
{
	if (ftruncate(fd, 0) != 0 || pwrite(fd, bytes, size, 0) != (ssize_t)size ||
	    lseek(fd, 0, SEEK_SET) != 0)
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

/* The same for a file in this process's directory, which stays open. */
static void put_file(int *fd, const char *path, const uint8_t *bytes, size_t size)
{
	if (*fd < 0) {
		*fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		if (*fd < 0)
			fail(path);
	}
	put(*fd, bytes, size);
}

const char *fuzz_path(const char *name, const uint8_t *bytes, size_t size)
{
	static char path[128];
	int fd = -1;

	snprintf(path, sizeof(path), "%s/%s", fuzz_directory(), name);
	put_file(&fd, path, bytes, size);
	close(fd);
	return path;
}

char *fuzz_text(const uint8_t *bytes, size_t size)
{
	char *text = malloc(size + 1);

	FUZZ_ASSERT(text != NULL);
	if (size > 0)
		memcpy(text, bytes, size);
	text[size] = '\0';
	return text;
}

struct experiment *fuzz_blank_experiment(void)
{
	struct experiment *experiment = calloc(1, sizeof(*experiment));

	if (!experiment)
		fail("memory");
	experiment->directory = -1;
	experiment->clock.hz = 1e9;
	experiment->info.path = experiment->info.name = "blank";
	experiment->info.lineage = "";
	return experiment;
}

const char *fuzz_base_file(const struct fuzz_target *target)
{
	static char path[512];
	char pattern[256];
	glob_t found;

	snprintf(pattern, sizeof(pattern), "tests/golden/%s.er/%s", target->base, target->file);
	/* If the base lacks the data, the file may be missing. */
	if (glob(pattern, GLOB_NOCHECK, NULL, &found) != 0 || found.gl_pathc != 1)
		fail(pattern);
	snprintf(path, sizeof(path), "%s",
	         found.gl_pathv[0] + strlen("tests/golden/") + strlen(target->base) +
	                 strlen(".er/"));
	globfree(&found);
	return path;
}

/* A copy of a golden experiment, in which the target's file is the input. */
static void copy_base(const struct fuzz_target *target, char *path, size_t path_size)
{
	char command[512];

	snprintf(path, path_size, "%s/%s.er", fuzz_directory(), target->name);
	snprintf(command, sizeof(command), "cp -r tests/golden/%s.er '%s' && chmod -R u+w '%s'",
	         target->base, path, path);
	if (system(command) != 0)
		fail("tests/golden");
}

static const char *limited;

static void too_long(int signal)
{
	(void)signal;
	if (write(STDOUT_FILENO, limited, strlen(limited)) > 0 &&
	    write(STDOUT_FILENO, ": does not end\n", 15) > 0)
		_exit(3);
	_exit(3);
}

void fuzz_limit(const char *name, unsigned seconds)
{
	const struct itimerval limit = {.it_value.tv_sec = seconds};

	limited = name;
	signal(SIGALRM, too_long);
	signal(SIGPROF, too_long);
	/* On a busy machine it is not CPU time that passes. */
	setitimer(ITIMER_PROF, &limit, NULL);
	alarm(10 * seconds);
}

void fuzz_give(const struct fuzz_target *target, const uint8_t *bytes, size_t size)
{
	static const struct fuzz_target *of;
	static char path[128];
	static int fd = -1;
	char file[256];

	if (target->run) {
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
	snprintf(file, sizeof(file), "%s/%s", path, fuzz_base_file(target));
	put_file(&fd, file, bytes, size);
	fuzz_read_experiment(path, fuzz_sum(bytes, size));
}

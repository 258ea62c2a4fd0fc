/* experiment.c: cases of what happens to the experiment while it is written. The runner puts it at
 * ../recorded.er; without a recorder there is none, and nothing happens. */
#include "case.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPERIMENT "../recorded.er"

/* Makes new extents, new files, new descendants, and ends. */
static int goes_on(void)
{
	for (int i = 0; i < 3000; i++)
		mark();
	burn(20);
	return case_fork();
}

static void each(void (*act)(const char *path))
{
	DIR *directory = opendir(EXPERIMENT);
	const struct dirent *entry;
	char path[400];

	while (directory && (entry = readdir(directory)) != NULL) {
		snprintf(path, sizeof(path), EXPERIMENT "/%s", entry->d_name);
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			act(path);
	}
	if (directory)
		closedir(directory);
}

static void delete (const char *path)
{
	if (unlink(path) != 0)
		rmdir(path);
}

int case_experiment_deleted(void)
{
	mark();
	each(delete);
	rmdir(EXPERIMENT);
	return goes_on();
}

int case_experiment_emptied(void)
{
	mark();
	each(delete);
	return goes_on();
}

int case_experiment_moved(void)
{
	mark();
	rename(EXPERIMENT, "../moved.er");
	return goes_on();
}

int case_experiment_moved_and_back(void)
{
	mark();
	rename(EXPERIMENT, "../moved.er");
	for (int i = 0; i < 3000; i++)
		mark();
	rename("../moved.er", EXPERIMENT);
	return goes_on();
}

int case_experiment_replaced_by_a_file(void)
{
	mark();
	if (rename(EXPERIMENT, "../moved.er") == 0)
		close(open(EXPERIMENT, O_CREAT | O_WRONLY, 0600));
	return goes_on();
}

static void forbid(const char *path)
{
	if (chmod(path, 0) != 0)
		_exit(1);
}

/* Only users that are not root notice. */
int case_experiment_forbidden(void)
{
	mark();
	if (geteuid() == 0 && access(EXPERIMENT, F_OK) == 0 && setegid(65534) + seteuid(65534) != 0)
		return CASE_SKIP;
	if (geteuid() != 65534 && access(EXPERIMENT, F_OK) == 0) {
		each(forbid);
		chmod(EXPERIMENT, 0);
	}
	return goes_on();
}

/* The file system is read-only from now on. */
int case_experiment_read_only(void)
{
	if (geteuid() != 0 || unshare(CLONE_NEWNS) != 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		return CASE_SKIP;
	mark();
	if (access(EXPERIMENT, F_OK) == 0 &&
	    (mount(EXPERIMENT, EXPERIMENT, NULL, MS_BIND, NULL) != 0 ||
	     mount(NULL, EXPERIMENT, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL) != 0))
		return 1;
	return goes_on();
}

/* Links and FIFOs have the names of new experiments: the recorder must choose other names. */
int case_experiment_with_planted_files(void)
{
	const char *const planted[] = {EXPERIMENT "/_f1.er", EXPERIMENT "/_f2.er",
	                               EXPERIMENT "/_c1.er"};
	int status;

	if (access(EXPERIMENT, F_OK) == 0 && symlink("../recorded/victim", planted[0]) +
	                                                     symlink("/tmp", planted[1]) +
	                                                     mkfifo(planted[2], 0600) !=
	                                             0)
		return 1;
	mark();
	status = case_fork() + case_fork();
	for (int i = 0; i < 3; i++)
		unlink(planted[i]);
	return status;
}

/* A hard link to another user's file has the name of a data file to be created: the recorder must
 * not write to it. */
int case_experiment_with_a_planted_file(void)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	const char *planted = EXPERIMENT "/.synctrace.new";
	int fd = open("victim", O_CREAT | O_RDWR, 0600);

	dprintf(fd, "mine\n");
	if (access(EXPERIMENT, F_OK) == 0 &&
	    (access(EXPERIMENT "/synctrace", F_OK) == 0 || link("victim", planted) != 0))
		return 1;
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	unlink(planted);
	mark();
	return 0;
}

/* The experiment that a process is recorded into. */
#include "collect/snapshot/recorded.h"
#include "tests/unit/collect/scratch.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct recorded found;
static struct cause cause;
static char here[PATH_MAX];
static pid_t process;

static void enter(void)
{
	scratch_enter();
	cr_assert_not_null(getcwd(here, sizeof(here)));
	found = (struct recorded){.founder = -1};
}

static void leave(void)
{
	if (process > 0) {
		kill(process, SIGKILL);
		waitpid(process, NULL, 0);
	}
	if (found.founder >= 0)
		close(found.founder);
	scratch_leave();
}

TestSuite(recorded, .init = enter, .fini = leave, .timeout = 60);

static void put_log(const char *directory, pid_t pid)
{
	char path[PATH_MAX], text[200];

	mkdir(directory, 0700);
	snprintf(path, sizeof(path), "%s/log.xml", directory);
	snprintf(text, sizeof(text),
	         "<experiment version=\"1.1\">\n<process pid=\"%d\" ppid=\"1\"/>\n", (int)pid);
	scratch_put(path, text, strlen(text), 0600);
}

enum how { BY_DESCRIPTOR, BY_MAPPING, NOT_AT_ALL };

/* A process that has the log of the directory. Its log names `pid`, 0: it. */
static void begin(const char *directory, enum how how, pid_t pid)
{
	int ready[2], go[2];
	char byte;

	cr_assert_eq(pipe(ready), 0);
	cr_assert_eq(pipe(go), 0);
	process = fork();
	if (process == 0) {
		struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
		char path[PATH_MAX];
		int fd;

		snprintf(path, sizeof(path), "%s/log.xml", directory);
		if (read(go[0], &byte, 1) != 1)
			_exit(1);
		fd = how == NOT_AT_ALL ? -1 : open(path, O_RDWR);
		fcntl(fd, F_OFD_SETLK, &lock);
		if (how == BY_MAPPING) {
			(void)mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
			close(fd);
		}
		if (write(ready[1], "x", 1) != 1)
			_exit(1);
		sleep(60);
		_exit(0);
	}
	put_log(directory, pid ? pid : process);
	cr_assert_eq(write(go[1], "x", 1), 1);
	cr_assert_eq(read(ready[0], &byte, 1), 1);
}

static void is_found(const char *directory)
{
	char path[2 * PATH_MAX];
	struct stat there, expected;

	cr_assert_eq(recorded_find(process, &found, &cause), 0, "%s", cause.text);
	snprintf(path, sizeof(path), "%s/%s", here, directory);
	cr_expect_str_eq(found.path, path);
	cr_assert_eq(fstat(found.founder, &there), 0);
	cr_assert_eq(stat(path, &expected), 0);
	cr_expect_eq(there.st_ino, expected.st_ino);
}

Test(recorded, a_process_has_its_log_open)
{
	begin("a.er", BY_DESCRIPTOR, 0);
	is_found("a.er");
	cr_expect(recorded_is_live(found.founder));
}

Test(recorded, or_mapped_where_descriptors_are_few)
{
	begin("a.er", BY_MAPPING, 0);
	is_found("a.er");
	cr_expect(recorded_is_live(found.founder));
}

/* Its log has the number that it has itself, and we see another one. */
Test(recorded, a_process_in_a_namespace_of_its_own)
{
	if (unshare(CLONE_NEWPID) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0)
		cr_skip_test("there are no namespaces of process numbers here");
	begin("a.er", BY_DESCRIPTOR, 1);
	cr_assert_neq(process, 1);
	is_found("a.er");
}

Test(recorded, of_a_descendant_the_founder_is_found)
{
	put_log("a.er", 1);
	begin("a.er/_f1.er", BY_DESCRIPTOR, 0);
	is_found("a.er");
	cr_expect_not(recorded_is_live(found.founder), "its process has ended");
}

Test(recorded, a_name_like_that_of_a_descendant_is_none_without_a_founder)
{
	begin("_f1.er", BY_DESCRIPTOR, 0);
	is_found("_f1.er");
}

static void is_refused(int code, const char *text)
{
	cr_expect_eq(recorded_find(process, &found, &cause), code);
	cr_expect_not_null(strstr(cause.text, text), "%s", cause.text);
}

Test(recorded, who_reads_the_log_of_another_one_is_not_recorded)
{
	begin("a.er", BY_DESCRIPTOR, 1);
	is_refused(CAUSE_FAILED, "is not being recorded");
}

Test(recorded, who_has_none_is_not_recorded)
{
	begin("a.er", NOT_AT_ALL, 0);
	is_refused(CAUSE_FAILED, "is not being recorded");
}

Test(recorded, an_experiment_that_was_deleted_is_said_to_be)
{
	begin("a.er", BY_DESCRIPTOR, 0);
	cr_assert_eq(unlink("a.er/log.xml"), 0);
	is_refused(CAUSE_FAILED, "that was deleted");
}

Test(recorded, a_process_that_has_ended_has_its_experiment)
{
	begin("a.er", BY_DESCRIPTOR, 0);
	kill(process, SIGKILL);
	cr_assert_eq(waitid(P_PID, (id_t)process, NULL, WEXITED | WNOWAIT), 0);
	is_refused(CAUSE_NOT_FOUND, "has ended");
	waitpid(process, NULL, 0);
	is_refused(CAUSE_NOT_FOUND, "there is no process");
	process = 0;
}

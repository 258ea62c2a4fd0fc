/* program.c: see program.h. */
#include "tests/unit/collect/program.h"
#include "tests/unit/collect/scratch.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define IS_PROGRAM "XER_UNIT_PROGRAM"

enum { WORDS_MAX = 64, SIGNALLED = 1000 };

int collect_main(int argc, char **argv);

/* Runs before the test runner, which this copy must not become. */
__attribute__((constructor)) static void become_program(int argc, char **argv)
{
	if (!getenv(IS_PROGRAM))
		return;
	unsetenv(IS_PROGRAM);
	exit(collect_main(argc, argv));
}

void program_install(void)
{
	struct stat st;
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), to;
	off_t at = 0;

	cr_assert(mkdir("bin", 0755) == 0 && mkdir("lib", 0755) == 0 &&
	          mkdir("lib/xer", 0755) == 0);
	to = open("bin/xcollect", O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	cr_assert(from >= 0 && to >= 0 && fstat(from, &st) == 0);
	while (at < st.st_size)
		cr_assert_gt(sendfile(to, from, &at, (size_t)(st.st_size - at)), 0);
	close(from);
	close(to);
	scratch_put("lib/xer/libcollector.so", "", 0, 0644);
}

static char *read_file(const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *text;

	cr_assert(file >= 0 && fstat(file, &st) == 0);
	text = calloc(1, (size_t)st.st_size + 1);
	cr_assert_eq(read(file, text, (size_t)st.st_size), st.st_size);
	close(file);
	unlink(path);
	return text;
}

static void run_child(const char *const *words)
{
	char *argv[WORDS_MAX] = {"bin/xcollect"};
	size_t count = 1;

	for (size_t i = 0; words[i] && count < WORDS_MAX - 1; i++)
		argv[count++] = (char *)words[i];
	dup2(open("run.out", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644), STDOUT_FILENO);
	dup2(open("run.err", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644), STDERR_FILENO);
	setenv(IS_PROGRAM, "1", 1);
	execv(argv[0], argv);
	_exit(127);
}

struct program_run program_run(const char *const *words)
{
	struct program_run run;
	int status;
	pid_t child = fork();

	if (child == 0)
		run_child(words);
	cr_assert_eq(waitpid(child, &status, 0), child);
	run.status = WIFEXITED(status) ? WEXITSTATUS(status) : SIGNALLED + WTERMSIG(status);
	run.out = read_file("run.out");
	run.err = read_file("run.err");
	return run;
}

void program_run_fini(struct program_run *run)
{
	free(run->out);
	free(run->err);
}

/* starve: run a command again and again, with another failing call of the allocator each time.
 *
 * usage: starve LIBRARY FIRST STEP TEMPLATE PROGRAM [ARGUMENT...]
 *
 * LIBRARY is no_memory.so. TEMPLATE is a directory; each run gets a fresh copy of it as `out` in
 * the current directory. The first run has all the memory and shows what is right. Then calls
 * number FIRST, FIRST + STEP, ... fail, each alone and each together with all later ones, until the
 * program makes fewer calls. Each run must end in time, by itself, with a status of at most 3; with
 * 0 if its output and files are right, otherwise with a message about memory. Files in `out` are
 * then complete (as after the first run), unchanged, or not there, except log.xml, which is
 * appended to. Prints what was wrong, and a line of numbers; exits with 1 if something was wrong.
 * See doc/decisions/63-hostile-tests.md. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS = 60, COMPLAINTS_MAX = 20, TELL_FD = 199 };

static unsigned complaints;
static const char *library;
static char **command;

static int run_tool(const char *const *words)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		execvp(words[0], (char *const *)words);
		_exit(127);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0 ? 0 : -1;
}

static void copy_tree(const char *from, const char *to)
{
	if (run_tool((const char *[]){"rm", "-rf", to, NULL}) != 0 ||
	    run_tool((const char *[]){"cp", "-a", from, to, NULL}) != 0) {
		fprintf(stderr, "starve: cannot copy %s to %s\n", from, to);
		exit(2);
	}
}

/* A whole file, mapped; *size is 0 for an empty or missing one. */
static const char *map_file(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *bytes = MAP_FAILED;
	struct stat st;

	*size = 0;
	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0)
		bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	if (bytes == MAP_FAILED)
		return "";
	*size = (size_t)st.st_size;
	return bytes;
}

static int same_files(const char *left, const char *right)
{
	size_t left_size, right_size;
	const char *left_bytes = map_file(left, &left_size),
		   *right_bytes = map_file(right, &right_size);
	int same = access(right, F_OK) == 0 && left_size == right_size &&
	           memcmp(left_bytes, right_bytes, left_size) == 0;

	if (left_size > 0)
		munmap((void *)left_bytes, left_size);
	if (right_size > 0)
		munmap((void *)right_bytes, right_size);
	return same;
}

static char wrong_file[1024];
static const char *template;
static int is_whole; /* compare with the first run only */

static int look_at(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	const char *name = path + strlen("out");
	char good[1024], before[1024];

	(void)walk;
	if (type != FTW_F || !S_ISREG(st->st_mode) || strcmp(name, "/log.xml") == 0)
		return 0;
	snprintf(good, sizeof(good), "good%s", name);
	snprintf(before, sizeof(before), "%s%s", template, name);
	if (same_files(path, good) || (!is_whole && same_files(path, before)))
		return 0;
	snprintf(wrong_file, sizeof(wrong_file), "%s", path);
	return 1;
}

static int look_for(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	char made[1024];

	(void)st;
	(void)walk;
	snprintf(made, sizeof(made), "out%s", path + strlen("good"));
	if (type != FTW_F || access(made, F_OK) == 0)
		return 0;
	snprintf(wrong_file, sizeof(wrong_file), "%s", path);
	return 1;
}

/* Run the command. Returns the wait status, or -1: it did not end. *hit: an allocation failed. */
static int run(long nth, int is_since, int *hit)
{
	int output = open("stdout", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	int errors = open("stderr", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	int ends[2], status = -1;
	char setting[64];
	pid_t pid;
	char byte;

	if (output < 0 || errors < 0 || pipe2(ends, O_CLOEXEC) != 0)
		exit(2);
	pid = fork();
	if (pid == 0) {
		dup2(output, STDOUT_FILENO);
		dup2(errors, STDERR_FILENO);
		dup2(ends[1], TELL_FD);
		snprintf(setting, sizeof(setting), "%ld%s", nth, is_since ? ",since" : "");
		setenv("NO_MEMORY", setting, 1);
		snprintf(setting, sizeof(setting), "%d", TELL_FD);
		setenv("NO_MEMORY_FD", setting, 1);
		setenv("LD_PRELOAD", library, 1);
		alarm(SECONDS); /* survives exec, and ends the program */
		execv(command[0], command);
		_exit(127);
	}
	close(ends[1]);
	if (waitpid(pid, &status, 0) != pid)
		exit(2);
	*hit = read(ends[0], &byte, 1) == 1;
	close(ends[0]);
	close(output);
	close(errors);
	return status;
}

static void put_errors(void)
{
	size_t size;
	const char *text = map_file("stderr", &size);

	fwrite(text, 1, size < 400 ? size : 400, stdout);
	if (size > 0)
		munmap((void *)text, size);
}

static int names_memory(void)
{
	size_t size;
	const char *text = map_file("stderr", &size);
	int named = memmem(text, size, "memory", 6) != NULL;

	if (size > 0)
		munmap((void *)text, size);
	return named;
}

static void complain(long nth, int is_since, int status, const char *what)
{
	complaints++;
	printf("allocation %ld fails%s: %s %s(status %x)\n", nth,
	       is_since ? ", and all behind it" : "", what, wrong_file, (unsigned)status);
	put_errors();
}

static void judge(long nth, int is_since, int status)
{
	wrong_file[0] = '\0';
	is_whole = status == 0;
	if (WIFSIGNALED(status))
		complain(nth, is_since, status,
		         WTERMSIG(status) == SIGALRM ? "it does not end" : "a signal");
	else if (WEXITSTATUS(status) > 3)
		complain(nth, is_since, status, "its status");
	else if (status != 0 && !names_memory())
		complain(nth, is_since, status, "no word about memory");
	else if (status == 0 && !same_files("stdout", "stdout.good"))
		complain(nth, is_since, status, "success, with other output");
	else if (nftw("out", look_at, 16, FTW_PHYS) != 0)
		complain(nth, is_since, status, "a file that is not whole: ");
	else if (status == 0 && nftw("good", look_for, 16, FTW_PHYS) != 0)
		complain(nth, is_since, status, "success without a file: ");
}

int main(int argc, char **argv)
{
	unsigned long runs = 0, coped = 0;
	long nth, step;
	int status, hit = 1;

	if (argc < 6)
		return 2;
	library = argv[1];
	nth = atol(argv[2]);
	step = atol(argv[3]);
	template = argv[4];
	command = argv + 5;
	copy_tree(template, "out");
	status = run(0, 0, &hit);
	if (status != 0) {
		printf("it does not succeed with memory: status %x\n", (unsigned)status);
		put_errors();
		return 1;
	}
	if (rename("stdout", "stdout.good") != 0)
		return 2;
	copy_tree("out", "good");
	for (hit = 1; hit && nth > 0 && step > 0 && complaints < COMPLAINTS_MAX; nth += step)
		for (int is_since = 0; is_since <= 1 && hit; is_since++) {
			copy_tree(template, "out");
			status = run(nth, is_since, &hit);
			if (hit)
				judge(nth, is_since, status);
			runs += (unsigned)hit;
			coped += hit && status == 0;
		}
	printf("%s: %lu runs up to allocation %ld, %lu went on without it, %u wrong\n",
	       command[argc > 6 ? 1 : 0], runs, nth, coped, complaints);
	return complaints > 0;
}

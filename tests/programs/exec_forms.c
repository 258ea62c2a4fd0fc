/* exec_forms: every form of exec.
 *
 * usage: exec_forms fail | FORM
 *
 * Facts: `fail` calls all nine forms for a program that does not exist, prints errno (2) after
 * each, one a line, and exits with 7. Otherwise it executes `/bin/echo one two ""` by that form. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static void become(const char *form, const char *path, const char *name)
{
	char *argv[] = {"echo", "one", "two", "", NULL};

	if (strcmp(form, "execl") == 0)
		execl(path, "echo", "one", "two", "", (char *)NULL);
	else if (strcmp(form, "execlp") == 0)
		execlp(name, "echo", "one", "two", "", (char *)NULL);
	else if (strcmp(form, "execle") == 0)
		execle(path, "echo", "one", "two", "", (char *)NULL, environ);
	else if (strcmp(form, "execv") == 0)
		execv(path, argv);
	else if (strcmp(form, "execvp") == 0)
		execvp(name, argv);
	else if (strcmp(form, "execve") == 0)
		execve(path, argv, environ);
	else if (strcmp(form, "execvpe") == 0)
		execvpe(name, argv, environ);
	else if (strcmp(form, "execveat") == 0)
		execveat(AT_FDCWD, path, argv, environ, 0);
	else if (strcmp(form, "fexecve") == 0) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);

		if (fd >= 0)
			fexecve(fd, argv, environ);
	}
}

int main(int argc, char **argv)
{
	static const char *const forms[] = {"execl",  "execlp",  "execle",  "execv",   "execvp",
	                                    "execve", "execvpe", "fexecve", "execveat"};

	if (argc > 1 && strcmp(argv[1], "fail") != 0) {
		become(argv[1], "/bin/echo", "echo");
		return 1;
	}
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		errno = 0;
		become(forms[i], "/nonexistent/echo", "echo-that-is-nowhere");
		printf("%d\n", errno);
	}
	return 7;
}

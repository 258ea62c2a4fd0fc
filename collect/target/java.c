/* java.c: build the command line of a Java program. See java.h. */
#include "collect/target/java.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { JAVA_ARGUMENTS = 64 };

static int ends_in(const char *text, const char *end)
{
	size_t size = strlen(text), end_size = strlen(end);

	return size > end_size && strcmp(text + size - end_size, end) == 0;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The Java machine in a directory of a JDK, or at a path that is the machine itself. */
static const char *machine_of(const char *path)
{
	static char file[PATH_MAX];
	struct stat status;

	if (stat(path, &status) < 0 || !S_ISDIR(status.st_mode))
		return path;
	snprintf(file, sizeof(file), "%s/bin/java", path);
	return file;
}

static const char *find_machine(const struct request *request)
{
	static const char *const variables[] = {"JDK_HOME", "JAVA_PATH"};

	if (request->java_path)
		return machine_of(request->java_path);
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *home = getenv(variables[i]);

		if (home && *home)
			return machine_of(home);
	}
	return "java";
}

/* A command line that is being made. */
struct line {
	char **argv;
	size_t count;
};

static void put(struct line *line, const char *argument)
{
	line->argv[line->count++] = (char *)argument;
}

static int out_of_memory(struct cause *cause)
{
	return cause_set(cause, CAUSE_FAILED, "out of memory");
}

/* The arguments of -J. Returns 0, or an exit code with `cause`, as the next one does. */
static int put_arguments(struct line *line, const char *text, struct cause *cause)
{
	char *copy;
	size_t count = 0;

	if (!text)
		return 0;
	copy = strdup(text);
	if (!copy)
		return out_of_memory(cause);
	for (char *at = strtok(copy, " \t"); at; at = strtok(NULL, " \t")) {
		if (++count > JAVA_ARGUMENTS) {
			free(copy);
			return cause_set(cause, CAUSE_FAILED, "-J can have %d arguments at most",
			                 JAVA_ARGUMENTS);
		}
		put(line, at);
	}
	return 0;
}

/* FILE.class is the class FILE in the directory where it is. */
static int put_class(struct line *line, const char *path, struct cause *cause)
{
	const char *base = base_of(path);
	char *directory = base == path ? strdup(".") : strndup(path, (size_t)(base - path));
	char *class = strndup(base, strlen(base) - strlen(".class"));

	if (!directory || !class) {
		free(directory);
		free(class);
		return out_of_memory(cause);
	}
	put(line, "-cp");
	put(line, directory);
	put(line, class);
	return 0;
}

int java_command(const struct request *request, char ***argv, struct cause *cause)
{
	char **given = request->target;
	int is_jar = ends_in(given[0], ".jar"), is_class = ends_in(given[0], ".class");
	struct line line = {.count = 0};
	size_t count = 0;
	int error;

	*argv = given;
	if (!is_jar && !is_class && !request->java_path && !request->java_arguments)
		return 0;
	if (!is_jar && !is_class && strcmp(base_of(given[0]), "java") != 0)
		return cause_set(
			cause, CAUSE_FAILED,
			"%s is no Java program (java, FILE.class or FILE.jar), which -J and -j PATH are for",
			given[0]);
	while (given[count])
		count++;
	line.argv = calloc(count + JAVA_ARGUMENTS + 5, sizeof(*line.argv));
	if (!line.argv)
		return out_of_memory(cause);
	put(&line, is_jar || is_class || request->java_path ? find_machine(request) : given[0]);
	error = put_arguments(&line, request->java_arguments, cause);
	if (error == 0 && is_class)
		error = put_class(&line, given[0], cause);
	if (error != 0) {
		free(line.argv);
		return error;
	}
	if (is_jar) {
		put(&line, "-jar");
		put(&line, given[0]);
	}
	for (size_t i = 1; i < count; i++)
		put(&line, given[i]);
	*argv = line.argv;
	return 0;
}

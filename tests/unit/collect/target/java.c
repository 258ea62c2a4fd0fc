/* java.c: tests of the command lines of Java programs. */
#include "collect/target/java.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static int is_starving;

/* Replaces libc's. */
char *strdup(const char *text)
{
	char *copy = is_starving ? NULL : malloc(strlen(text) + 1);

	return copy ? strcpy(copy, text) : NULL;
}

/* They live until the end of the process. Nobody reads them: volatile, as the compiler would leave
 * them out, and the lines would be leaks. */
static char **volatile lines[16];
static size_t line_count;

/* The command line for {"xcollect", ...}, joined by "|"; NULL: refused. */
static const char *made(char *const *given)
{
	static struct request request;
	static struct cause cause;
	static char text[1024];
	static char *kept[32];
	char **argv;

	for (size_t i = 0; i < 31; i++) {
		kept[i] = given[i];
		if (!given[i])
			break;
	}
	cr_assert_eq(options_parse(kept, &request, &cause), 0, "%s", cause.text);
	if (java_command(&request, &argv, &cause) != 0)
		return NULL;
	lines[line_count++] = argv;
	text[0] = '\0';
	for (; *argv; argv++) {
		strcat(text, *argv);
		strcat(text, argv[1] ? "|" : "");
	}
	return text;
}

#define MADE(...) made((char *[]){"xcollect", __VA_ARGS__, NULL})

static void no_variables(void)
{
	unsetenv("JDK_HOME");
	unsetenv("JAVA_PATH");
}

Test(java, other_programs_are_left_alone, .init = no_variables)
{
	cr_assert_str_eq(MADE("ls", "x.jar"), "ls|x.jar");
	cr_assert_str_eq(MADE("-j", "on", "ls"), "ls");
	cr_assert_str_eq(MADE("java", "-jar", "x.jar"), "java|-jar|x.jar");
	cr_assert(!MADE("-J", "-Xint", "ls"));
	cr_assert(!MADE("-j", "/usr/bin/java", "ls"));
}

Test(java, classes_and_jars_are_run, .init = no_variables)
{
	cr_assert_str_eq(MADE("a/b.jar", "x"), "java|-jar|a/b.jar|x");
	cr_assert_str_eq(MADE("Main.class", "x", "y"), "java|-cp|.|Main|x|y");
	cr_assert_str_eq(MADE("a/b/Main.class"), "java|-cp|a/b/|Main");
	cr_assert_str_eq(MADE("-J", " -Xint  -Dx=y", "Main.class"), "java|-Xint|-Dx=y|-cp|.|Main");
	cr_assert_str_eq(MADE("-J", "-Xint", "/opt/java", "Main"), "/opt/java|-Xint|Main");
}

Test(java, the_machine_can_be_named, .init = no_variables)
{
	cr_assert_str_eq(MADE("-j", "/no/java", "a.jar"), "/no/java|-jar|a.jar");
	cr_assert_str_eq(MADE("-j", "/no/java", "java", "-version"), "/no/java|-version");
	cr_assert_str_eq(MADE("-j", "/tmp", "a.jar"), "/tmp/bin/java|-jar|a.jar");
	setenv("JDK_HOME", "/tmp", 1);
	cr_assert_str_eq(MADE("a.jar"), "/tmp/bin/java|-jar|a.jar");
	cr_assert_str_eq(MADE("-j", "off", "a.jar"), "/tmp/bin/java|-jar|a.jar");
}

Test(java, without_memory_nothing_is_left_out, .init = no_variables)
{
	struct request request = {.target = (char *[]){"java", "Main", NULL},
	                          .java_arguments = "-Xint"};
	struct cause cause = {.exit_code = 0};
	char **argv;

	is_starving = 1;
	cr_expect_eq(java_command(&request, &argv, &cause), CAUSE_FAILED);
	cr_expect_str_eq(cause.text, "out of memory");
	request = (struct request){.target = (char *[]){"Main.class", NULL}};
	cr_expect_eq(java_command(&request, &argv, &cause), CAUSE_FAILED);
	is_starving = 0;
	cr_expect_eq(java_command(&request, &argv, &cause), 0);
	lines[line_count++] = argv;
	cr_expect_str_eq(argv[2], ".");
}

/* Children that the C library makes, which execute a program at once: what they get, and what is in
 * the log. The program is a shell, which writes down what it got. */
#include "tests/unit/libcollector/process/executed.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <wordexp.h>

extern char **environ;

enum { TOO_LONG = 131060 };

#define SCRIPT "printf '%s|%s' \"$OWN\" \"$LD_PRELOAD\" >\"$D/out\"; " WRITE_STEP

static char *const arguments[] = {"sh", "-c", SCRIPT, NULL};

static void setup(void)
{
	set_up_executed("/nowhere:/bin:/usr/bin");
}

static void tear_down(void)
{
	col.is_recorded = col.is_followed = 0;
	atomic_store(&col.switches->recording, 0);
	scratch_remove();
}

TestSuite(spawn, .init = setup, .fini = tear_down, .timeout = 60);

static void gets(const char *own, const char *preload)
{
	char expected[PATH_MAX + 64];

	snprintf(expected, sizeof(expected), "%s|%s", own, preload);
	wrote("out", expected);
}

/* Its maker does not know its number yet. */
static void is_led_to(const char *lineage)
{
	steps_to(lineage, 0, getpid());
}

static void is_left_alone(const char *own)
{
	gets(own, "");
	wrote("step", "");
}

static void notes(const char *kind, const char *attributes)
{
	cr_expect_eq(logged(kind), 1);
	cr_expect_eq(scratch_count("log.xml", attributes), 1, "%s", attributes);
}

static void ends(pid_t pid)
{
	int status;

	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert_eq(status, 0);
}

static void spawns(const char *path, char *const *envp)
{
	pid_t pid = 0;
	char attributes[96];

	cr_assert_eq(posix_spawn(&pid, path, NULL, NULL, arguments, envp), 0);
	ends(pid);
	snprintf(attributes, sizeof(attributes), " pid=\"%d\" lineage=\"_c1\" path=\"%s\"/>",
	         (int)pid, path);
	notes("posix_spawn", attributes);
}

Test(spawn, posix_spawn_leads_on)
{
	spawns("/bin/sh", given);
	gets("mine", library);
	is_led_to("_c1");
}

Test(spawn, posix_spawnp_leads_on)
{
	pid_t pid = 0;

	cr_assert_eq(posix_spawnp(&pid, "sh", NULL, NULL, arguments, environ), 0);
	ends(pid);
	gets("environ", library);
	is_led_to("_c1");
	notes("posix_spawn", " lineage=\"_c1\" path=\"sh\"/>");
}

Test(spawn, children_are_counted)
{
	pid_t pid = 0;

	spawns("/bin/sh", given);
	cr_assert_eq(posix_spawn(&pid, "/bin/sh", NULL, NULL, arguments, given), 0);
	ends(pid);
	is_led_to("_c2");
	cr_assert_eq(posix_spawn(NULL, "/bin/sh", NULL, NULL, arguments, given), 0);
	cr_assert_gt(wait(NULL), 0);
	is_led_to("_c3");
}

Test(spawn, a_long_environment_is_led_on_too)
{
	char *much = malloc(20001), *envp[] = {"OWN=mine", much, folder, NULL};

	memset(much, 'x', 20000);
	memcpy(much, "MUCH=", 5);
	much[20000] = '\0';
	spawns("/bin/sh", envp);
	gets("mine", library);
	is_led_to("_c1");
	free(much);
}

/* A variable of the kernel's greatest length has no room for more. */
Test(spawn, a_program_starts_without_us_where_it_would_not_with_us)
{
	char *much = malloc(TOO_LONG + 1), *envp[] = {"OWN=mine", much, folder, NULL};
	char *text;
	pid_t pid = 0;
	size_t len;

	memset(much, ':', TOO_LONG);
	memcpy(much, "LD_PRELOAD=", 11);
	much[TOO_LONG] = '\0';
	cr_assert_eq(posix_spawn(&pid, "/bin/sh", NULL, NULL, arguments, envp), 0);
	ends(pid);
	text = scratch_read("step", &len);
	cr_assert_str_eq(text, "");
	free(text);
	free(much);
}

/* A program that is linked statically, or whatever the kernel does not know. */
Test(spawn, what_cannot_be_recorded_is_told)
{
	char script[2 * PATH_MAX], attributes[2 * PATH_MAX + 64];
	pid_t pid = 0;
	int fd;

	snprintf(script, sizeof(script), "%s/script", col.descriptor.directory);
	fd = open(script, O_CREAT | O_WRONLY | O_CLOEXEC, 0755);
	cr_assert_eq(dprintf(fd, "#!/bin/sh\n%s\n", SCRIPT), (int)strlen(SCRIPT) + 11);
	close(fd);
	cr_assert_eq(posix_spawn(&pid, script, NULL, NULL, arguments, given), 0);
	ends(pid);
	is_led_to("_c1");
	snprintf(attributes, sizeof(attributes), " lineage=\"_c1\" path=\"%s\"/>", script);
	notes("posix_spawn", attributes);
	cr_expect_eq(logged("unrecorded"), 0, "a script is recorded as its interpreter");
}

Test(spawn, calls_that_fail_are_not_noted)
{
	pid_t pid = 7;
	char *bad = NULL;

	memset(&bad, 8, 1); /* no address */
	cr_expect_eq(posix_spawn(&pid, "/no/such", NULL, NULL, arguments, given), ENOENT);
	cr_expect_eq(posix_spawnp(&pid, "no_such", NULL, NULL, arguments, given), ENOENT);
	cr_expect_eq(posix_spawn(&pid, bad, NULL, NULL, arguments, given), EFAULT);
	cr_expect_eq(
		posix_spawn(&pid, "/bin/sh", NULL, NULL, arguments, (char *const *)(void *)bad),
		EFAULT);
	cr_expect_eq(pid, 7);
	cr_expect_eq(logged("posix_spawn"), 0);
}

Test(spawn, who_does_not_suffer_us_is_left_alone)
{
	char *envp[] = {"OWN=mine", folder, "VALGRIND_LAUNCHER=x", NULL};
	pid_t pid = 0;

	cr_assert_eq(posix_spawn(&pid, "/bin/sh", NULL, NULL, arguments, envp), 0);
	ends(pid);
	is_left_alone("mine");
	cr_expect_eq(logged("posix_spawn"), 0);
}

static void all_are_left_alone(void)
{
	pid_t pid = 0;

	cr_assert_eq(posix_spawn(&pid, "/bin/sh", NULL, NULL, arguments, given), 0);
	ends(pid);
	is_left_alone("mine");
	cr_assert_eq(system(SCRIPT), 0);
	is_left_alone("environ");
	cr_expect_eq(logged("posix_spawn"), 0);
	cr_expect_eq(logged("system"), 0);
}

Test(spawn, without_the_library_programs_are_left_alone)
{
	strcat(col.descriptor.preload, "s");
	all_are_left_alone();
}

Test(spawn, who_is_not_followed_is_left_alone)
{
	col.is_followed = 0;
	all_are_left_alone();
}

/* ---- shells */

Test(spawn, system_leads_its_shell_on)
{
	cr_assert_eq(system(SCRIPT), 0);
	gets("environ", library);
	is_led_to("_c1");
	cr_expect_eq(logged("system"), 1);
	cr_expect_null(getenv("LD_PRELOAD"), "it was lent");
	cr_expect_null(getenv(DESCRIPTOR_VARIABLE));
	cr_assert_neq(system(NULL), 0, "there is a shell");
	cr_expect_eq(logged("system"), 1);
	cr_assert_eq(WEXITSTATUS(system("exit 3")), 3);
	cr_expect_eq(scratch_count("log.xml", " lineage=\"_c2\" command=\"exit 3\"/>"), 1);
}

Test(spawn, popen_leads_its_shell_on)
{
	FILE *stream = popen(SCRIPT "; echo done", "r");
	char line[16] = "";

	cr_assert_not_null(stream);
	cr_expect_null(getenv("LD_PRELOAD"), "it was lent");
	cr_assert_not_null(fgets(line, sizeof(line), stream));
	cr_expect_str_eq(line, "done\n");
	cr_assert_eq(pclose(stream), 0);
	gets("environ", library);
	is_led_to("_c1");
	cr_expect_eq(logged("popen"), 1);
}

Test(spawn, wordexp_leads_on_where_it_needs_a_shell)
{
	wordexp_t words;

	cr_assert_eq(wordexp("a $OWN", &words, 0), 0);
	cr_expect_eq(words.we_wordc, 2);
	cr_expect_str_eq(words.we_wordv[1], "environ");
	wordfree(&words);
	cr_expect_eq(logged("wordexp"), 0);
	cr_expect_eq(wordexp("$(echo x)", &words, WRDE_NOCMD), WRDE_CMDSUB);
	cr_expect_eq(logged("wordexp"), 0);
	cr_assert_eq(wordexp("$(" SCRIPT "; echo x)", &words, 0), 0);
	cr_expect_eq(words.we_wordc, 1);
	cr_expect_str_eq(words.we_wordv[0], "x");
	wordfree(&words);
	is_led_to("_c1");
	cr_expect_eq(logged("wordexp"), 1);
	cr_assert_eq(wordexp("`echo y`", &words, 0), 0);
	wordfree(&words);
	cr_expect_eq(logged("wordexp"), 2);
	cr_expect_null(getenv("LD_PRELOAD"), "it was lent");
}

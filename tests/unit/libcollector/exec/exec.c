/* A process that executes another program: what that one gets, and what is in the log, by each
 * function of the family. Children of the test do it; the program is a shell, which writes down
 * what it got. */
#include "libcollector/exec/exec.h"
#include "tests/unit/libcollector/process/executed.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

extern char **environ;

enum { LONG = 20000, TOO_LONG = 131060 };

/* $0, $1, the user's variable and the one to preload; and the descriptor. */
#define SCRIPT \
	"printf '%s|%s|%s|%s' \"$0\" \"$1\" \"$OWN\" \"$LD_PRELOAD\" >\"$D/out\"; " WRITE_STEP

static char garbage[PATH_MAX + 16];
static char *const arguments[] = {"sh", "-c", SCRIPT, "zero", "one", NULL};

static void setup(void)
{
	int fd;

	set_up_executed("/nowhere:/bin");
	snprintf(garbage, sizeof(garbage), "%s/garbage", col.descriptor.directory);
	fd = open(garbage, O_CREAT | O_WRONLY | O_CLOEXEC, 0755);
	cr_assert_eq(write(fd, "\1\2\3", 3), 3);
	close(fd);
}

TestSuite(exec, .init = setup, .fini = scratch_remove, .timeout = 60);

static pid_t child;

/* Run this in a child, which is a recorded process of its own, or shares the test's memory as far
 * as anybody knows. It executes the shell. */
static void run(void (*act)(void), int is_sharer)
{
	int status;

	child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); /* not our own fork */
	if (child == 0) {
		if (!is_sharer)
			col.pid = getpid();
		act();
		_exit(99);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0, "%x", status);
}

static void gets(const char *own, const char *preload)
{
	char expected[PATH_MAX + 64];

	snprintf(expected, sizeof(expected), "zero|one|%s|%s", own, preload);
	wrote("out", expected);
}

/* Nobody leads the new image on. */
static void is_left_alone(const char *own)
{
	gets(own, "");
	wrote("step", "");
}

static void notes(const char *path, const char *lineage)
{
	char text[PATH_MAX + 64];

	snprintf(text, sizeof(text), " path=\"%s\"%s%s%s/>", path, lineage ? " lineage=\"" : "",
	         lineage ? lineage : "", lineage ? "\"" : "");
	cr_expect_eq(logged("exec"), 1);
	cr_expect_eq(scratch_count("log.xml", text), 1, "%s", text);
	cr_expect_eq(logged("exec_error"), 0);
	cr_expect_eq(logged("unrecorded"), 0);
}

static void leads_on(void (*act)(void), const char *path, const char *own)
{
	run(act, 0);
	gets(own, library);
	steps_to("_x1", child, child);
	notes(path, "_x1");
}

/* ---- each function */

static void by_execve(void)
{
	execve("/bin/sh", arguments, given);
}

Test(exec, execve_leads_on)
{
	leads_on(by_execve, "/bin/sh", "mine");
}

static void by_execv(void)
{
	execv("/bin/sh", arguments);
}

Test(exec, execv_leads_on)
{
	leads_on(by_execv, "/bin/sh", "environ");
}

static void by_execvp(void)
{
	execvp("sh", arguments);
}

Test(exec, execvp_leads_on)
{
	leads_on(by_execvp, "sh", "environ");
}

static void by_execvpe(void)
{
	execvpe("sh", arguments, given);
}

Test(exec, execvpe_leads_on)
{
	leads_on(by_execvpe, "sh", "mine");
}

static void by_execl(void)
{
	execl("/bin/sh", "sh", "-c", SCRIPT, "zero", "one", (char *)NULL);
}

Test(exec, execl_leads_on)
{
	leads_on(by_execl, "/bin/sh", "environ");
}

static void by_execlp(void)
{
	execlp("sh", "sh", "-c", SCRIPT, "zero", "one", (char *)NULL);
}

Test(exec, execlp_leads_on)
{
	leads_on(by_execlp, "sh", "environ");
}

static void by_execle(void)
{
	execle("/bin/sh", "sh", "-c", SCRIPT, "zero", "one", (char *)NULL, given);
}

Test(exec, execle_leads_on)
{
	leads_on(by_execle, "/bin/sh", "mine");
}

static void by_fexecve(void)
{
	fexecve(open("/bin/sh", O_RDONLY | O_CLOEXEC), arguments, given);
}

Test(exec, fexecve_leads_on)
{
	leads_on(by_fexecve, "(descriptor)", "mine");
}

static void by_execveat(void)
{
	execveat(open("/bin", O_RDONLY | O_DIRECTORY | O_CLOEXEC), "sh", arguments, given, 0);
}

Test(exec, execveat_leads_on)
{
	leads_on(by_execveat, "sh", "mine");
}

static void by_execveat_of_nothing(void)
{
	execveat(open("/bin/sh", O_RDONLY | O_CLOEXEC), "", arguments, given, AT_EMPTY_PATH);
}

Test(exec, execveat_of_a_descriptor_leads_on)
{
	leads_on(by_execveat_of_nothing, "(descriptor)", "mine");
}

/* ---- the environment */

static void with_a_library(void)
{
	char preload[PATH_MAX + 32], *envp[] = {"OWN=mine", preload, folder, NULL};

	snprintf(preload, sizeof(preload), "LD_PRELOAD=%s", "libdl.so.2");
	execve("/bin/sh", arguments, envp);
}

Test(exec, what_the_program_preloads_stays_behind_ours)
{
	char both[PATH_MAX + 16];

	run(with_a_library, 0);
	snprintf(both, sizeof(both), "%s:libdl.so.2", library);
	gets("mine", both);
	steps_to("_x1", child, child);
}

static char *long_text(const char *name, size_t size)
{
	char *text = malloc(size + 1);

	memset(text, 'x', size);
	memcpy(text, name, strlen(name));
	text[size] = '\0';
	return text;
}

/* It does not fit on the stack; after a call that fails, nothing is left. */
static void with_much(void)
{
	char *much = long_text("LD_PRELOAD=libdl.so.2:", LONG);
	char *envp[] = {"OWN=mine", much, folder, NULL};

	memcpy(much + LONG - 11, ":libdl.so.2", 12);
	for (int i = 0; i < 3; i++)
		if (execve(garbage, arguments, envp) != -1 || errno != ENOEXEC)
			_exit(98);
	execve("/bin/sh", arguments, envp);
}

Test(exec, long_environments_are_led_on_too)
{
	size_t len;
	char *text;

	run(with_much, 0);
	steps_to("_x1", child, child);
	text = scratch_read("out", &len);
	cr_assert_eq(len,
	             strlen("zero|one|mine|") + strlen(library) + 1 + LONG - strlen("LD_PRELOAD="));
	free(text);
	cr_expect_eq(logged("exec_error"), 3);
	cr_expect_eq(logged("exec"), 4);
}

/* A variable of the kernel's greatest length has no room for more. */
static void with_too_much(void)
{
	char *much = long_text("LD_PRELOAD=", TOO_LONG), *envp[] = {"OWN=mine", much, folder, NULL};

	memset(much + 11, ':', TOO_LONG - 11);
	execve("/bin/sh",
	       (char *[]){"sh", "-c",
	                  "printf '%s' \"$" DESCRIPTOR_VARIABLE
	                  "\" >\"$D/step\"; printf '%s' ${#LD_PRELOAD} >\"$D/out\"",
	                  NULL},
	       envp);
}

Test(exec, a_program_starts_without_us_where_it_would_not_with_us)
{
	char size[16], *text;
	size_t len;

	run(with_too_much, 0);
	text = scratch_read("out", &len);
	snprintf(size, sizeof(size), "%d", TOO_LONG - 11);
	cr_assert_str_eq(text, size);
	free(text);
	text = scratch_read("step", &len);
	cr_assert_str_eq(text, "");
	free(text);
}

static void under_valgrind(void)
{
	execve("/bin/sh", arguments, (char *[]){"OWN=mine", folder, "VALGRIND_LAUNCHER=x", NULL});
}

Test(exec, who_does_not_suffer_us_is_left_alone)
{
	run(under_valgrind, 0);
	is_left_alone("mine");
	notes("/bin/sh", NULL);
}

Test(exec, without_the_library_programs_are_left_alone)
{
	strcat(col.descriptor.preload, "s");
	run(by_execve, 0);
	is_left_alone("mine");
	notes("/bin/sh", NULL);
}

Test(exec, who_is_not_followed_is_left_alone)
{
	col.is_followed = 0;
	run(by_execve, 0);
	is_left_alone("mine");
	notes("/bin/sh", NULL);
}

Test(exec, who_is_not_recorded_leads_its_descendants_on)
{
	col.is_recorded = 0;
	atomic_store(&col.switches->recording, 0);
	run(by_execve, 0);
	gets("mine", library);
	steps_to("_x1", child, child);
	cr_expect_eq(logged("exec"), 0);
}

Test(exec, where_nothing_is_recorded_nothing_is_changed)
{
	col.is_recorded = col.is_followed = 0;
	atomic_store(&col.switches->recording, 0);
	run(by_execve, 0);
	is_left_alone("mine");
	cr_expect_eq(logged("exec"), 0);
}

/* ---- calls that fail */

static void fail_all(void)
{
	static char *const *volatile no_list = (char *const *)8; /* NOLINT */
	static const char *volatile no_path = (const char *)8;   /* NOLINT */
	static const char *volatile null;

	if (execve("/no/such", arguments, given) != -1 || errno != ENOENT)
		_exit(1);
	if (execvp("no_such", arguments) != -1 || errno != ENOENT)
		_exit(2);
	if (execve("/etc/passwd", arguments, given) != -1 || errno != EACCES)
		_exit(3);
	if (execve("", arguments, given) != -1 || errno != ENOENT)
		_exit(4);
	if (execveat(AT_FDCWD, "", arguments, given, 0) != -1 || errno != ENOENT)
		_exit(5);
	if (execve("/bin/sh", arguments, no_list) != -1 || errno != EFAULT)
		_exit(6);
	if (execve(no_path, arguments, given) != -1 || errno != EFAULT)
		_exit(7);
	if (execve(null, arguments, given) != -1 || errno != EFAULT)
		_exit(8);
	if (fexecve(0, arguments, (char *const *)(uintptr_t)null) != -1 || errno != EINVAL)
		_exit(9);
	_exit(0);
}

Test(exec, calls_that_must_fail_are_not_noted)
{
	run(fail_all, 0);
	cr_expect_eq(logged("exec"), 0);
	cr_expect_eq(logged("exec_error"), 0);
}

static void fail_late(void)
{
	if (execve(garbage, arguments, given) != -1 || errno != ENOEXEC)
		_exit(1);
	_exit(0);
}

Test(exec, a_call_that_fails_late_is_taken_back)
{
	char text[PATH_MAX + 64];

	run(fail_late, 0);
	cr_expect_eq(logged("exec"), 1);
	cr_expect_eq(logged("exec_error"), 1);
	snprintf(text, sizeof(text), " errno=\"%d\" path=\"%s\"/>", ENOEXEC, garbage);
	cr_expect_eq(scratch_count("log.xml", text), 1);
}

static void say_nothing(void)
{
	col.is_recorded = 0;
	atomic_store(&col.switches->recording, 0);
	fail_late();
}

Test(exec, a_call_that_fails_is_not_noted_without_a_recording)
{
	run(say_nothing, 0);
	cr_expect_eq(logged("exec"), 0);
	cr_expect_eq(logged("exec_error"), 0);
}

/* ---- a child that shares its parent's memory */

/* It tries several files: it is one child. */
static void try_twice(void)
{
	if (execve(garbage, arguments, given) != -1 || errno != ENOEXEC)
		_exit(1);
	execve("/bin/sh", arguments, given);
}

Test(exec, a_child_in_our_memory_has_a_number)
{
	char text[64];

	run(try_twice, 1);
	gets("mine", library);
	steps_to("_f1_x1", child, child);
	cr_expect_eq(logged("vfork"), 1);
	snprintf(text, sizeof(text), " pid=\"%d\" lineage=\"_f1\"", (int)child);
	cr_expect_eq(scratch_count("log.xml", text), 1);
	cr_expect_eq(logged("exec"), 0, "this process goes on");
	cr_expect_eq(logged("exec_error"), 0);
}

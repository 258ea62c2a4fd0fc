/* Tests of what a program that is to be recorded inherits. */
#include "collect/experiment/environment.h"

#include "format/descriptor.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct request request;
static struct installation installation;
static struct cause cause;
static const struct clock_source of_tsc = {.is_tsc = 1, .hz = 2600000000};
static const struct clock_moment start = {.ticks = 123456789};

/* The request points into argv. */
static void parse(char *const *argv)
{
	static char *kept[64];
	size_t count = 0;

	for (; argv[count]; count++)
		kept[count] = argv[count];
	kept[count] = NULL;
	cr_assert_eq(options_parse(kept, &request, &cause), 0, "%s", cause.text);
	strcpy(installation.library, "/x/libcollector.so");
	strcpy(installation.library32, "/x/32/libcollector.so");
	strcpy(installation.archive, "/x/xer_archive");
}
#define PARSE(...) parse((char *[]){"xcollect", __VA_ARGS__, "true", NULL})

/* They live until the end of the process. */
static char *const *lists[16];
static size_t list_count;

static char *const *build(int bits)
{
	lists[list_count++] = environment_build(&installation, &request, &of_tsc, &start,
	                                        "/tmp/test.1.er", bits, &cause);
	return lists[list_count - 1];
}

/* The value of the only variable with this name; NULL: there is none. */
static const char *value_of(char *const *list, const char *name)
{
	const char *value = NULL;
	size_t len = strlen(name);

	for (; *list; list++)
		if (strncmp(*list, name, len) == 0 && (*list)[len] == '=') {
			cr_expect_null(value, "%s twice", name);
			value = *list + len + 1;
		}
	return value;
}

static struct descriptor descriptor_of(char *const *list)
{
	struct descriptor descriptor;

	cr_assert_eq(descriptor_get(value_of(list, DESCRIPTOR_VARIABLE), &descriptor), 0);
	return descriptor;
}

Test(environment, the_library_stands_before_what_the_user_preloads)
{
	PARSE("-p", "on");
	unsetenv("LD_PRELOAD");
	cr_expect_str_eq(value_of(build(64), "LD_PRELOAD"), "/x/libcollector.so");
	cr_expect_str_eq(value_of(build(32), "LD_PRELOAD"), "/x/32/libcollector.so");
	setenv("LD_PRELOAD", "", 1);
	cr_expect_str_eq(value_of(build(64), "LD_PRELOAD"), "/x/libcollector.so");
	setenv("LD_PRELOAD", "/a.so /b.so", 1);
	cr_expect_str_eq(value_of(build(64), "LD_PRELOAD"), "/x/libcollector.so:/a.so /b.so");
	setenv("LD_PRELOAD", "/x/libcollector.so", 1);
	cr_expect_str_eq(value_of(build(64), "LD_PRELOAD"), "/x/libcollector.so");
	setenv("LD_PRELOAD", "/x/libcollector.so:/a.so", 1);
	cr_expect_str_eq(value_of(build(64), "LD_PRELOAD"), "/x/libcollector.so:/a.so");
	setenv("LD_PRELOAD", "/x/libcollector.so.2", 1);
	cr_expect_str_eq(value_of(build(64), "LD_PRELOAD"),
	                 "/x/libcollector.so:/x/libcollector.so.2");
}

Test(environment, everything_else_stays)
{
	size_t count = 0;

	PARSE("-p", "on");
	setenv(DESCRIPTOR_VARIABLE, "of another recording", 1);
	setenv("LD_PRELOADED", "kept", 1);
	setenv("OTHER", "a=b", 1);
	for (char *const *at = build(64); *at; at++)
		count++;
	/* All except the descriptor existed before; LD_PRELOAD is new. */
	for (char **at = environ; *at; at++)
		count--;
	cr_expect_eq(count, getenv("LD_PRELOAD") ? 0 : 1);
	cr_expect_str_eq(value_of(build(64), "LD_PRELOADED"), "kept");
	cr_expect_str_eq(value_of(build(64), "OTHER"), "a=b");
	cr_expect_eq(descriptor_of(build(64)).version, (uint64_t)DESCRIPTOR_VERSION);
}

Test(environment, the_descriptor_says_what_is_recorded)
{
	struct descriptor made;

	PARSE("-p", "hi", "-H", "sampled:64K", "-s", "25,j", "-i", "on", "--omp=on", "-m", "on",
	      "-S", "5", "-y", "USR1", "-l", "USR2", "-x", "-t", "2-3", "-L", "7", "-A", "src",
	      "-F", "=a;b", "-j", "on", "--functrace=f*,depth=3,min=5us,returns=on");
	made = descriptor_of(build(64));
	cr_expect_eq(made.clock_is_tsc, 1);
	cr_expect_eq(made.clock_hz, 2600000000);
	cr_expect_eq(made.start_ticks, 123456789);
	cr_expect_eq(made.profile_us, 997);
	cr_expect_eq(made.heap, 1);
	cr_expect_eq(made.heap_mean, 65536);
	cr_expect_eq(made.io, 1);
	cr_expect_eq(made.sync, 1);
	cr_expect_eq(made.sync_threshold_ns, 25000);
	cr_expect_eq(made.sync_kinds, 2);
	cr_expect_eq(made.omp, 2);
	cr_expect_eq(made.mpi, 1);
	cr_expect_eq(made.sample_ms, 5000);
	cr_expect_eq(made.pause_signal, 10);
	cr_expect_eq(made.sample_signal, 12);
	cr_expect_eq(made.step.paused, 1);
	cr_expect_eq(made.step.stop, 1);
	cr_expect_eq(made.step.pid, (uint64_t)getpid());
	cr_expect_eq(made.from_ms, 2000);
	cr_expect_eq(made.to_ms, 3000);
	cr_expect_eq(made.limit_bytes, 7 << 20);
	cr_expect_eq(made.java, 2);
	cr_expect_eq(made.functrace, 1);
	cr_expect_str_eq(made.functrace_names, "f*");
	cr_expect_eq(made.functrace_depth, 3);
	cr_expect_eq(made.functrace_min_ns, 5000);
	cr_expect_eq(made.functrace_returns, 1);
	cr_expect_str_eq(made.archive, "/x/xer_archive");
	cr_expect_str_eq(made.archive_mode, "src");
	cr_expect_str_eq(made.follow, "=a;b");
	cr_expect_str_eq(made.directory, "/tmp/test.1.er");
	cr_expect_str_eq(made.preload, "/x/libcollector.so");
	cr_expect_str_eq(made.preload32, "/x/32/libcollector.so");
}

Test(environment, the_descriptor_says_which_clock_may_not_be_tried)
{
	static const uint64_t without[] = {
		[PROFILECLOCK_NONE] = 0,    [PROFILECLOCK_PERF] = 0,   [PROFILECLOCK_PARANOID] = 1,
		[PROFILECLOCK_REFUSED] = 1, [PROFILECLOCK_KERNEL] = 1,
	};

	for (unsigned kind = 0; kind < sizeof(without) / sizeof(without[0]); kind++) {
		PARSE("-p", "hi");
		request.clock.kind = kind;
		cr_expect_eq(descriptor_of(build(64)).without_perf, without[kind], "%u", kind);
	}
}

Test(environment, the_descriptor_says_what_is_not)
{
	struct descriptor made;

	PARSE("-p", "off", "-A", "off", "-F", "off", "-j", "off", "--omp=off", "--hooks=off", "-S",
	      "off");
	made = descriptor_of(build(64));
	cr_expect_eq(made.profile_us, 0);
	cr_expect_eq(made.heap, 0);
	cr_expect_eq(made.sync, 0);
	cr_expect_eq(made.mpi, 0);
	cr_expect_eq(made.java, 0);
	cr_expect_eq(made.omp, 0);
	cr_expect_eq(made.user, 0);
	cr_expect_eq(made.user_on, 0);
	cr_expect_eq(made.step.paused, 0);
	cr_expect_eq(made.step.stop, 0);
	cr_expect_str_eq(made.archive, "");
	cr_expect_str_eq(made.follow, "off");
}

Test(environment, data_files_are_compressed_also_where_nothing_is_archived)
{
	struct descriptor made;

	PARSE("-A", "off");
	cr_expect_eq(descriptor_of(build(64)).compress, COMPRESS_ARCHIVES);
	PARSE("-A", "off", "-z", "on");
	made = descriptor_of(build(64));
	cr_expect_eq(made.compress, COMPRESS_ON);
	cr_expect_str_eq(made.archive, "/x/xer_archive");
	cr_expect_str_eq(made.archive_mode, "off");
}

Test(environment, user_events_and_jobs)
{
	struct descriptor made;

	PARSE("-M", "on", "--component=one:010", "--component=two:020:mode=circular:size=2:off",
	      "--trace-signal=HUP", "--trace-start=off");
	made = descriptor_of(build(64));
	cr_expect_eq(made.mpi, 3);
	cr_expect_eq(made.user, 7);
	cr_expect_eq(made.user_on, 2);
	cr_expect_eq(made.user_signal, 1);
	cr_expect_str_eq(made.user_names, "one,two");
	cr_expect_eq(made.java, 1);
	PARSE("-M", "on", "-m", "off");
	cr_expect_eq(descriptor_of(build(64)).mpi, 2);
}

Test(environment, paths_that_are_too_long_are_refused)
{
	static char longest[5000];

	PARSE("-p", "on");
	memset(longest, 'a', sizeof(longest) - 1);
	cr_expect_null(
		environment_build(&installation, &request, &of_tsc, &start, longest, 64, &cause));
	cr_expect_str_eq(cause.text,
	                 "the environment of the program cannot be made: a path is too long");
	cr_expect_eq(cause.exit_code, 125);
	longest[4095] = '\0';
	cr_expect_not_null(
		environment_descriptor(&installation, &request, &of_tsc, &start, longest));
	longest[4095] = 'a';
	longest[4096] = '\0';
	cr_expect_null(environment_descriptor(&installation, &request, &of_tsc, &start, longest));
}

/* ---- the terminal */

/* In a session of its own, whose terminal is another one that stderr leads to. Returns its device
 * number. */
static uint64_t own_terminal(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;
	struct stat status;

	if (setsid() < 0 || master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
		_exit(90);
	slave = open(ptsname(master), O_RDWR);
	if (slave < 0 || ioctl(slave, TIOCSCTTY, 0) != 0 || fstat(slave, &status) != 0)
		_exit(91);
	dup2(slave, STDERR_FILENO);
	return status.st_rdev;
}

static uint64_t told_terminal(void)
{
	struct descriptor made;
	char *text = environment_descriptor(&installation, &request, &of_tsc, &start, "/x/a.er");

	if (!text || descriptor_get(strchr(text, '=') + 1, &made) != 0)
		_exit(92);
	return made.terminal;
}

static int in_a_terminal(void)
{
	uint64_t device = own_terminal();

	if (told_terminal() != device)
		return 1;
	request.experiment_group = "runs.erg";
	if (told_terminal() != 0)
		return 2;
	request.experiment_group = NULL;
	request.attach = 1;
	if (told_terminal() != 0)
		return 3;
	request.attach = 0;
	close(STDERR_FILENO);
	return told_terminal() == 0 ? 0 : 4;
}

Test(environment, the_descriptor_names_the_terminal_of_one_recording_that_begins_here)
{
	pid_t child;
	int status;

	PARSE("-p", "on");
	child = fork();
	if (child == 0)
		_exit(in_a_terminal());
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFEXITED(status));
	cr_expect_eq(WEXITSTATUS(status), 0, "%d", WEXITSTATUS(status));
}

/* ---- where the name of the directory begins */

static uint64_t told_name_at(const char *path)
{
	struct descriptor made;
	char *text = environment_descriptor(&installation, &request, &of_tsc, &start, path);

	cr_assert_not_null(text);
	cr_assert_eq(descriptor_get(strchr(text, '=') + 1, &made), 0);
	return made.name_at;
}

Test(environment, the_descriptor_says_which_part_of_the_path_is_seen_from_here)
{
	char here[PATH_MAX], path[PATH_MAX + 16];

	PARSE("-p", "on");
	cr_assert_not_null(getcwd(here, sizeof(here)));
	snprintf(path, sizeof(path), "%s/test.1.er", here);
	cr_expect_str_eq(path + told_name_at(path), "test.1.er");
	snprintf(path, sizeof(path), "%s/in/test.1.er", here);
	cr_expect_str_eq(path + told_name_at(path), "in/test.1.er");
	snprintf(path, sizeof(path), "%sbeside/test.1.er", here);
	cr_expect_eq(told_name_at(path), 0, "a name that begins alike");
	cr_expect_eq(told_name_at("/elsewhere/test.1.er"), 0);
	cr_assert_eq(chdir("/"), 0);
	cr_expect_eq(told_name_at("/test.1.er"), 0, "all of it");
	cr_assert_eq(chdir(here), 0);
	cr_assert_eq(chdir("/usr"), 0);
	cr_expect_eq(told_name_at("/usr/test.1.er"), 5);
}

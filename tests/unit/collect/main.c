/* Tests of xcollect as a whole: its messages, the files it makes, and the program it becomes. */
#include "format/layout.h"
#include "tests/unit/collect/program.h"
#include "tests/unit/collect/scratch.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char here[256];

static void enter(void)
{
	scratch_enter();
	program_install();
	cr_assert_not_null(getcwd(here, sizeof(here)));
	setenv("HOME", here, 1);
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("LD_PRELOAD");
}

TestSuite(main, .init = enter, .fini = scratch_leave, .timeout = 60);

#define RUN(...) program_run((const char *const[]){__VA_ARGS__, NULL})

static int begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Expect that nothing is printed, `err` is the message, and the status. */
static void refuse(struct program_run run, const char *err, int status)
{
	cr_expect_str_empty(run.out);
	cr_expect(begins(run.err, err), "%s", run.err);
	cr_expect_eq(run.status, status, "%d", run.status);
	program_run_fini(&run);
}

static int exists(const char *path)
{
	return access(path, F_OK) == 0;
}

static void expect_text(const char *path, const char *expected)
{
	char text[4096] = "";
	FILE *file = fopen(path, "r");

	cr_assert(file != NULL, "%s", path);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	cr_expect_str_eq(text, expected, "%s: %s", path, text);
}

Test(main, help_and_version)
{
	struct program_run run = RUN("--version");

	cr_expect_str_eq(run.out, "xcollect (Xer) " XER_VERSION ", format " FMT_VERSION_TEXT "\n");
	cr_expect_eq(run.status, 0);
	program_run_fini(&run);
	run = RUN("--help");
	cr_expect(begins(run.out, "usage: xcollect [option ...] program [argument ...]\n"),
	          "%.200s", run.out);
	cr_expect_eq(run.status, 0);
	program_run_fini(&run);
}

Test(main, slips_are_told_and_nothing_is_made)
{
	refuse(RUN("-p", "x", "true"), "xcollect: -p", 125);
	refuse(RUN("-Z"), "xcollect: ", 125);
	refuse(program_run((const char *const[]){NULL}), "xcollect records what", 125);
	refuse(RUN("-o", "x.er", "/nonexistent/program"), "xcollect: ", 127);
	cr_expect_not(exists("x.er"));
	cr_expect_not(exists("test.1.er"));
}

Test(main, a_recording_is_the_program_itself_with_the_recorder_in_its_environment)
{
	char expected[512];
	struct program_run run = RUN("-C", "one\nline", "-C", "two", "/bin/sh", "-c",
	                             "echo \"$LD_PRELOAD|$1\"; env | grep -c ^XER_RECORD=; exit 7",
	                             "sh", "a b");
	snprintf(expected, sizeof(expected), "%s/lib/xer/libcollector.so|a b\n1\n", here);
	cr_expect_str_eq(run.out, expected, "%s", run.out);
	cr_expect(begins(run.err,
	                 "xcollect: warning: xer_archive is not beside xcollect: nothing will "
	                 "be archived\n"
	                 "Creating experiment directory test.1.er (Process ID: "),
	          "%s", run.err);
	cr_expect_eq(run.status, 7);
	program_run_fini(&run);
	expect_text("test.1.er/notes", "one line\ntwo\n");
	cr_expect(exists("test.1.er/log.xml") && exists("test.1.er/map.xml") &&
	          exists("test.1.er/archives"));
}

Test(main, without_comments_there_are_no_notes)
{
	struct program_run run = RUN("true");

	cr_expect_eq(run.status, 0);
	program_run_fini(&run);
	cr_expect_not(exists("test.1.er/notes"));
}

Test(main, what_is_preloaded_already_stays_behind_the_recorder)
{
	char expected[512], library[300];
	struct program_run run;

	snprintf(library, sizeof(library), "%s/lib/xer/libcollector.so", here);
	setenv("LD_PRELOAD", "/nonexistent/a.so:/nonexistent/b.so", 1);
	run = RUN("/bin/sh", "-c", "echo \"$LD_PRELOAD\"");
	snprintf(expected, sizeof(expected), "%s:/nonexistent/a.so:/nonexistent/b.so\n", library);
	cr_expect_str_eq(run.out, expected, "%s", run.out);
	program_run_fini(&run);
}

Test(main, what_cannot_be_executed_leaves_no_experiment)
{
	scratch_put("odd", "#!/nonexistent/interpreter\n", 27, 0755);
	refuse(RUN("./odd"),
	       "xcollect: ./odd: its interpreter '/nonexistent/interpreter' cannot be executed: No "
	       "such file or directory\n",
	       126);
	cr_expect_not(exists("test.1.er"));
}

Test(main, it_says_that_the_program_will_stop)
{
	struct program_run run = RUN("-x", "true");

	cr_expect(strstr(run.err, "\nThe program will stop before it begins; to let it go on: kill "
	                          "-CONT ") != NULL,
	          "%s", run.err);
	program_run_fini(&run);
}

/* Remove the line that begins with the word. */
static void drop_line(char *text, const char *word)
{
	char line[32], *at;

	snprintf(line, sizeof(line), "\n%-12s ", word);
	at = strstr(text, line);
	cr_assert(at, "%s", text);
	memmove(at, strchr(at + 1, '\n'), strlen(strchr(at + 1, '\n')) + 1);
}

/* A kind of the form CALLS is on or off, and has no settings of its own to show. */
static void drop_calls(char *text)
{
	static const char *const words[] = {
#define DATAKIND(id, number, stream, reader, stage, count, setting, option, word, ...) \
	[number] = (word),
#include "format/datakind.def"
	};
	enum { OWN, CALLS };
	static const struct {
		unsigned kind, form;
	} switches[] = {
#define SWITCH(field, kind, key, form, meaning) {FMT_DATAKIND_##kind, form},
#include "format/datakind.def"
	};

	for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++)
		if (switches[i].form == CALLS)
			drop_line(text, words[switches[i].kind]);
}

/* Where the kernel permits perf events, they are the clock. */
static void drop_clock(char *text)
{
	static const char *const words[] = {" (perf events)", " (CPU timers)"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		char *at = strstr(text, words[i]);

		if (at)
			memmove(at, at + strlen(words[i]), strlen(at + strlen(words[i])) + 1);
	}
}

/* The output of -n, up to the collector's path, and after it. */
static void expect_settings(struct program_run run, const char *expected, const char *bounds)
{
	char *from = strstr(run.err, "\nclock "), *to, *behind;

	cr_assert(from, "%s", run.err);
	drop_calls(from);
	drop_clock(from);
	to = strstr(from, "\ncollector ");
	cr_assert(to, "%s", run.err);
	behind = strchr(to + 1, '\n') + 1;
	to[1] = '\0';
	cr_expect_str_eq(from + 1, expected, "%s", from + 1);
	cr_expect_str_eq(behind, bounds, "%s", behind);
	cr_expect_eq(run.status, 0);
	cr_expect_not(exists("test.1.er"));
	program_run_fini(&run);
}

Test(main, a_dry_run_tells_the_settings)
{
	/* xer_archive is missing. */
	static const char warning[] =
		"xcollect: warning: xer_archive is not beside xcollect: nothing will be archived\n";

	expect_settings(
		RUN("-n", "true"),
		"clock        10007 us\nwall         off\ncounters     off\nheap         off\n"
		"sync         off\nio           off\nomp          stacks\n"
		"mpi          off, launcher off\ncalls        off\nuser         on\n"
		"sampler      0 us (off)\nkernel       off\njava         on\nsamples      1000 ms\n"
		"archive      usedldobjects\ndescendants  on\n",
		warning);
	expect_settings(
		RUN("-n", "-p", "off", "-H", "on", "-s", "all", "-i", "on", "-m", "on", "--omp=on",
	            "-S", "off", "-L", "5", "-t", "1-3", "-y", "USR1,r", "-l", "USR2", "-A", "off",
	            "-F", "=x", "-j", "off", "--hooks=010",
	            "--functrace=f*,depth=3,min=5us,returns=on", "true"),
		"clock        0 us (off)\nwall         off\ncounters     off\nheap         on\n"
		"sync         on, waits of at least 0 ns\nio           on\n"
		"omp          on\nmpi          on, launcher off\n"
		"calls        on, f*, depth 3, calls of at least 5000 ns, returns\n"
		"user         on, some hooks\nsampler      0 us (off)\nkernel       off\njava         off\n"
		"samples      0 ms (off)\narchive      off\ndescendants  =x\n",
		"from         1000 ms\nto           3000 ms\n"
		"pauses       signal 10, recording at the start\nsample       signal 12\n"
		"limit        5 MiB\n");
	expect_settings(
		RUN("-n", "-s", "25,j", "--hooks=off", "--omp=off", "-y", "USR1", "-t", "90s", "-A",
	            "off", "-M", "MPICH", "true"),
		"clock        10007 us\nwall         off\ncounters     off\nheap         off\n"
		"sync         on, waits of at least 25000 ns\nio           off\n"
		"omp          off\nmpi          on, launcher MPICH\ncalls        off\n"
		"user         off\nsampler      0 us (off)\nkernel       off\njava         on\n"
		"samples      1000 ms\narchive      off\ndescendants  on\n",
		"from         0 ms\nto           90000 ms\n"
		"pauses       signal 10, paused at the start\n"
		"xcollect: warning: -M: true is no launcher of MPI jobs that is known "
		"(mpirun, mpiexec, orterun, prterun, srun)\n");
}

Test(main, a_dry_run_tells_what_and_where)
{
	char expected[512];
	struct program_run run = RUN("-n", "-o", "x.er", "/bin/echo", "a b", "c'd");

	cr_expect(begins(run.err, "experiment   x.er\nprogram      /"), "%s", run.err);
	cr_expect(strstr(run.err, "\ncommand      /bin/echo 'a b' 'c'\\''d'\n") != NULL, "%s",
	          run.err);
	snprintf(expected, sizeof(expected), "\ncollector    %s/lib/xer/libcollector.so\n", here);
	cr_expect(strstr(run.err, expected) != NULL, "%s", run.err);
	cr_expect(strstr(run.err, "\nxcollect: warning: xer_archive is not beside xcollect: "
	                          "nothing will be archived\n") != NULL,
	          "%s", run.err);
	program_run_fini(&run);
}

Test(main, an_installation_is_looked_for)
{
	char path[300];

	cr_assert_eq(rename("lib/xer/libcollector.so", "lib/xer/other.so"), 0);
	refuse(RUN("true"),
	       "xcollect: cannot find ../lib/xer/libcollector.so relative to xcollect: "
	       "No such file or directory\n",
	       125);
	/* The loader accepts no path with a blank. */
	cr_assert_eq(mkdir("a b", 0755), 0);
	scratch_put("a b/real.so", "", 0, 0644);
	snprintf(path, sizeof(path), "%s/a b/real.so", here);
	cr_assert_eq(symlink(path, "lib/xer/libcollector.so"), 0);
	struct program_run run = RUN("true");
	cr_expect(strstr(run.err, "the loader cannot preload from a path with blanks, colons or "
	                          "$; install Xer elsewhere\n") != NULL,
	          "%s", run.err);
	cr_expect_eq(run.status, 125);
	program_run_fini(&run);
}

Test(main, the_archiver_is_there_if_it_can_be_executed)
{
	static const char warning[] = "xer_archive is not beside xcollect";
	struct program_run run;

	scratch_put("bin/xer_archive", "#!/bin/sh\n", 10, 0644);
	/* Even a user who may execute everything needs an execute bit. */
	run = RUN("-n", "true");
	cr_expect(strstr(run.err, warning) != NULL, "%s", run.err);
	program_run_fini(&run);
	cr_assert_eq(chmod("bin/xer_archive", 0755), 0);
	run = RUN("-n", "true");
	cr_expect_null(strstr(run.err, warning), "%s", run.err);
	program_run_fini(&run);
	run = RUN("/bin/sh", "-c", "echo \"$XER_RECORD\" | grep -c ';arc=/[^;]*/bin/xer_archive;'");
	cr_expect_str_eq(run.out, "1\n", "%s", run.err);
	program_run_fini(&run);
}

Test(main, warnings_about_jobs_of_mpi)
{
	struct program_run run = RUN("-n", "-M", "on", "true");

	cr_expect(strstr(run.err, "xcollect: warning: -M: true is no launcher of MPI jobs that is "
	                          "known (mpirun, mpiexec, orterun, prterun, srun)\n") != NULL,
	          "%s", run.err);
	cr_expect_null(strstr(run.err, "with -F off"));
	program_run_fini(&run);
	scratch_put("mpirun.odd", "#!/bin/sh\n", 10, 0755);
	run = RUN("-n", "-M", "on", "-F", "off", "./mpirun.odd");
	cr_expect_null(strstr(run.err, "no launcher"), "%s", run.err);
	cr_expect(strstr(run.err, "xcollect: warning: -M: with -F off, the processes of the job "
	                          "are not recorded\n") != NULL,
	          "%s", run.err);
	program_run_fini(&run);
}

/* The next child is the first process of a name space. */
static void make_container(void)
{
	if (unshare(CLONE_NEWPID) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWPID) < 0) {
		scratch_leave();
		cr_skip_test("no namespaces here");
	}
}

Test(main, the_first_process_of_a_container_cannot_have_a_helper_for_a_child)
{
	make_container();
	refuse(RUN("--sampler=1m", "-o", "x.er", "true"),
	       "xcollect: --sampler, -h and -k: not as the first process of a container", 126);
	cr_expect_not(exists("x.er"));
}

Test(main, the_first_process_of_a_container_is_recorded)
{
	struct program_run run;

	make_container();
	run = RUN("-o", "x.er", "true");
	cr_expect_eq(run.status, 0, "%s", run.err);
	cr_expect(exists("x.er/log.xml"));
	program_run_fini(&run);
}

Test(main, groups_are_kept_listed_and_deleted)
{
	struct program_run run = RUN("--group=mine:010,020:two hooks");

	cr_expect_eq(run.status, 0, "%s", run.err);
	program_run_fini(&run);
	run = RUN("--groups");
	cr_expect_str_eq(run.out, "mine - two hooks (user) \"010,020\"\n");
	program_run_fini(&run);
	run = RUN("--delete-group=mine");
	cr_expect_eq(run.status, 0);
	program_run_fini(&run);
	refuse(RUN("--delete-group=mine"), "xcollect: there is no group 'mine'\n", 125);
}

Test(main, an_experiment_group_gets_its_member)
{
	struct program_run run = RUN("-g", "all.erg", "true");

	cr_expect_eq(run.status, 0, "%s", run.err);
	program_run_fini(&run);
	expect_text("all.erg", "#analyzer experiment group\nall.1.er\n");
	scratch_put("odd", "#!/nonexistent/interpreter\n", 27, 0755);
	run = RUN("-g", "all.erg", "./odd");
	program_run_fini(&run);
	expect_text("all.erg", "#analyzer experiment group\nall.1.er\n");
	scratch_put("bad.erg", "nothing\n", 8, 0644);
	run = RUN("-g", "bad.erg", "true");
	cr_expect_eq(run.status, 125, "%s", run.err);
	cr_expect_not(exists("test.2.er"));
	program_run_fini(&run);
}

Test(main, attaching_needs_its_helper_and_a_process)
{
	refuse(RUN("-P", "1"), "xcollect: cannot find ../lib/xer/xer_attach relative to xcollect\n",
	       125);
}

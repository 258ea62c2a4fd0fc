/* Tests of files that are written completely or not at all. */
#include "analyzer/base/outfile.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char directory[] = "/tmp/xer-outfile-XXXXXX";

static void set_up(void)
{
	cr_assert_not_null(mkdtemp(directory));
	cr_assert_eq(chdir(directory), 0);
}

static void tear_down(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", directory);
	cr_assert_eq(system(command), 0);
}

TestSuite(outfile, .init = set_up, .fini = tear_down);

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	fputs(text, file);
	fclose(file);
}

static void expect(const char *path, const char *expected)
{
	char text[64] = "";
	FILE *file = fopen(path, "r");

	if (file) {
		text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
		fclose(file);
	}
	cr_expect_str_eq(file ? text : "nothing", expected);
}

Test(outfile, what_is_whole_stays)
{
	FILE *out = outfile_open("new"), *more;

	fputs("text", out);
	cr_expect_eq(outfile_close(out, 1), 0);
	expect("new", "text");
	more = outfile_append("new");
	fputs("more", more);
	cr_expect_eq(outfile_close(more, 1), 0);
	expect("new", "textmore");
	out = outfile_open("new");
	cr_expect_eq(outfile_close(out, 1), 0);
	expect("new", "");
}

Test(outfile, what_is_not_is_removed_or_gets_its_old_length)
{
	FILE *out = outfile_open("new"), *more;

	fputs("text", out);
	cr_expect_eq(outfile_close(out, 0), 0);
	expect("new", "nothing");
	put("old", "old");
	more = outfile_append("old");
	fputs("more", more);
	fflush(more);
	cr_expect_eq(outfile_close(more, 0), 0);
	expect("old", "old");
	out = outfile_open("old");
	cr_expect_eq(outfile_close(out, 0), 0);
	expect("old", "nothing");
}

Test(outfile, all_that_are_open_are_taken_back_at_once)
{
	FILE *first = outfile_open("first"), *second = outfile_open("second"), *third;

	put("third", "old");
	third = outfile_append("third");
	fputs("text", first);
	fputs("text", second);
	fflush(second);
	fputs("more", third);
	cr_expect_eq(outfile_close(first, 1), 0);
	outfile_take_all_back();
	expect("first", "text");
	expect("second", "nothing");
	expect("third", "old");
	outfile_close(second, 1);
	outfile_close(third, 1);
	expect("third", "old");
}

/* Another file may have the name by now. */
Test(outfile, a_file_of_the_same_name_and_a_link_are_left_alone)
{
	FILE *out = outfile_open("new");

	fputs("text", out);
	cr_assert_eq(rename("new", "moved"), 0);
	put("new", "another's");
	outfile_close(out, 0);
	expect("new", "another's");
	expect("moved", "");
	put("target", "");
	cr_assert_eq(symlink("target", "link"), 0);
	out = outfile_open("link");
	fputs("text", out);
	outfile_close(out, 0);
	expect("link", "");
	cr_expect_eq(access("target", F_OK), 0);
}

Test(outfile, devices_keep_what_they_got)
{
	FILE *out = outfile_open("/dev/null");

	fputs("text", out);
	cr_expect_eq(outfile_close(out, 0), 0);
	cr_expect_eq(access("/dev/null", F_OK), 0);
	out = outfile_open("/dev/full");
	fputs("text", out);
	cr_expect_eq(outfile_close(out, 1), -ENOSPC);
}

Test(outfile, what_cannot_be_opened_says_why)
{
	cr_expect_null(outfile_open("none/file"));
	cr_expect_eq(errno, ENOENT);
	cr_expect_null(outfile_append(directory));
	cr_expect_eq(errno, EISDIR);
}

Test(outfile, other_streams_are_closed_too)
{
	FILE *file = fopen("file", "w");

	fputs("text", file);
	cr_expect_eq(outfile_close(file, 0), 0);
	expect("file", "text");
	cr_expect_eq(outfile_close(stdout, 1), 0);
	cr_expect_geq(fprintf(stdout, "%s", ""), 0);
}

/* ---- files that something else writes by their names */

static size_t count_files(void)
{
	FILE *list = popen("ls -A | wc -l", "r");
	size_t count = 99;

	cr_assert_eq(fscanf(list, "%zu", &count), 1);
	pclose(list);
	return count;
}

Test(outfile, one_that_something_else_writes_is_there_when_it_is_whole)
{
	struct stat st;
	const char *name;
	struct outfile *output;

	put("file", "before");
	cr_assert_eq(chmod("file", 0640), 0);
	cr_assert_eq(symlink("file", "link"), 0);
	output = outfile_begin("link", &name);
	cr_assert_not_null(output);
	put(name, "after");
	expect("file", "before");
	cr_expect_eq(outfile_end(output, 1), 0);
	expect("file", "after");
	cr_expect_eq(stat("file", &st), 0);
	cr_expect_eq(st.st_mode & 0777, 0640);
	cr_expect_eq(count_files(), 2);
	umask(027);
	output = outfile_begin("new", &name);
	cr_expect_eq(outfile_end(output, 1), 0);
	cr_expect_eq(stat("new", &st), 0);
	cr_expect_eq(st.st_mode & 0777, 0640);
}

Test(outfile, one_that_something_else_writes_is_undone)
{
	const char *name, *other;
	struct outfile *output;

	put("file", "before");
	output = outfile_begin("file", &name);
	put(name, "half");
	cr_expect_eq(outfile_end(output, 0), 0);
	expect("file", "before");
	cr_expect_eq(count_files(), 1);
	output = outfile_begin("file", &name);
	cr_assert_not_null(output);
	cr_assert_not_null(outfile_begin("new", &other));
	cr_expect_eq(count_files(), 3);
	outfile_take_all_back();
	cr_expect_eq(count_files(), 1);
	expect("file", "before");
}

Test(outfile, nothing_is_left_if_a_signal_ends_the_program)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	const char *name;

	for (size_t i = 0; i < 3; i++) {
		int status;
		pid_t child = fork();

		if (child == 0) {
			for (size_t k = 0; k < 3; k++)
				signal(signals[k], SIG_DFL);
			if (!outfile_begin("file", &name) || count_files() != 1)
				_exit(1);
			raise(signals[i]);
			_exit(2);
		}
		cr_expect_eq(waitpid(child, &status, 0), child);
		cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == signals[i], "%d", status);
		cr_expect_eq(count_files(), 0);
	}
}

Test(outfile, a_signal_that_is_handled_stays_so)
{
	const char *name;
	struct outfile *output;

	signal(SIGHUP, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	output = outfile_begin("file", &name);
	raise(SIGHUP);
	cr_expect_eq(outfile_end(output, 1), 0);
	cr_expect_eq(signal(SIGHUP, SIG_DFL), SIG_IGN);
	cr_expect_eq(signal(SIGTERM, SIG_DFL), SIG_DFL);
}

Test(outfile, only_a_regular_file_is_replaced)
{
	const char *name;

	cr_assert_eq(mkdir("folder", 0700), 0);
	cr_expect_null(outfile_begin("folder", &name));
	cr_expect_eq(errno, ENOTSUP);
	cr_expect_null(outfile_begin("/dev/null", &name));
	cr_expect_eq(errno, ENOTSUP);
	cr_expect_null(outfile_begin("none/file", &name));
	cr_expect_eq(errno, ENOENT);
	cr_expect_eq(count_files(), 1);
}

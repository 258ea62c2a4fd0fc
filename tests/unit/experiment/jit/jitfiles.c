/* Files that describe JIT functions: which ones may exist, and which ones certainly belong to the
 * process: to its user, its time and this boot. */
#include "experiment/jit/jitfiles.h"

#include "tests/unit/experiment/make_experiment.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { START = 1700000000 };

#define EXIT "<event kind=\"exit\" time=\"11000000000\" code=\"0\"/>\n" /* after 10 s */

static struct maker maker;
static struct experiment *experiment;
static char path[256];
static struct exp_jit_file file = {.what = "jitdump", .path = path, .size_max = 100};

static void set_up(void)
{
	maker_create(&maker);
	snprintf(path, sizeof(path), "%s/file", maker.directory);
}

static void tear_down(void)
{
	experiment_close(experiment);
	maker_destroy(&maker);
}

TestSuite(jitfiles, .init = set_up, .fini = tear_down);

static void open_with(const char *elements)
{
	struct exp_cause cause;

	if (maker_log_of_this_boot(&maker, elements) != 0)
		cr_skip_test("this machine does not tell when it was started");
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0, "%s", cause.text);
}

/* Write the file that many milliseconds after the start. */
static void put_at(int64_t ms)
{
	const struct timespec time = {START + (ms + 100000) / 1000 - 100,
	                              (ms + 100000) % 1000 * 1000000};
	const struct timespec times[2] = {time, time};
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	cr_assert_eq(write(fd, "text", 4), 4);
	close(fd);
	cr_assert_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* The result of opening it: 0 for a descriptor, which is closed. */
static int opened(void)
{
	int fd = exp_jit_open_original(experiment, &file);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* The last tick before the start, and the two seconds after the end, still belong to it. */
Test(jitfiles, a_file_was_written_while_the_process_ran)
{
	static const struct {
		int64_t ms;
		int status;
	} cases[] = {{-1000, -ENOENT}, {-20, -ENOENT}, {-5, 0},         {0, 0},
	             {10000, 0},       {11900, 0},     {12100, -ENOENT}};

	open_with(EXIT);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		put_at(cases[i].ms);
		cr_expect_eq(opened(), cases[i].status, "%ld ms", (long)cases[i].ms);
	}
}

/* The next image has the same pid. */
Test(jitfiles, a_file_of_an_image_was_written_before_the_next)
{
	open_with(
		"<event kind=\"exec\" time=\"11000000000\" path=\"/bin/other\" lineage=\"_x1\"/>\n");
	put_at(9990);
	cr_expect_eq(opened(), 0);
	put_at(10010);
	cr_expect_eq(opened(), -ENOENT);
	put_at(-20);
	cr_expect_eq(opened(), -ENOENT);
}

Test(jitfiles, a_process_that_was_killed_has_no_end)
{
	open_with("");
	put_at(60000);
	cr_expect_eq(opened(), 0);
	put_at(-20);
	cr_expect_eq(opened(), -ENOENT);
}

Test(jitfiles, of_another_boot_nothing_is_left)
{
	maker_log(&maker, EXIT);
	cr_assert_eq(maker_open(&maker, &experiment, &(struct exp_cause){""}), 0);
	put_at(5000);
	cr_expect_eq(opened(), -ENOENT);
}

Test(jitfiles, only_files_of_a_modest_size_are_taken)
{
	open_with("");
	cr_expect_eq(opened(), -ENOENT, "there is none");
	put_at(5000);
	cr_assert_eq(truncate(path, 100), 0);
	cr_expect_eq(opened(), 0);
	cr_assert_eq(truncate(path, 101), 0);
	cr_expect_eq(opened(), -EFBIG);
	cr_assert_eq(unlink(path), 0);
	cr_assert_eq(symlink("elsewhere", path), 0);
	cr_expect_eq(opened(), -ENOENT);
	cr_assert_eq(unlink(path), 0);
	cr_assert_eq(mkfifo(path, 0600), 0);
	cr_expect_eq(opened(), -ENOENT);
	cr_assert_eq(unlink(path), 0);
	cr_assert_eq(mkdir(path, 0700), 0);
	cr_expect_eq(opened(), -ENOENT);
}

Test(jitfiles, a_file_of_somebody_else_is_not_taken)
{
	open_with("");
	put_at(5000);
	if (chown(path, 4711, (gid_t)-1) != 0)
		cr_skip_test("only root can give files away");
	cr_expect_eq(opened(), -ENOENT);
}

Test(jitfiles, text_is_in_the_experiment_or_where_it_was)
{
	int fd;

	open_with("");
	put_at(5000);
	fd = exp_jit_open_text(experiment, path);
	cr_expect_geq(fd, 0);
	close(fd);
	fd = exp_jit_open_text(experiment, "log.xml");
	cr_expect_geq(fd, 0);
	close(fd);
	cr_expect_eq(exp_jit_open_text(experiment, "jit1.dump"), -ENOENT);
}

/* ---- which ones may exist */

static char told[1024];

static int tell(void *context, const struct exp_jit_file *each)
{
	int *left = context;
	size_t used = strlen(told);

	snprintf(told + used, sizeof(told) - used, "%s %s %s%s; ", each->what, each->name,
	         each->path, each->is_told ? " told" : "");
	return --*left == 0 ? -EINTR : 0;
}

Test(jitfiles, are_told_by_the_log_and_the_number_of_the_process)
{
	int most = -1;

	open_with("<event kind=\"jitdump\" time=\"1000000001\" path=\"/a.dump\"/>\n"
	          "<event kind=\"jitdump\" path=\"relative\"/>\n<event kind=\"jitdump\"/>\n"
	          "<event kind=\"other\" path=\"/b.dump\"/>\n"
	          "<event kind=\"jitdump\" path=\"/c.dump\"/>\n");
	cr_expect_eq(exp_jit_each(experiment, tell, &most), 0);
	cr_expect_str_eq(told, "jitdump jit1.dump /a.dump told; jitdump jit2.dump /c.dump told; "
	                       "perf map perf.map /tmp/perf-42.map; ");
	most = 2;
	told[0] = '\0';
	cr_expect_eq(exp_jit_each(experiment, tell, &most), -EINTR);
	cr_expect_str_eq(told, "jitdump jit1.dump /a.dump told; jitdump jit2.dump /c.dump told; ");
}

Test(jitfiles, are_eight_dumps_at_most)
{
	char elements[1024] = "<event kind=\"perf_map\" time=\"1000000100\"/>\n",
	     expected[1024] = "";
	int most = -1;

	for (int i = 1; i <= 9; i++) {
		size_t used = strlen(elements);

		snprintf(elements + used, sizeof(elements) - used,
		         "<event kind=\"jitdump\" path=\"/%d\"/>\n", i);
		used = strlen(expected);
		if (i <= 8)
			snprintf(expected + used, sizeof(expected) - used,
			         "jitdump jit%d.dump /%d told; ", i, i);
	}
	strcat(expected, "perf map perf.map /tmp/perf-42.map told; ");
	open_with(elements);
	cr_expect_eq(exp_jit_each(experiment, tell, &most), 0);
	cr_expect_str_eq(told, expected);
}

Test(jitfiles, one_that_is_gone_is_told_of)
{
	const struct exp_info *info;
	char elements[512], expected[512];

	snprintf(elements, sizeof(elements), "<event kind=\"jitdump\" path=\"%s\"/>\n", path);
	open_with(elements);
	info = experiment_info(experiment);
	cr_assert_eq(info->jit_note_count, 1);
	snprintf(expected, sizeof(expected),
	         "jitdump: %s does not exist, or is not of this process", path);
	cr_expect_str_eq(info->jit_notes[0], expected);
}

Test(jitfiles, one_that_cannot_be_read_is_told_of)
{
	char expected[] = "jitdump: not read: ", own[256];

	snprintf(own, sizeof(own), "%s/jit1.dump", maker.path);
	cr_assert_eq(mkfifo(own, 0600), 0);
	open_with("<event kind=\"jitdump\" path=\"/a.dump\"/>\n");
	cr_assert_eq(experiment_info(experiment)->jit_note_count, 1);
	cr_expect_eq(strncmp(experiment_info(experiment)->jit_notes[0], expected, strlen(expected)),
	             0, "%s", experiment_info(experiment)->jit_notes[0]);
}

Test(jitfiles, what_was_read_is_told_with_what_had_no_sense)
{
	static const char map[] = "1000 10 one\nnonsense\n2000 10 two\n";

	maker_put(&maker, "perf.map", map, strlen(map));
	open_with("");
	cr_assert_eq(experiment_info(experiment)->jit_note_count, 1);
	cr_expect_str_eq(experiment_info(experiment)->jit_notes[0],
	                 "perf map: 2 functions, 1 entries without sense");
}

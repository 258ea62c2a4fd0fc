/* A warning at the end of log.xml, unless another process writes there. */
#include "experiment/archive/logappend.h"

#include "format/xml.h"
#include "tests/unit/experiment/make_experiment.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct maker maker;
static struct experiment *experiment;
static char path[256];
static char text[1 << 16];

static void open_it(void)
{
	struct exp_cause cause;

	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0, "%s", cause.text);
}

static void set_up(void)
{
	maker_create(&maker);
	snprintf(path, sizeof(path), "%s/log.xml", maker.path);
	open_it();
}

static void tear_down(void)
{
	experiment_close(experiment);
	maker_destroy(&maker);
}

TestSuite(logappend, .init = set_up, .fini = tear_down);

static const char *read_log(void)
{
	FILE *file = fopen(path, "r");
	size_t len = fread(text, 1, sizeof(text) - 1, file);

	fclose(file);
	text[len] = '\0';
	return text;
}

static void put_log(const char *bytes)
{
	maker_put(&maker, "log.xml", bytes, strlen(bytes));
}

Test(logappend, a_warning_stands_before_the_end)
{
	put_log("<experiment>\n</experiment>\n");
	cr_assert_eq(exp_log_append_warning(experiment, "a < b & \"c\""), 0);
	cr_expect_str_eq(
		read_log(),
		"<experiment>\n <event kind=\"warning\" text=\"a &lt; b &amp; &quot;c&quot;\"/>\n</experiment>\n");
	cr_assert_eq(exp_log_append_warning(experiment, "second"), 0);
	cr_expect_str_eq(
		read_log(),
		"<experiment>\n <event kind=\"warning\" text=\"a &lt; b &amp; &quot;c&quot;\"/>\n"
		" <event kind=\"warning\" text=\"second\"/>\n</experiment>\n");
}

/* Only the end of the file is read, and the reading may begin in the middle of anything. No tag
 * crosses a page boundary, so there may be blanks in front of a tag, and other white space after
 * the end. */
Test(logappend, a_log_of_any_length_has_one_end)
{
	static const char end[] = "<event kind=\"warning\" text=\"w\"/>\n</experiment>\n";
	static char made[1 << 14];

	for (size_t size = 8000; size < 8400; size += 7) {
		if (size % XML_PAGE > XML_PAGE - strlen("</experiment>"))
			continue; /* the recorder never writes it so */
		memset(made, 'x', size);
		strcpy(made + size, "</experiment>\n");
		put_log(made);
		cr_assert_eq(exp_log_append_warning(experiment, "w"), 0);
		read_log();
		cr_assert_eq(memcmp(text, made, size), 0);
		cr_assert_eq(text[size], ' ');
		cr_assert_eq(strncmp(text + size + strspn(text + size, " "), end, strlen(end)), 0,
		             "%zu bytes: ...%s", size, text + size);
	}
}

Test(logappend, a_log_without_an_end_is_left_alone)
{
	put_log("<experiment>\n<event/>\n");
	cr_expect_eq(exp_log_append_warning(experiment, "w"), -EBADMSG);
	cr_expect_str_eq(read_log(), "<experiment>\n<event/>\n");
}

Test(logappend, a_text_that_is_too_long_is_not_appended)
{
	char *large = malloc(4001);
	char before[4096];

	memset(large, 'x', 4000);
	large[4000] = '\0';
	strcpy(before, read_log());
	cr_expect_eq(exp_log_append_warning(experiment, large), -E2BIG);
	cr_expect_str_eq(read_log(), before);
	free(large);
}

Test(logappend, who_writes_the_log_is_not_disturbed)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int fd = open(path, O_RDWR);
	char before[4096];

	cr_assert_eq(fcntl(fd, F_OFD_SETLK, &lock), 0);
	strcpy(before, read_log());
	cr_expect_eq(exp_log_append_warning(experiment, "w"), -EAGAIN);
	cr_expect_str_eq(read_log(), before);
	close(fd);
	cr_expect_eq(exp_log_append_warning(experiment, "w"), 0);
}

Test(logappend, what_is_no_file_is_no_log)
{
	cr_assert_eq(unlink(path), 0);
	cr_expect_eq(exp_log_append_warning(experiment, "w"), -ENOENT);
	cr_assert_eq(symlink("other", path), 0);
	cr_expect_eq(exp_log_append_warning(experiment, "w"), -ELOOP);
}

Test(logappend, a_reader_finds_the_warning)
{
	const struct exp_info *info;
	size_t before = experiment_info(experiment)->event_count;

	cr_assert_eq(exp_log_append_warning(experiment, "a < b"), 0);
	experiment_close(experiment);
	open_it();
	info = experiment_info(experiment);
	cr_assert_eq(info->event_count, before + 1);
	cr_expect_str_eq(info->events[before].kind, "warning");
	cr_expect_str_eq(info->events[before].attributes[0].value, "a < b");
	cr_expect_eq(maker.warnings, 0, "%s", maker.warning);
}

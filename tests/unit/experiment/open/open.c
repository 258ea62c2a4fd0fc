/* Opening: what is refused and how, running processes, text with odd bytes. */
#include "format/lineage.h"
#include "tests/unit/experiment/make_experiment.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_with_log(struct maker *maker, const char *log, struct exp_cause *cause)
{
	struct experiment *experiment = NULL;
	int rc;

	maker_put(maker, "log.xml", log, strlen(log));
	rc = maker_open(maker, &experiment, cause);
	if (rc == 0)
		experiment_close(experiment);
	return rc;
}

Test(open, refuses_what_is_no_experiment_with_a_reason)
{
	static const struct {
		const char *log, *reason;
		int rc;
	} cases[] = {
		{"", "empty", -ENODATA},
		{"garbage", "not an experiment", -EBADMSG},
		{"<other/>", "another kind of file", -EBADMSG},
		{"<experiment/>", "no version", -EBADMSG},
		{"<experiment version=\"1.0\"/>", "names no process", -EBADMSG},
		{"<experiment version=\"2.0\"><process/></experiment>",
	         "version 2.0 is not supported", -EPROTO},
		{"<!DOCTYPE experiment [<!ENTITY a \"b\">]><experiment version=\"1.0\"><process/></experiment>",
	         "refused", -EBADMSG},
	};
	struct maker maker;
	struct exp_cause cause;

	maker_create(&maker);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cr_assert_eq(open_with_log(&maker, cases[i].log, &cause), cases[i].rc, "%zu", i);
		cr_assert(strstr(cause.text, cases[i].reason) != NULL, "%zu: %s", i, cause.text);
		cr_assert(strstr(cause.text, maker.path) != NULL);
	}
	maker_destroy(&maker);
}

Test(open, refuses_missing_foreign_and_special_files)
{
	struct maker maker;
	struct exp_cause cause;
	struct experiment *experiment;
	char path[256];

	maker_create(&maker);
	cr_assert_eq(experiment_open("/nonexistent.er", NULL, &experiment, &cause), -ENOENT);
	cr_assert_str_eq(cause.text, "/nonexistent.er: no such experiment");
	cr_assert_eq(experiment_open("/etc/passwd", NULL, &experiment, &cause), -ENOTDIR);
	snprintf(path, sizeof(path), "%s/log.xml", maker.path);
	cr_assert_eq(unlink(path), 0);
	cr_assert_eq(maker_open(&maker, &experiment, &cause), -ENODATA);
	cr_assert_eq(mkfifo(path, 0600), 0);
	cr_assert_eq(maker_open(&maker, &experiment, &cause), -EBADMSG);
	cr_assert(strstr(cause.text, "not a regular file") != NULL, "%s", cause.text);
	unlink(path);
	cr_assert_eq(symlink("/etc/passwd", path), 0);
	cr_assert_eq(maker_open(&maker, &experiment, &cause), -EBADMSG);
	maker_destroy(&maker);
}

Test(open, tells_a_live_experiment_from_ended_and_died)
{
	struct maker maker;
	struct exp_cause cause;
	struct experiment *experiment;
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	char path[256];
	int fd;

	maker_create(&maker);
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0);
	cr_assert_eq(experiment_info(experiment)->status, EXP_ENDED);
	cr_assert_eq(experiment_info(experiment)->exit_code, 3);
	cr_assert_float_eq(experiment_info(experiment)->duration_s, 10, 1e-9);
	experiment_close(experiment);
	maker_log(&maker, NULL);
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0);
	cr_assert_eq(experiment_info(experiment)->status, EXP_DIED);
	cr_assert_eq(experiment_info(experiment)->exit_code, -1);
	experiment_close(experiment);
	snprintf(path, sizeof(path), "%s/log.xml", maker.path);
	fd = open(path, O_RDWR);
	cr_assert_eq(fcntl(fd, F_OFD_SETLK, &lock), 0);
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0);
	cr_assert_eq(experiment_info(experiment)->status, EXP_RUNNING);
	experiment_close(experiment);
	close(fd);
	maker_destroy(&maker);
}

Test(open, decodes_odd_bytes_and_lists_descendants)
{
	struct maker maker;
	struct exp_cause cause;
	struct experiment *experiment;
	const struct exp_info *info;
	char path[256];

	maker_create(&maker);
	maker_log(
		&maker,
		"<setting name=\"command\" value=\"a\\x1b[31m &lt;\\\\ \\xff\"/>\n"
		"<count name=\"lost_profile\" value=\"1\"/><count name=\"lost_profile\" value=\"5\"/>\n"
		"<event kind=\"warning\" time=\"1500000000\" text=\"x\"/>\n");
	maker_put(&maker, "notes", "one\ntwo", 7);
	snprintf(path, sizeof(path), "%s/_x1.er", maker.path);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/_f2_x1.er", maker.path);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/archives", maker.path);
	mkdir(path, 0755);
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0);
	info = experiment_info(experiment);
	cr_assert_str_eq(experiment_setting(experiment, "command", ""), "a\x1b[31m <\\ \xff");
	cr_assert_eq(experiment_counter(experiment, "lost_profile", 0), 5);
	cr_assert_str_eq(info->notes, "one\ntwo");
	cr_assert_eq(info->argc, 2);
	cr_assert_str_eq(info->argv[1], "a");
	cr_assert_str_eq(info->name, "test.1.er");
	cr_assert_eq(info->descendant_count, 2);
	cr_assert_str_eq(info->descendants[0], "_f2_x1");
	cr_assert_eq(info->event_count, 1);
	cr_assert_float_eq(info->events[0].time_s, 0.5, 1e-9);
	cr_assert_eq(info->events[0].attribute_count, 2);
	experiment_close(experiment);
	maker_destroy(&maker);
}

/* Whatever order the file system lists them in. */
Test(open, descendants_are_sorted)
{
	static const char *const names[] = {"_f1",    "_f1_f1",    "_f1_f1_x1", "_f1_f2",
	                                    "_f1_x1", "_f1_x1_f1", "_f2",       "_f2_f1",
	                                    "_f3",    "_f4_x1",    "_x1",       "_x1_f1_x1"};
	enum { NAMES = sizeof(names) / sizeof(names[0]) };
	struct maker maker;
	struct exp_cause cause;
	struct experiment *experiment;
	const struct exp_info *info;
	char path[256];

	maker_create(&maker);
	for (int i = 0; i < NAMES; i++) {
		snprintf(path, sizeof(path), "%s/%s.er", maker.path, names[(i * 5 + 7) % NAMES]);
		mkdir(path, 0755);
	}
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0);
	info = experiment_info(experiment);
	cr_assert_eq(info->descendant_count, NAMES);
	for (int i = 1; i < NAMES; i++)
		cr_assert_lt(lineage_compare(info->descendants[i - 1], info->descendants[i]), 0,
		             "%s, %s", info->descendants[i - 1], info->descendants[i]);
	experiment_close(experiment);
	maker_destroy(&maker);
}

Test(open, keeps_the_sound_part_of_a_damaged_log)
{
	struct maker maker;
	struct exp_cause cause;
	struct experiment *experiment;

	maker_create(&maker);
	maker_log(
		&maker,
		"<count name=\"samples\" value=\"9\"/><event kind=\"exit\" time=\"2000000000\"/><broken");
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0);
	cr_assert_eq(experiment_counter(experiment, "samples", 0), 9);
	cr_assert_eq(experiment_info(experiment)->damaged, 1);
	cr_assert_eq(maker.warnings, 1);
	cr_assert(strstr(maker.warning, "log.xml: offset ") != NULL, "%s", maker.warning);
	experiment_close(experiment);
	maker_destroy(&maker);
}

Test(open, a_path_may_end_with_slashes_and_points)
{
	static const char *const ends[] = {"", "/", "//", "/.", "/./", "/.//./"};
	struct experiment *experiment;
	struct exp_cause cause;
	struct maker maker;
	char path[256];

	maker_create(&maker);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		snprintf(path, sizeof(path), "%s%s", maker.path, ends[i]);
		cr_assert_eq(experiment_open(path, &(struct exp_reporter){NULL, NULL}, &experiment,
		                             &cause),
		             0, "%s", path);
		cr_expect_str_eq(experiment_info(experiment)->path, maker.path);
		cr_expect_str_eq(experiment_info(experiment)->name, "test.1.er");
		experiment_close(experiment);
	}
	maker_destroy(&maker);
}

/* Without an exit event, the last event of the log is the last known moment. */
Test(open, a_duration_is_as_far_as_events_tell)
{
	struct experiment *experiment;
	struct exp_cause cause;
	struct maker maker;

	maker_create(&maker);
	maker_log(&maker, NULL);
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0);
	cr_expect_eq(experiment_info(experiment)->duration_s, 0);
	experiment_close(experiment);
	maker_log(&maker, "<event kind=\"exit\" time=\"3500000000\" code=\"0\"/>\n");
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0);
	cr_expect_float_eq(experiment_info(experiment)->duration_s, 2.5, 1e-9);
	experiment_close(experiment);
	maker_destroy(&maker);
}

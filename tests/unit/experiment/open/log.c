/* What log.xml says of an experiment, and how unusual logs are read. */
#include "tests/unit/experiment/make_experiment.h"

#include "experiment/base/clock.h"
#include "format/layout.h"
#include "format/record.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static struct maker maker;
static struct experiment *experiment;
static const struct exp_info *info;

static void set_up(void)
{
	maker_create(&maker);
}

static void tear_down(void)
{
	experiment_close(experiment);
	maker_destroy(&maker);
}

TestSuite(log, .init = set_up, .fini = tear_down);

static void open_it(void)
{
	struct exp_cause cause;

	experiment_close(experiment);
	experiment = NULL;
	maker.warnings = 0;
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0, "%s", cause.text);
	info = experiment_info(experiment);
}

static void open_log(const char *elements)
{
	maker_log(&maker, elements);
	open_it();
}

/* A complete log with these elements. */
static void open_whole(const char *elements)
{
	char text[4096];
	int len = snprintf(text, sizeof(text), "<experiment version=\"1.7\">\n%s</experiment>\n",
	                   elements);

	maker_put(&maker, FMT_FILE_LOG, text, (size_t)len);
	open_it();
}

Test(log, host_and_process_are_as_they_were_told)
{
	open_whole(
		"<host name=\"h\" os=\"Linux\" release=\"r\" arch=\"a\" cpu_model=\"m\" boot_id=\"b\" cpus=\"3\" page_size=\"4096\" memory_kib=\"77\"/>"
		"<process pid=\"5\" ppid=\"4\" cwd=\"/c\" program=\"/p\" object=\"/o\"><arg>one</arg><arg/><arg>th ree</arg></process>"
		"<clock source=\"tsc\" hz=\"2000\" ticks=\"9\" raw_ns=\"8\" real_ns=\"7\" mono_ns=\"6\"/>");
	cr_expect_str_eq(info->version, "1.7");
	cr_expect_str_eq(info->host, "h");
	cr_expect_str_eq(info->os, "Linux");
	cr_expect_str_eq(info->release, "r");
	cr_expect_str_eq(info->arch, "a");
	cr_expect_str_eq(info->cpu_model, "m");
	cr_expect_str_eq(info->boot_id, "b");
	cr_expect_eq(info->cpus, 3);
	cr_expect_eq(info->page_size, 4096);
	cr_expect_eq(info->memory_kib, 77);
	cr_expect_eq(info->pid, 5);
	cr_expect_eq(info->ppid, 4);
	cr_expect_str_eq(info->cwd, "/c");
	cr_expect_str_eq(info->program, "/p");
	cr_expect_str_eq(info->object, "/o");
	cr_assert_eq(info->argc, 3);
	cr_expect_str_eq(info->argv[0], "one");
	cr_expect_str_eq(info->argv[1], "");
	cr_expect_str_eq(info->argv[2], "th ree");
	cr_expect_eq(info->start_mono_ns, 6);
	cr_expect_eq(info->start_real_ns, 7);
	cr_expect_eq(info->start_ticks, 9);
	cr_expect_float_eq(info->clock_hz, 2000, 1e-9);
	cr_expect_eq(info->clock_is_tsc, 1);
	cr_expect_eq(info->status, EXP_DIED);
	cr_expect_eq(info->exit_code, -1);
	cr_expect_eq(maker.warnings, 0, "%s", maker.warning);
}

Test(log, the_object_is_the_program_unless_it_is_told)
{
	open_whole("<process program=\"/p\"/><clock source=\"other\" hz=\"1\"/>");
	cr_expect_str_eq(info->object, "/p");
	cr_expect_eq(info->clock_is_tsc, 0);
}

Test(log, without_a_clock_times_are_not_trusted)
{
	open_whole("<process program=\"/p\"/>");
	cr_expect_eq(maker.warnings, 1);
	cr_expect(strstr(maker.warning, "no clock"), "%s", maker.warning);
	maker.warning[0] = '\0';
	open_whole("<process program=\"/p\"/><clock source=\"tsc\" hz=\"0\"/>");
	cr_expect_eq(maker.warnings, 1, "a frequency of 0 is none");
}

Test(log, the_start_is_a_time_that_can_be)
{
	char text[256];

	snprintf(text, sizeof(text),
	         "<process program=\"/p\"/><clock source=\"tsc\" hz=\"1\" real_ns=\"%llu\"/>",
	         (unsigned long long)EXP_REAL_NS_MAX);
	open_whole(text);
	cr_expect_eq(info->start_real_ns, (int64_t)EXP_REAL_NS_MAX);
	cr_expect_eq(maker.warnings, 0, "%s", maker.warning);
	snprintf(text, sizeof(text),
	         "<process program=\"/p\"/><clock source=\"tsc\" hz=\"1\" real_ns=\"%llu\"/>",
	         (unsigned long long)EXP_REAL_NS_MAX + 1);
	open_whole(text);
	cr_expect_eq(info->start_real_ns, 0);
	cr_expect_eq(maker.warnings, 1);
}

Test(log, a_lineage_that_cannot_be_is_none)
{
	open_whole("<process program=\"/p\" lineage=\"_f1;rm\"/><clock source=\"tsc\" hz=\"1\"/>");
	cr_expect_str_eq(info->lineage, "");
	cr_expect(strstr(maker.warning, "the lineage is damaged"), "%s", maker.warning);
}

Test(log, the_last_setting_and_the_last_count_of_a_name_count)
{
	open_log(
		"<setting name=\"a\" value=\"1\"/><setting name=\"a\" value=\"2\"/>"
		"<count name=\"lost\" value=\"3\"/><count name=\"b\" value=\"9\"/><count name=\"lost\" value=\"4\"/>"
		"<count name=\"word\" value=\"many\"/>");
	cr_expect_str_eq(experiment_setting(experiment, "a", "x"), "2");
	cr_expect_str_eq(experiment_setting(experiment, "none", "x"), "x");
	cr_expect_eq(experiment_counter(experiment, "lost", 7), 4);
	cr_expect_eq(experiment_counter(experiment, "b", 7), 9);
	cr_expect_eq(experiment_counter(experiment, "word", 7), 7);
	cr_expect_eq(experiment_counter(experiment, "none", 7), 7);
	cr_assert_eq(info->counter_count, 3);
	cr_expect_str_eq(info->counters[0].name, "lost");
}

Test(log, exit_tells_the_status)
{
	open_log("<event kind=\"exit\" time=\"1000000500\" code=\"7\" cpu_ns=\"42\"/>");
	cr_expect_eq(info->status, EXP_ENDED);
	cr_expect_eq(info->exit_code, 7);
	cr_expect_eq(info->cpu_ns, 42);
	open_log("<event kind=\"exit\" time=\"1000000500\" code=\"2147483647\"/>");
	cr_expect_eq(info->exit_code, INT32_MAX);
	open_log("<event kind=\"exit\" time=\"1000000500\" code=\"2147483648\"/>");
	cr_expect_eq(info->exit_code, -1);
	open_log("<event kind=\"exit\" time=\"1000000500\"/>");
	cr_expect_eq(info->exit_code, -1);
}

Test(log, an_exec_that_failed_did_not_happen)
{
	open_log("<event kind=\"exec\" time=\"1000000100\" path=\"/bin/next\" lineage=\"_x1\"/>");
	cr_expect_eq(info->status, EXP_EXECED);
	cr_expect_str_eq(info->executed, "/bin/next");
	cr_expect_str_eq(info->executed_as, "_x1");
	open_log("<event kind=\"exec\" time=\"1000000100\" path=\"/bin/next\" lineage=\"_x1\"/>"
	         "<event kind=\"exec_error\" time=\"1000000200\"/>");
	cr_expect_eq(info->status, EXP_DIED);
	cr_expect_null(info->executed);
	cr_expect_null(info->executed_as);
	open_log(
		"<event kind=\"exec\" time=\"1000000100\" path=\"/a\"/><event kind=\"exec\" time=\"1000000150\" path=\"/b\"/>"
		"<event kind=\"exec_error\" time=\"1000000200\"/>");
	cr_expect_eq(info->status, EXP_DIED, "two were noted, neither happened");
}

Test(log, attach_detach_and_outside_say_how_it_was_recorded)
{
	open_log(
		"<event kind=\"attach\" time=\"1000000100\" earlier_ns=\"55\"/><event kind=\"detach\" time=\"1000000200\" cpu_ns=\"66\"/>");
	cr_expect_eq(info->is_attached, 1);
	cr_expect_eq(info->earlier_ns, 55);
	cr_expect_eq(info->status, EXP_DETACHED);
	cr_expect_eq(info->cpu_ns, 66);
	open_log("<event kind=\"outside\" reason=\"it is static\"/>");
	cr_expect_str_eq(info->outside, "it is static");
	cr_expect_eq(info->is_attached, 0);
}

Test(log, a_snapshot_tells_its_moment_and_whether_the_process_ran)
{
	open_log(
		"<event kind=\"snapshot\" time=\"4000000000\" pid=\"77\" running=\"1\" of=\"/x/a.er\"/>");
	cr_expect_eq(info->status, EXP_SNAPSHOT);
	cr_expect_str_eq(info->snapshot_of, "/x/a.er");
	cr_expect_eq(info->snapshot_pid, 77);
	cr_expect_float_eq(info->snapshot_s, 3.0, 1e-9);
	cr_expect_float_eq(info->duration_s, 3.0, 1e-9);
	open_log(
		"<event kind=\"exit\" time=\"3000000000\" code=\"3\"/><event kind=\"snapshot\" time=\"4000000000\" running=\"0\" of=\"/x/a.er\"/>");
	cr_expect_eq(info->status, EXP_ENDED);
	cr_expect_eq(info->exit_code, 3);
	cr_expect_float_eq(info->duration_s, 2.0, 1e-9);
	open_log("");
	cr_expect_null(info->snapshot_of);
}

Test(log, a_rank_is_below_the_number_of_processes)
{
	static const struct {
		const char *element;
		int64_t rank, size;
	} rows[] = {
		{"<event kind=\"mpi\" rank=\"3\" size=\"4\" library=\"MPICH\"/>", 3, 4},
		{"<event kind=\"mpi\" rank=\"0\" size=\"1\" library=\"MPICH\"/>", 0, 1},
		{"<event kind=\"mpi\" rank=\"4\" size=\"4\"/>", -1, 0},
		{"<event kind=\"mpi\" rank=\"0\" size=\"0\"/>", -1, 0},
		{"<event kind=\"mpi\" rank=\"1\" size=\"2147483648\"/>", -1, 0},
		{"<event kind=\"mpi\" rank=\"1\" size=\"2147483647\"/>", 1, INT32_MAX},
		{"<event kind=\"mpi\" size=\"4\"/>", -1, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		open_log(rows[i].element);
		cr_expect_eq(info->mpi_rank, rows[i].rank, "row %zu", i);
		cr_expect_eq(info->mpi_size, rows[i].size, "row %zu", i);
	}
	open_log(rows[0].element);
	cr_expect_str_eq(info->mpi_library, "MPICH");
	open_log(
		"<event kind=\"mpi\" rank=\"0\" size=\"1\" library=\"MPICH\" version=\"MPICH 4\"/>");
	cr_expect_str_eq(info->mpi_library, "MPICH 4");
}

Test(log, events_have_their_attributes_and_times)
{
	open_log(
		"<event kind=\"mark\" time=\"1500000000\" a=\"1\" b=\"2\"/><event time=\"2000000000\" kind=\"late\"/><event kind=\"never\"/>");
	cr_assert_eq(info->event_count, 3);
	cr_expect_str_eq(info->events[0].kind, "mark");
	cr_assert_eq(info->events[0].attribute_count, 3, "but for the kind");
	cr_expect_str_eq(info->events[0].attributes[0].name, "time");
	cr_expect_str_eq(info->events[0].attributes[2].value, "2");
	cr_expect_float_eq(info->events[0].time_s, 0.5, 1e-9);
	cr_expect_str_eq(info->events[1].kind, "late");
	cr_assert_eq(info->events[1].attribute_count, 2, "the kind is not the first");
	cr_expect_float_eq(info->events[1].time_s, 1, 1e-9);
	cr_expect_float_eq(info->events[2].time_s, 0, 1e-9);
	cr_expect_float_eq(info->duration_s, 1, 1e-9, "the latest event, %g", info->duration_s);
}

Test(log, the_exit_ends_the_recording)
{
	open_log(
		"<event kind=\"exit\" time=\"1500000000\" code=\"0\"/><event kind=\"mark\" time=\"2000000000\"/>");
	cr_expect_float_eq(info->duration_s, 0.5, 1e-9);
	open_log("<event kind=\"mark\" time=\"500000000\"/>");
	cr_expect_float_eq(info->duration_s, 0, 1e-9, "before the start");
	open_log("<event kind=\"exit\" code=\"0\"/><event kind=\"mark\" time=\"2000000000\"/>");
	cr_expect_float_eq(info->duration_s, 1, 1e-9, "an exit without a time");
}

Test(log, a_process_without_data_has_usage_samples_of_its_start_and_end)
{
	const struct exp_data_set *set;

	open_log(
		"<usage time=\"1500000000\" user_ns=\"1\" system_ns=\"2\" cpu_ns=\"3\" maxrss_kib=\"4\" minflt=\"5\" majflt=\"6\" inblock=\"7\" oublock=\"8\" nvcsw=\"9\" nivcsw=\"10\"/>"
		"<event kind=\"exit\" time=\"1500000000\" code=\"0\" cpu_ns=\"3\"/>");
	cr_assert_eq(experiment_load(experiment, &set), 0);
	cr_assert_eq(set->usage_count, 2);
	cr_expect_eq(set->usage[0].reason, FMT_sample_reason_START);
	cr_expect_eq(set->usage[0].number, 1);
	cr_expect_eq(set->usage[0].cpu_ns, 0);
	cr_expect_eq(set->usage[1].reason, FMT_sample_reason_END);
	cr_expect_eq(set->usage[1].number, 2);
	cr_expect_eq(set->usage[1].threads, 1);
	cr_expect_eq(set->usage[1].user_ns, 1);
	cr_expect_eq(set->usage[1].system_ns, 2);
	cr_expect_eq(set->usage[1].cpu_ns, 3);
	cr_expect_eq(set->usage[1].maxrss_kib, 4);
	cr_expect_eq(set->usage[1].minflt, 5);
	cr_expect_eq(set->usage[1].majflt, 6);
	cr_expect_eq(set->usage[1].inblock, 7);
	cr_expect_eq(set->usage[1].oublock, 8);
	cr_expect_eq(set->usage[1].nvcsw, 9);
	cr_expect_eq(set->usage[1].nivcsw, 10);
}

Test(log, damage_behind_the_process_is_told_and_what_was_before_counts)
{
	static const char text[] =
		"<experiment version=\"1.0\"><process pid=\"9\" program=\"/p\"/><clock source=\"tsc\" hz=\"1\"/><event kind=\"exit\" code=\"1\"/><<";

	maker_put(&maker, FMT_FILE_LOG, text, strlen(text));
	open_it();
	cr_expect_eq(info->pid, 9);
	cr_expect_eq(info->exit_code, 1);
	cr_expect_eq(info->damaged, 1);
	cr_expect(strstr(maker.warning, FMT_FILE_LOG ": "), "%s", maker.warning);
}

Test(log, versions_are_told_by_their_first_number)
{
	static const struct {
		const char *version;
		int rc;
	} rows[] = {{"1.0", 0},       {"1", 0},         {"1.99", 0},    {"0.9", -EPROTO},
	            {"2.0", -EPROTO}, {"1x", -EBADMSG}, {"", -EBADMSG}, {"x1", -EBADMSG}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct exp_cause cause;
		struct experiment *opened = NULL;
		char text[256];

		snprintf(text, sizeof(text),
		         "<experiment version=\"%s\"><process program=\"/p\"/></experiment>",
		         rows[i].version);
		maker_put(&maker, FMT_FILE_LOG, text, strlen(text));
		cr_expect_eq(maker_open(&maker, &opened, &cause), rows[i].rc, "%s",
		             rows[i].version);
		experiment_close(opened);
	}
}

Test(log, a_descendant_inherits_host_and_settings_unless_it_has_its_own)
{
	struct maker child, other;

	maker_log(
		&maker,
		"<setting name=\"a\" value=\"founders\"/><event kind=\"exit\" time=\"11000000000\" code=\"0\"/><setting name=\"late\" value=\"1\"/>");
	maker_descendant(&maker, "_f1", NULL, &child);
	maker_descendant(&maker, "_f2", "<setting name=\"a\" value=\"own\"/>", &other);
	experiment_close(experiment);
	cr_assert_eq(maker_open(&child, &experiment, &(struct exp_cause){""}), 0);
	cr_expect_str_eq(experiment_info(experiment)->host, "box");
	cr_expect_str_eq(experiment_setting(experiment, "a", "x"), "founders");
	cr_expect_str_eq(experiment_setting(experiment, "late", "x"), "x",
	                 "the beginning alone is read");
	cr_expect_str_eq(experiment_info(experiment)->program, "/bin/child");
	cr_expect_eq(child.warnings, 0, "%s", child.warning);
	experiment_close(experiment);
	cr_assert_eq(maker_open(&other, &experiment, &(struct exp_cause){""}), 0);
	cr_expect_str_eq(experiment_info(experiment)->host, "");
	cr_expect_str_eq(experiment_setting(experiment, "a", "x"), "own");
}

Test(log, a_descendant_without_its_founders_log_says_so)
{
	struct maker child;
	char path[256];

	maker_descendant(&maker, "_f1", NULL, &child);
	snprintf(path, sizeof(path), "%s/" FMT_FILE_LOG, maker.path);
	cr_assert_eq(remove(path), 0);
	cr_assert_eq(maker_open(&child, &experiment, &(struct exp_cause){""}), 0);
	cr_expect_eq(child.warnings, 1);
	cr_expect(strstr(child.warning, "the founder's log.xml cannot be read"), "%s",
	          child.warning);
}

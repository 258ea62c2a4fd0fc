/* What the helper adds to log.xml; and which processes it waits for before the files of timers are
 * exported. */
#include "perf/log.h"
#include "perf/timers.h"

#include "format/layout.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <libxml/parser.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char path[64], text[65536];
static int directory;

static void put_file(const char *name, const char *bytes, int mode)
{
	char file[128];
	FILE *out;

	snprintf(file, sizeof(file), "%s/%s", path, name);
	out = fopen(file, "w");
	cr_assert(out != NULL);
	fputs(bytes, out);
	fclose(out);
	cr_assert_eq(chmod(file, (mode_t)mode), 0);
}

static void setup(void)
{
	strcpy(path, "/tmp/xer-log-XXXXXX");
	cr_assert(mkdtemp(path) != NULL);
	put_file(FMT_FILE_LOG, "<experiment>\n" FMT_LOG_CLOSE, 0644);
	directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cr_assert_geq(directory, 0);
}

static void done(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", path);
	cr_assert_eq(system(command), 0);
}

static const char *read_file(const char *name)
{
	char file[128];
	size_t len;
	FILE *in;

	snprintf(file, sizeof(file), "%s/%s", path, name);
	in = fopen(file, "r");
	cr_assert(in != NULL, "%s", name);
	len = fread(text, 1, sizeof(text) - 1, in);
	text[len] = '\0';
	fclose(in);
	return text;
}

static int has(const char *name, unsigned value)
{
	char element[128];

	snprintf(element, sizeof(element), "<count name=\"%s\" value=\"%u\"/>", name, value);
	return strstr(text, element) != NULL;
}

TestSuite(perf_log, .init = setup, .fini = done, .timeout = 60);

/* Somebody may have put a link to another file in its place. */
Test(perf_log, no_other_file_is_written_to)
{
	char log[128], target[128];

	snprintf(log, sizeof(log), "%s/%s", path, FMT_FILE_LOG);
	snprintf(target, sizeof(target), "%s/target", path);
	cr_assert_eq(rename(log, target), 0);
	cr_assert_eq(symlink("target", log), 0);
	log_lost_files(directory, "No space left on device");
	cr_expect_str_eq(read_file("target"), "<experiment>\n" FMT_LOG_CLOSE);
}

Test(perf_log, all_counts_are_there_under_their_names)
{
	static const char *const names[] = {
		"sampler_samples",    "sampler_cpu_ns",      "sampler_one_frame",
		"sampler_cut_stacks", "sampler_deep_stacks", "sampler_archiver_samples",
		"sampler_bad_stacks", "sampler_throttled",   "sampler_in_kernel",
		"sampler_cost_ns",    "sampler_beside_ns",   "lost_sampler",
		"lost_sampler_room",  "lost_sampler_map"};
	const struct work_counts counts = {
		.samples = 101,
		.cpu_ns = 102,
		.one_frame = 103,
		.cut_stacks = 104,
		.deep_stacks = 105,
		.of_archiver = 106,
		.ring = {.bad_stacks = 107, .throttled = 108, .lost = 112},
		.no_room = 113,
		.no_map = 114};

	log_counts(directory, FMT_DIR_SAMPLER, &counts, 109, 110, 111);
	read_file(FMT_FILE_LOG);
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		cr_assert(has(names[i], 101 + i), "%s in %s", names[i], text);
	log_counts(directory, "cycles", &counts, 0, 0, 0);
	read_file(FMT_FILE_LOG);
	cr_assert(has("cycles_counted", 102), "of an event no time is told");
	cr_assert_not(has("cycles_cpu_ns", 102));
	cr_assert(has("sampler_samples", 101), "what was there stays");
}

/* A log of any length, across pages, is XML after each addition. */
Test(perf_log, the_log_stays_whole)
{
	for (int i = 0; i < 40; i++) {
		xmlDocPtr document;

		log_lost_files(directory, "a < \"b\" & c");
		read_file(FMT_FILE_LOG);
		document = xmlReadMemory(text, (int)strlen(text), NULL, NULL, XML_PARSE_NOERROR);
		cr_assert(document != NULL, "after %d", i);
		xmlFreeDoc(document);
	}
	cr_assert(has("lost_sampler_files", 1));
	cr_assert(strstr(text, "reason=\"a &lt; &quot;b&quot; &amp; c\"") != NULL);
}

Test(perf_log, one_that_is_not_there_is_left_alone)
{
	const struct work_counts counts = {.samples = 1};
	char file[128];

	snprintf(file, sizeof(file), "%s/%s", path, FMT_FILE_LOG);
	cr_assert_eq(unlink(file), 0);
	log_counts(directory, FMT_DIR_SAMPLER, &counts, 0, 0, 0);
	cr_assert_eq(access(file, F_OK), -1);
}

/* ---- timers */

static int export_with(const char *script)
{
	char exporter[128];

	put_file("exporter", script, 0755);
	snprintf(exporter, sizeof(exporter), "%s/exporter", path);
	return timers_wait_and_export(directory, 0, exporter);
}

Test(perf_log, files_of_timers_are_made_by_the_exporter)
{
	char expected[256];

	cr_assert_eq(export_with("#!/bin/sh\necho \"$*\" >\"$4/told\"\n"), 0);
	snprintf(expected, sizeof(expected), "-export sampler %s/%s %s\n", path, FMT_DIR_SAMPLER,
	         path);
	cr_assert_str_eq(read_file("told"), expected);
	cr_assert_not(strstr(read_file(FMT_FILE_LOG), "loss"));
}

Test(perf_log, why_they_could_not_be_made_is_told)
{
	cr_assert_eq(export_with("#!/bin/sh\nexit 3\n"), 1);
	cr_assert(strstr(read_file(FMT_FILE_LOG), "exporter failed with exit status 3") != NULL);
	cr_assert_eq(export_with("#!/bin/sh\nkill -9 $$\n"), 1);
	cr_assert(strstr(read_file(FMT_FILE_LOG), "exporter was ended by signal 9") != NULL);
	cr_assert_eq(timers_wait_and_export(directory, 0, ""), 1);
	cr_assert(strstr(read_file(FMT_FILE_LOG), "xer_print cannot be run: ") != NULL);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The process itself, and any process that holds a lock on a log, of the founder or of a
 * descendant. */
static void waits_for(const char *log)
{
	int64_t begin = now_ms();
	pid_t child = fork();
	char file[128];

	snprintf(file, sizeof(file), "%s/%s", path, log);
	if (child == 0) {
		struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
		int fd = open(file, O_RDWR);

		fcntl(fd, F_SETLK, &lock);
		usleep(600000);
		_exit(0);
	}
	usleep(100000);
	cr_assert_eq(export_with("#!/bin/sh\nexit 0\n"), 0);
	cr_assert_geq(now_ms() - begin, 600, "%s", log);
	waitpid(child, NULL, 0);
}

Test(perf_log, who_records_is_waited_for)
{
	char file[128];
	pid_t child;

	waits_for(FMT_FILE_LOG);
	snprintf(file, sizeof(file), "%s/_f1" FMT_EXPERIMENT_SUFFIX, path);
	cr_assert_eq(mkdir(file, 0755), 0);
	put_file("_f1" FMT_EXPERIMENT_SUFFIX "/" FMT_FILE_LOG, "", 0644);
	waits_for("_f1" FMT_EXPERIMENT_SUFFIX "/" FMT_FILE_LOG);
	child = fork();
	if (child == 0) {
		usleep(500000);
		_exit(0);
	}
	snprintf(file, sizeof(file), "%s/exporter", path);
	{
		int64_t begin = now_ms();

		cr_assert_eq(timers_wait_and_export(directory, child, file), 0);
		cr_assert_geq(now_ms() - begin, 450);
	}
	waitpid(child, NULL, 0);
}

/* The directory of a descendant, and its first content. */
#include "libcollector/process/directory.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"
#include "libcollector/base/file.h"
#include "libcollector/object/map.h"
#include "libcollector/write/log.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <libxml/parser.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const struct process_moment start = {
	.ticks = 1000, .raw_ns = 2000, .real_ns = 3000, .mono_ns = 4000};

static void setup(void)
{
	scratch_open();
	map_open_program();
	strcpy(col.descriptor.step.lineage, "_f1");
}

TestSuite(directory, .init = setup, .fini = scratch_remove);

static xmlNodePtr child_of(xmlNodePtr node, const char *name)
{
	for (xmlNodePtr child = node->children; child; child = child->next)
		if (strcmp((const char *)child->name, name) == 0)
			return child;
	cr_assert(0, "no element %s", name);
	return NULL;
}

static void is_attribute(xmlNodePtr node, const char *name, const char *value)
{
	xmlChar *found = xmlGetProp(node, (const xmlChar *)name);

	cr_assert_not_null(found, "%s", name);
	cr_assert_str_eq((char *)found, value, "%s", name);
	xmlFree(found);
}

static void is_number(xmlNodePtr node, const char *name, long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", value);
	is_attribute(node, name, text);
}

static xmlDocPtr parse(const char *name)
{
	size_t len;
	char *text = scratch_read(name, &len);
	xmlDocPtr document;

	cr_assert_not_null(text, "%s", name);
	document = xmlReadMemory(text, (int)len, name, NULL, XML_PARSE_NONET);
	cr_assert_not_null(document);
	free(text);
	return document;
}

Test(directory, its_log_says_what_process_it_is)
{
	xmlDocPtr document;
	xmlNodePtr root, process, clock;
	char path[4096] = "", cwd[4096];
	struct stat status;

	cr_assert_eq(directory_make(&start), 0);
	cr_assert_eq(fstatat(col_founder_get(), "_f1.er", &status, 0), 0);
	cr_assert(S_ISDIR(status.st_mode));
	cr_assert_eq(faccessat(col_directory_get(), ".log.new", F_OK, 0), -1);
	document = parse("_f1.er/log.xml");
	root = xmlDocGetRootElement(document);
	cr_assert_str_eq((const char *)root->name, "experiment");
	process = child_of(root, "process");
	is_number(process, "pid", getpid());
	is_number(process, "ppid", getppid());
	is_attribute(process, "lineage", "_f1");
	cr_assert_gt(readlink("/proc/self/exe", path, sizeof(path) - 1), 0);
	is_attribute(process, "program", path);
	is_attribute(process, "cwd", getcwd(cwd, sizeof(cwd)));
	clock = child_of(root, "clock");
	is_attribute(clock, "source", "tsc");
	is_number(clock, "hz", 1000000000);
	is_number(clock, "ticks", 1000);
	is_number(clock, "raw_ns", 2000);
	is_number(clock, "real_ns", 3000);
	is_number(clock, "mono_ns", 4000);
	xmlFreeDoc(document);
}

/* How many arguments the log has, and the last one. */
static int read_arguments(char *last, size_t size)
{
	xmlDocPtr document = parse("_f1.er/log.xml");
	xmlNodePtr process = child_of(xmlDocGetRootElement(document), "process");
	int count = 0;

	for (xmlNodePtr child = process->children; child; child = child->next) {
		xmlChar *text;

		if (strcmp((const char *)child->name, "arg") != 0)
			continue;
		text = xmlNodeGetContent(child);
		snprintf(last, size, "%s", (char *)text);
		xmlFree(text);
		count++;
	}
	xmlFreeDoc(document);
	return count;
}

Test(directory, its_log_has_the_arguments)
{
	FILE *file = fopen("/proc/self/cmdline", "r");
	char expected[4096] = "", last[4096];
	size_t len = fread(expected, 1, sizeof(expected) - 1, file);
	const char *at = expected;
	int count = 0;

	fclose(file);
	for (const char *next = expected; next < expected + len; next += strlen(next) + 1, count++)
		at = next;
	cr_assert_eq(directory_make(&start), 0);
	cr_assert_eq(read_arguments(last, sizeof(last)), count);
	cr_assert_str_eq(last, at);
}

Test(directory, elements_can_be_appended_to_its_log)
{
	cr_assert_eq(directory_make(&start), 0);
	cr_assert_eq(col_xml_open(COL_LOG), 0);
	directory_log_open(&start);
	cr_assert_eq(scratch_count("_f1.er/log.xml", " <event kind=\"open\" time=\"1000\" tid=\""),
	             1);
	cr_assert_eq(scratch_count("_f1.er/log.xml", "\" raw_ns=\"2000\" real_ns=\"3000\"/>\n"
	                                             "</experiment>"),
	             1);
}

Test(directory, a_name_that_is_taken_is_counted_up)
{
	mkdirat(col_founder_get(), "_f1.er", 0700);
	mkdirat(col_founder_get(), "_f2.er", 0700);
	cr_assert_eq(directory_make(&start), 0);
	cr_assert_str_eq(col.descriptor.step.lineage, "_f3");
	cr_assert_eq(faccessat(col_founder_get(), "_f3.er/log.xml", F_OK, 0), 0);
	cr_assert_eq(faccessat(col_founder_get(), "_f1.er/log.xml", F_OK, 0), -1);
	xmlFreeDoc(parse("_f3.er/log.xml"));
}

/* As many names of children that nobody announced. */
static void fill(unsigned from, unsigned to)
{
	char name[32];
	int founder = col_founder_get();

	for (unsigned i = from; i <= to; i++) {
		snprintf(name, sizeof(name), "_c%u.er", i);
		cr_assert_eq(mkdirat(founder, name, 0700), 0);
	}
	col_place_done(founder);
}

static double cpu_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

/* The least time that a child needs for its directory, when names 1 to `before` are taken. */
static double time_of_child(unsigned before)
{
	double least = 1e12;
	char expected[32];

	for (unsigned i = 1; i <= 10; i++) {
		double begin = cpu_us(), took;

		strcpy(col.descriptor.step.lineage, "_c1");
		cr_assert_eq(directory_make(&start), 0);
		took = cpu_us() - begin;
		least = took < least ? took : least;
		snprintf(expected, sizeof(expected), "_c%u", before + i);
		cr_assert_str_eq(col.descriptor.step.lineage, expected, "there is no gap");
	}
	return least;
}

/* The least time of a directory with a file: file systems may need longer where there are many. */
static double time_of_file_system(void)
{
	int founder = col_founder_get();
	double least = 1e12;
	char name[32];

	for (unsigned i = 0; i < 10; i++) {
		double begin = cpu_us(), took;

		snprintf(name, sizeof(name), "%u", i);
		cr_assert_eq(mkdirat(founder, name, 0700), 0);
		strcat(name, "/log.xml");
		close(openat(founder, name, O_CREAT | O_WRONLY, 0600));
		took = cpu_us() - begin;
		least = took < least ? took : least;
	}
	col_place_done(founder);
	return least;
}

Test(directory, of_a_hundred_times_as_many_children_each_takes_about_as_long)
{
	double few, many, bare;

	fill(1, 50);
	few = time_of_child(50);
	fill(61, 5000);
	many = time_of_child(5000);
	bare = time_of_file_system();
	cr_assert_lt(many, 5 * few + 2 * bare, "%.0f us became %.0f us, %.0f us bare", few, many,
	             bare);
}

Test(directory, a_gap_in_the_names_does_no_harm)
{
	fill(1, 3);
	fill(5, 9);
	fill(100, 100);
	strcpy(col.descriptor.step.lineage, "_c1");
	for (int i = 0; i < 20; i++) {
		cr_assert_eq(directory_make(&start), 0);
		strcpy(col.descriptor.step.lineage, "_c1");
	}
}

Test(directory, where_no_directory_can_be_made_there_is_an_error)
{
	strcpy(col.descriptor.step.lineage, "no/such/place/_f1");
	cr_assert_eq(directory_make(&start), -ENOENT);
}

/* A program's umask may take all permissions away. */
Test(directory, the_owner_may_read_it_whatever_the_umask)
{
	struct stat status;
	mode_t before = umask(0777);

	cr_assert_eq(directory_make(&start), 0);
	cr_assert_eq(directory_make_map(), 0);
	umask(before);
	cr_assert_eq(fstatat(col_directory_get(), "log.xml", &status, 0), 0);
	cr_assert_eq(status.st_mode & 0600, 0600);
	cr_assert_eq(fstatat(col_directory_get(), "map.xml", &status, 0), 0);
	cr_assert_eq(status.st_mode & 0600, 0600);
}

Test(directory, its_map_is_empty_and_may_grow)
{
	char buffer[100];
	struct xml_text text = XML_TEXT(buffer);

	cr_assert_eq(directory_make(&start), 0);
	cr_assert_eq(directory_make_map(), 0);
	cr_assert_eq(faccessat(col_directory_get(), ".map.new", F_OK, 0), -1);
	cr_assert_eq(scratch_count("_f1.er/map.xml", "<map version=\""), 1);
	cr_assert_eq(col_xml_open(COL_MAP), 0);
	xml_put(&text, " <element/>\n");
	cr_assert_eq(col_xml_append(COL_MAP, &text), 0);
	xmlFreeDoc(parse("_f1.er/map.xml"));
	cr_assert_eq(scratch_count("_f1.er/map.xml", " <element/>\n</map>"), 1);
}

Test(directory, planted_files_are_not_written_to)
{
	int fd;

	cr_assert_eq(directory_make(&start), 0);
	fd = openat(col_directory_get(), ".map.new", O_CREAT | O_WRONLY, 0600);
	cr_assert_eq(directory_make_map(), -EEXIST);
	close(fd);
	cr_assert_eq(faccessat(col_directory_get(), "map.xml", F_OK, 0), -1);
}

Test(directory, files_that_may_not_grow_are_errors)
{
	struct rlimit limit = {20, RLIM_INFINITY};
	int log, map;

	mkdirat(col_founder_get(), "_f7.er", 0700);
	cr_assert_eq(col_directory_open("_f7.er"), 0);
	setrlimit(RLIMIT_FSIZE, &limit);
	map = directory_make_map();
	log = directory_make(&start);
	limit.rlim_cur = 1 << 20;
	setrlimit(RLIMIT_FSIZE, &limit);
	cr_expect_eq(directory_make_map(), 0, "as far as they may");
	cr_expect_eq(directory_make(&start), 0);
	limit.rlim_cur = RLIM_INFINITY;
	setrlimit(RLIMIT_FSIZE, &limit);
	cr_assert_eq(map, -EFBIG);
	cr_assert_eq(log, -EFBIG);
	cr_assert_eq(faccessat(col_founder_get(), "_f1.er/log.xml", F_OK, 0), -1);
}

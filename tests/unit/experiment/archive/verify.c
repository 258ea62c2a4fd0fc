/* Is an experiment complete? Missing files are reported once each, with the reason; files that are
 * there are counted. */
#include "experiment/archive/verify.h"

#include "tests/unit/experiment/archive/one_archive.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

TestSuite(verify, .init = set_up, .fini = tear_down);

static struct exp_verify_counts counts;

/* Check the experiment; missing files are in `said`. Returns the result of
 * exp_verify_experiment. */
static int check(struct exp_archive_options options, int has_what)
{
	struct experiment *experiment = open_one();
	struct exp_verify *verify;
	int rc;

	said[0] = '\0';
	options.reporter = (struct exp_reporter){.warn = say};
	verify = exp_verify_create(&options, has_what);
	cr_assert_not_null(verify);
	rc = exp_verify_experiment(verify, experiment);
	counts = *exp_verify_counts(verify);
	exp_verify_destroy(verify);
	experiment_close(experiment);
	return rc;
}

static void is_whole(struct exp_archive_options options, int has_what)
{
	cr_expect_eq(check(options, has_what), 0);
	cr_expect_str_eq(said, "");
}

static const struct exp_archive_options on = {.what = EXP_ARCHIVE_ON};

static uint8_t file[4096];

static const uint8_t id[16] = {'0', '1', '2', '3', '4', '5', '6', '7',
                               '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'};
#define ID "30313233343536373839616263646566"

/* An object without build-id, or with the one above. */
static void put_object(const char *name, int has_id)
{
	uint8_t note[MADE_NOTE_SIZE];

	made_build_id(note, id);
	put_file(name, file,
	         made_elf(file, sizeof(file),
	                  &(struct made_section){.name = ".note.gnu.build-id",
	                                         .type = SHT_NOTE,
	                                         .bytes = note,
	                                         .size = sizeof(note)},
	                  has_id ? 1 : 0));
}

Test(verify, what_is_missing_is_told_once_and_why)
{
	put_object("prog", 0);
	put_object("a.so", 1);
	put_object("b.so", 1);
	add_object(1, "prog", "");
	add_object(2, "a.so", ID);
	add_object(3, "b.so", "00112233445566778899aabbccddeeff");
	add_object(4, "none.so", "");
	add_object(5, "prog", "");
	add("<object id=\"6\" path=\"[vdso]\" build_id=\"ffff\" start=\"0x6000\" end=\"0x7000\"/>"
	    "<object id=\"7\" path=\"[heap]\" start=\"0x7000\" end=\"0x8000\"/>");
	cr_expect_eq(check(on, 0), 5);
	cr_expect_eq(counts.missing, 5);
	cr_expect_eq(counts.objects, 0);
	cr_expect_str_eq(said,
	                 "@/test.1.er: @/prog: not archived\n"
	                 "@/test.1.er: @/a.so: not archived\n"
	                 "@/test.1.er: @/b.so: not archived, and the file has changed since\n"
	                 "@/test.1.er: @/none.so: not archived, and the file is gone\n"
	                 "@/test.1.er: [vdso]: not archived, and this kernel has another one\n");
	cr_expect_eq(archive_it(on), 3);
	cr_expect_str_eq(said, "@/test.1.er: not archived: @/b.so: the file has changed since\n"
	                       "@/test.1.er: not archived: @/none.so: No such file or directory\n"
	                       "@/test.1.er: not archived: [vdso]: this kernel has another one\n");
	cr_expect_eq(check(on, 0), 3);
	cr_expect_eq(counts.objects, 2);
	cr_expect_eq(counts.missing, 3);
	cr_expect_eq(counts.functions + counts.sources + counts.debug_files, 0);
}

Test(verify, several_experiments_are_counted_together)
{
	struct exp_verify *verify = exp_verify_create(&on, 0);
	struct experiment *experiment;

	put_object("prog", 0);
	add_object(1, "prog", "");
	experiment = open_one();
	cr_expect_eq(exp_verify_experiment(verify, experiment), 1);
	/* The same for a descendant, with its founder. */
	cr_expect_eq(exp_verify_experiment(verify, experiment), 0);
	cr_expect_eq(exp_verify_counts(verify)->missing, 1);
	exp_verify_destroy(verify);
	experiment_close(experiment);
}

Test(verify, an_expression_chooses_objects)
{
	struct exp_archive_options options = on;

	put_object("prog", 0);
	put_object("a.so", 0);
	add_object(1, "prog", "");
	add_object(2, "a.so", "");
	options.match = "/a[.]so$";
	cr_expect_eq(check(options, 0), 1);
	cr_expect_str_eq(said, "@/test.1.er: @/a.so: not archived\n");
	options.match = "(";
	cr_expect_null(exp_verify_create(&options, 0));
	exp_verify_destroy(NULL);
}

Test(verify, a_common_archive_stays_behind)
{
	struct exp_archive_options options = on;
	char common[128];

	snprintf(common, sizeof(common), "%s/common", maker.directory);
	cr_assert_eq(mkdir(common, 0755), 0);
	options.common = common;
	put_object("prog", 1);
	add_object(1, "prog", ID);
	cr_expect_eq(archive_it(options), 0);
	cr_expect_eq(check(on, 0), 1);
	cr_expect_eq(counts.objects, 0);
	cr_expect_str_eq(said, "@/test.1.er: @/prog: only in the common archive\n");
}

/* A debug link has a name and, at the next multiple of 4, the checksum of the file. */
static void put_linked(const char *name, const char *debug, uint32_t sum)
{
	uint8_t link[64] = "";
	size_t at = (strlen(debug) + 4) & ~(size_t)3;

	memcpy(link, debug, strlen(debug));
	memcpy(link + at, &sum, 4);
	put_file(name, file,
	         made_elf(file, sizeof(file),
	                  &(struct made_section){.name = ".gnu_debuglink",
	                                         .type = SHT_PROGBITS,
	                                         .bytes = link,
	                                         .size = at + 4},
	                  1));
}

/* A debug file that shares its debug information with common.dwz. Returns its checksum. */
static uint32_t put_debug(const char *name)
{
	uint8_t link[11 + 16] = "common.dwz";
	size_t size;

	memcpy(link + 11, id, 16);
	size = made_elf(file, sizeof(file),
	                &(struct made_section){.name = ".gnu_debugaltlink",
	                                       .type = SHT_PROGBITS,
	                                       .bytes = link,
	                                       .size = sizeof(link)},
	                1);
	put_file(name, file, size);
	return (uint32_t)crc32(0, file, (uInt)size);
}

Test(verify, debug_files_are_needed_too)
{
	uint32_t sum = put_debug("prog.debug");

	put_linked("prog", "prog.debug", sum);
	put_linked("changed", "prog.debug", sum + 1);
	add_object(1, "prog", "");
	add_object(2, "changed", "");
	cr_expect_eq(check(on, 0), 3);
	cr_expect_str_eq(said, "@/test.1.er: @/prog: not archived\n"
	                       "@/test.1.er: @/prog.debug: debug file: not archived\n"
	                       "@/test.1.er: @/changed: not archived\n");
	cr_expect_eq(counts.debug_files, 0);
	cr_expect_eq(archive_it(on), 0);
	is_whole(on, 0);
	cr_expect_eq(counts.objects, 2);
	cr_expect_eq(counts.debug_files, 1);
}

Test(verify, a_debug_file_that_came_later_is_archived_later)
{
	uint32_t sum = put_debug("prog.debug");
	char path[128];

	snprintf(path, sizeof(path), "%s/prog.debug", maker.directory);
	cr_assert_eq(unlink(path), 0);
	put_linked("prog", "prog.debug", sum);
	add_object(1, "prog", "");
	cr_expect_eq(archive_it(on), 0);
	is_whole(on, 0);
	cr_expect_eq(counts.debug_files, 0);
	put_debug("prog.debug");
	cr_expect_eq(check(on, 0), 1);
	cr_expect_str_eq(said, "@/test.1.er: @/prog.debug: debug file: not archived\n");
	cr_expect_eq(archive_it(on), 0);
	is_whole(on, 0);
	cr_expect_eq(counts.debug_files, 1);
}

Test(verify, what_debug_files_share_is_needed_once)
{
	uint32_t sum = put_debug("one.debug");

	put_debug("two.debug");
	put_debug("alone");
	put_object("common.dwz", 1);
	put_linked("one", "one.debug", sum);
	put_linked("two", "two.debug", sum);
	add_object(1, "one", "");
	add_object(2, "two", "");
	add_object(3, "alone", "");
	cr_expect_eq(check(on, 0), 6);
	cr_expect_str_eq(said, "@/test.1.er: @/one: not archived\n"
	                       "@/test.1.er: @/one.debug: debug file: not archived\n"
	                       "@/test.1.er: @/common.dwz: debug file: not archived\n"
	                       "@/test.1.er: @/two: not archived\n"
	                       "@/test.1.er: @/two.debug: debug file: not archived\n"
	                       "@/test.1.er: @/alone: not archived\n");
	cr_expect_eq(archive_it(on), 0);
	is_whole(on, 0);
	cr_expect_eq(counts.objects, 3);
	cr_expect_eq(counts.debug_files, 2);
}

Test(verify, JIT_functions_need_their_code)
{
	maker_put(&maker, "dyntext", "sixteen letters.", 16);
	add("<function name=\"first\" address=\"0x1000\" size=\"8\" generation=\"0\" offset=\"0\"/>"
	    "<function name=\"last\" address=\"0x2000\" size=\"8\" generation=\"0\" offset=\"8\"/>"
	    "<function name=\"cut\" address=\"0x3000\" size=\"9\" generation=\"0\" offset=\"8\"/>"
	    "<function name=\"beyond\" address=\"0x4000\" size=\"8\" generation=\"0\" offset=\"17\"/>"
	    "<function address=\"0x5000\" size=\"8\" generation=\"0\"/>"
	    /* Code that the Java machine makes for itself is never kept. */
	    "<function name=\"adapter\" address=\"0x6000\" size=\"8\" generation=\"0\" kind=\"jvm\"/>");
	cr_expect_eq(check(on, 0), 3);
	cr_expect_eq(counts.functions, 2);
	cr_expect_str_eq(said,
	                 "@/test.1.er: cut: dyntext: its code is cut off\n"
	                 "@/test.1.er: beyond: dyntext: its code is cut off\n"
	                 "@/test.1.er: a function without a name: its code was not recorded\n");
}

Test(verify, a_link_is_no_code)
{
	char path[256];

	add("<function name=\"first\" address=\"0x1000\" size=\"8\" generation=\"0\" offset=\"0\"/>");
	snprintf(path, sizeof(path), "%s/dyntext", maker.path);
	put_file("text", "sixteen letters.", 16);
	cr_assert_eq(symlink("../text", path), 0);
	cr_expect_eq(check(on, 0), 1);
	cr_expect_str_eq(said, "@/test.1.er: first: dyntext: its code is cut off\n");
}

/* Files in which the program described its JIT code, of this boot, and written while it ran. */
static void make_jitdump(void)
{
	const struct timespec times[2] = {{1700000005, 0}, {1700000005, 0}};
	char path[256], elements[512];

	put_file("jit-42.dump", "JITDUMP", 7);
	snprintf(path, sizeof(path), "%s/jit-42.dump", maker.directory);
	cr_assert_eq(utimensat(AT_FDCWD, path, times, 0), 0);
	snprintf(elements, sizeof(elements),
	         "<event kind=\"jitdump\" path=\"%s\"/>\n"
	         "<event kind=\"exit\" time=\"11000000000\" code=\"0\"/>\n",
	         path);
	if (maker_log_of_this_boot(&maker, elements) != 0)
		cr_skip_test("this machine does not tell when it was started");
}

Test(verify, files_that_tell_of_functions_go_into_the_experiment)
{
	char text[8] = "", path[256];
	int fd;

	make_jitdump();
	cr_expect_eq(check(on, 0), 1);
	cr_expect_str_eq(said, "@/test.1.er: @/jit-42.dump: JIT functions: not archived\n");
	cr_expect_eq(archive_it(on), 0);
	is_whole(on, 0);
	snprintf(path, sizeof(path), "%s/jit1.dump", maker.path);
	fd = open(path, O_RDONLY);
	cr_expect_eq(read(fd, text, sizeof(text)), 7);
	cr_expect_str_eq(text, "JITDUMP");
	close(fd);
}

/* How many warnings of the log say that the file was not archived? */
static unsigned count_refusals(void)
{
	struct experiment *experiment = open_one();
	const struct exp_info *info = experiment_info(experiment);
	unsigned count = 0;
	char expected[512];

	snprintf(expected, sizeof(expected), "jitdump %s/jit-42.dump was not taken: File too large",
	         maker.directory);
	for (size_t i = 0; i < info->event_count; i++)
		count += strcmp(info->events[i].kind, "warning") == 0 &&
		         info->events[i].attribute_count == 1 &&
		         strcmp(info->events[i].attributes[0].value, expected) == 0;
	experiment_close(experiment);
	return count;
}

Test(verify, a_file_that_is_not_taken_is_told_in_the_log_once)
{
	const struct timespec times[2] = {{1700000005, 0}, {1700000005, 0}};
	char path[256];

	make_jitdump();
	snprintf(path, sizeof(path), "%s/jit-42.dump", maker.directory);
	if (truncate(path, (off_t)3 << 30) != 0)
		cr_skip_test("this file system has no files of 3 GiB");
	cr_assert_eq(utimensat(AT_FDCWD, path, times, 0), 0);
	for (int i = 0; i < 2; i++) {
		cr_expect_eq(archive_it(on), 1);
		cr_expect_str_eq(said,
		                 "@/test.1.er: not archived: @/jit-42.dump: File too large\n");
		cr_expect_eq(count_refusals(), 1);
	}
}

/* ---- sources, and objects that are used ---- */

/* Two stacks: in prog, and in a function that came from a.c. Another function, in lib.so, and one
 * whose source is gone have no stacks. */
static void make_stacks(void)
{
	static const uint64_t pcs[] = {0x8004, 0x1010, 0x9004};
	static const int parents[] = {-1, -1, -1};
	static const uint32_t lines[2] = {0, 7};
	uint32_t ids[3];

	maker_nodes(&maker, 3, pcs, parents, ids);
	maker_put(&maker, "dyntext", lines, sizeof(lines));
	put_file("a.c", "int a;\n", 7);
	put_file("b.c", "int b;\n", 7);
	put_object("prog", 0);
	put_object("lib.so", 0);
	add_object(1, "prog", "");
	add_object(2, "lib.so", "");
	add("<function name=\"a\" source=\"%s/a.c\" address=\"0x8000\" size=\"8\" generation=\"0\" offset=\"0\"/>"
	    "<function name=\"none\" source=\"%s/none.c\" address=\"0x9000\" size=\"8\" generation=\"0\" offset=\"0\"/>"
	    "<function name=\"b\" source=\"%s/b.c\" address=\"0xa000\" size=\"8\" generation=\"0\" offset=\"0\"/>",
	    maker.directory, maker.directory, maker.directory);
}

Test(verify, sources_are_missing_where_they_are_wanted)
{
	struct exp_archive_options sources = {.what = EXP_ARCHIVE_SRC};

	make_stacks();
	cr_expect_eq(check(sources, 0), 2, "the experiment does not say that it has sources");
	cr_expect_eq(check(sources, 1), 3);
	cr_expect_str_eq(said, "@/test.1.er: @/prog: not archived\n"
	                       "@/test.1.er: @/lib.so: not archived\n"
	                       "@/test.1.er: @/a.c: source: not archived\n");
	cr_expect_eq(counts.sources, 0);
	cr_expect_eq(archive_it(sources), 0);
	is_whole(sources, 1);
	cr_expect_eq(counts.sources, 1);
	is_whole(on, 1);
	cr_expect_eq(counts.sources, 1, "what was archived once is wanted");
}

Test(verify, an_experiment_says_what_it_needs)
{
	make_stacks();
	maker_log(&maker, "<setting name=\"archive\" value=\"usedsrc\"/>"
	                  "<event kind=\"exit\" time=\"11000000000\" code=\"3\"/>\n");
	cr_expect_eq(check(on, 0), 2);
	cr_expect_str_eq(said, "@/test.1.er: @/prog: not archived\n"
	                       "@/test.1.er: @/a.c: source: not archived\n");
	cr_expect_eq(check(on, 1), 2);
	cr_expect_str_eq(said, "@/test.1.er: @/prog: not archived\n"
	                       "@/test.1.er: @/lib.so: not archived\n");
	cr_expect_eq(archive_it((struct exp_archive_options){.what = EXP_ARCHIVE_USEDSRC}), 0);
	is_whole(on, 0);
	cr_expect_eq(counts.objects, 1);
	cr_expect_eq(counts.sources, 1);
}

Test(verify, what_stacks_need_is_missing_where_nothing_was_to_be_archived)
{
	make_stacks();
	maker_log(&maker, "<setting name=\"archive\" value=\"off\"/>"
	                  "<event kind=\"exit\" time=\"11000000000\" code=\"3\"/>\n");
	cr_expect_eq(check(on, 0), 1);
	cr_expect_eq(check(on, 1), 2);
	cr_expect_eq(check((struct exp_archive_options){.what = EXP_ARCHIVE_USEDLDOBJECTS}, 1), 1);
	cr_expect_eq(archive_it((struct exp_archive_options){.what = EXP_ARCHIVE_OFF}), 0);
	cr_expect_eq(check(on, 0), 1);
	cr_expect_eq(check((struct exp_archive_options){.what = EXP_ARCHIVE_OFF}, 1), 1);
}

/* Tests of xer_archive: its command line, which experiments it visits, and its messages. */
#include "experiment/packed/frame.h"
#include "tests/unit/capture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int archive_main(int argc, char **argv);

static char directory[] = "/tmp/xer-archive-XXXXXX";

/* A copy of two golden experiments, whose load objects exist only in their archives. */
static void set_up(void)
{
	char command[256];

	cr_assert_not_null(mkdtemp(directory));
	snprintf(command, sizeof(command),
	         "cp -r tests/golden/heap.er tests/golden/children.er %s/ && chmod -R u+w %s",
	         directory, directory);
	cr_assert_eq(system(command), 0);
	cr_assert_eq(chdir(directory), 0);
	unsetenv("DEBUGINFOD_URLS");
}

static void tear_down(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", directory);
	cr_assert_eq(system(command), 0);
}

TestSuite(archive, .init = set_up, .fini = tear_down, .timeout = 60);

static struct capture_run run(const char *const *words)
{
	return capture_main(archive_main, words, NULL);
}
#define RUN(...) run((const char *const[]){"xer_archive", __VA_ARGS__, NULL})

static void check(struct capture_run made, const char *out, const char *err, int status)
{
	cr_expect_str_eq(made.out, out, "%s", made.out);
	cr_expect_str_eq(made.err, err, "%s", made.err);
	cr_expect_eq(made.status, status, "%d", made.status);
	capture_run_fini(&made);
}

Test(archive, the_closing_line_has_the_sizes_and_the_next_command)
{
	struct capture_run made;

	cr_assert_eq(
		system("rm -rf heap.er/* && mkdir -p heap.er/_f1.er/archives heap.er/archives &&"
	               "cp children.er/log.xml heap.er/ &&"
	               "head -c 3000000 /dev/urandom >heap.er/archives/a &&"
	               "ln heap.er/archives/a heap.er/_f1.er/archives/a &&"
	               "head -c 45000 /dev/urandom >heap.er/_f1.er/heap &&"
	               "truncate -s 1G heap.er/heap"),
		0);
	made = RUN("-s", "heap.er", "-a", "off", "-n", "./heap.er");
	cr_expect(strstr(made.err, "heap.er: "), "%s", made.err);
	cr_expect(strstr(made.err, " kB of data, 3.0 MB of libraries and sources. "), "%s",
	          made.err);
	cr_expect(strstr(made.err, "Read it: xer_print -overview heap.er\n"), "%s", made.err);
	capture_run_fini(&made);
}

Test(archive, help_and_version_need_no_experiment)
{
	struct capture_run made = RUN("--help");

	cr_expect(strstr(made.out, "Usage: xer_archive [OPTION...] EXPERIMENT...\n") == made.out);
	cr_expect(strstr(made.out,
	                 "\n  -a WHAT    what to archive, see below; default usedldobjects\n") !=
	          NULL);
	cr_expect(strstr(made.out, "\n  -n         do not archive descendants' objects\n") != NULL);
	cr_expect(strstr(made.out, "\n  usedsrc        ") != NULL);
	cr_expect_eq(made.status, 0);
	check(RUN("-h"), made.out, "", 0);
	check(RUN("-help"), made.out, "", 0);
	capture_run_fini(&made);
	check(RUN("-V"), "xer_archive " XER_VERSION "\n", "", 0);
	check(RUN("--version"), "xer_archive " XER_VERSION "\n", "", 0);
	check(RUN("-a", "nonsense", "-V"), "xer_archive " XER_VERSION "\n", "", 0);
}

Test(archive, slips_of_the_command_line)
{
	check(run((const char *const[]){"xer_archive", NULL}), "",
	      "xer_archive: no experiment given; see --help\n", 2);
	check(RUN("--"), "", "xer_archive: no experiment given; see --help\n", 2);
	check(RUN("-verfy", "heap.er"), "",
	      "xer_archive: unknown option '-verfy' (did you mean '-verify'?); see --help\n", 2);
	check(RUN("--hlp"), "",
	      "xer_archive: unknown option '--hlp' (did you mean '--help'?); see --help\n", 2);
	check(RUN("-a"), "", "xer_archive: -a needs WHAT; see --help\n", 2);
	check(RUN("-q", "-m", "/nothing$", "heap.er", "-q"), "",
	      "xer_archive: -q: no such experiment\n", 1);
	check(RUN("-a", "usdsrc", "heap.er"), "",
	      "xer_archive: -a: unknown word 'usdsrc' (did you mean 'usedsrc'?); see --help\n", 2);
	struct capture_run made = RUN("-m", "(", "heap.er");
	cr_expect(strstr(made.err, "xer_archive: -m: '(': ") == made.err, "%s", made.err);
	cr_expect_eq(made.status, 2);
	capture_run_fini(&made);
}

Test(archive, data_files_are_compressed_if_that_is_asked_for)
{
	struct stat st;

	if (!exp_frames_are_known())
		return;
	/* What is in it does not matter. */
	cr_assert_eq(system("seq 20000 >heap.er/synctrace"), 0);
	check(RUN("-a", "off", "heap.er"), "", "", 0);
	check(RUN("-a", "off", "-z", "off", "heap.er"), "", "", 0);
	cr_expect_eq(stat("heap.er/synctrace", &st), 0);
	check(RUN("-a", "off", "-z", "on", "heap.er"), "", "", 0);
	cr_expect_neq(stat("heap.er/synctrace", &st), 0);
	cr_assert_eq(stat("heap.er/synctrace.zst", &st), 0);
	cr_expect_lt(st.st_size, 60000);
	check(RUN("-z", "high", "heap.er"), "",
	      "xer_archive: -z: on, archives or off, not 'high'; see --help\n", 2);
}

Test(archive, what_cannot_be_opened_is_named_and_the_rest_visited)
{
	check(RUN("-verify", "-m", "/heap_known$", "none.er", "heap.er"),
	      "0 missing; archived: 1 load object, 0 debug files, 0 sources, 0 JIT functions\n"
	      "sources are not archived: xer_archive -a src copies them\n",
	      "xer_archive: none.er: no such experiment\n", 1);
}

Test(archive, verify_tells_what_is_not_in_the_archive)
{
	check(RUN("-verify", "-m", "/heap_known$", "heap.er"),
	      "0 missing; archived: 1 load object, 0 debug files, 0 sources, 0 JIT functions\n"
	      "sources are not archived: xer_archive -a src copies them\n",
	      "", 0);
	cr_assert_eq(system("rm heap.er/archives/heap_known_*"), 0);
	check(RUN("-verify", "-m", "/heap_known$", "heap.er"),
	      "missing: heap.er: /tmp/xer-golden/heap_known: not archived, and the file is gone\n"
	      "1 missing; archived: 0 load objects, 0 debug files, 0 sources, 0 JIT functions\n"
	      "sources are not archived: xer_archive -a src copies them\n",
	      "", 1);
	cr_expect_neq(access("heap.er/archives/heap_known_99a605a8c7b4f053", F_OK), 0);
}

Test(archive, descendants_are_visited_unless_their_founder_alone_is_wanted)
{
	struct capture_run all = RUN("-verify", "-a", "on", "-m", "/alone", "children.er"),
			   founder = RUN("-verify", "-a", "on", "-n", "-m", "/alone",
	                                 "children.er");

	cr_expect_eq(all.status, 1);
	cr_expect(strstr(all.out, "/tmp/xer-golden/alone:") && strstr(all.out, "/alone_static:") &&
	                  strstr(all.out, "\n2 missing;"),
	          "%s", all.out);
	cr_expect(strstr(founder.out, "/tmp/xer-golden/alone:") &&
	                  !strstr(founder.out, "/alone_static:") &&
	                  strstr(founder.out, "\n1 missing;"),
	          "%s", founder.out);
	capture_run_fini(&all);
	capture_run_fini(&founder);
}

Test(archive, the_members_of_a_group_are_visited)
{
	FILE *group = fopen("both.erg", "w");

	fputs("#analyzer experiment group\nheap.er\nnone.er\n", group);
	fclose(group);
	struct capture_run made = RUN("-verify", "-m", "/heap_known$", "both.erg");
	cr_expect(strstr(made.out, "archived: 1 load object,") != NULL, "%s", made.out);
	cr_expect(strstr(made.err, "none.er: no such experiment\n") != NULL, "%s", made.err);
	cr_expect_eq(made.status, 1);
	capture_run_fini(&made);
	group = fopen("bad.erg", "w");
	fputs("heap.er\n", group);
	fclose(group);
	made = RUN("-verify", "bad.erg");
	cr_expect(strstr(made.err, "xer_archive: bad.erg: ") == made.err, "%s", made.err);
	cr_expect_eq(made.status, 1);
	capture_run_fini(&made);
}

Test(archive, what_cannot_be_archived_is_said_unless_quiet_is_wanted)
{
	cr_assert_eq(system("rm heap.er/archives/heap_known_*"), 0);
	struct capture_run made = RUN("-m", "/heap_known$", "heap.er");
	cr_expect(strstr(made.err, "xer_archive: ") == made.err &&
	                  strstr(made.err, "/tmp/xer-golden/heap_known") != NULL,
	          "%s", made.err);
	cr_expect_eq(made.status, 1);
	capture_run_fini(&made);
	check(RUN("-q", "-m", "/heap_known$", "heap.er"), "", "", 1);
	check(RUN("-q", "-m", "/nothing$", "heap.er"), "", "", 0);
	check(RUN("-a", "off", "heap.er"), "", "", 0);
}

Test(archive, a_common_archive_is_made)
{
	struct stat st;

	check(RUN("-d", "common", "-m", "/nothing$", "heap.er"), "", "", 0);
	cr_expect(stat("common", &st) == 0 && S_ISDIR(st.st_mode));
	check(RUN("-d", "common", "-m", "/nothing$", "heap.er"), "", "", 0);
	check(RUN("-d", "none/common", "-m", "/nothing$", "heap.er"), "",
	      "xer_archive: cannot make none/common: No such file or directory\n", 1);
}

Test(archive, odd_bytes_are_escaped)
{
	check(RUN("no\x1bne\xff.er"), "", "xer_archive: no\\x1bne\\xff.er: no such experiment\n",
	      1);
}

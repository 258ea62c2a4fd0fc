/* Tests of the experiments of an analysis: trees, groups, selection, dropping and reading again. */
#include "analyzer/command.h"
#include "tests/unit/experiment/make_experiment.h"

#include "analyzer/base/memory.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint64_t pcs[] = {0x1000};
static const int parents[] = {-1};
static const uint64_t t = MAKER_START_TICKS;
static struct maker founder, first, grandchild;
static struct analysis analysis;

/* One allocation of that many bytes. */
static void put_bytes(struct maker *maker, uint32_t bytes)
{
	struct maker_stream stream;
	uint32_t id;

	maker_nodes(maker, 1, pcs, parents, &id);
	maker_stream_init(&stream);
	maker_extent(&stream, 42, t, 4096);
	maker_alloc(&stream, t + 1000000, 0x5000, bytes, id);
	maker_stream_put(maker, &stream, "heaptrace");
}

static void set_up(void)
{
	maker_create(&founder);
	maker_descendant(&founder, "_f1", NULL, &first);
	maker_descendant(
		&founder, "_f1_x1",
		"<event kind=\"unrecorded\" time=\"2000000000\" path=\"/bin/st\" lineage=\"_f1_x1_f1\" reason=\"it is static\"/>\n",
		&grandchild);
	put_bytes(&founder, 100);
	put_bytes(&first, 20);
	put_bytes(&grandchild, 3);
	analysis_init(&analysis);
}

static void tear_down(void)
{
	analysis_fini(&analysis);
	maker_destroy(&founder);
}

TestSuite(experiments, .init = set_up, .fini = tear_down);

static void open_path(const char *path)
{
	cr_assert_eq(dataset_open(&analysis.dataset, &analysis.choices, &analysis.output, path), 0);
	analysis_set_defaults(&analysis);
}

static uint64_t bytes(void)
{
	return dataset_tree(&analysis.dataset, TREE_FUNCTIONS)->sum.of[METRIC_HEAPALLOCBYTES];
}

/* The output of a line of commands; the caller frees it. */
static char *run(const char *line)
{
	char *text = NULL, *copy = memory_text(line, strlen(line));
	size_t size;

	analysis.output.out = open_memstream(&text, &size);
	command_run_line(&analysis, copy);
	fclose(analysis.output.out);
	analysis.output.out = stdout;
	free(copy);
	return text;
}

static void check(const char *line, const char *expected)
{
	char *text = run(line);

	cr_assert(strstr(text, expected) != NULL, "%s: no '%s' in:\n%s", line, expected, text);
	free(text);
}

Test(experiments, a_founder_brings_its_tree)
{
	open_path(founder.path);
	cr_assert_eq(analysis.dataset.count, 3u);
	cr_assert_eq(bytes(), 123u);
	cr_assert_str_eq(analysis.dataset.experiments[2].info->lineage, "_f1_x1");
	cr_assert_eq(analysis.dataset.experiments[2].founder, 1u);
	cr_assert_str_eq(analysis.dataset.experiments[2].info->host, "box",
	                 "the host is the founder's");
	cr_assert_eq(analysis.dataset.have, (unsigned)EXP_DATA_HEAP);
}

Test(experiments, the_list_shows_the_tree)
{
	open_path(founder.path);
	check("exp_list", " 42       0.000  ended, exit code 3    /tmp/xer-unit-");
	check("exp_list",
	      "\n  2  yes         43       5.000  ended, exit code 0      _f1: child\n");
	check("exp_list",
	      "\n  3  yes         43       5.000  ended, exit code 0        _f1_x1: child\n");
	check("exp_list",
	      "\n  -  -            -           -  not recorded                _f1_x1_f1: /bin/st (it is static)\n");
}

Test(experiments, what_is_named_twice_counts_once)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/_f1.er", founder.path);
	open_path(path);
	cr_assert_eq(bytes(), 20u);
	open_path(founder.path);
	snprintf(path, sizeof(path), "%s/./_f1_x1.er/.", founder.path);
	open_path(path);
	snprintf(path, sizeof(path), "%s/link.er", founder.directory);
	cr_assert_eq(symlink("test.1.er", path), 0);
	open_path(path);
	analysis_refresh(&analysis);
	cr_assert_eq(analysis.dataset.count, 3u);
	cr_assert_eq(analysis.dataset.group_count, 2u);
	cr_assert_eq(bytes(), 123u);
	cr_assert_eq(analysis.dataset.experiments[0].founder, 2u,
	             "it was met again with its founder");
}

Test(experiments, selection_is_by_number)
{
	open_path(founder.path);
	free(run("exp_select 2-3"));
	cr_assert_eq(bytes(), 23u);
	cr_assert_eq(dataset_selected(&analysis.dataset), 2u);
	check("exp_list", "\n  1  no  ");
	free(run("exp_select 1,3"));
	cr_assert_eq(bytes(), 103u);
	free(run("exp_select ALL"));
	cr_assert_eq(bytes(), 123u);
	cr_assert_eq(analysis.output.status, EXIT_OK);
}

Test(experiments, bad_selections_change_nothing)
{
	static const char *const bad[] = {"exp_select 4",  "exp_select 1,",
	                                  "exp_select x",  "exp_select 3-1",
	                                  "exp_select 1-", "exp_select 1;2",
	                                  "exp_select 0",  "exp_select 99999999999999999999"};

	open_path(founder.path);
	free(run("exp_select 2"));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		analysis.output.status = EXIT_OK;
		free(run(bad[i]));
		cr_assert_eq(analysis.output.status, EXIT_USAGE, "%s", bad[i]);
		cr_assert_eq(bytes(), 20u, "%s", bad[i]);
	}
}

Test(experiments, dropped_ones_are_gone_and_their_numbers_too)
{
	char line[512];

	open_path(founder.path);
	snprintf(line, sizeof(line), "drop_exp %s", first.path);
	free(run(line));
	cr_assert_eq(bytes(), 103u);
	snprintf(line, sizeof(line), "add_exp %s", first.path);
	free(run(line));
	cr_assert_eq(bytes(), 123u);
	cr_assert_eq(analysis.dataset.experiments[2].id, 4u);
	snprintf(line, sizeof(line), "drop_exp %s", founder.path);
	free(run(line));
	cr_assert_eq(analysis.dataset.count, 1u, "what was opened by itself stays");
	snprintf(line, sizeof(line), "open_exp %s", founder.path);
	free(run(line));
	cr_assert_eq(analysis.dataset.count, 3u);
	cr_assert_eq(bytes(), 123u);
	cr_assert_eq(analysis.output.status, EXIT_OK);
	free(run("open_exp nowhere.er"));
	cr_assert_eq(analysis.output.status, EXIT_TROUBLE);
	cr_assert_eq(analysis.dataset.count, 3u,
	             "what is open stays where another one cannot be opened");
	cr_assert_eq(bytes(), 123u);
	analysis.output.status = EXIT_OK;
	free(run("drop_exp nowhere.er"));
	cr_assert_eq(analysis.output.status, EXIT_USAGE);
	analysis.output.status = EXIT_OK;
}

Test(experiments, metrics_stay_valid)
{
	char line[512];

	open_path(founder.path);
	free(run("metrics i.heapallocbytes"));
	snprintf(line, sizeof(line), "drop_exp %s", founder.path);
	free(run(line));
	cr_assert_eq(analysis.dataset.have, 0u);
	free(run("add_exp /nowhere.er"));
	cr_assert_eq(analysis.output.status, EXIT_TROUBLE);
	analysis.output.status = EXIT_OK;
	snprintf(line, sizeof(line), "add_exp %s", founder.path);
	free(run(line));
	check("functions", "Bytes Allocated");
	cr_assert_eq(analysis.choices.sort.metric.id, (unsigned)METRIC_HEAPALLOCBYTES);
}

static void put_group(const char *name, const char *text)
{
	struct maker place = founder;

	snprintf(place.path, sizeof(place.path), "%s", founder.directory);
	maker_put(&place, name, text, strlen(text));
}

Test(experiments, groups_open_what_they_name)
{
	char path[512];

	put_group("all.erg",
	          "#analyzer experiment group\n\n# a comment\ntest.1.er\r\ntest.1.er/_f1.er\n");
	snprintf(path, sizeof(path), "%s/all.erg", founder.directory);
	open_path(path);
	cr_assert_eq(analysis.dataset.count, 3u);
	cr_assert_eq(analysis.dataset.group_count, 1u);
	cr_assert_eq(analysis.output.status, EXIT_OK);
	cr_assert_eq(dataset_drop(&analysis.dataset, path), 3u);
}

Test(experiments, bad_lines_of_groups_leave_the_others)
{
	char path[512];

	put_group("bad.erg", "#analyzer experiment group\nnone.er\ntest.1.er");
	snprintf(path, sizeof(path), "%s/bad.erg", founder.directory);
	open_path(path);
	cr_assert_eq(analysis.dataset.count, 3u);
	cr_assert_eq(analysis.output.status, EXIT_TROUBLE);
	put_group("text.erg", "test.1.er\n");
	snprintf(path, sizeof(path), "%s/text.erg", founder.directory);
	cr_assert_lt(dataset_open(&analysis.dataset, &analysis.choices, &analysis.output, path), 0);
	cr_assert_lt(dataset_open(&analysis.dataset, &analysis.choices, &analysis.output,
	                          "/nowhere.erg"),
	             0);
	analysis.output.status = EXIT_OK;
}

Test(experiments, damaged_descendants_leave_the_others)
{
	struct maker bad;

	maker_descendant(&founder, "_f2", NULL, &bad);
	maker_put(&bad, "log.xml", "", 0);
	maker_descendant(&founder, "_f3", NULL, &bad);
	open_path(founder.path);
	cr_assert_eq(analysis.dataset.count, 4u);
	cr_assert_eq(analysis.output.status, EXIT_TROUBLE);
	cr_assert_eq(bytes(), 123u);
	analysis.output.status = EXIT_OK;
}

/* Hold the lock that shows that the founder is being recorded. */
static int hold(struct maker *maker)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/log.xml", maker->path);
	fd = open(path, O_RDWR | O_CLOEXEC);
	cr_assert(fd >= 0 && fcntl(fd, F_OFD_SETLK, &lock) == 0);
	return fd;
}

Test(experiments, what_still_runs_is_read_again)
{
	struct maker second;
	int lock;

	maker_log(&founder, NULL);
	lock = hold(&founder);
	open_path(founder.path);
	cr_assert_eq(analysis.dataset.experiments[0].info->status, EXP_RUNNING);
	cr_assert_eq(bytes(), 123u);
	free(run("exp_select 1,2"));
	put_bytes(&founder, 500);
	put_bytes(&grandchild, 7); /* it has ended: it is not read again */
	maker_descendant(&founder, "_f2", NULL, &second);
	put_bytes(&second, 1000);
	cr_assert_eq(bytes(), 120u, "until then all tables show one moment");
	close(lock);
	free(run("reload"));
	cr_assert_eq(analysis.dataset.count, 4u);
	cr_assert_eq(bytes(), 1520u, "a new descendant is selected, and others stay as they were");
	free(run("exp_select all"));
	cr_assert_eq(bytes(), 1523u);
	put_bytes(&founder, 900);
	free(run("reload"));
	cr_assert_eq(bytes(), 1523u, "it runs no more");
}

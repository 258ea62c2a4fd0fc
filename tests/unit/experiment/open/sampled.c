/* Descendants without a collector: which processes they are by map.fxt, their names, and their
 * experiments. */
#include "tests/unit/experiment/make_samples.h"

#include "format/fxt.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { FOUNDER = PID, SECOND = 1000000000 };

enum {
	NONE,
	BEGAN,
	FORKED,
	PARENT,
	EXECUTED,
	SAMPLED,
	ARCHIVER,
	ENDED,
	INNER,
	PROGRAM,
	COMMAND,
	WORDS
};
static const char *const table[WORDS] = {NULL,       "began",   "forked",   "parent",
                                         "executed", "sampled", "archiver", "ended",
                                         "inner",    "program", "command"};

static struct maker maker;
static uint64_t words[4096];
static size_t count;
static struct experiment *founder, *opened;

/* One image: the numbers of table[BEGAN] to table[INNER]. */
struct image {
	uint64_t pid, numbers[INNER];
	const char *name, *program, *command;
	size_t command_size;
};

static void begin(const char *elements)
{
	count = maker_sampler(&maker, elements, "map", words);
	for (unsigned i = 1; i < WORDS; i++)
		count += fxt_put_string(words + count, (uint16_t)i, table[i], strlen(table[i]));
}

static void put(struct image image)
{
	size_t size = strlen(image.name), at = count;
	unsigned arguments = 0;

	words[count + 1] = image.pid;
	count += 2;
	count += fxt_put_bytes(words + count, image.name, size);
	for (unsigned i = 0; i < INNER; i++) {
		if (image.numbers[i] == 0)
			continue;
		count += fxt_put_number(words + count, FXT_ARGUMENT_UINT64, (uint16_t)(i + 1),
		                        image.numbers[i]);
		arguments++;
	}
	if (image.program) {
		count += fxt_put_text(words + count, PROGRAM, image.program, strlen(image.program));
		arguments++;
	}
	if (image.command) {
		count += fxt_put_text(words + count, COMMAND, image.command, image.command_size);
		arguments++;
	}
	words[at] = FXT_HEAD(kernel_object, count - at) |
	            FXT_BITS(kernel_object, object, FXT_OBJECT_PROCESS) |
	            FXT_BITS(kernel_object, arguments, arguments) |
	            FXT_BITS(kernel_object, name, size > 0 ? FXT_STRING_INLINE | size : 0);
}

/* A process: pid, when and by which process it was forked, how many programs it has executed, when
 * the image began, its name. */
static void image(uint64_t pid, uint64_t forked, uint64_t parent, uint64_t executed, uint64_t began,
                  const char *name)
{
	char program[64];

	snprintf(program, sizeof(program), "/bin/%s", name);
	put((struct image){pid, {began, forked, parent, executed, 1}, name, program, NULL, 0});
}

static void founder_image(void)
{
	put((struct image){FOUNDER, {MONO + 10, 0, 0, 1}, "sh", NULL, NULL, 0});
}

static void open_founder(void)
{
	struct exp_cause cause;

	maker_put(&maker, "sampler/map.fxt", words, count * 8);
	cr_assert_eq(maker_open(&maker, &founder, &cause), 0, "%s", cause.text);
	cr_expect_eq(maker.warnings, 0, "%s", maker.warning);
}

static void expect(const char *lineages)
{
	const struct exp_info *info = experiment_info(founder);
	char text[1024] = "";

	for (size_t i = 0; i < info->descendant_count; i++) {
		strcat(text, info->descendants[i]);
		strcat(text, i + 1 < info->descendant_count ? " " : "");
	}
	cr_expect_str_eq(text, lineages, "'%s', not '%s'", text, lineages);
}

static const struct exp_info *open_descendant(const char *lineage)
{
	struct exp_cause cause = {""};

	cr_assert_eq(experiment_open_descendant(founder, lineage, NULL, &opened, &cause), 0,
	             "%s: %s", lineage, cause.text);
	return experiment_info(opened);
}

static void end(void)
{
	experiment_close(founder);
	maker_destroy(&maker);
}

Test(sampled, names_are_those_that_the_parents_logs_tell)
{
	begin(SETTING CLOCK
	      "<event kind=\"fork\" time=\"1000000100\" pid=\"50\" lineage=\"_f1\"/>\n"
	      "<event kind=\"unrecorded\" time=\"1000000200\" path=\"./static\" lineage=\"_f1_x1\" reason=\"it is static\"/>\n"
	      "<event kind=\"unrecorded\" time=\"1000000300\" pid=\"51\" path=\"./spawned\" lineage=\"_c7\" reason=\"it is odd\"/>\n" EXIT);
	founder_image();
	image(50, MONO + 100, FOUNDER, 1, MONO + 200, "static");
	image(51, MONO + 300, FOUNDER, 1, MONO + 310, "spawned");
	image(51, MONO + 300, FOUNDER, 2, MONO + 320 + SECOND, "next");
	open_founder();
	expect("_f1_x1 _c7 _c7_x1");
	cr_expect_str_eq(open_descendant("_f1_x1")->outside, "it is static");
	cr_expect_eq(experiment_info(opened)->pid, 50);
	cr_expect_eq(experiment_info(opened)->ppid, FOUNDER);
	cr_expect_eq(experiment_info(opened)->start_mono_ns, MONO + 200);
	cr_expect_eq(experiment_info(opened)->status, EXP_ENDED);
	cr_expect_str_eq(experiment_info(opened)->host, "box", "the founder's");
	experiment_close(opened);
	cr_expect_eq(open_descendant("_c7")->status, EXP_EXECED);
	cr_expect_str_eq(experiment_info(opened)->executed, "/bin/next");
	cr_expect_str_eq(experiment_info(opened)->executed_as, "_c7_x1");
	experiment_close(opened);
	cr_expect_eq(experiment_info(founder)->left_out, 0);
	end();
}

/* Helpers may have told of the founder last, and numbers of processes begin again. */
Test(sampled, neither_order_nor_numbers_matter)
{
	begin(SETTING CLOCK
	      "<event kind=\"fork\" time=\"1000000100\" pid=\"3\" lineage=\"_f1\"/>\n" EXIT);
	image(3, MONO + 100, FOUNDER, 1, MONO + 200, "static");
	image(70, MONO + 700, 69, 1, MONO + 800, "lost");
	founder_image();
	open_founder();
	expect("_f1_x1");
	cr_expect_eq(experiment_info(founder)->left_out, 1);
	end();
}

/* The founder forks 60, which forks 61 and 62; 62 executes two programs. */
Test(sampled, where_no_log_tells_the_kernel_has_told_who_made_whom)
{
	begin(SETTING CLOCK EXIT);
	founder_image();
	image(60, MONO + 100, FOUNDER, 1, MONO + 200, "make");
	image(61, MONO + 300, 60, 0, MONO + 300, "make");
	image(62, MONO + 400, 60, 0, MONO + 400, "make");
	image(62, MONO + 400, 60, 1, MONO + 500, "cc");
	image(62, MONO + 400, 60, 3, MONO + 600, "ld"); /* one in between had no samples */
	image(70, MONO + 700, 69, 1, MONO + 800, "lost");
	open_founder();
	expect("_f1_x1 _f1_x1_f1 _f1_x1_f2 _f1_x1_f2_x1 _f1_x1_f2_x3");
	cr_expect_eq(experiment_info(founder)->left_out, 1, "nobody has told of its maker");
	end();
}

Test(sampled, what_has_an_experiment_gets_no_other)
{
	struct maker child;

	begin(SETTING CLOCK EXIT);
	maker_descendant(
		&maker, "_f1_x2",
		"<clock source=\"tsc\" hz=\"1000000000\" ticks=\"1000000000\" raw_ns=\"5000000000\" real_ns=\"1700000000000000000\" mono_ns=\"1000900\"/>\n"
		"<event kind=\"fork\" time=\"1000000100\" pid=\"44\" lineage=\"_f1_x2_f9\"/>\n",
		&child);
	founder_image();
	image(43, MONO + 100, FOUNDER, 1, MONO + 200, "static");
	image(43, MONO + 100, FOUNDER, 2, MONO + 800, "child"); /* 43 is this at MONO + 900 */
	image(44, MONO + 1000, 43, 1, MONO + 1100, "static");
	open_founder();
	expect("_f1_x2 _f1_x2_f9_x1 _f2_x1");
	end();
}

Test(sampled, two_helpers_tell_of_one_image)
{
	begin(SETTING CLOCK EXIT);
	founder_image();
	image(50, MONO + 100, FOUNDER, 1, MONO + 200, "static");
	image(50, MONO + 140, FOUNDER, 1, MONO + 260, "static");
	put((struct image){
		50, {MONO + 200, MONO + 100, 0, 1, 0, 0, MONO + 200 + SECOND}, "", NULL, NULL, 0});
	image(50, MONO + 100 + 9ull * SECOND, FOUNDER, 1, MONO + 200 + 9ull * SECOND,
	      "again"); /* the pid was used again */
	const struct exp_info *info;

	open_founder();
	expect("_f1_x1 _f2_x1");
	info = open_descendant("_f1_x1");
	cr_expect_float_eq(info->duration_s, 1, 1e-6);
	experiment_close(opened);
	end();
}

Test(sampled, the_command_is_as_far_as_it_is_known)
{
	begin(SETTING CLOCK EXIT);
	founder_image();
	put((struct image){50,
	                   {MONO + 200, MONO + 100, FOUNDER, 1, 1},
	                   "static",
	                   "/opt/static",
	                   "./static\0-x\0two words",
	                   21});
	image(51, MONO + 200, FOUNDER, 1, MONO + 300, "short");
	open_founder();
	cr_assert_eq(open_descendant("_f1_x1")->argc, 3);
	cr_expect_str_eq(experiment_info(opened)->argv[0], "./static");
	cr_expect_str_eq(experiment_info(opened)->argv[2], "two words");
	cr_expect_str_eq(experiment_info(opened)->program, "/opt/static");
	experiment_close(opened);
	cr_assert_eq(open_descendant("_f2_x1")->argc, 1);
	cr_expect_str_eq(experiment_info(opened)->argv[0], "short");
	experiment_close(opened);
	end();
}

Test(sampled, the_archiver_and_what_has_no_samples_are_left_out)
{
	begin(SETTING CLOCK EXIT);
	founder_image();
	put((struct image){50, {MONO + 200, MONO + 100, FOUNDER, 1}, "idle", NULL, NULL, 0});
	put((struct image){51,
	                   {MONO + 400, MONO + 300, FOUNDER, 1, 1, 1},
	                   "xer_archive",
	                   "/bin/xer_archive",
	                   NULL,
	                   0});
	image(52, MONO + 500, 50, 1, MONO + 600, "busy");
	open_founder();
	expect("_f1_x1_f1_x1");
	cr_expect_eq(experiment_info(founder)->left_out, 0);
	end();
}

Test(sampled, what_was_forked_to_become_the_archiver_is_left_out)
{
	begin(SETTING CLOCK EXIT);
	founder_image();
	image(51, MONO + 300, FOUNDER, 0, MONO + 300, "sh");
	put((struct image){51,
	                   {MONO + 400, MONO + 300, FOUNDER, 1, 1, 1},
	                   "xer_archive",
	                   "/bin/xer_archive",
	                   NULL,
	                   0});
	image(52, MONO + 500, FOUNDER, 0, MONO + 500, "sh");
	open_founder();
	expect("_f2");
	cr_expect_eq(experiment_info(founder)->left_out, 0);
	end();
}

/* A process of the recorder starts the archiver, and waits for it. */
Test(sampled, who_makes_the_archiver_is_no_process_of_the_program_s)
{
	begin(SETTING CLOCK EXIT);
	founder_image();
	image(50, MONO + 200, FOUNDER, 0, MONO + 200, "sh");
	put((struct image){51,
	                   {MONO + 400, MONO + 300, 50, 1, 1, 1},
	                   "xer_archive",
	                   "/bin/xer_archive",
	                   NULL,
	                   0});
	image(52, MONO + 500, FOUNDER, 1, MONO + 600, "busy");
	open_founder();
	expect("_f2_x1");
	cr_expect_eq(experiment_info(founder)->left_out, 0);
	end();
}

Test(sampled, whom_F_leaves_out_is_left_out)
{
	static const struct {
		const char *setting, *lineages;
		unsigned left_out;
	} rows[] = {
		{"<setting name=\"follow\" value=\"on\"/>\n", "_f1_x1 _f2_x1", 0},
		{"<setting name=\"follow\" value=\"off\"/>\n", "", 2},
		{"<setting name=\"follow\" value=\"=^cc$\"/>\n", "_f2_x1", 1},
		{"<setting name=\"follow\" value=\"=^_f1\"/>\n", "_f1_x1", 1},
		{"<setting name=\"follow\" value=\"=(\"/>\n", "", 2},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char elements[1024];

		snprintf(elements, sizeof(elements), SETTING "%s" CLOCK EXIT, rows[i].setting);
		begin(elements);
		founder_image();
		image(50, MONO + 100, FOUNDER, 1, MONO + 200, "ld");
		image(51, MONO + 200, FOUNDER, 1, MONO + 300, "cc");
		open_founder();
		expect(rows[i].lineages);
		cr_expect_eq(experiment_info(founder)->left_out, rows[i].left_out, "%s",
		             rows[i].setting);
		end();
	}
}

/* Patterns that would take the compiler more memory or stack than there is are ignored. */
Test(sampled, a_pattern_that_is_a_trap_is_none)
{
	static const char *const traps[] = {
		"(((a{300}){300}){300}){300}",
		"((((((((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)",
		"a{1,2000}",
		"a{,2000}",
		"c.????????++++",
		"(a*)*\\1b",
		NULL};

	for (size_t i = 0; i < sizeof(traps) / sizeof(traps[0]); i++) {
		char elements[4096], deep[2001];

		memset(deep, '(', 1000);
		memset(deep + 1000, ')', 1000);
		deep[2000] = '\0';
		snprintf(elements, sizeof(elements),
		         SETTING "<setting name=\"follow\" value=\"=%s|cc\"/>\n" CLOCK EXIT,
		         traps[i] ? traps[i] : deep);
		begin(elements);
		founder_image();
		image(51, MONO + 200, FOUNDER, 1, MONO + 300, "cc");
		open_founder();
		expect("");
		cr_expect_eq(experiment_info(founder)->left_out, 1, "%s", traps[i]);
		end();
	}
	begin(SETTING "<setting name=\"follow\" value=\"=(^_f9|x+){1,3}|c{2}\\+*\"/>\n" CLOCK EXIT);
	founder_image();
	image(51, MONO + 200, FOUNDER, 1, MONO + 300, "cc");
	open_founder();
	expect("_f1_x1");
	end();
}

#define CHILD_CLOCK \
	"<clock source=\"tsc\" hz=\"1000000000\" ticks=\"1000000000\" raw_ns=\"5000000000\" real_ns=\"1700000000000000000\" mono_ns=\"1000900\"/>\n"

/* The collector of 143 knows it as 43, and its children by their pids inside. */
Test(sampled, processes_of_another_namespace_know_themselves_by_other_numbers)
{
	static const uint64_t pcs[] = {0x5000};
	const struct exp_data_set *set;
	struct maker child;

	begin(SETTING CLOCK EXIT);
	maker_descendant(
		&maker, "_f1_x1",
		CHILD_CLOCK
		"<event kind=\"fork\" time=\"1000000100\" pid=\"44\" lineage=\"_f1_x1_f3\"/>\n",
		&child);
	founder_image();
	image(43, MONO + 50, FOUNDER, 1, MONO + 60, "other"); /* that pid, outside */
	put((struct image){43, {MONO + 60, MONO + 50, 0, 1, 0, 0, MONO + 70}, "", NULL, NULL, 0});
	put((struct image){
		143, {MONO + 200, MONO + 100, FOUNDER, 1, 1, 0, 0, 43}, "sh", "/bin/sh", NULL, 0});
	put((struct image){144,
	                   {MONO + 1100, MONO + 1000, 143, 1, 1, 0, 0, 44},
	                   "static",
	                   "/bin/static",
	                   NULL,
	                   0});
	maker_put(&maker, "sampler/map.fxt", words, count * 8);
	count = fxt_put_magic(words);
	count += fxt_put_provider(words + count, 1, "cpu0", 4);
	count += fxt_put_initialization(words + count, SECOND);
	count += fxt_put_sample(words + count, MONO + 65, 43, 43, pcs, 1);
	for (int i = 0; i < 3; i++)
		count += fxt_put_sample(words + count, MONO + 950 + (uint64_t)i, 143, 143, pcs, 1);
	maker_put(&maker, "sampler/cpu0.fxt", words, count * 8);
	cr_assert_eq(maker_open(&maker, &founder, &(struct exp_cause){""}), 0);
	expect("_f1_x1 _f1_x1_f3_x1 _f2_x1");
	cr_expect_eq(open_descendant("_f1_x1")->pid, 43);
	cr_assert_eq(experiment_load(opened, &set), 0);
	cr_expect_eq(set->quality.samples, 3);
	experiment_close(opened);
	cr_expect_eq(open_descendant("_f1_x1_f3_x1")->pid, 144);
	experiment_close(opened);
	end();
}

/* Each sample belongs to the image that the process was then, even if its parent's log has no
 * exec. */
Test(sampled, samples_are_of_one_image)
{
	static const uint64_t pcs[] = {0x5000};
	static const struct {
		uint64_t pid, ns;
	} samples[] = {{FOUNDER, MONO + 20},
	               {50, MONO + 150},
	               {50, MONO + 250},
	               {50, MONO + 260},
	               {50, MONO + 300 + SECOND},
	               {FOUNDER, MONO + 400 + SECOND},
	               {FOUNDER, MONO + 410 + SECOND},
	               {FOUNDER, MONO + 420 + SECOND}};
	static const struct {
		const char *lineage;
		uint64_t samples;
	} rows[] = {{"_f1", 1}, {"_f1_x1", 2}, {"_f1_x2", 1}, {"_x1", 3}};
	const struct exp_data_set *set;

	begin(SETTING CLOCK EXIT);
	founder_image();
	image(50, MONO + 100, FOUNDER, 0, MONO + 100, "sh");
	image(50, MONO + 100, FOUNDER, 1, MONO + 200, "one");
	image(50, MONO + 100, FOUNDER, 2, MONO + 290 + SECOND, "two");
	image(FOUNDER, 0, 0, 2, MONO + 390 + SECOND, "other");
	maker_put(&maker, "sampler/map.fxt", words, count * 8);
	count = fxt_put_magic(words);
	count += fxt_put_provider(words + count, 1, "cpu0", 4);
	count += fxt_put_initialization(words + count, SECOND);
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		count += fxt_put_sample(words + count, samples[i].ns, samples[i].pid,
		                        samples[i].pid, pcs, 1);
	maker_put(&maker, "sampler/cpu0.fxt", words, count * 8);
	cr_assert_eq(maker_open(&maker, &founder, &(struct exp_cause){""}), 0);
	expect("_f1 _f1_x1 _f1_x2 _x1");
	cr_assert_eq(experiment_load(founder, &set), 0);
	cr_expect_eq(set->quality.samples, 1, "the founder: %lu",
	             (unsigned long)set->quality.samples);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		open_descendant(rows[i].lineage);
		cr_assert_eq(experiment_load(opened, &set), 0);
		cr_expect_eq(set->quality.samples, rows[i].samples, "%s: %lu", rows[i].lineage,
		             (unsigned long)set->quality.samples);
		experiment_close(opened);
	}
	end();
}

Test(sampled, one_is_opened_by_its_path_too)
{
	struct exp_cause cause;
	char path[300];

	begin(SETTING CLOCK EXIT);
	founder_image();
	image(50, MONO + 100, FOUNDER, 1, MONO + 200, "static");
	open_founder();
	snprintf(path, sizeof(path), "%s/_f1_x1.er", maker.path);
	cr_assert_eq(experiment_open(path, NULL, &opened, &cause), 0, "%s", cause.text);
	cr_expect_str_eq(experiment_info(opened)->lineage, "_f1_x1");
	experiment_close(opened);
	snprintf(path, sizeof(path), "%s/_f2.er", maker.path);
	cr_assert_eq(experiment_open(path, NULL, &opened, &cause), -ENOENT);
	end();
}

/* Damage: impossible numbers, and a thousand images of one time. */
Test(sampled, what_cannot_be_is_passed_over)
{
	begin(SETTING CLOCK EXIT);
	founder_image();
	image(50, MONO + 100, 50, 1, MONO + 200, "own maker");
	image(51, MONO + 100, FOUNDER, UINT64_MAX, MONO + 200, "many");
	image(UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, "");
	image(52, UINT64_MAX, FOUNDER, 1, 1, "later than it began");
	open_founder();
	cr_expect_eq(
		experiment_info(founder)->descendant_count + experiment_info(founder)->left_out, 4);
	end();
}

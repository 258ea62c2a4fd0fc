/* trcrpt.c: options of the report of user events, its lines, and which events it has. */
#include "analyzer/trcrpt/trcrpt.h"
#include "analyzer/trcrpt/select.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct trcrpt_options options;
static char error[256];

static int parse(char *const *words)
{
	size_t count = 0;

	while (words[count])
		count++;
	return trcrpt_options_parse(&options, words, count, error, sizeof(error));
}

#define PARSE(...) parse((char *[]){__VA_ARGS__, NULL})

static const char *line_of(const struct exp_user_event *event, enum template_level level,
                           int64_t delta_ns, const char *text)
{
	static char copy[1000];
	static const struct exp_info process = {.program = "/bin/prog\033", .pid = 42};
	struct trcrpt_line line = {0};
	struct trcrpt_event at = {.event = event,
	                          .process = &process,
	                          .delta_ns = delta_ns,
	                          .level = level,
	                          .text = text,
	                          .len = strlen(text)};

	trcrpt_line_event(&line, &options, &at);
	memcpy(copy, line.text, line.len);
	copy[line.len] = '\0';
	free(line.text);
	return copy;
}

Test(trcrpt, lines_are_the_articles)
{
	const struct exp_user_event event = {.hook = 0x0100, .time_ns = 3872577};

	cr_assert(PARSE("-h") == 0);
	cr_assert_str_eq(line_of(&event, TEMPLATE_APPL, 3872577, "MyCustomHook Activity=malloc"),
	                 "010   0.003872577    3.872577   MyCustomHook Activity=malloc\n");
	cr_assert_str_eq(line_of(&event, TEMPLATE_INT, 1524, "a\nb\n\nc"),
	                 "010   0.003872577    0.001524                           a\n"
	                 "                                                        b\n\n"
	                 "                                                        c\n");
	trcrpt_options_fini(&options);
}

Test(trcrpt, large_times_keep_their_columns)
{
	const struct exp_user_event event = {.hook = 0x0abc, .time_ns = 123456789012345};

	cr_assert(PARSE("-h") == 0);
	cr_assert_str_eq(line_of(&event, TEMPLATE_APPL, -1, "x"),
	                 "0ABC123456.789012345   -0.000001   x\n");
	trcrpt_options_fini(&options);
}

Test(trcrpt, columns_by_option)
{
	const struct exp_user_event event = {.hook = 0x0100, .time_ns = 1500, .tid = 7, .cpu = 3};
	struct trcrpt_line line = {0};

	cr_assert(PARSE("-O", "exec=on,pid=on,tid=on,cpuid=on,timestamp=1") == 0, "%s", error);
	cr_assert_str_eq(line_of(&event, TEMPLATE_APPL, 0, "x"),
	                 "010 prog\\x1b        42       7        3        0.000001   x\n");
	trcrpt_line_headings(&line, &options);
	cr_assert_eq(memcmp(line.text,
	                    "ID  PROCESS NAME    PID      TID      CPU   ELAPSED_SEC   APPL", 62),
	             0, "%.*s", (int)line.len, line.text);
	free(line.text);
	trcrpt_options_fini(&options);
	cr_assert(PARSE("-O", "timestamp=2,2line=on") == 0);
	cr_assert_str_eq(line_of(&event, TEMPLATE_SVC, 1500, "x"),
	                 "010         1.500       1.500\n              x\n");
	trcrpt_options_fini(&options);
	cr_assert(PARSE("-O", "timestamp=3,ids=off") == 0);
	cr_assert_str_eq(line_of(&event, TEMPLATE_APPL, 0, "x"), "  x\n");
	trcrpt_options_fini(&options);
}

Test(trcrpt, options)
{
	cr_assert(PARSE("-c", "-t", "a", "-tb", "-d", "010,0abc:1f", "-k020", "-T", "1,2", "-C0",
	                "-x", "prog", "-p", "42", "-o", "out", "test.er") == 0,
	          "%s", error);
	cr_assert(options.is_check && options.files.count == 2 && options.paths.count == 1 &&
	          options.only.count == 2 && options.except.count == 1);
	cr_assert(options.only.hooks[1].hook == 0x0abc && options.only.hooks[1].subhook == 0x1f);
	cr_assert(options.only.hooks[0].hook == 0x0100 &&
	          options.only.hooks[0].subhook == TRCRPT_ANY_SUBHOOK);
	cr_assert_str_eq(options.output, "out");
	trcrpt_options_fini(&options);
}

Test(trcrpt, nonsense_is_refused)
{
	char *const bad[][3] = {{"-Z", NULL},
	                        {"-d", NULL},
	                        {"-d", "", NULL},
	                        {"-d", "01", NULL},
	                        {"-d", "010:", NULL},
	                        {"-d", "010:12345", NULL},
	                        {"-O", "x=on", NULL},
	                        {"-O", "pid", NULL},
	                        {"-O", "pid=yes", NULL},
	                        {"-O", "timestamp=4", NULL},
	                        {"-O", "pagesize=501", NULL},
	                        {"-O", "starttime=-1", NULL},
	                        {"-s", "1", NULL},
	                        {"-s", "13010000", NULL},
	                        {"-s", "010100000", NULL},
	                        {"--jso", NULL},
	                        {"-T", "x", NULL},
	                        {"-C", "1,two", NULL}};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		error[0] = '\0';
		cr_assert(parse(bad[i]) != 0 && error[0], "%s %s", bad[i][0],
		          bad[i][1] ? bad[i][1] : "");
		trcrpt_options_fini(&options);
	}
}

/* -s DATE in UTC, in seconds since 1970; -1: it is refused. */
static int64_t date(const char *text)
{
	int64_t seconds;

	setenv("TZ", "UTC", 1);
	seconds = PARSE("-s", (char *)text) == 0 ? options.from_ns / 1000000000 : -1;
	trcrpt_options_fini(&options);
	return seconds;
}

Test(trcrpt, dates_have_their_limits)
{
	cr_expect_eq(date("010100000070"), 0);
	cr_expect_eq(date("123123595969"), 3155759999); /* 2069 */
	cr_expect_eq(date("010100006000"), 946684860);  /* a leap second */
	cr_expect_eq(date("022823595924"), 1709164799);
	cr_expect_eq(date("000100000000"), -1);
	cr_expect_eq(date("130100000000"), -1);
	cr_expect_eq(date("010000000000"), -1);
	cr_expect_eq(date("013200000000"), -1);
	cr_expect_eq(date("010124000000"), -1);
	cr_expect_eq(date("010100600000"), -1);
	cr_expect_eq(date("010100006100"), -1);
	cr_expect_eq(date("01010000000"), -1);
	cr_expect_eq(date("010100"), -1);
	cr_expect_eq(date("01010000000000"), -1);
	cr_expect_eq(date("0101000000 0"), -1);
	cr_expect_gt(date("01010000"), 1700000000);
	/* The seconds may be left out, or seconds and year, or only the year. */
	cr_expect_eq(date("0101000059") - date("01010000"), 59);
}

Test(trcrpt, numbers_have_their_limits)
{
	cr_assert(PARSE("-O", "pagesize=500,timestamp=3,endtime=1e3") == 0, "%s", error);
	cr_expect_eq(options.page_size, 500);
	cr_expect_eq(options.timestamp, (unsigned)TRCRPT_NO_TIME);
	cr_expect_eq(options.end_s, 1000);
	trcrpt_options_fini(&options);
	cr_assert(PARSE("-O", "pagesize=0", "-d", "fff:ffff 0000") == 0);
	cr_expect_eq(options.page_size, 0);
	cr_expect_eq(options.only.count, 2);
	cr_expect_eq(options.only.hooks[0].hook, 0xfff0);
	cr_expect_eq(options.only.hooks[0].subhook, 0xffff);
	trcrpt_options_fini(&options);
	cr_expect(PARSE("-O", "endtime=1e13") != 0);
	trcrpt_options_fini(&options);
	cr_expect(PARSE("-O", "endtime=1x") != 0);
	trcrpt_options_fini(&options);
	cr_expect(PARSE("-O", "pagesize=-1") != 0);
	trcrpt_options_fini(&options);
}

Test(trcrpt, every_switch_is_its_own)
{
	cr_assert(PARSE("-O", "2line=on,exec=on,tid=on,filename=on,hist=on", "-q", "-j", "-r", "-v",
	                "--json", "-m", "-update", "file") == 0,
	          "%s", error);
	cr_expect(options.two_lines && options.exec && options.tid && options.filename &&
	          options.histogram && options.is_quiet && options.is_list && options.is_raw &&
	          options.is_verbose && options.is_json && options.ids);
	cr_expect(!options.pid && !options.cpuid && !options.removes_duplicates &&
	          !options.is_check && !options.without_headings);
	cr_expect_str_eq(options.update, "file");
	trcrpt_options_fini(&options);
	cr_assert(PARSE("-O", "pid=on,cpuid=on,removedups=on,ids=off", "-c", "-h", "-O",
	                "pid=off") == 0);
	cr_expect(!options.two_lines && !options.exec && !options.tid && !options.filename &&
	          !options.histogram && !options.is_quiet && !options.is_list && !options.is_raw &&
	          !options.is_verbose && !options.is_json && !options.ids && !options.update);
	cr_expect(!options.pid && options.cpuid && options.removes_duplicates && options.is_check &&
	          options.without_headings);
	trcrpt_options_fini(&options);
}

static int selects(const struct exp_user_event *event)
{
	static const struct exp_info process = {.program = "/usr/bin/prog", .pid = 42};
	int selected = trcrpt_select(&options, event, &process, 1700000000000000000);

	trcrpt_options_fini(&options);
	return selected;
}

Test(trcrpt, events_are_selected)
{
	const struct exp_user_event event = {
		.hook = 0x0100, .subhook = 5, .time_ns = 2000000000, .tid = 7, .cpu = 3};

	cr_assert(PARSE("-d", "010") == 0 && selects(&event));
	cr_assert(PARSE("-d", "010:5") == 0 && selects(&event));
	cr_assert(PARSE("-d", "010:4,020") == 0 && !selects(&event));
	cr_assert(PARSE("-k", "010:4") == 0 && selects(&event));
	cr_assert(PARSE("-k", "0100") == 0 && !selects(&event));
	cr_assert(PARSE("-T", "6 7") == 0 && selects(&event));
	cr_assert(PARSE("-T", "6,77") == 0 && !selects(&event));
	cr_assert(PARSE("-C", "3") == 0 && selects(&event));
	cr_assert(PARSE("-C", "2") == 0 && !selects(&event));
	cr_assert(PARSE("-x", "prog") == 0 && selects(&event));
	cr_assert(PARSE("-x", "/usr/bin/prog") == 0 && selects(&event));
	cr_assert(PARSE("-x", "pro") == 0 && !selects(&event));
	cr_assert(PARSE("-p", "42") == 0 && selects(&event));
	cr_assert(PARSE("-p", "43,prog") == 0 && selects(&event));
	cr_assert(PARSE("-p", "43") == 0 && !selects(&event));
	cr_assert(PARSE("-O", "starttime=1.5,endtime=2") == 0 && selects(&event));
	cr_assert(PARSE("-O", "endtime=1.9") == 0 && !selects(&event));
	setenv("TZ", "UTC", 1);
	/* 1700000002 is Nov 14 22:13:22 2023. */
	cr_assert(PARSE("-s", "111422132223") == 0 && selects(&event));
	cr_assert(PARSE("-s", "111422132323") == 0 && !selects(&event));
	cr_assert(PARSE("-e", "111422132123") == 0 && !selects(&event));
}

Test(trcrpt, an_event_without_template_of_64_and_32_bits)
{
	const uint8_t wide[32] = {0x80, 0, 0, 0x28, 1, 0, 0,    0, 4, 0, 0, 0, 0,
	                          0,    0, 0, 0xd0, 8, 0, 0x10, 1, 0, 0, 0, 10};
	const uint8_t narrow[10] = {0x01, 0x08, 0, 2, 7, 0, 0, 0, 'a', 'b'};
	struct template_event entry = {
		.bytes = wide, .size = sizeof(wide), .hook = 0x0100, .log_offset = 0x1fc28};
	struct trcrpt_line line = {0};

	trcrpt_line_undefined(&line, &entry);
	trcrpt_line_put(&line, "", 1);
	cr_assert_str_eq(
		line.text,
		"UNDEFINED TRACE ID idx 0x1fc28\ntraceid 0100 hookword 8000002801000000 type 8000\n"
		"hookdata 0000 0000000000000004\n00000001100008D0 000000000000000A");
	entry = (struct template_event){.bytes = narrow,
	                                .size = sizeof(narrow),
	                                .hook = 0x0100,
	                                .is_32 = 1,
	                                .is_generic = 1};
	line.len = 0;
	trcrpt_line_undefined(&line, &entry);
	trcrpt_line_put(&line, "", 1);
	cr_assert_str_eq(
		line.text,
		"UNDEFINED TRACE ID idx 0x0\ntraceid 0100 hookword 01080002 type 8\nhookdata 0002 00000007\n6162");
	free(line.text);
}

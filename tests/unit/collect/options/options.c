/* options.c: tests of xcollect's command line. */
#include "collect/options/options.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static struct request request;
static struct cause cause;

/* The request points into argv, which must outlive the expression that parses. */
static int parse(char *const *argv)
{
	static char *kept[32];

	for (size_t i = 0; i < 31; i++) {
		kept[i] = argv[i];
		if (!argv[i])
			break;
	}
	return options_parse(kept, &request, &cause);
}

#define PARSE(...) parse((char *[]){"xcollect", __VA_ARGS__, NULL})

Test(options, defaults)
{
	cr_assert(PARSE("true") == 0);
	cr_assert(request.profile_us == 10007 && request.sample_ms == 1000 && request.heap == 0);
	cr_assert_str_eq(request.archive, "usedldobjects");
	cr_assert_str_eq(request.follow, "on");
	cr_assert(!request.output && !request.overwrite && !request.dry_run);
	cr_assert_str_eq(request.target[0], "true");
	cr_assert(!request.target[1]);
}

Test(options, options_end_at_the_program)
{
	cr_assert(PARSE("-H", "on", "prog", "-H", "off", "-q") == 0);
	cr_assert(request.heap == 1);
	cr_assert_str_eq(request.target[1], "-H");
	cr_assert(PARSE("--", "-odd") == 0);
	cr_assert_str_eq(request.target[0], "-odd");
}

Test(options, the_heap_is_recorded_whole_or_sampled)
{
	static const struct {
		char *text;
		int heap;
		uint64_t mean;
	} good[] = {{"on", 1, 0},
	            {"off", 0, 0},
	            {"sampled", 1, 512 << 10},
	            {"sampled:1", 1, 1},
	            {"sampled:1000", 1, 1000},
	            {"sampled:64K", 1, 64 << 10},
	            {"sampled:1.5M", 1, 1536 << 10},
	            {"sampled:1024G", 1, UINT64_C(1) << 40}};
	static char *const bad[] = {"",           "sample",        "sampled:",
	                            "sampled:x",  "sampledx",      "sampled:0",
	                            "sampled:-1", "sampled:1T",    "sampled:1KB",
	                            "sampled:K",  "sampled:1025G", "sampled:99999999999999999999",
	                            "sampled:1K "};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		cr_expect(PARSE("-H", good[i].text, "true") == 0, "%s: %s", good[i].text,
		          cause.text);
		cr_expect_eq(request.heap, good[i].heap, "%s", good[i].text);
		cr_expect_eq(request.heap_mean, good[i].mean, "%s", good[i].text);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_expect(PARSE("-H", bad[i], "true") == 125, "%s", bad[i]);
	cr_expect(PARSE("-H", "sampled", "-H", "on", "true") == 0 && request.heap_mean == 0,
	          "the last one counts");
	cr_expect(PARSE("-H", "sampled:0", "true") == 125);
	cr_expect(strstr(cause.text, "from sampled:1 to sampled:1024G"), "%s", cause.text);
}

static int parse_keep(const char *value)
{
	static char option[64];

	snprintf(option, sizeof(option), "--keep=%s", value);
	return PARSE(option, "true");
}

Test(options, what_is_kept_is_a_size_a_time_or_both)
{
	static const struct {
		char *text;
		uint64_t bytes, ms;
	} good[] = {{"1024KB", 1 << 20, 0},
	            {"1024K", 1 << 20, 0},
	            {"64MB", 64 << 20, 0},
	            {"1M", 1 << 20, 0},
	            {"1.5M", 3 << 19, 0},
	            {"2GB", UINT64_C(2) << 30, 0},
	            {"2G", UINT64_C(2) << 30, 0},
	            {"0.1s", 0, 100},
	            {"90s", 0, 90000},
	            {"5m", 0, 300000},
	            {"1.5h", 0, 5400000},
	            {"64MB,5m", 64 << 20, 300000},
	            {"5m,64MB", 64 << 20, 300000}};
	static char *const bad[] = {"",      "64",   "MB",    "64MBs", "64T",   "x64MB",
	                            "5m,",   ",5m",  "5m,5m", "1M,2M", "5m;1M", "5m,1M,1s",
	                            "5m 1M", "1M,x", "-1M",   "1..5M", "5ms",   "64mb"};
	static char *const outside[] = {"1023KB",   "0M",    "0s",        "0.099s",
	                                "1M,0.09s", "1K,1s", "0.09s,64M", "99999999999G"};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		cr_expect(parse_keep(good[i].text) == 0, "%s: %s", good[i].text, cause.text);
		cr_expect_eq(request.keep_bytes, good[i].bytes, "%s", good[i].text);
		cr_expect_eq(request.keep_ms, good[i].ms, "%s", good[i].text);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		cr_expect(parse_keep(bad[i]) == 125, "%s", bad[i]);
		cr_expect_null(strstr(cause.text, "at least"), "%s: %s", bad[i], cause.text);
	}
	for (size_t i = 0; i < sizeof(outside) / sizeof(outside[0]); i++) {
		cr_expect(parse_keep(outside[i]) == 125, "%s", outside[i]);
		cr_expect_not_null(strstr(cause.text, "at least 1MB, at least 0.1s"), "%s: %s",
		                   outside[i], cause.text);
	}
	cr_expect(PARSE("--keep=1M", "--keep=5m", "true") == 0 && request.keep_bytes == 0,
	          "the last one counts");
}

Test(options, profile_intervals)
{
	static const struct {
		char *text;
		uint64_t us;
	} good[] = {{"off", 0},    {"on", 10007}, {"hi", 997},   {"lo", 100003},
	            {"5", 5000},   {"5m", 5000},  {"250u", 250}, {"2.5", 2500},
	            {"0.1m", 100}, {"10u", 100},  {"0.05m", 100}};
	static char *const bad[] = {
		"",     "0",   "x",   "-1",    "5x",   "5mu",
		"5um",  "1e3", "9u",  "10001", "5 ",   " 5",
		"0x10", "nan", "inf", "1.2.3", "high", "99999999999999999999999"};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		cr_assert(PARSE("-p", good[i].text, "true") == 0, "%s: %s", good[i].text,
		          cause.text);
		cr_assert(request.profile_us == good[i].us, "%s", good[i].text);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_assert(PARSE("-p", bad[i], "true") == 125, "%s", bad[i]);
	cr_assert(PARSE("-p", "100u", "true") == 0);
	cr_assert_eq(request.sampler_ns, 0);
	cr_assert(PARSE("-p", "50u", "true") == 0);
	cr_assert_eq(request.sampler_ns, 50000, "the kernel samples");
	cr_assert_eq(request.sampler_bytes, 64 << 20);
}

Test(options, sample_periods)
{
	cr_assert(PARSE("-S", "off", "true") == 0 && request.sample_ms == 0);
	cr_assert(PARSE("-S", "on", "true") == 0 && request.sample_ms == 1000);
	cr_assert(PARSE("-S", "5", "true") == 0 && request.sample_ms == 5000);
	cr_assert(PARSE("-S", "0.25", "true") == 0 && request.sample_ms == 250);
	cr_assert(PARSE("-S", "0", "true") == 125);
	cr_assert(PARSE("-S", "1s", "true") == 125);
}

Test(options, values_may_stand_at_the_letter)
{
	cr_assert(PARSE("-poff", "-Hon", "-nv", "-ox.er", "true") == 0);
	cr_assert(request.profile_us == 0 && request.heap == 1 && request.dry_run &&
	          request.verbose);
	cr_assert_str_eq(request.output, "x.er");
}

Test(options, archive_in_both_spellings)
{
	static char *const names[] = {"on",  "off",           "copy",   "ldobjects",
	                              "src", "usedldobjects", "usedsrc"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		cr_assert(PARSE("-A", names[i], "true") == 0);
		cr_assert_str_eq(request.archive, names[i]);
		cr_assert(PARSE("-a", names[i], "true") == 0);
		cr_assert_str_eq(request.archive, names[i]);
	}
	cr_assert(PARSE("-A", "all", "true") == 125);
}

Test(options, a_launcher_of_mpi_jobs)
{
	static char *const names[] = {"on",    "OMPT",   "CT",     "OPENMPI",  "openmpi",
	                              "MPICH", "MPICH2", "MPICH3", "MVAPICH2", "INTEL"};

	cr_assert(PARSE("true") == 0);
	cr_assert_not(options_launches_mpi(&request) || options_traces_mpi(&request));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		cr_assert(PARSE("-M", names[i], "mpirun", "true") == 0);
		cr_assert(options_launches_mpi(&request) && options_traces_mpi(&request));
	}
	cr_assert(PARSE("-M", "off", "true") == 0);
	cr_assert_not(options_launches_mpi(&request) || options_traces_mpi(&request));
	cr_assert(PARSE("-m", "on", "true") == 0);
	cr_assert(options_traces_mpi(&request) && !options_launches_mpi(&request));
	cr_assert(PARSE("-m", "off", "-M", "on", "mpirun") == 0);
	cr_assert(options_launches_mpi(&request) && !options_traces_mpi(&request));
	cr_assert(PARSE("-M", "LAM", "true") == 125);
	cr_assert(PARSE("-m", "maybe", "true") == 125);
}

Test(options, a_launcher_does_not_see_what_stands_before_its_program)
{
	cr_assert(PARSE("-M", "on", "mpirun", "-np", "4", "--", "program", "--", "x") == 0);
	cr_assert_str_eq(request.target[2], "4");
	cr_assert_str_eq(request.target[3], "program");
	cr_assert_str_eq(request.target[4], "--");
	cr_assert_null(request.target[6]);
	cr_assert(PARSE("-m", "on", "mpirun", "--", "program") == 0);
	cr_assert_str_eq(request.target[1], "--");
}

Test(options, follow_takes_words_and_patterns)
{
	cr_assert(PARSE("-F", "=^(sh|bash)$", "true") == 0);
	cr_assert_str_eq(request.follow, "=^(sh|bash)$");
	cr_assert(PARSE("-F", "off", "true") == 0);
	cr_assert_str_eq(request.follow, "off");
	cr_assert(PARSE("-F", "maybe", "true") == 125);
	cr_assert(PARSE("-F", "=(", "true") == 125);
}

Test(options, ten_comments_and_no_more)
{
	cr_assert(PARSE("-C", "1", "-C", "2", "-C", "3", "-C", "4", "-C", "5", "-C", "6", "-C", "7",
	                "-C", "8", "-C", "9", "-C", "", "true") == 0);
	cr_assert(request.comment_count == 10);
	cr_assert(PARSE("-C", "1", "-C", "2", "-C", "3", "-C", "4", "-C", "5", "-C", "6", "-C", "7",
	                "-C", "8", "-C", "9", "-C", "10", "-C", "11", "true") == 125);
}

Test(options, usage_errors_are_125_with_one_line)
{
	static char *const bad[] = {"-q", "-y", "-l", "-j",     "-J",  "-M", "-m",
	                            "-g", "-x", "-P", "--frob", "-pz", "-o", "-C"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		cr_assert(PARSE(bad[i]) == 125, "%s", bad[i]);
		cr_assert(strlen(cause.text) > 0 && !strchr(cause.text, '\n'), "%s", bad[i]);
	}
	cr_assert(parse((char *[]){"xcollect", NULL}) == 125);
	cr_assert(parse((char *[]){NULL}) == 125);
}

Test(options, help_and_version_need_no_program)
{
	cr_assert(PARSE("--help") == 0 && request.action == OPTIONS_HELP);
	cr_assert(PARSE("-V") == 0 && request.action == OPTIONS_VERSION);
	cr_assert(PARSE("--version") == 0 && request.action == OPTIONS_VERSION);
	cr_assert(PARSE("-h") == 0 && request.action == OPTIONS_COUNTERS);
}

Test(options, sync_takes_a_threshold_in_microseconds_or_a_word)
{
	static const struct {
		const char *value;
		int sync;
		uint64_t least_ns, most_ns;
	} cases[] = {{"off", 0, 0, 0},
	             {"all", 1, 0, 0},
	             {"0", 1, 0, 0},
	             {"2.5", 1, 2500, 2500},
	             {"100,nj", 1, 100000, 100000},
	             {"on", 1, 500, 20000},
	             {"calibrate,n", 1, 500, 20000}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *argv[] = {"xcollect", "-s", (char *)cases[i].value, "true", NULL};

		cr_assert_eq(options_parse(argv, &request, &cause), 0, "%s", cases[i].value);
		cr_assert_eq(request.sync, cases[i].sync, "%s", cases[i].value);
		cr_assert(request.sync_threshold_ns >= cases[i].least_ns &&
		                  request.sync_threshold_ns <= cases[i].most_ns,
		          "%s", cases[i].value);
	}
}

Test(options, sync_refuses_what_makes_no_sense)
{
	static char *const bad[] = {"", "-1", "on,x", "1u", "all,"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char *argv[] = {"xcollect", "-s", bad[i], "true", NULL};

		cr_assert_eq(options_parse(argv, &request, &cause), 125, "%s", bad[i]);
	}
}

Test(options, a_time_range_is_a_length_or_two_times)
{
	static const struct {
		char *value;
		uint64_t from_ms, to_ms;
	} cases[] = {{"5", 0, 5000}, {"1.5s", 0, 1500}, {"2m", 0, 120000}, {"0.5-1m", 500, 60000}};
	static char *const bad[] = {"0", "2-1", "5x", "-3", "1-", "1-1"};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *argv[] = {"xcollect", "-t", cases[i].value, "true", NULL};

		cr_assert_eq(options_parse(argv, &request, &cause), 0, "%s", cases[i].value);
		cr_assert_eq(request.from_ms, cases[i].from_ms, "%s", cases[i].value);
		cr_assert_eq(request.to_ms, cases[i].to_ms, "%s", cases[i].value);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char *argv[] = {"xcollect", "-t", bad[i], "true", NULL};

		cr_assert_eq(options_parse(argv, &request, &cause), 125, "%s", bad[i]);
	}
}

Test(options, a_running_process)
{
	static char *const bad[] = {"", "0", "-5", "12x", "99999999999"};

	cr_assert(PARSE("-P", "1234", "-t", "5", "-H", "on") == 0);
	cr_assert_eq(request.attach, 1234);
	cr_assert_eq(request.to_ms, 5000);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_assert(PARSE("-P", bad[i]) == CAUSE_FAILED, "%s", bad[i]);
	cr_assert(PARSE("-P", "1234", "true") == CAUSE_FAILED);
	cr_assert(strstr(cause.text, "'true'"));
	cr_assert(PARSE("-P", "1234", "-x") == CAUSE_FAILED);
	cr_assert(PARSE("-P", "1234", "--functrace") == 0);
	cr_assert(PARSE("-P", "1234", "--functrace=returns=on") == CAUSE_FAILED);
}

Test(options, the_sampler)
{
	static const struct {
		char *text;
		uint64_t ns, bytes;
		uint32_t stack;
		int cpus;
	} good[] = {{"--sampler=1", 1000000, 64 << 20, 0, 0},
	            {"--sampler=1m,cpu", 1000000, 64 << 20, 0, 1},
	            {"--sampler=1,2,stack:4,cpu", 1000000, 2 << 20, 4096, 1},
	            {"--sampler=100u,cpu", 100000, 64 << 20, 0, 1},
	            {"--sampler=1m,1", 1000000, 1 << 20, 0, 0},
	            {"--sampler=10u", 10000, 64 << 20, 0, 0},
	            {"--sampler=0.1,0.5", 100000, 1 << 19, 0, 0},
	            {"--sampler=2.5m", 2500000, 64 << 20, 0, 0},
	            {"--sampler=1m,stack", 1000000, 64 << 20, 8192, 0},
	            {"--sampler=10,1,stack:16", 10000000, 1 << 20, 16384, 0},
	            {"--sampler=1000u,stack:56", 1000000, 64 << 20, 56 << 10, 0},
	            {"--sampler=1,stack:1", 1000000, 64 << 20, 1024, 0}};
	static char *const bad[] = {"--sampler",
	                            "--sampler=",
	                            "--sampler=9u",
	                            "--sampler=0",
	                            "--sampler=1x",
	                            "--sampler=1,",
	                            "--sampler=1,0",
	                            "--sampler=1,x",
	                            "--sampler=1,5,5",
	                            "--sampler=off",
	                            "--sampler=20000",
	                            "--sampler=0.9m,stack",
	                            "--sampler=999u,stack",
	                            "--sampler=1,stack:",
	                            "--sampler=1,stack:0.5",
	                            "--sampler=1,stack:57",
	                            "--sampler=1,stack,5",
	                            "--sampler=1,stacks",
	                            "--sampler=1,cpus",
	                            "--sampler=1,cpu,2",
	                            "--sampler=1,c",
	                            "--sampler=1,cpu,",
	                            "--sampler=1,s"};

	cr_assert(PARSE("true") == 0);
	cr_assert_eq(request.sampler_ns, 0);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		cr_assert(PARSE(good[i].text, "true") == 0, "%s: %s", good[i].text, cause.text);
		cr_assert_eq(request.sampler_ns, good[i].ns, "%s", good[i].text);
		cr_assert_eq(request.sampler_bytes, good[i].bytes, "%s", good[i].text);
		cr_assert_eq(request.sampler_stack, good[i].stack, "%s", good[i].text);
		cr_assert_eq(request.sampler_cpus, good[i].cpus, "%s", good[i].text);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_assert(PARSE(bad[i], "true") == CAUSE_FAILED, "%s", bad[i]);
	cr_assert(PARSE("--sampler=1", "-P", "1234") == 0, "also a process that runs");
}

Test(options, function_tracing_is_chosen_by_patterns)
{
	static char *const bad[] = {
		"",        ",",     "a,",         "!",         "@",           "!@",
		"@!x",     "!!x",   "depth=0",    "depth=1.5", "depth=1001",  "depth=",
		"depth=x", "min=",  "min=5",      "min=5m",    "min=-1us",    "min=1.2.3us",
		"min=us",  "max=3", "a,depth=1x", "returns=",  "returns=yes", "returns=one"};
	char *list[] = {"--functrace=a*,!b,@libc.so*,!@x,depth=3,min=1.5us"};
	char word[40];

	cr_assert(PARSE("--functrace", "true") == 0);
	cr_assert(request.functrace == 1 && request.calls.names[0] == '\0' &&
	          request.calls.depth == 0 && request.calls.min_ns == 0);
	cr_assert(PARSE(list[0], "true") == 0, "%s", cause.text);
	cr_assert(request.functrace == 1 && request.calls.depth == 3 &&
	          request.calls.min_ns == 1500);
	cr_assert_str_eq(request.calls.names, "a*,!b,@libc.so*,!@x");
	cr_assert_eq(request.calls.returns, 0);
	cr_assert(PARSE("--functrace=a,returns=on", "true") == 0 && request.calls.returns == 1);
	cr_assert_str_eq(request.calls.names, "a");
	cr_assert(PARSE("--functrace=returns=off", "true") == 0 && request.functrace == 1 &&
	          request.calls.returns == 0);
	cr_assert(PARSE(list[0], "--functrace=off", "true") == 0);
	cr_assert(request.functrace == 0 && request.calls.depth == 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(word, sizeof(word), "--functrace=%s", bad[i]);
		cr_assert(PARSE(word, "true") == CAUSE_FAILED, "%s", bad[i]);
	}
}

/* If the syntax is right, the message lists the possible values. */
Test(options, what_is_out_of_range_is_told_from_what_is_no_value)
{
	static const struct {
		char *option, *value;
		const char *text;
	} refused[] = {
		{"-p", "5u", "-p cannot be '5u': out of range (from 10u to 10000m)"},
		{"-p", "20000", "-p cannot be '20000': out of range (from 10u to 10000m)"},
		{"-p", "1e99", "-p cannot be '1e99' (it takes off|on|lo|hi|N[m|u])"},
		{"-p", "20s", "-p cannot be '20s' (it takes off|on|lo|hi|N[m|u])"},
		{"-S", "0.001", "-S cannot be '0.001': out of range (from 0.01)"},
		{"-S", "0.001x", "-S cannot be '0.001x' (it takes on|off|N)"},
		{"-L", "0", "-L cannot be '0': out of range (more than 0, up to 900000000)"},
		{"-L", "99999999999",
	         "-L cannot be '99999999999': out of range (more than 0, up to 900000000)"},
		{"--repeat=0", "x", "--repeat cannot be '0': out of range (from 1 to 10000)"},
		{"--warmup=10001", "x", "--warmup cannot be '10001': out of range (up to 10000)"},
		{"--repeat=2x", "x", "--repeat cannot be '2x' (it takes N)"},
		{"-t", "5-3", "-t cannot be '5-3': out of range (an end after the beginning)"},
		{"--sampler=5u", "true",
	         "--sampler cannot be '5u': out of range (from 10u to 10000m)"},
		{"--sampler=500u,stack", "true",
	         "--sampler cannot be '500u,stack': out of range (from 1m with stack)"},
	};

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		cr_expect_eq(PARSE(refused[i].option, refused[i].value, "true"), 125);
		cr_expect_str_eq(cause.text, refused[i].text);
	}
}

Test(options, runs_are_repeated)
{
	cr_assert_eq(PARSE("-g", "x.erg", "true"), 0, "%s", cause.text);
	cr_expect(!options_repeats(&request));
	cr_assert_eq(PARSE("--repeat=5", "--warmup=2", "-g", "x.erg", "true"), 0, "%s", cause.text);
	cr_expect(options_repeats(&request));
	cr_expect_eq(request.repeat, 5);
	cr_expect_eq(request.warmup, 2);
	cr_expect_str_eq(request.groups[0], "x.erg");
	cr_expect_null(request.versus);
	cr_assert_eq(PARSE("--versus", "-g", "a.erg", "-g", "b.erg", "old", "--", "new"), 0);
	cr_expect(options_repeats(&request));
	cr_expect_str_eq(request.versus, "--");
	cr_expect_str_eq(request.groups[1], "b.erg");
	cr_assert_eq(PARSE("--versus=::", "old", "::", "new"), 0);
	cr_expect_str_eq(request.versus, "::");
	cr_expect_eq(request.group_count, 0);
}

Test(options, what_does_not_go_with_repeated_runs)
{
	cr_expect_eq(PARSE("--repeat=2", "-o", "x.er", "true"), 125);
	cr_expect_eq(PARSE("--warmup=1", "-O", "x.er", "true"), 125);
	cr_expect_eq(PARSE("--repeat=2", "-P", "1"), 125);
	cr_expect_eq(PARSE("--versus", "-g", "a.erg", "old", "--", "new"), 125);
	cr_expect_eq(PARSE("-g", "a.erg", "-g", "b.erg", "true"), 125);
	cr_expect_eq(PARSE("-g", "a.erg", "-g", "b.erg", "-g", "c.erg", "true"), 125);
	cr_expect_str_eq(cause.text, "-g can be given twice at most");
	cr_expect_eq(PARSE("--versus=", "old", "--", "new"), 125);
}

Test(options, a_value_that_must_be_there_may_be_the_next_word)
{
	cr_assert_eq(PARSE("--keep", "5m", "true"), 0, "%s", cause.text);
	cr_expect_eq(request.keep_ms, 300000);
	cr_expect_str_eq(request.target[0], "true");
	cr_assert_eq(PARSE("--functrace", "true"), 0, "%s", cause.text);
	cr_expect_str_eq(request.target[0], "true", "it need not be there");
	cr_expect_eq(PARSE("--keep"), 125);
	cr_expect_str_eq(cause.text, "--keep needs a value (=SIZE|TIME)");
}

Test(options, a_snapshot_is_of_a_process)
{
	cr_assert_eq(PARSE("--snapshot", "77", "-o", "a.er"), 0, "%s", cause.text);
	cr_expect_eq(request.action, OPTIONS_SNAPSHOT);
	cr_expect_eq(request.snapshot, 77);
	cr_expect_str_eq(request.output, "a.er");
	cr_assert_eq(PARSE("-C", "why", "--snapshot=78"), 0, "%s", cause.text);
	cr_expect_eq(request.snapshot, 78);
	cr_assert_eq(PARSE("--snapshot-signal=USR2", "true"), 0, "%s", cause.text);
	cr_expect_eq(request.snapshot_signal, SIGUSR2);
	cr_expect_eq(PARSE("--snapshot-signal=USR2", "-y", "USR2", "true"), 125);
	cr_expect_eq(PARSE("--snapshot-signal=USR2", "--trace-signal=USR2", "true"), 125);
	cr_assert_eq(PARSE("--snapshot-wait=2s", "-s", "on", "true"), 0, "%s", cause.text);
	cr_expect_eq(request.snapshot_wait_ms, 2000);
	cr_assert_eq(PARSE("--snapshot-wait=15ms", "-w", "on", "true"), 0, "%s", cause.text);
	cr_expect_eq(request.snapshot_wait_ms, 15);
	cr_expect_eq(PARSE("--snapshot-wait=15ms", "true"), 125);
	cr_expect_eq(PARSE("--snapshot-wait=15", "-w", "on", "true"), 125);
	cr_expect_eq(PARSE("--snapshot-wait=0ms", "-w", "on", "true"), 125);
	cr_expect_eq(PARSE("--snapshot-wait=5000000s", "-w", "on", "true"), 125);
	cr_expect_eq(PARSE("--snapshot=0"), 125);
	cr_expect_eq(PARSE("--snapshot=7x"), 125);
	cr_expect_eq(PARSE("--snapshot=77", "true"), 125);
	cr_expect_eq(PARSE("--snapshot=77", "-P", "5"), 125);
	cr_expect_eq(PARSE("--snapshot=77", "-g", "a.erg"), 125);
	cr_expect_eq(PARSE("--snapshot=77", "--repeat=3"), 125);
}

/* Tests of the list of settings that -v and -n print. */
#include "collect/experiment/listing.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct request request;
static struct cause cause;
static struct profileclock clock_found; /* what xcollect found out of it */
static char *text;

static void release(void)
{
	free(text);
}

/* The list for a command line, in `text`. */
static void list(char **argv)
{
	struct target target = {
		.path = "/bin/true", .argv = (char *[]){"true", "a b", NULL}, .own_argv = NULL};
	struct listing listing = {&request, &target, "test.1.er", "/lib/libcollector.so"};
	size_t size;
	FILE *out;

	cr_assert(options_parse(argv, &request, &cause) == 0, "%s", cause.text);
	request.clock = clock_found;
	free(text);
	out = open_memstream(&text, &size);
	listing_print(&listing, out);
	fclose(out);
}

#define LIST(...) list((char *[]){"xcollect", __VA_ARGS__, "true", NULL})

/* The value of a line, up to its end; it fails if there is no such line. */
static void expect(const char *label, const char *value)
{
	char line[256];

	snprintf(line, sizeof(line), "\n%-12s %s\n", label, value);
	cr_expect(strstr(text, line), "no line '%-12s %s' in:\n%s", label, value, text);
}

TestSuite(listing, .fini = release);

Test(listing, each_kind_of_data_has_one_line)
{
	static const char *const words[] = {
#define DATAKIND(id, number, stream, reader, stage, count, setting, option, word, ...) word,
#include "format/datakind.def"
	};

	LIST("-v");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		char begin[32];
		const char *at;

		snprintf(begin, sizeof(begin), "\n%-12s ", words[i]);
		at = strstr(text, begin);
		cr_expect(at && !strstr(at + 1, begin), "%s", words[i]);
	}
}

Test(listing, what_nobody_asks_for_has_its_default)
{
	LIST("-v");
	cr_expect(strncmp(text, "experiment   test.1.er\n", 23) == 0);
	expect("program", "/bin/true");
	expect("command", "true 'a b'");
	expect("clock", "10007 us");
	expect("heap", "off");
	expect("sync", "off");
	expect("io", "off");
	expect("omp", "stacks");
	expect("mpi", "off, launcher off");
	expect("calls", "off");
	expect("user", "on");
	expect("sampler", "0 us (off)");
	expect("java", "on");
	expect("samples", "1000 ms");
	expect("archive", "usedldobjects");
	expect("descendants", "on");
	expect("collector", "/lib/libcollector.so");
	cr_expect_null(strstr(text, "\nfrom "));
	cr_expect_null(strstr(text, "\nlimit "));
	cr_expect_null(strstr(text, "\npauses "));
}

Test(listing, the_clock_has_its_kind)
{
	clock_found.kind = PROFILECLOCK_PERF;
	LIST("-v", "-p", "hi");
	expect("clock", "997 us (perf events)");
	clock_found.kind = PROFILECLOCK_REFUSED;
	LIST("-v", "-p", "hi");
	expect("clock", "997 us (CPU timers)");
	LIST("-v", "-p", "off");
	expect("clock", "0 us (off)");
}

Test(listing, what_is_asked_for_is_there)
{
	LIST("-v", "-p", "off", "-H", "on", "-s", "1000", "-i", "on", "-m", "on", "--omp=off", "-S",
	     "off", "-A", "off", "-F", "off", "-j", "off", "--hooks=off");
	expect("clock", "0 us (off)");
	expect("heap", "on");
	expect("sync", "on, waits of at least 1000000 ns");
	expect("io", "on");
	expect("mpi", "on, launcher off");
	expect("omp", "off");
	expect("samples", "0 ms (off)");
	expect("archive", "off");
	expect("descendants", "off");
	expect("java", "off");
	expect("user", "off");
}

Test(listing, bounds_stand_behind_the_rest)
{
	LIST("-v", "-t", "1-3", "-L", "5", "-H", "sampled");
	expect("heap", "on");
	expect("heap mean", "524288 bytes");
	expect("from", "1000 ms");
	expect("to", "3000 ms");
	expect("limit", "5 MiB");
}

Test(listing, the_kernels_samples_have_their_time_and_kind)
{
	LIST("-v");
	expect("sampler", "0 us (off)");
	LIST("-v", "--sampler=250u");
	expect("sampler", "250 us");
	LIST("-v", "--sampler=2m,stack");
	expect("sampler", "2000 us (stacks)");
}

/* Tests of what is said of clock samples at the kernel's ticks. */
#include "analyzer/data/ticked.h"

#include "analyzer/views/analysis.h"
#include "tests/unit/experiment/make_experiment.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static char text[256];

static void expect(const struct ticked *sum, const char *expected)
{
	cr_assert(ticked_text(sum, text, sizeof(text)));
	cr_expect_str_eq(text, expected, "%s", text);
}

Test(ticked, nearly_no_sample_by_perf_events)
{
	struct ticked sum = {.user_samples = 100, .tick_ns = 4000000, .clock = "paranoid"};

	for (sum.perf_samples = 0; sum.perf_samples < 10; sum.perf_samples++)
		cr_expect(ticked_is(&sum), "%d", (int)sum.perf_samples);
	cr_expect_not(ticked_is(&sum));
	cr_expect_not(ticked_text(&sum, text, sizeof(text)));
	sum = (struct ticked){.user_samples = 1, .tick_ns = 4000000, .clock = ""};
	cr_expect(ticked_is(&sum));
	sum.perf_samples = 1;
	cr_expect_not(ticked_is(&sum));
}

/* All of its samples may be in system calls, where perf events cannot be had. */
Test(ticked, no_sample_in_user_code)
{
	struct ticked sum = {.tick_ns = 4000000, .clock = "perf"};

	cr_expect_not(ticked_is(&sum));
	cr_expect_not(ticked_is(&(struct ticked){.clock = NULL}));
}

Test(ticked, says_what_helps)
{
	struct ticked sum = {.user_samples = 9, .tick_ns = 4000000, .clock = "paranoid"};

	expect(&sum, "samples at the kernel's ticks (250 a second): shares of phases below 10 ms "
	             "are uncertain; perf_event_paranoid <= 2 mends it");
	sum.clock = "refused";
	expect(&sum, "samples at the kernel's ticks (250 a second): shares of phases below 10 ms "
	             "are uncertain; perf_event_paranoid <= 2 mends it, in a container a seccomp "
	             "profile that passes perf_event_open");
	sum.clock = "kernel";
	sum.tick_ns = 3333333;
	expect(&sum, "samples at the kernel's ticks (300 a second): shares of phases below 8.33 ms "
	             "are uncertain; Linux 5.18 mends it");
	sum.clock = "attach";
	sum.tick_ns = 1000000;
	expect(&sum, "samples at the kernel's ticks (1000 a second): shares of phases below 2.5 ms "
	             "are uncertain; a recording from the start of the program mends it");
	sum.clock = "perf";
	sum.tick_ns = 10000000;
	expect(&sum, "samples at the kernel's ticks (100 a second): shares of phases below 25 ms "
	             "are uncertain");
}

/* The effect in an experiment with 100 samples in user code, at ticks of 4 ms. */
static double effect_of(const char *clock, unsigned period_us)
{
	struct maker maker;
	struct analysis analysis;
	struct exp_info info;
	struct exp_data_set set = {.quality = {.user_samples = 100}};
	struct dataset_experiment at;
	char settings[256];
	double effect;

	maker_create(&maker);
	snprintf(settings, sizeof(settings),
	         "<setting name=\"profile_us\" value=\"%u\"/>"
	         "<setting name=\"profile_clock\" value=\"%s\"/>",
	         period_us, clock);
	maker_log(&maker, settings);
	analysis_init(&analysis);
	cr_assert_eq(
		dataset_open(&analysis.dataset, &analysis.choices, &analysis.output, maker.path),
		0);
	at = analysis.dataset.experiments[0];
	info = *at.info;
	info.tick_ns = 4000000;
	at.info = &info;
	at.whole = &set;
	effect = ticked_effect(&at);
	analysis_fini(&analysis);
	maker_destroy(&maker);
	return effect;
}

Test(ticked, samples_at_ticks_tell_less)
{
	cr_expect_float_eq(effect_of("paranoid", 997), 2.5, 1e-9);
	cr_expect_float_eq(effect_of("paranoid", 15999), 2.5, 1e-9);
	cr_expect_float_eq(effect_of("paranoid", 16000), 1, 1e-9);
	cr_expect_float_eq(effect_of("refused", 10007), 2.5, 1e-9);
	/* Nobody knows where they come from. */
	cr_expect_float_eq(effect_of("perf", 997), 1, 1e-9);
}

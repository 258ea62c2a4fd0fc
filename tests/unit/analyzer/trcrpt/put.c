/* Tests of analyzer/trcrpt/put.c: headings, losses, the histogram, and the forms for programs. */
#include "analyzer/trcrpt/trcrpt.h"
#include "tests/unit/analyzer/answer.h"
#include "tests/unit/capture.h"
#include "tests/unit/experiment/make_experiment.h"

#include "format/record.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEMPLATES "010 1.0 L=APPL \"One\" \"one\" $HD\n\n011 1.0 \"Two\" \"two\" \\n \"lines\"\n"

static struct maker maker;
static char templates[160];

static void put_event(struct maker_stream *stream, uint64_t after, unsigned hook, uint64_t word)
{
	struct fmt_user record = {.kind = FMT_KIND_user, .shape = 1, .hook = (uint16_t)hook};
	uint64_t high = word & ~(uint64_t)FMT_USER_LOW;
	uint8_t payload[16];

	record.low = (uint16_t)fmt_user_low_of(word);
	memcpy(payload, &record, 8);
	memcpy(payload + 8, &high, 8);
	maker_event(stream, MAKER_START_TICKS + after, payload, sizeof(payload));
}

/* Three events: 010 with 1 and 2, 011 with 3. */
static void set_up(void)
{
	struct maker_stream stream;

	setenv("TZ", "UTC", 1);
	maker_create(&maker);
	maker_stream_init(&stream);
	maker_extent(&stream, 42, MAKER_START_TICKS, 4096);
	put_event(&stream, 1000, 0x0100, 1);
	put_event(&stream, 3000, 0x0100, 2);
	put_event(&stream, 6000, 0x0110, 3);
	maker_stream_put(&maker, &stream, "usertrace");
	maker_put(&maker, "templates", TEMPLATES, sizeof(TEMPLATES) - 1);
	snprintf(templates, sizeof(templates), "%s/templates", maker.path);
}

static void tear_down(void)
{
	maker_destroy(&maker);
}

TestSuite(trcrpt_put, .init = set_up, .fini = tear_down);

#define EXIT "<event kind=\"exit\" time=\"11000000000\" code=\"0\" cpu_ns=\"777\"/>\n"
#define COUNT(name, value) "<count name=\"" name "\" value=\"" value "\"/>\n"

static void expect(const char *option, const char *value, const char *expected)
{
	const char *words[] = {"xer_trcrpt",          "-t", templates, maker.path, option,
	                       option ? value : NULL, NULL};
	struct capture_run made = capture_main(trcrpt_main, words, NULL);

	cr_expect_str_eq(made.out, expected, "%s", made.out);
	cr_expect_eq(made.status, 0, "%s", made.err);
	capture_run_fini(&made);
}

static const char *preface(void)
{
	static char text[512];

	snprintf(text, sizeof(text),
	         "Tue Nov 14 22:13:20 2023\nSystem: Linux 6 Node: box\nMachine: x86_64\n"
	         "Experiment: %s\nCommand: prog a\n\n",
	         maker.path);
	return text;
}

/* The preface of the experiment, and what follows it. */
static void expect_after_preface(const char *option, const char *value, const char *rest)
{
	char text[2048];

	snprintf(text, sizeof(text), "%s%s", preface(), rest);
	expect(option, value, text);
}

#define HEADINGS "ID    ELAPSED_SEC    DELTA_MSEC   APPL    SYSCALL KERNEL  INTERRUPT\n\n"
#define ON "001   0.000000000    0.000000                   TRACE ON channel 0\n"
#define FIRST "010   0.000001000    0.001000   One one0000\n"
#define SECOND "010   0.000003000    0.002000   One one0000\n"
#define THIRD \
	"011   0.000006000    0.003000                   Two two\n" \
	"                                                lines\n"
#define OFF "002  10.000000000 9999.994000                   TRACE OFF channel 0\n"
#define LOSS(reason) \
	"<event kind=\"loss\" time=\"2000000000\" stream=\"usertrace\" reason=\"" reason \
	"\" errno=\"0\"/>\n"
#define LOSSES \
	COUNT("lost_usertrace", "5") \
	COUNT("user_overwritten", "6") \
	COUNT("user_truncated", "7") \
	LOSS("full") \
	LOSS("disk full") "<event kind=\"warning\" time=\"2000000000\" reason=\"full\"/>\n"

Test(trcrpt_put, events_stand_below_what_was_recorded)
{
	expect_after_preface(NULL, NULL, HEADINGS ON FIRST SECOND THIRD OFF);
	expect("-h", NULL, ON FIRST SECOND THIRD OFF);
}

Test(trcrpt_put, a_page_has_so_many_events)
{
	expect_after_preface("-O", "pagesize=2,filename=on",
	                     "File: usertrace\n\n" HEADINGS ON FIRST "\n" HEADINGS SECOND THIRD
	                     "\n" HEADINGS OFF);
	expect_after_preface("-O", "pagesize=5", HEADINGS ON FIRST SECOND THIRD OFF);
}

Test(trcrpt_put, a_histogram_counts_the_events_of_each_hook)
{
	expect_after_preface("-O", "hist=on",
	                     HEADINGS ON FIRST SECOND THIRD OFF
	                     "\nID         COUNT  LABEL\n\n001            1  \n002            1  \n"
	                     "010            2  One\n011            1  Two\n");
}

Test(trcrpt_put, each_loss_is_told_with_its_own_number)
{
	maker_log(&maker, LOSSES EXIT);
	expect_after_preface(NULL, NULL,
	                     HEADINGS ON FIRST SECOND THIRD OFF
	                     "# 1 traces ended because they were full\n# 5 events were lost\n"
	                     "# 6 events gave their place to newer ones\n"
	                     "# 7 generic events were cut to 4096 bytes\n");
}

#define OBJECT(id, subhook, at, rest) \
	"\n  {\"id\": \"" id "\", \"subhook\": " subhook ", \"elapsed_s\": " at \
	", \"pid\": 42, " rest "}"

Test(trcrpt_put, programs_get_objects)
{
	char text[2048];

	maker_log(&maker, LOSSES EXIT);
	snprintf(
		text, sizeof(text),
		"{\"command\": \"trcrpt\", \"experiment\": \"%s\", \"events\": [%s", maker.path,
		OBJECT("001", "0", "0.000000000, \"delta_ms\": 0.000000",
	               "\"tid\": 42, \"cpu\": 0, \"channel\": 0, "
	               "\"words\": \"8000001800100000 0000000000000000\", "
	               "\"text\": \"TRACE ON channel 0\"") "," OBJECT("010", "0",
	                                                              "0.000001000, \"delta_ms\": 0.001000",
	                                                              "\"tid\": 42, \"cpu\": 1, \"channel\": 0, "
	                                                              "\"words\": \"8000001801000000 0000000000000001\", "
	                                                              "\"text\": \"One one0000\"") "," OBJECT("010",
	                                                                                                      "0",
	                                                                                                      "0.000003000, \"delta_ms\": 0.002000",
	                                                                                                      "\"tid\": 42, \"cpu\": 1, \"channel\": 0, "
	                                                                                                      "\"words\": \"8000001801000000 0000000000000002\", "
	                                                                                                      "\"text\": \"One one0000\"") "," OBJECT("011",
	                                                                                                                                              "0",
	                                                                                                                                              "0.000006000, \"delta_ms\": 0.003000",
	                                                                                                                                              "\"tid\": 42, \"cpu\": 1, \"channel\": 0, "
	                                                                                                                                              "\"words\": \"8000001801100000 0000000000000003\", "
	                                                                                                                                              "\"text\": \"Two two\\nlines\"") "," OBJECT("002",
	                                                                                                                                                                                          "0",
	                                                                                                                                                                                          "10.000000000, \"delta_ms\": 9999.994000",
	                                                                                                                                                                                          "\"tid\": 42, \"cpu\": 0, \"channel\": 0, "
	                                                                                                                                                                                          "\"words\": \"8000001800200000 0000000000000000\", "
	                                                                                                                                                                                          "\"text\": \"TRACE OFF channel 0\"") "\n], \"full\": 1, \"lost\": 5, \"overwritten\": 6, \"truncated\": 7}\n");
	expect("--json", NULL, text);
}

Test(trcrpt_put, the_command_has_a_table_for_programs)
{
	char line[300];

	maker_log(&maker, COUNT("lost_usertrace", "5") EXIT);
	snprintf(line, sizeof(line), "printmode |\ntrcrpt -O hist=on -t %s", templates);
	answer_check(maker.path, line,
	             "id|subhook|elapsed|delta|pid|tid|cpu|channel|program|words|text\n"
	             "001|0|0.000000000|0.000000000|42|42|0|0|/bin/prog|8000001800100000 "
	             "0000000000000000|TRACE ON channel 0\n"
	             "010|0|0.000001000|0.000001000|42|42|1|0|/bin/prog|8000001801000000 "
	             "0000000000000001|One one0000\n"
	             "010|0|0.000003000|0.000002000|42|42|1|0|/bin/prog|8000001801000000 "
	             "0000000000000002|One one0000\n"
	             "011|0|0.000006000|0.000003000|42|42|1|0|/bin/prog|8000001801100000 "
	             "0000000000000003|\"Two two\\x0alines\"\n"
	             "002|0|10.000000000|9.999994000|42|42|0|0|/bin/prog|8000001800200000 "
	             "0000000000000000|TRACE OFF channel 0\n",
	             "", 0);
}

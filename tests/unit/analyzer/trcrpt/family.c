/* Tests of reports of user events of several processes: what templates may ask about each of them.
 */
#include "analyzer/trcrpt/trcrpt.h"
#include "tests/unit/capture.h"
#include "tests/unit/experiment/make_experiment.h"

#include "format/record.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { US = 1000 };

static struct maker founder, child;

/* An event of hook 010 with one word, the only one of its process. */
static void put(struct maker *maker, uint32_t tid, uint64_t after, uint64_t word)
{
	struct fmt_user record = {.kind = FMT_KIND_user, .shape = 1, .hook = 0x0100};
	uint64_t high = word & ~(uint64_t)FMT_USER_LOW;
	uint8_t payload[16];
	struct maker_stream stream;

	record.low = (uint16_t)fmt_user_low_of(word);
	memcpy(payload, &record, 8);
	memcpy(payload + 8, &high, 8);
	maker_stream_init(&stream);
	maker_extent(&stream, tid, MAKER_START_TICKS, 4096);
	maker_event(&stream, MAKER_START_TICKS + after, payload, sizeof(payload));
	maker_stream_put(maker, &stream, "usertrace");
}

static void put_templates(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	cr_assert_not_null(file);
	fputs(text, file);
	fclose(file);
}

/* xer_trcfmt(5): P4 is the program of a process id, if it was recorded; $PID and $EXECPATH are
 * those of the event's own process. */
Test(trcrpt_family, processes_are_told_by_their_programs)
{
	char templates[sizeof(founder.directory) + 16];
	struct capture_run made;

	maker_create(&founder);
	maker_descendant(&founder, "_f1", NULL, &child);
	put(&founder, 42, 1000 * US, 43 | (uint64_t)44 << 32);
	put(&child, 43, 2000 * US, 42 | (uint64_t)43 << 32);
	snprintf(templates, sizeof(templates), "%s/templates", founder.directory);
	put_templates(templates, "010 1.0 L=APPL \"of\" $PID%D4 $EXECPATH G8 \"about \" P4 P4\n");
	made = capture_main(trcrpt_main,
	                    (const char *const[]){"xer_trcrpt", "-h", "-d", "010", "-t", templates,
	                                          "-O", "ids=off,timestamp=3", founder.path, NULL},
	                    NULL);
	cr_expect_str_eq(made.out,
	                 "  of 42 /bin/prog about /bin/child 44\n"
	                 "  of 43 /bin/child about /bin/prog /bin/child\n",
	                 "%s%s", made.out, made.err);
	cr_expect_eq(made.status, 0);
	capture_run_fini(&made);
	maker_destroy(&founder);
}

/* Exported traces in Fuchsia's format: the load objects with their build ids. */
#include "tests/unit/analyzer/answer.h"
#include "tests/unit/experiment/make_experiment.h"

#include "format/fxt.h"
#include "format/layout.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* What the dump of the trace says of an object whose build id is so many digits and `end`. */
static void check(size_t digits, const char *end, int is_there)
{
	static const uint64_t pcs[] = {0x1000};
	static const int parents[] = {-1};
	static char text[4 * FXT_NAME_MAX], map[8 * FXT_NAME_MAX], all[8 * FXT_NAME_MAX];
	char file[sizeof(((struct maker *)NULL)->path) + 16], lines[512];
	struct maker_stream stream;
	struct answer answer;
	struct maker maker;
	uint32_t ids[1];

	for (size_t i = 0; i < digits; i++)
		text[i] = "0123456789abcdefABCDEF"[i * 7 % 22];
	strcpy(text + digits, end);
	maker_create(&maker);
	snprintf(map, sizeof(map),
	         "<map version=\"1.0\">\n<object path=\"/lib/thing\" build_id=\"%s\" "
	         "start=\"0x1000\" end=\"0x3000\" offset=\"0\" code=\"0x1000-0x3000\" "
	         "generation=\"0\"/>\n</map>\n",
	         text);
	maker_put(&maker, FMT_FILE_MAP, map, strlen(map));
	maker_nodes(&maker, 1, pcs, parents, ids);
	maker_stream_init(&stream);
	maker_extent(&stream, 42, MAKER_START_TICKS, 4096);
	maker_clock(&stream, MAKER_START_TICKS + 1000, 0, 1000, ids[0]);
	maker_stream_put(&maker, &stream, "profile");
	snprintf(file, sizeof(file), "%s/trace", maker.directory);
	snprintf(lines, sizeof(lines), "export fxt %s\nfxt_dump %s", file, file);
	answer = answer_of(maker.path, lines);
	for (size_t i = 0; i < digits; i++)
		text[i] = (char)(text[i] <= '9' ? text[i] : text[i] | 32);
	snprintf(all, sizeof(all), "name \"/lib/thing\" build_id %s\n", is_there ? text : "");
	cr_expect_not_null(strstr(answer.text, all), "%zu%s: %s%s", digits, end, answer.text,
	                   answer.messages);
	answer_fini(&answer);
	maker_destroy(&maker);
}

Test(trace_fxt, a_build_id_has_any_length_that_fits)
{
	check(40, "", 1);
	check(2, "", 1);
	check(2 * FXT_NAME_MAX, "", 1);
}

Test(trace_fxt, what_is_no_build_id_is_none)
{
	check(0, "", 0);
	check(39, "", 0);
	check(40, "x1", 0);
	check(2 * FXT_NAME_MAX + 2, "", 0);
}

/* Tests of analyzer/page/head.c. */
#include "tests/unit/analyzer/golden.h"
#include "tests/unit/analyzer/readpage.h"

#include <criterion/criterion.h>
#include <stdio.h>

Test(page_head, tells_what_there_is)
{
	/* A kind of data more has other numbers of totals. */
	static const char format[] =
		"{\"version\": 1, \"maker\": \"xer_print " XER_VERSION
		"\", \"start_real_ns\": \"1795247865647336273\", \"duration_ns\": 7467459, "
		"\"rows\": 13, \"is_cut\": false, \"merged\": 0, \"rounding_ns\": 0, \"deaths\": 0, \"lacks_sizes\": false,\n"
		"\"origins\": [\"user.er\"],\n"
		"\"base\": null,\n"
		"\"kinds\": [\n"
		"  {\"number\": 5, \"name\": \"user event\", \"title\": \"User events\", "
		"\"chosen\": \"user events\"}],\n"
		"\"totals\": [\n"
		"  {\"number\": %u, \"name\": \"USER_COUNT\", \"count\": 13}],\n"
		"\"metrics\": [\n"
		"  {\"keyword\": \"userevents\", \"heading\": \"User Events\", "
		"\"meaning\": \"User Events\", \"unit\": \"count\", \"kind\": 5, \"usual\": false, \"digits\": 0, "
		"\"from\": [%u], \"whole\": 47}],\n"
		"\"sort\": \"totalcpu\",\n"
		"\"experiments\": [\n"
		"  {\"id\": 1, \"name\": \"user.er\", \"command\": \"./user_work 3 3\", "
		"\"program\": \"user_work\", \"status\": \"ended, exit code 0\", \"pid\": 29996, "
		"\"parent\": 29995, \"start_ns\": 0, \"duration_ns\": 7467459, \"group\": 0, "
		"\"is_base\": false, \"usages\": 2, \"threads\": 4, \"cpu_ns\": 3227582, \"rank\": -1}],\n"
		"\"threads\": [\n"
		"  {\"experiment\": 0, \"number\": 0, \"tid\": 0, \"name\": \"\", \"start_ns\": 0},\n"
		"  {\"experiment\": 0, \"number\": 1, \"tid\": 29996, \"start_ns\": 928776, "
		"\"name\": \"user_work\"},\n"
		"  {\"experiment\": 0, \"number\": 2, \"tid\": 30002, \"start_ns\": 2680621, "
		"\"name\": \"user_work\"},\n"
		"  {\"experiment\": 0, \"number\": 3, \"tid\": 30003, \"start_ns\": 2784612, "
		"\"name\": \"user_work\"},\n"
		"  {\"experiment\": 0, \"number\": 4, \"tid\": 30004, \"start_ns\": 2845020, "
		"\"name\": \"user_work\"}],\n"
		"\"labels\": [],\n"
		"\"collections\": [],\n"
		"\"blocks\": [\n"
		"  {\"experiment\": 0, \"kind\": 5, \"width_ns\": 1000000, \"first\": 0, \"count\": 13}],\n"
		"\"uses\": [\n"
		"  {\"experiment\": 0, \"kind\": 5, \"width_ns\": 1000000, \"first\": 0, \"count\": 47}],\n"
		"\"curves\": [],\n"
		"\"marks\": {\"kept\": 47, \"all\": 47}}\n";
	char directory[GOLDEN_PATH], expected[sizeof(format) + 32];
	unsigned total = EXP_USER_COUNT;

	snprintf(expected, sizeof(expected), format, total, total);

	golden_enter("user", directory);
	page_read("user.er", "");
	cr_expect_str_eq(page_sections[PAGE_HEAD].text, expected, "%s",
	                 page_sections[PAGE_HEAD].text);
	page_forget();
	golden_leave(directory);
}

Test(page_head, tells_of_filters_collections_and_the_curve_of_the_heap)
{
	char directory[GOLDEN_PATH];
	const char *head;

	golden_enter("java", directory);
	page_read("java.er", "time 0-10\n");
	head = page_sections[PAGE_HEAD].text;
	page_expect(page_sections[PAGE_DOCUMENTS].text,
	            "\"selected: time 0-10, 6 of 6 samples, 156 of 156 allocations\"");
	page_expect(head, "\"labels\": [],\n\"collections\": [\n"
	                  "  {\"experiment\": 0, \"begin_ns\": 246272814, \"duration_ns\": "
	                  "2008228},\n"
	                  "  {\"experiment\": 0, \"begin_ns\": 252845571, \"duration_ns\": "
	                  "1116168},\n"
	                  "  {\"experiment\": 0, \"begin_ns\": 254296683, \"duration_ns\": "
	                  "1028806}],\n"
	                  "\"blocks\": [\n"
	                  "  {\"experiment\": 0, \"kind\": 0, \"width_ns\": 1000000, \"first\": "
	                  "0, \"count\": 8},\n"
	                  "  {\"experiment\": 0, \"kind\": 1, \"width_ns\": 1000000, \"first\": "
	                  "8, \"count\": 142}],\n");
	page_expect(head, "\"sort\": \"totalcpu\"");
	page_expect(head, ",3856,3856,3856,3856,12289,7049,7049,7049,7097,21889,22529,23161,");
	page_forget();
	golden_leave(directory);
}

/* Tests of the table of Java's objects by class. Each sample is of an object so large that it is
 * always sampled: it stands for itself. */
#include "format/layout.h"
#include "format/record.h"
#include "tests/unit/analyzer/answer.h"

#include <criterion/criterion.h>
#include <string.h>

enum { FIRST, SECOND, NODES };
static const uint64_t pcs[NODES] = {0x1000, 0x2000};
static const int parents[NODES] = {-1, -1};
static uint64_t at;
#define load load_one
#include "tests/unit/experiment/one_stream.h"

enum { KIB = 1024, LARGE = 1000 * KIB, INTERVAL = KIB };

static const char map[] =
	"<map><object id=\"1\" path=\"/x/java.so\" build_id=\"\" bias=\"0\" start=\"0x500\" "
	"end=\"0x9000\"/><class id=\"1\" name=\"a/b/C\"/><class id=\"2\" name=\"[I\"/>"
	"<class id=\"3\" name=\"[[Ljava/lang/String;\"/><class id=\"4\" name=\"L;\"/>"
	"<class id=\"5\" name=\"[Z\"/><class id=\"6\" name=\"[[[[[[[[B\"/>"
	"<class id=\"7\" name=\"[X\"/><class id=\"8\" name=\"I\"/></map>";

static void begin(void)
{
	set_up();
	(void)load_one;
	maker_put(&maker, FMT_FILE_MAP, map, sizeof(map) - 1);
	maker_extent(&stream, 42, t, 1 << 16);
	at = t;
}

TestSuite(view_javaheap, .init = begin, .fini = tear_down);

static void put(uint32_t class, uint64_t size, unsigned node)
{
	struct fmt_java_alloc record = {.kind = FMT_KIND_java_alloc,
	                                .stack = ids[node],
	                                .class = class,
	                                .interval = INTERVAL,
	                                .size = size};

	at += 1000;
	maker_event(&stream, at, &record, sizeof(record));
}

/* The rows of the table end with these. Places are calls: of a return address, the byte before. */
static void expect(const char *commands, const char *rows)
{
	struct answer made;
	const char *text;

	maker_stream_put(&maker, &stream, "heaptrace");
	made = answer_of(maker.path, commands);
	text = strstr(made.text, rows);
	cr_expect(text && strspn(text + strlen(rows), "\n") == strlen(text + strlen(rows)), "%s%s",
	          made.text, made.messages);
	cr_expect_eq(made.status, 0);
	cr_expect_str_empty(made.messages);
	answer_fini(&made);
}

Test(view_javaheap, classes_stand_by_their_bytes_then_by_number)
{
	put(8, 2 * LARGE, FIRST);
	put(1, 3 * LARGE, FIRST);
	put(4, 2 * LARGE, SECOND);
	put(7, LARGE, FIRST);
	expect("printmode csv\nlimit 0\njavaheap",
	       "3072000,3072000,3072000,1,1,a.b.C,java.so+0xfff\n2048000,2048000,2048000,1,1,L;,java.so+0x1fff\n"
	       "2048000,2048000,2048000,1,1,I,java.so+0xfff\n1024000,1024000,1024000,1,1,X[],java.so+0xfff\n");
}

Test(view_javaheap, names_are_as_java_writes_them)
{
	put(2, 9 * LARGE, FIRST);
	put(3, 8 * LARGE, FIRST);
	put(5, 7 * LARGE, FIRST);
	put(6, 6 * LARGE, FIRST);
	put(0, 5 * LARGE, FIRST);
	expect("printmode csv\nlimit 0\njavaheap",
	       "9216000,9216000,9216000,1,1,int[],java.so+0xfff\n"
	       "8192000,8192000,8192000,1,1,java.lang.String[][],java.so+0xfff\n"
	       "7168000,7168000,7168000,1,1,boolean[],java.so+0xfff\n"
	       "6144000,6144000,6144000,1,1,byte[][][][][][][][],java.so+0xfff\n"
	       "5120000,5120000,5120000,1,1,<Unknown>,java.so+0xfff\n");
}

Test(view_javaheap, a_class_is_the_sum_of_its_places_and_names_the_one_with_most)
{
	put(1, 2 * LARGE, FIRST);
	put(2, LARGE, FIRST);
	put(1, LARGE, SECOND);
	put(2, 2 * LARGE, SECOND);
	put(1, LARGE, SECOND);
	put(1, LARGE, FIRST);
	expect("printmode csv\nlimit 0\njavaheap",
	       "5120000,5120000,5120000,4,4,a.b.C,java.so+0xfff\n3072000,3072000,3072000,2,2,int[],java.so+0x1fff\n");
}

Test(view_javaheap, the_limit_leaves_out_the_least)
{
	put(1, 2 * LARGE, FIRST);
	put(2, LARGE, FIRST);
	expect("printmode csv\nlimit 1\njavaheap",
	       "2048000,2048000,2048000,1,1,a.b.C,java.so+0xfff\n");
}

Test(view_javaheap, estimates_of_bytes_have_intervals)
{
	/* Two samples of small objects: 2 of a Poisson distribution are expected of 0.55 to 7.29.
	 */
	put(2, 1, FIRST);
	put(2, 1, FIRST);
	expect("printmode csv\nlimit 0\njavaheap", "2049,562,7468,2049,2,int[],java.so+0xfff\n");
}

Test(view_javaheap, people_see_how_far_they_reach)
{
	put(2, 1, FIRST);
	put(2, 1, FIRST);
	expect("limit 0\njavaheap", " 2049  5419     2049        2  int[]  java.so+0xfff\n");
}

/* Tests of analyzer/page/documents.c: pages have the tables that commands print. */
#include "tests/unit/analyzer/answer.h"
#include "tests/unit/analyzer/golden.h"
#include "tests/unit/analyzer/readpage.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *group, *command, *title;
} documents[] = {
#define DOCUMENT(group, command, kind, title) {group, #command, title},
#include "analyzer/page/document.def"
};

static void start_of(size_t document, char start[160])
{
	snprintf(start, 160,
	         "{\"group\": \"%s\", \"command\": \"%s\", \"title\": \"%s\", \"document\": ",
	         documents[document].group, documents[document].command, documents[document].title);
}

/* Take what a page does not show away from a document: the quality; of the overview, all tables. */
static void leave_out(char *document, const char *command)
{
	char *tables = strstr(document, "\"tables\": ["), *from, *end;

	cr_assert(tables != NULL);
	if (strcmp(command, "overview") == 0) {
		from = tables + strlen("\"tables\": [");
		end = strstr(from, "],\n \"next\"");
	} else {
		from = strstr(tables, "{\"name\": \"quality\"");
		end = from ? strstr(from + 1, "{\"name\": ") : NULL;
		if (from && !end) {
			from -= strlen(",\n  ");
			end = strstr(from, "],\n \"next\"");
		}
	}
	if (from && end)
		memmove(from, end, strlen(end) + 1);
}

/* Expect that the command prints what stands at `made`. */
static void expect_document(const char *path, size_t document, const char *made)
{
	char lines[96], *wanted;
	struct answer answer;

	snprintf(lines, sizeof(lines), "printmode json\nlimit 250\n%s",
	         documents[document].command);
	answer = answer_of(path, lines);
	cr_assert_geq(asprintf(&wanted, "%s}", answer.text), 0);
	leave_out(wanted, documents[document].command);
	page_same_tables(made, wanted);
	free(wanted);
	answer_fini(&answer);
}

/* The page shows the tables of these commands, a blank after each, as they print them. */
static void expect_documents(const char *kept, const char *commands)
{
	char directory[GOLDEN_PATH], path[32], shown[512] = "", start[160];

	snprintf(path, sizeof(path), "%s.er", kept);
	golden_enter(kept, directory);
	page_read(path, "");
	for (size_t i = 0; i < sizeof(documents) / sizeof(documents[0]); i++) {
		const char *made;

		start_of(i, start);
		made = strstr(page_sections[PAGE_DOCUMENTS].text, start);
		if (!made)
			continue;
		strcat(strcat(shown, documents[i].command), " ");
		expect_document(path, i, made);
	}
	cr_expect_str_eq(shown, commands, "%s: %s", kept, shown);
	page_forget();
	golden_leave(directory);
}

#define ALWAYS "overview header statistics objects "

Test(page_documents, are_what_commands_print)
{
	expect_documents("heap", ALWAYS "leaks peak heapstat allocs heapmaps ");
	expect_documents("java", ALWAYS "leaks peak heapstat allocs heapmaps javaheap gcevents ");
	expect_documents("waits",
	                 ALWAYS "locks syncwaits sync ioactivity iodetail iostat iocallstack ");
	expect_documents("omp", ALWAYS "ompregions ompconstructs ");
	expect_documents("mpi", ALWAYS "mpiranks mpifunctions mpimessages ");
	expect_documents("calls", ALWAYS "calls ");
	expect_documents("user", ALWAYS "hooks ");
	expect_documents("wall", ALWAYS "waits ");
}

Test(page_documents, the_quality_stands_once)
{
	char directory[GOLDEN_PATH];
	const char *text;

	golden_enter("heap", directory);
	page_read("heap.er", "");
	text = page_sections[PAGE_DOCUMENTS].text;
	cr_expect(strstr(text, "[{\"group\": \"quality\", \"notes\": [\"") == text);
	cr_expect(strstr(text, "lost, ") != NULL);
	cr_expect(!strstr(text, "# ") && !strstr(text, "quality: "));
	cr_expect(!strstr(text, "\"name\": \"quality\""));
	page_forget();
	golden_leave(directory);
}

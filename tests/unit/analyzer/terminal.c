/* Tests of output on a narrow terminal: reports of golden experiments, with their colours, compared
 * with tests/golden/terminal. */
#include "tests/unit/analyzer/answer.h"
#include "tests/unit/analyzer/golden.h"

#include <criterion/criterion.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { WORDS_MAX = 16, SHOWN_MAX = 1 << 16 };

int analyzer_main(int argc, char **argv);

/* The terminal belongs to a child, so that nothing else is written to it. */
static void run_child(char **words, int columns)
{
	char text[16];
	int count = 0;

	while (words[count])
		count++;
	snprintf(text, sizeof(text), "%d", columns);
	setenv("COLUMNS", text, 1);
	setenv("TERM", "xterm", 1);
	setenv("XER_PAGER", "", 1);
	setenv("HOME", "/nonexistent", 1);
	unsetenv("NO_COLOR");
	_exit(analyzer_main(count, words) == 0 && fflush(stdout) == 0 ? 0 : 1);
}

/* The program's output on a terminal with that many columns; the caller frees it. */
static char *shown(char **words, int columns)
{
	char *text = calloc(1, SHOWN_MAX);
	struct termios raw = {.c_cflag = CS8 | CREAD};
	size_t size = 0;
	ssize_t got;
	int terminal, status;
	pid_t child;

	fflush(stdout);
	child = forkpty(&terminal, NULL, &raw, NULL);
	if (child == 0)
		run_child(words, columns);
	cr_assert_gt(child, 0);
	while (size + 1 < SHOWN_MAX &&
	       (got = read(terminal, text + size, SHOWN_MAX - 1 - size)) > 0)
		size += (size_t)got;
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_expect_eq(status, 0);
	close(terminal);
	return text;
}

/* `words`: name of the text, experiments, columns, arguments. */
static void expect(const char *row)
{
	char copy[128], path[64], names[64], directory[GOLDEN_PATH], files[2][32];
	char *words[WORDS_MAX] = {"xer_print"}, *name, *columns, *expected, *text;
	char *rest = names, *experiment;
	size_t count = 1, file = 0;
	unsigned long size;

	strcpy(copy, row);
	name = strtok(copy, " ");
	strcpy(names, strtok(NULL, " "));
	columns = strtok(NULL, " ");
	while ((words[count] = strtok(NULL, " ")))
		count++;
	snprintf(path, sizeof(path), "tests/golden/terminal/%s", name);
	expected = answer_file(path, &size);
	golden_enter(names, directory);
	while ((experiment = strsep(&rest, ","))) {
		snprintf(files[file], sizeof(files[file]), "%s.er", experiment);
		words[count++] = files[file++];
	}
	text = shown(words, atoi(columns));
	cr_expect_str_eq(text, expected, "%s: shown is\n%s", name, text);
	free(text);
	free(expected);
	golden_leave(directory);
}

Test(narrow, headings_are_broken_and_names_lose_their_middle, .timeout = 60)
{
	expect("functions.60 profile 60 -functions");
	expect("functions.100 profile 100 -functions");
	expect("heap.functions.50 heap 50 -functions");
	expect("percent.70 profile 70 -metrics e.%user:i.%totalcpu:e.heapallocbytes:name "
	       "-functions");
	expect("calltree.70 heap 70 -limit 12 -calltree");
	expect("compare.80 heap,killed 80 -compare delta -limit 6 -functions");
}

Test(narrow, words_of_lists_lose_their_middle, .timeout = 60)
{
	expect("list.50 waits 50 -cpu_list -describe");
	expect("locks.60 waits 60 -locks");
}

Test(narrow, lines_of_source_are_broken, .timeout = 60)
{
	expect("source.60 split 60 -source make");
}

/* Tests of lines from a terminal: what keys do, the history, completion; the keys wait on a pseudo
 * terminal. */
#include "analyzer/prompt/edit.h"
#include "tests/unit/input.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static struct edit *edit;
static int keyboard, terminal, standard[2];

/* Of the words that the tests know, those that begin as the line does. */
static void complete(void *context, const char *text, size_t len, struct words *out)
{
	static const char *const known[] = {"calltree", "callers-callees", "leaks", "peak"};

	(void)context;
	out->typed = len;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		words_add(out, text, len, known[i], strlen(known[i]));
}

/* The terminal is raw from the start, so that no key is taken for a signal. */
static void set_up(void)
{
	struct termios raw;

	input_open();
	cr_assert_eq(openpty(&keyboard, &terminal, NULL, NULL, NULL), 0);
	tcgetattr(terminal, &raw);
	cfmakeraw(&raw);
	tcsetattr(terminal, TCSANOW, &raw);
	fflush(stdout);
	for (int fd = 0; fd < 2; fd++) {
		standard[fd] = dup(fd);
		dup2(terminal, fd);
	}
	setenv("TERM", "xterm", 1);
	setenv("HOME", "/nonexistent", 1);
	edit = edit_create(NULL, complete, NULL);
}

static void tear_down(void)
{
	edit_destroy(edit);
	fflush(stdout);
	for (int fd = 0; fd < 2; fd++) {
		dup2(standard[fd], fd);
		close(standard[fd]);
	}
	close(keyboard);
	close(terminal);
}

TestSuite(edit, .init = set_up, .fini = tear_down, .timeout = 20);

/* Outside of a line the terminal is libedit's idea of a usual one, which would take keys for its
 * own. */
static char *read_line(const char *keys, size_t size)
{
	struct termios raw;

	tcgetattr(terminal, &raw);
	cfmakeraw(&raw);
	tcsetattr(terminal, TCSANOW, &raw);
	cr_assert_eq(write(keyboard, keys, size), (ssize_t)size);
	return edit_read_line(edit, "> ");
}

static void check(const char *keys, const char *expected)
{
	char *line = read_line(keys, strlen(keys));

	cr_assert(line != NULL);
	cr_expect_str_eq(line, expected, "%s", line);
	free(line);
}

/* The output since the last call. */
static const char *shown(void)
{
	static char text[4096];
	size_t size = 0;

	fflush(stdout);
	cr_assert_eq(write(STDOUT_FILENO, "|", 1), 1);
	while (size == 0 || text[size - 1] != '|') {
		ssize_t got = read(keyboard, text + size, sizeof(text) - size);

		cr_assert_gt(got, 0);
		size += (size_t)got;
	}
	text[size - 1] = '\0';
	return text;
}

Test(edit, a_line_is_what_is_typed_up_to_enter)
{
	check("functions\r", "functions");
	check("a\nb", "a");
	check("\r", "b");
}

Test(edit, the_cursor_goes_to_both_ends_and_between)
{
	check("bc\001a\005d\r", "abcd");
	check("bc\033[Ha\033[Fd\r", "abcd");
	check("bc\033[1~a\033[4~d\r", "abcd");
	check("bc\033[7~a\033[8~d\r", "abcd");
	check("bc\033OHa\033OFd\r", "abcd");
	check("ad\002c\002b\r", "abcd");
	check("ad\033[Db\033[C\033[Ce\r", "abde");
	check("ab\001\006\006\006c\001\002d\r", "dabc");
}

Test(edit, whole_characters_are_passed_and_deleted)
{
	check("\xe2\x82\xac\033[Da\r", "a\xe2\x82\xac");
	check("\xe2\x82\xac"
	      "b\001\006a\r",
	      "\xe2\x82\xac"
	      "ab");
	check("a\xe2\x82\xac\177b\r", "ab");
	check("\xe2\x82\xac"
	      "b\001\004\r",
	      "b");
}

Test(edit, backspace_and_delete_take_one_away)
{
	check("abc\177d\r", "abd");
	check("abc\010d\r", "abd");
	check("\177a\r", "a");
	check("abc\001\004\r", "bc");
	check("abc\001\033[3~\r", "bc");
	check("ab\004\r", "ab");
}

Test(edit, parts_of_the_line_are_cut_off)
{
	check("abcd\002\002\013\r", "ab");
	check("abcd\002\002\025\r", "cd");
	check("one two  \027x\r", "one x");
	check("one two\027x\r", "one x");
	check("one\027x\r", "x");
	check("one two three\002\002\002\002\002\027\r", "one three");
}

Test(edit, earlier_lines_come_again)
{
	check("first\r", "first");
	check("second\r", "second");
	check("\033[A\r", "second");
	check("\020\020\r", "first");
	check("\033[A\033[A\033[B!\r", "first!");
	check("\020\016new\r", "new");
	check("\020\020\020\020\020\020\020\020\r", "first");
	check("\016x\r", "x");
}

Test(edit, empty_lines_and_repetitions_are_not_kept)
{
	check("a\r", "a");
	check("b\r", "b");
	check("\r", "");
	check("b\r", "b");
	check("\020\020\r", "a");
}

Test(edit, control_c_begins_again_and_control_d_ends)
{
	check("abc\003", "");
	check("ab\004c\r", "abc");
	cr_expect_null(read_line("\004", 1));
}

Test(edit, the_terminal_is_as_it_was_afterwards)
{
	struct termios before, after;
	char *line;

	check("a\r", "a");
	tcgetattr(terminal, &before);
	cr_expect(before.c_lflag & ICANON);
	cr_assert_eq(write(keyboard, "b\n", 2), 2);
	line = edit_read_line(edit, "> ");
	cr_expect_str_eq(line, "b");
	free(line);
	tcgetattr(terminal, &after);
	cr_expect_eq(after.c_lflag, before.c_lflag);
	cr_expect_eq(after.c_iflag, before.c_iflag);
}

/* ---- completion ---- */

Test(edit, tab_completes_what_is_unique_and_goes_on_behind_it)
{
	check("lea\t\r", "leaks ");
	check("pe\tx\r", "peak x");
	check("LEA\t\r", "leaks ");
	check("none\t\r", "none");
}

Test(edit, tab_goes_as_far_as_words_agree_and_lists_them_then)
{
	check("c\t\t\r", "call");
	cr_expect(strstr(shown(), "callers-callees  calltree") != NULL);
}

/* ---- history ---- */

Test(edit, control_r_searches_the_history)
{
	check("limit 5\r", "limit 5");
	check("functions\r", "functions");
	check("\022lim\033\r", "limit 5");
}

static char folder[] = "/tmp/xer-history-XXXXXX";

/* A new editor whose history is a file. */
static void begin_again(const char *path)
{
	edit_destroy(edit);
	edit = edit_create(path, complete, NULL);
}

Test(edit, the_history_is_kept_in_a_file_that_several_prompts_add_to)
{
	char path[64], text[256] = "";
	struct edit *other;
	FILE *file;

	cr_assert_not_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/history", folder);
	begin_again(path);
	check("first\r", "first");
	other = edit;
	edit = edit_create(path, complete, NULL);
	check("second \\1\r", "second \\1");
	edit_destroy(other);
	begin_again(path);
	check("\020\r", "second \\1");
	check("\020\020\r", "first");
	file = fopen(path, "r");
	cr_assert_not_null(file);
	cr_expect_gt(fread(text, 1, sizeof(text) - 1, file), 0);
	fclose(file);
	cr_expect_str_eq(text, "_HiStOrY_V2_\nfirst\nsecond \\\\1\nfirst\n", "%s", text);
	unlink(path);
	rmdir(folder);
}

Test(edit, a_history_that_cannot_be_kept_is_one_of_this_prompt)
{
	begin_again("/nonexistent/history");
	check("first\r", "first");
	check("\020\r", "first");
}

Test(edit, the_file_is_cut_when_it_has_grown_to_twice_the_history)
{
	char path[64], line[32];
	size_t lines = 0;
	FILE *file;

	cr_assert_not_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/history", folder);
	file = fopen(path, "w");
	fputs("_HiStOrY_V2_\n", file);
	for (int i = 0; i < 2001; i++)
		fprintf(file, "line%d\n", i);
	fclose(file);
	begin_again(path);
	check("\020\r", "line2000");
	begin_again(NULL);
	file = fopen(path, "r");
	while (fgets(line, sizeof(line), file))
		lines++;
	fclose(file);
	cr_expect_eq(lines, 1001, "%zu", lines);
	unlink(path);
	rmdir(folder);
}

/* Tests of the line editor, with keys that wait on a pseudo terminal. */
#include "analyzer/edit.h"

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

/* The terminal is raw from the start, so that no key is taken for a signal. */
static void set_up(void)
{
	struct termios raw;

	cr_assert_eq(openpty(&keyboard, &terminal, NULL, NULL, NULL), 0);
	tcgetattr(terminal, &raw);
	cfmakeraw(&raw);
	tcsetattr(terminal, TCSANOW, &raw);
	fflush(stdout);
	for (int fd = 0; fd < 2; fd++) {
		standard[fd] = dup(fd);
		dup2(terminal, fd);
	}
	edit = edit_create();
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

static char *read_line(const char *keys, size_t size)
{
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

Test(edit, the_line_is_shown_again_after_each_key)
{
	check("ab\033[D\r", "ab");
	cr_expect_str_eq(shown(), "\r> \033[K\r> a\033[K\r> ab\033[K\r> ab\033[K\033[1D\n");
}

Test(edit, characters_of_several_bytes_have_the_width_of_one)
{
	check("\xc3\xa9x\033[D\033[D\r", "\xc3\xa9x");
	cr_expect(strstr(shown(), "\r> \xc3\xa9x\033[K\033[2D\n") != NULL);
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

Test(edit, the_last_five_hundred_lines_are_kept)
{
	char line[16], back[512];

	for (int i = 0; i <= 500; i++) {
		snprintf(line, sizeof(line), "%d\r", i);
		free(read_line(line, strlen(line)));
		shown();
	}
	memset(back, 020, sizeof(back));
	back[510] = '\r';
	cr_assert_eq(write(keyboard, back, 511), 511);
	/* Not more is shown than the terminal's buffer holds, as it is not read meanwhile. */
	close(STDOUT_FILENO);
	cr_assert_eq(open("/dev/null", O_WRONLY), STDOUT_FILENO);
	char *first = edit_read_line(edit, "> ");
	cr_expect_str_eq(first, "1");
	free(first);
}

Test(edit, control_c_begins_again_and_control_d_ends)
{
	check("abc\003", "");
	check("ab\004c\r", "abc");
	cr_expect_null(read_line("\004", 1));
}

Test(edit, control_l_clears_the_screen)
{
	check("a\014b\r", "ab");
	cr_expect(strstr(shown(), "\033[H\033[2J\r> a\033[K") != NULL);
}

Test(edit, unknown_keys_are_passed_over)
{
	check("a\033[5~b\033[Zc\033xd\007e\r", "abcde");
	check("a\033[12345~b\r", "a~b");
}

Test(edit, without_a_terminal_there_is_no_line)
{
	int pipes[2];

	cr_assert_eq(pipe(pipes), 0);
	dup2(pipes[0], STDIN_FILENO);
	cr_expect_null(edit_read_line(edit, "> "));
	close(pipes[0]);
	close(pipes[1]);
}

Test(edit, the_terminal_is_as_it_was_afterwards)
{
	struct termios before, after;

	tcgetattr(terminal, &before);
	before.c_lflag |= ISIG | ECHOCTL;
	tcsetattr(terminal, TCSANOW, &before);
	check("a\r", "a");
	tcgetattr(terminal, &after);
	cr_expect_eq(after.c_lflag, before.c_lflag);
	cr_expect_eq(after.c_iflag, before.c_iflag);
}

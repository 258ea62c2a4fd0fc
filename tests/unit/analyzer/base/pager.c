/* Tests of analyzer/base/pager.c: which output goes through a pager, and the properties of the
 * terminal. */
#include "analyzer/base/terminal.h"
#include "tests/unit/input.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

enum { ROWS = 4, COLUMNS = 10 };

static int screen, terminal, standard;
static char directory[] = "/tmp/xer-pager-XXXXXX";

static void set_up(void)
{
	struct winsize size = {.ws_row = ROWS, .ws_col = COLUMNS};
	struct termios raw;

	input_open();
	cr_assert(mkdtemp(directory) != NULL);
	cr_assert_eq(chdir(directory), 0);
	cr_assert_eq(openpty(&screen, &terminal, NULL, NULL, &size), 0);
	tcgetattr(terminal, &raw);
	cfmakeraw(&raw);
	tcsetattr(terminal, TCSANOW, &raw);
	fflush(stdout);
	standard = dup(STDOUT_FILENO);
	dup2(terminal, STDOUT_FILENO);
	/* A file has what the pager got. */
	setenv("XER_PAGER", "cat >paged", 1);
	unsetenv("COLUMNS");
	unsetenv("NO_COLOR");
	unsetenv("LESS");
}

static void tear_down(void)
{
	fflush(stdout);
	dup2(standard, STDOUT_FILENO);
	close(standard);
	close(screen);
	close(terminal);
	unlink("paged");
	rmdir(directory);
}

TestSuite(pager, .init = set_up, .fini = tear_down, .timeout = 20);

/* What the terminal shows. */
static const char *shown(void)
{
	static char text[4096];
	size_t size = 0;

	cr_assert_eq(write(terminal, "|", 1), 1);
	while (size == 0 || text[size - 1] != '|') {
		ssize_t got = read(screen, text + size, sizeof(text) - size);

		cr_assert_gt(got, 0);
		size += (size_t)got;
	}
	text[size - 1] = '\0';
	return text;
}

static const char *paged(void)
{
	static char text[4096];
	int file = open("paged", O_RDONLY);
	ssize_t got = file >= 0 ? read(file, text, sizeof(text) - 1) : 0;

	if (file >= 0)
		close(file);
	text[got > 0 ? got : 0] = '\0';
	return text;
}

static void print(const char *text)
{
	FILE *out = pager_begin(stdout);

	cr_assert_neq(out, stdout);
	cr_expect_eq(pager_begin(out), out);
	fputs(text, out);
	cr_expect_eq(pager_end(&out), 0);
	cr_expect_eq(out, stdout);
}

Test(pager, what_fits_on_the_screen_goes_to_the_terminal)
{
	print("1\n2\n3\nrest");
	cr_expect_str_eq(shown(), "1\n2\n3\nrest");
	cr_expect_str_eq(paged(), "");
}

Test(pager, what_does_not_goes_through_the_pager)
{
	print("1\n2\n3\n4\n");
	cr_expect_str_eq(shown(), "");
	cr_expect_str_eq(paged(), "1\n2\n3\n4\n");
}

Test(pager, long_lines_take_several_rows)
{
	print("1\n2\n0123456789\n");
	cr_expect_str_eq(paged(), "");
	print("1\n2\n0123456789a\n");
	cr_expect_str_eq(paged(), "1\n2\n0123456789a\n");
}

Test(pager, bytes_inside_of_a_character_take_no_place)
{
	print("1\n2\n\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\n");
	cr_expect_str_eq(paged(), "");
}

Test(pager, rows_are_counted_again_each_time)
{
	print("1\n2\n3\n");
	print("1\n2\n3\n");
	cr_expect_str_eq(paged(), "");
	cr_expect_str_eq(shown(), "1\n2\n3\n1\n2\n3\n");
}

Test(pager, much_is_kept_until_the_screen_is_full)
{
	struct winsize size = {.ws_row = 20000, .ws_col = COLUMNS};
	FILE *out, *counted;
	unsigned lines = 0;
	int c;

	ioctl(terminal, TIOCSWINSZ, &size);
	out = pager_begin(stdout);
	for (int i = 0; i < 30000; i++)
		fprintf(out, "line %d\n", i % 10);
	cr_expect_eq(pager_end(&out), 0);
	counted = fopen("paged", "r");
	while ((c = fgetc(counted)) != EOF)
		lines += c == '\n';
	fclose(counted);
	cr_expect_eq(lines, 30000);
}

Test(pager, a_message_comes_behind_what_was_printed)
{
	FILE *out = pager_begin(stdout);

	fputs("printed", out);
	fflush(out);
	pager_settle(out);
	cr_expect_str_eq(shown(), "printed");
	cr_expect_eq(pager_end(&out), 0);
	cr_expect_str_eq(shown(), "");
}

Test(pager, who_leaves_it_has_seen_enough)
{
	FILE *out;

	setenv("XER_PAGER", "true", 1);
	out = pager_begin(stdout);
	for (int i = 0; i < 100000; i++)
		fputs("line\n", out);
	cr_expect_eq(pager_end(&out), 0);
	cr_expect_eq(signal(SIGPIPE, SIG_DFL), SIG_DFL);
	cr_expect_eq(signal(SIGINT, SIG_DFL), SIG_DFL);
}

Test(pager, the_program_goes_on_under_an_interrupt_while_it_runs)
{
	FILE *out = pager_begin(stdout);

	fputs("1\n2\n3\n4\n", out);
	fflush(out);
	raise(SIGINT);
	raise(SIGPIPE);
	cr_expect_eq(pager_end(&out), 0);
	cr_expect_str_eq(paged(), "1\n2\n3\n4\n");
}

Test(pager, there_is_none_where_none_is_wanted)
{
	FILE *other = fopen("/dev/null", "w"), *out = stdout;

	cr_expect_eq(pager_begin(other), other);
	fclose(other);
	setenv("XER_PAGER", "", 1);
	cr_expect_eq(pager_begin(stdout), stdout);
	setenv("XER_PAGER", "cat", 1);
	cr_expect_eq(pager_begin(stdout), stdout);
	unsetenv("XER_PAGER");
	setenv("PAGER", "cat", 1);
	cr_expect_eq(pager_begin(stdout), stdout);
	unsetenv("PAGER");
	setenv("PATH", "/nonexistent", 1);
	cr_expect_eq(pager_begin(stdout), stdout);
	unsetenv("PATH");
	cr_expect_eq(pager_begin(stdout), stdout);
	setenv("XER_PAGER", "cat >paged", 1);
	dup2(standard, STDOUT_FILENO);
	cr_expect(isatty(STDOUT_FILENO) || pager_begin(stdout) == stdout);
	cr_expect_eq(pager_end(&out), 0);
}

static void put_program(const char *name)
{
	FILE *file = fopen(name, "w");

	fputs("#!/bin/sh\necho \"$LESS\" >paged\nexec cat >>paged\n", file);
	fclose(file);
	chmod(name, 0755);
}

Test(pager, less_is_taken_from_the_path_and_leaves_the_screen_as_it_is)
{
	char path[4096];

	put_program("less");
	snprintf(path, sizeof(path), "/nonexistent::%s:%s", directory, getenv("PATH"));
	setenv("PATH", path, 1);
	unsetenv("XER_PAGER");
	unsetenv("PAGER");
	print("1\n2\n3\n4\n");
	cr_expect_str_eq(paged(), "FRX\n1\n2\n3\n4\n");
	setenv("LESS", "x", 1);
	print("1\n2\n3\n4\n");
	cr_expect_str_eq(paged(), "x\n1\n2\n3\n4\n");
	unlink("less");
}

Test(pager, the_width_is_the_users_wish_or_the_terminals)
{
	struct winsize none = {.ws_row = 0};
	FILE *out;

	cr_expect_eq(terminal_columns(stdout), COLUMNS);
	cr_expect_eq(terminal_columns(stderr), 0);
	setenv("COLUMNS", "77", 1);
	cr_expect_eq(terminal_columns(stdout), 77);
	setenv("COLUMNS", "0", 1);
	cr_expect_eq(terminal_columns(stdout), 0);
	setenv("COLUMNS", "7x", 1);
	cr_expect_eq(terminal_columns(stdout), COLUMNS);
	setenv("COLUMNS", "65535", 1);
	cr_expect_eq(terminal_columns(stdout), 65535);
	setenv("COLUMNS", "65536", 1);
	cr_expect_eq(terminal_columns(stdout), COLUMNS);
	setenv("COLUMNS", "", 1);
	out = pager_begin(stdout);
	cr_expect_eq(terminal_columns(out), COLUMNS);
	pager_end(&out);
	ioctl(terminal, TIOCSWINSZ, &none);
	cr_expect_eq(terminal_columns(stdout), 80);
}

Test(pager, a_screen_of_unknown_size_has_24_rows_of_80_characters)
{
	struct winsize none = {.ws_row = 0};
	char text[128];

	ioctl(terminal, TIOCSWINSZ, &none);
	print("\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n");
	cr_expect_str_eq(paged(), "");
	print("\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n");
	cr_expect_eq(strlen(paged()), 24);
	unlink("paged");
	memset(text, '\n', 23);
	memset(text + 23, 'x', 81);
	strcpy(text + 23 + 80, "");
	print(text);
	cr_expect_str_eq(paged(), "");
	strcpy(text + 23 + 80, "x");
	print(text);
	cr_expect_str_eq(paged(), text);
}

Test(pager, colour_is_for_terminals_that_have_it)
{
	setenv("TERM", "xterm", 1);
	cr_expect(terminal_has_color(stdout));
	cr_expect_not(terminal_has_color(stderr));
	setenv("NO_COLOR", "", 1);
	cr_expect(terminal_has_color(stdout));
	setenv("NO_COLOR", "1", 1);
	cr_expect_not(terminal_has_color(stdout));
	unsetenv("NO_COLOR");
	setenv("TERM", "dumb", 1);
	cr_expect_not(terminal_has_color(stdout));
	unsetenv("TERM");
	cr_expect_not(terminal_has_color(stdout));
}

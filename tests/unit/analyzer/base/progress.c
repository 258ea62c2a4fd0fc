/* The line that shows what takes long, on a terminal of our own. */
#include "analyzer/base/terminal.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int master, slave;
static volatile sig_atomic_t alarms;

static void on_alarm(int signal)
{
	(void)signal;
	alarms++;
}

static void set_up(void)
{
	cr_assert_eq(openpty(&master, &slave, NULL, NULL, NULL), 0);
	cr_assert_eq(dup2(slave, STDERR_FILENO), STDERR_FILENO);
	setenv("TERM", "xterm", 1);
	signal(SIGALRM, on_alarm);
}

TestSuite(progress, .init = set_up, .timeout = 30);

/* What the terminal has got after so many ms at most; "" if it is nothing. */
static const char *shown(int wait_ms)
{
	static char text[1024];
	struct pollfd wait = {.fd = master, .events = POLLIN};
	ssize_t got;

	text[0] = '\0';
	while (poll(&wait, 1, wait_ms) < 0)
		continue;
	if (wait.revents & POLLIN) {
		got = read(master, text, sizeof(text) - 1);
		text[got > 0 ? got : 0] = '\0';
	}
	return text;
}

/* A line with so many seconds; a machine that is busy may show it later. */
static void expect_line(const char *text)
{
	const char *line = shown(5000), *rest = line;
	size_t len = strlen(text);

	if (strncmp(line, "\r\033[K", 4) == 0 && strncmp(line + 4, text, len) == 0)
		rest = line + 4 + len;
	cr_expect(rest != line && rest[0] == ' ' && rest[1] >= '0' && rest[1] <= '4' &&
	                  strcmp(rest + 2, " s") == 0,
	          "%s, not %s", line + 1, text);
}

static int is_timer_on(void)
{
	struct itimerval timer;

	getitimer(ITIMER_REAL, &timer);
	return timer.it_value.tv_sec != 0 || timer.it_value.tv_usec != 0;
}

Test(progress, what_takes_long_is_shown_and_removed)
{
	struct itimerval timer;

	progress_begin("reading %s", "test\t\x7f.er");
	getitimer(ITIMER_REAL, &timer);
	cr_expect_eq(timer.it_value.tv_sec, 0);
	cr_expect(timer.it_value.tv_usec <= 500000 && timer.it_value.tv_usec > 0);
	cr_expect_eq(timer.it_interval.tv_usec, 200000);
	expect_line("reading test??.er");
	expect_line("reading test??.er");
	progress_end();
	cr_expect_not(is_timer_on());
	cr_expect(strstr(shown(5000), "\r\033[K") != NULL);
	raise(SIGALRM);
	cr_expect_eq(alarms, 1, "the handler is the one before");
}

/* Whole ones that have passed: they are what the clock says. */
Test(progress, seconds_are_counted)
{
	struct timespec begin, now;
	const char *line;
	double passed;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	progress_begin("x");
	for (int i = 0; i < 8; i++) {
		line = shown(5000);
		clock_gettime(CLOCK_MONOTONIC, &now);
		passed = (double)(now.tv_sec - begin.tv_sec) +
		         (double)(now.tv_nsec - begin.tv_nsec) / 1e9;
		cr_assert_eq(strncmp(line, "\r\033[Kx ", 6), 0);
		cr_expect_leq(atoi(line + 6), (int)passed);
	}
	cr_expect_geq(atoi(line + 6), 1);
	progress_end();
}

Test(progress, what_is_quick_is_not_shown)
{
	progress_begin("reading");
	cr_expect(is_timer_on());
	progress_end();
	cr_expect_not(is_timer_on());
	cr_expect_str_eq(shown(50), "");
	progress_end();
	cr_expect_str_eq(shown(50), "", "there is nothing to end");
}

Test(progress, the_outermost_is_shown)
{
	progress_begin("all");
	progress_begin("a part");
	expect_line("all");
	progress_end();
}

Test(progress, a_long_text_is_cut)
{
	char text[400];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	progress_begin("%s", text);
	text[159] = '\0';
	expect_line(text);
	progress_end();
}

static void expect_nothing(void)
{
	progress_begin("reading");
	cr_expect_not(is_timer_on());
	progress_end();
}

Test(progress, only_terminals_that_can_are_written_to)
{
	setenv("TERM", "dumb", 1);
	expect_nothing();
	unsetenv("TERM");
	expect_nothing();
	setenv("TERM", "xterm", 1);
	dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
	expect_nothing();
}

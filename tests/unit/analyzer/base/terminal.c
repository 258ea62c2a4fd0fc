/* Tests of analyzer/base/progress.c on a pseudo terminal. */
#include "analyzer/base/terminal.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* What a child shows on its terminal if it works with a progress line, for that long or until so
 * many signals have come. */
static void watch(const char *term, double work_s, int alarms, const char *text, char *shown,
                  size_t size)
{
	int terminal;
	size_t len = 0;
	ssize_t got;
	pid_t child = forkpty(&terminal, NULL, NULL, NULL);

	if (child == 0) {
		double start = seconds();

		setenv("TERM", term, 1);
		progress_begin("%s", text);
		while (seconds() - start < work_s && alarms > 0)
			alarms -= usleep(20000) < 0;
		progress_end();
		_exit(0);
	}
	cr_assert(child > 0);
	while (len + 1 < size && (got = read(terminal, shown + len, size - 1 - len)) > 0)
		len += (size_t)got;
	shown[len] = '\0';
	waitpid(child, NULL, 0);
	close(terminal);
}

Test(terminal, progress_is_told_after_half_a_second_and_vanishes, .timeout = 20)
{
	char shown[4096];

	watch("xterm", 1.0, INT_MAX, "reading a\x1b\xff.er", shown, sizeof(shown));
	cr_assert(strstr(shown, "\r\033[Kreading a??.er ") == shown, "'%s'", shown);
	cr_assert_str_eq(shown + strlen(shown) - 4, "\r\033[K");
}

Test(terminal, progress_is_silent_if_it_is_quick_or_the_terminal_is_dumb, .timeout = 20)
{
	char shown[4096];

	watch("xterm", 0.1, INT_MAX, "reading", shown, sizeof(shown));
	cr_assert_str_empty(shown);
	watch("dumb", 0.8, INT_MAX, "reading", shown, sizeof(shown));
	cr_assert_str_empty(shown);
}

Test(terminal, progress_is_told_again_and_again, .timeout = 40)
{
	static const char line[] = "\r\033[Kreading ";
	char shown[4096];
	unsigned count = 0;

	watch("xterm", 10, 4, "reading", shown, sizeof(shown));
	for (const char *at = shown; (at = strstr(at, line)); at++)
		count++;
	cr_assert_geq(count, 4, "'%s'", shown);
}

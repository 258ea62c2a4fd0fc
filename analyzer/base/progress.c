/* progress.c: shows what takes so long. The signal handler of a timer writes the line, so that the
 * working code need not look at the clock. */
#include "analyzer/base/terminal.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_MS = 500, NEXT_MS = 200, TEXT_MAX = 160 };

static struct {
	char text[TEXT_MAX];
	size_t len;
	struct timespec start;
	volatile sig_atomic_t is_shown;
	struct sigaction old;
	int is_on;
} progress;

/* Only what may be called in a handler: the line is its text and the seconds so far. */
static void on_alarm(int signal)
{
	static const char clear[] = "\r\033[K";
	char line[sizeof(clear) + TEXT_MAX + 32];
	char digits[24];
	size_t len = sizeof(clear) - 1, count = 0;
	struct timespec now;
	int saved = errno;
	long seconds;

	(void)signal;
	clock_gettime(CLOCK_MONOTONIC, &now);
	seconds = now.tv_sec - progress.start.tv_sec - (now.tv_nsec < progress.start.tv_nsec);
	memcpy(line, clear, len);
	memcpy(line + len, progress.text, progress.len);
	len += progress.len;
	line[len++] = ' ';
	do
		digits[count++] = (char)('0' + seconds % 10);
	while ((seconds /= 10) > 0);
	while (count > 0)
		line[len++] = digits[--count];
	line[len++] = ' ';
	line[len++] = 's';
	if (write(STDERR_FILENO, line, len) > 0)
		progress.is_shown = 1;
	errno = saved;
}

static void set_timer(long first_ms)
{
	const struct itimerval times = {.it_value = {first_ms / 1000, first_ms % 1000 * 1000},
	                                .it_interval = {0, first_ms != 0 ? NEXT_MS * 1000 : 0}};

	setitimer(ITIMER_REAL, &times, NULL);
}

void progress_begin(const char *format, ...)
{
	const struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	const char *term = getenv("TERM");
	va_list arguments;
	int len;

	if (progress.is_on || !isatty(STDERR_FILENO) || !term || strcmp(term, "dumb") == 0)
		return;
	va_start(arguments, format);
	len = vsnprintf(progress.text, sizeof(progress.text), format, arguments);
	va_end(arguments);
	progress.len = len < 0 ? 0 : strlen(progress.text);
	for (size_t i = 0; i < progress.len; i++)
		if ((unsigned char)progress.text[i] < ' ' ||
		    (unsigned char)progress.text[i] >= 0x7f)
			progress.text[i] = '?'; /* a path may hold any bytes */
	clock_gettime(CLOCK_MONOTONIC, &progress.start);
	progress.is_shown = 0;
	progress.is_on = 1;
	sigaction(SIGALRM, &action, &progress.old);
	set_timer(FIRST_MS);
}

void progress_end(void)
{
	static const char clear[] = "\r\033[K";

	if (!progress.is_on)
		return;
	set_timer(0);
	sigaction(SIGALRM, &progress.old, NULL);
	if (progress.is_shown && write(STDERR_FILENO, clear, sizeof(clear) - 1) < 0)
		progress.is_shown = 0; /* a terminal that is gone needs no clearing */
	progress.is_on = 0;
}

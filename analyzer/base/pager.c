/* pager.c: a stream that keeps its output until it is longer than the screen, then starts a pager
 * and feeds it. */
#include "analyzer/base/terminal.h"
#include "analyzer/base/text.h"

#include "analyzer/base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROWS_USUAL = 24, COLUMNS_USUAL = 80 };

static struct {
	FILE *stream; /* NULL: no pager may be started */
	char *kept;   /* kept[size]: not shown yet */
	size_t size, capacity;
	size_t rows, column, rows_max, columns_max; /* of what was written */
	const char *command;
	pid_t pid; /* 0: not started */
	int pipe;
	int is_gone; /* the user left it */
	struct sigaction old_pipe, old_interrupt;
} pager;

static int is_pager(const FILE *out)
{
	return pager.stream && out == pager.stream;
}

static int is_terminal(const FILE *out)
{
	return (out == stdout || is_pager(out)) && isatty(STDOUT_FILENO);
}

size_t terminal_columns(const FILE *out)
{
	const char *wish = getenv("COLUMNS");
	struct winsize size = {.ws_col = 0};
	char *end;
	unsigned long columns;

	if (!is_terminal(out))
		return 0;
	if (wish && wish[0] >= '0' && wish[0] <= '9') {
		columns = strtoul(wish, &end, 10);
		if (*end == '\0' && columns <= USHRT_MAX)
			return columns;
	}
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0 ? size.ws_col
	                                                                        : COLUMNS_USUAL;
}

char *terminal_group(const FILE *out, char *text)
{
	return terminal_columns(out) != 0 ? text_group(text) : text;
}

char *terminal_number(const FILE *out, unsigned long long number, char *text)
{
	snprintf(text, TERMINAL_NUMBER_MAX, "%llu", number);
	return terminal_group(out, text);
}

size_t terminal_rows(const FILE *out)
{
	struct winsize size = {.ws_row = 0};

	if (!is_terminal(out))
		return 0;
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row != 0 ? size.ws_row
	                                                                        : ROWS_USUAL;
}

int terminal_has_color(const FILE *out)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (no_color && no_color[0] != '\0')
		return 0;
	return is_terminal(out) && term && strcmp(term, "dumb") != 0;
}

static int is_in_path(const char *program)
{
	const char *path = getenv("PATH");

	for (; path && *path != '\0'; path += *path == ':') {
		size_t len = strcspn(path, ":");
		char *file = memory_format("%.*s/%s", (int)len, path, program);
		int found = len != 0 && access(file, X_OK) == 0;

		free(file);
		if (found)
			return 1;
		path += len;
	}
	return 0;
}

/* NULL: none is wanted, or there is none. */
static const char *choose_command(void)
{
	const char *command = getenv("XER_PAGER");

	if (!command)
		command = getenv("PAGER");
	if (!command)
		command = is_in_path("less") ? "less" : "";
	return command[0] == '\0' || strcmp(command, "cat") == 0 ? NULL : command;
}

static void run_child(int input)
{
	dup2(input, STDIN_FILENO);
	/* As git does: leave if all fits on the screen, pass colours on, leave the screen as it is.
	 */
	setenv("LESS", "FRX", 0);
	execl("/bin/sh", "sh", "-c", pager.command, (char *)NULL);
	_exit(127);
}

/* Returns 0, or -1: then output goes to the terminal itself. */
static int start(void)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	fflush(stdout);
	pager.pid = fork();
	if (pager.pid == 0)
		run_child(ends[0]);
	close(ends[0]);
	if (pager.pid < 0) {
		close(ends[1]);
		pager.pid = 0;
		return -1;
	}
	pager.pipe = ends[1];
	sigaction(SIGPIPE, &ignore, &pager.old_pipe);
	sigaction(SIGINT, &ignore, &pager.old_interrupt);
	return 0;
}

/* Write everything, to the pager or the terminal. Returns 0 or -1 with errno. */
static int put(const char *bytes, size_t size)
{
	int fd = pager.pid != 0 ? pager.pipe : STDOUT_FILENO;

	while (size > 0 && !pager.is_gone) {
		ssize_t written = write(fd, bytes, size);

		if (written < 0 && errno == EPIPE && pager.pid != 0) {
			/* The pager is gone, but the user may want to interrupt what goes on. */
			pager.is_gone = 1;
			sigaction(SIGINT, &pager.old_interrupt, NULL);
		} else if (written < 0 && errno != EINTR)
			return -1;
		if (written > 0) {
			bytes += written;
			size -= (size_t)written;
		}
	}
	return 0;
}

static int put_kept(void)
{
	size_t size = pager.size;

	pager.size = 0;
	return put(pager.kept, size);
}

/* Rows of the screen that bytes[size] fill. */
static void count_rows(const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		int is_end = bytes[i] == '\n';

		/* Bytes inside a character take no column. */
		if (!is_end && (bytes[i] & 0xc0) != 0x80)
			pager.column++;
		if (is_end || pager.column > pager.columns_max) {
			pager.rows++;
			pager.column = is_end ? 0 : 1;
		}
	}
}

static ssize_t on_write(void *cookie, const char *bytes, size_t size)
{
	(void)cookie;
	if (!pager.command || pager.pid != 0)
		return put(bytes, size) == 0 ? (ssize_t)size : 0;
	while (pager.capacity - pager.size < size) {
		pager.capacity = pager.capacity != 0 ? 2 * pager.capacity : 65536;
		pager.kept = memory_resize(pager.kept, pager.capacity, 1);
	}
	memcpy(pager.kept + pager.size, bytes, size);
	pager.size += size;
	count_rows(bytes, size);
	if (pager.rows < pager.rows_max)
		return (ssize_t)size;
	if (start() != 0)
		pager.command = NULL;
	return put_kept() == 0 ? (ssize_t)size : 0;
}

static void measure_screen(void)
{
	struct winsize size;

	pager.rows_max = ROWS_USUAL;
	pager.columns_max = COLUMNS_USUAL;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
		return;
	if (size.ws_row != 0)
		pager.rows_max = size.ws_row;
	if (size.ws_col != 0)
		pager.columns_max = size.ws_col;
}

FILE *pager_begin(FILE *out)
{
	const cookie_io_functions_t functions = {.write = on_write};

	if (out != stdout || pager.stream || !isatty(STDOUT_FILENO))
		return out;
	pager.command = choose_command();
	if (!pager.command)
		return out;
	fflush(stdout);
	measure_screen();
	pager.rows = pager.column = 0;
	pager.is_gone = 0;
	pager.stream = fopencookie(&pager, "w", functions);
	return pager.stream ? pager.stream : out;
}

void pager_settle(const FILE *out)
{
	if (is_pager(out) && pager.pid == 0)
		put_kept();
}

static void stop(void)
{
	close(pager.pipe);
	while (waitpid(pager.pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	sigaction(SIGPIPE, &pager.old_pipe, NULL);
	sigaction(SIGINT, &pager.old_interrupt, NULL);
	pager.pid = 0;
}

int pager_end(FILE **out)
{
	int failed;

	if (!pager.stream)
		return 0;
	failed = fflush(pager.stream) != 0 || put_kept() != 0;
	if (pager.pid != 0)
		stop();
	if (*out == pager.stream)
		*out = stdout;
	failed |= fclose(pager.stream) != 0;
	pager.stream = NULL;
	free(pager.kept);
	pager.kept = NULL;
	pager.size = pager.capacity = 0;
	return failed ? -1 : 0;
}

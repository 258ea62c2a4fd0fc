/* cutfile.c: the handler of SIGBUS. Everything here is signal-safe. See cutfile.h.
 * See doc/decisions/65-mapped-files.md. */
#include "experiment/base/cutfile.h"

#include "experiment/base/printable.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

static const char *program;
static void (*at_end)(void);

/* A line of /proc/self/maps: two addresses, rights, an offset, a device, an inode, a path. */
enum { FIELDS_BEFORE_PATH = 5, LINE_SIZE = 4096 + 128 };

static uintptr_t read_hex(const char **at)
{
	uintptr_t value = 0;

	for (;; (*at)++) {
		if (**at >= '0' && **at <= '9')
			value = value << 4 | (uintptr_t)(**at - '0');
		else if (**at >= 'a' && **at <= 'f')
			value = value << 4 | (uintptr_t)(**at - 'a' + 10);
		else
			return value;
	}
}

/* The path of the file that is mapped at an address, if this line is of it; else NULL. */
static const char *path_in(const char *line, uintptr_t address)
{
	const char *at = line;
	uintptr_t start = read_hex(&at), end = 0;

	if (*at == '-') {
		at++;
		end = read_hex(&at);
	}
	if (address < start || address >= end)
		return NULL;
	for (int field = 0; field < FIELDS_BEFORE_PATH; field++) {
		at += strcspn(at, " ");
		at += strspn(at, " ");
	}
	return *at == '/' ? at : NULL;
}

/* Find the file that is mapped at an address. Returns its path in line[LINE_SIZE], or NULL: it is
 * no file. */
static const char *find_file(uintptr_t address, char *line)
{
	int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	const char *path = NULL;
	size_t len = 0;
	char byte;

	/* Byte by byte: the program ends anyway. */
	while (maps >= 0 && !path && read(maps, &byte, 1) == 1) {
		if (byte != '\n' && len < LINE_SIZE - 1) {
			line[len++] = byte;
			continue;
		}
		line[len] = '\0';
		len = 0;
		path = path_in(line, address);
	}
	if (maps >= 0)
		close(maps);
	return path;
}

static void put(const char *text, size_t size)
{
	if (write(STDERR_FILENO, text, size) < 0)
		return; /* nobody is there to be told */
}

static void put_path(const char *path)
{
	static const char digits[] = "0123456789abcdef";

	while (*path != '\0') {
		size_t size = exp_printable(path, strlen(path));
		char escaped[4] = {'\\', 'x', digits[(unsigned char)*path >> 4],
		                   digits[*path & 15]};

		put(size != 0 ? path : escaped, size != 0 ? size : sizeof(escaped));
		path += size != 0 ? size : 1;
	}
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	static char line[LINE_SIZE];
	const char *path = info->si_code == BUS_ADRERR ? find_file((uintptr_t)info->si_addr, line)
	                                               : NULL;

	(void)context;
	if (!path) {
		/* Back at the instruction, it faults again, and no handler is installed. */
		signal(number, SIG_DFL);
		return;
	}
	if (at_end)
		at_end();
	put(program, strlen(program));
	put(": ", 2);
	put_path(path);
	put(": the file was cut while it was read\n",
	    sizeof(": the file was cut while it was read\n") - 1);
	_exit(1);
}

void exp_cut_file_watch(const char *name, void (*end)(void))
{
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};

	program = name;
	at_end = end;
	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
}

/* signalname.c: read the names and numbers of signals. */
#include "collect/base/signalname.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 16, TICK_BELOW_MAX = 3 }; /* libcollector/profile/tick.h */

static int is_usable(int signal)
{
	static const int others[] = {SIGKILL, SIGSTOP, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (others[i] == signal)
			return 0;
	return signal >= 1 && signal <= SIGRTMAX && signal != SIGRTMAX - TICK_BELOW_MAX &&
	       (signal < 32 || signal >= SIGRTMIN);
}

/* "3" behind "RTMIN+" and the like. Returns -1 if it is no number. */
static long read_number(const char *text)
{
	char *end;
	long number = strtol(text, &end, 10);

	return isdigit((unsigned char)*text) && *end == '\0' ? number : -1;
}

/* A real-time signal: `sign` and a number of steps away from `base`, or that itself. */
static int find_real_time(const char *steps, char sign, int base)
{
	long number = *steps == sign ? read_number(steps + 1) : -1;

	if (*steps == '\0')
		return base;
	if (number < 0 || number > SIGRTMAX - SIGRTMIN)
		return -1;
	return sign == '+' ? base + (int)number : base - (int)number;
}

static int find(const char *name)
{
	long number = read_number(name);

	if (number >= 0)
		return number <= SIGRTMAX ? (int)number : -1;
	if (strncmp(name, "RTMIN", 5) == 0)
		return find_real_time(name + 5, '+', SIGRTMIN);
	if (strncmp(name, "RTMAX", 5) == 0)
		return find_real_time(name + 5, '-', SIGRTMAX);
	for (int signal = 1; signal < SIGRTMIN; signal++)
		if (sigabbrev_np(signal) && strcmp(sigabbrev_np(signal), name) == 0)
			return signal;
	return -1;
}

int signalname_parse(const char *text, unsigned len, int *out)
{
	char name[NAME_SIZE];
	int signal;

	if (len == 0 || len >= sizeof(name))
		return -EINVAL;
	memcpy(name, text, len);
	name[len] = '\0';
	signal = find(strncmp(name, "SIG", 3) == 0 ? name + 3 : name);
	if (!is_usable(signal))
		return -EINVAL;
	*out = signal;
	return 0;
}

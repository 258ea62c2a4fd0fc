/* exitcodes: ends in the given way.
 *
 * usage: exitcodes WAY N
 *   exit N, _exit N, quick_exit N, return N, pthread_exit 0 (the last thread: status 0), signal N
 * (kills itself by signal N), abort 0, exec N (becomes sh, which exits N) */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const char *way = argc > 2 ? argv[1] : "return";
	int number = argc > 2 ? atoi(argv[2]) : 0;
	char command[32];

	snprintf(command, sizeof(command), "exit %d", number);
	if (strcmp(way, "exit") == 0)
		exit(number);
	if (strcmp(way, "_exit") == 0)
		_exit(number);
	if (strcmp(way, "quick_exit") == 0)
		quick_exit(number);
	if (strcmp(way, "pthread_exit") == 0)
		pthread_exit(NULL);
	if (strcmp(way, "signal") == 0)
		raise(number);
	if (strcmp(way, "abort") == 0)
		abort();
	if (strcmp(way, "exec") == 0)
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	return number;
}

/* input.h: a standard input for tests that need one. The others have none (leaks.c). */
#ifndef XER_TESTS_UNIT_INPUT_H
#define XER_TESTS_UNIT_INPUT_H

#include <fcntl.h>
#include <unistd.h>

/* Open /dev/null as standard input, if nothing has its number. */
static inline void input_open(void)
{
	int fd = open("/dev/null", O_RDONLY);

	if (fd > STDIN_FILENO)
		close(fd);
}

#endif

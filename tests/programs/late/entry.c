/* entry.c: a library with the entries of the recorder, for the unit tests of attach. The text that
 * it is given says what they do: a number is returned as an error; "fault": they crash. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

int collector_attach(const char *text);
int collector_detach(const char *text);

int collector_attach(const char *text)
{
	if (strcmp(text, "fault") == 0)
		raise(SIGSEGV);
	errno = E2BIG; /* the thread must not see it */
	setenv("XER_ENTRY", "attached", 1);
	return -atoi(text);
}

int collector_detach(const char *text)
{
	setenv("XER_ENTRY", "detached", 1);
	return -atoi(text);
}

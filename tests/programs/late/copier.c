/* copier: a program without its own malloc (the unit programs have the recorder's) that loads
 * recorder.so, and copies a text by strdup, one of the C library's functions that allocate.
 *
 * usage: copier RECORDER
 *
 * Facts: the exit status is 0 if strdup calls recorder.so's malloc while bindings are changed, and
 * not before or after. */
#include "tests/programs/late/late.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* Compilers know what strdup changes, and leave it out where its copy is only freed. */
static const volatile unsigned *mallocs;
static char *volatile copied;

/* How often the recorder's malloc was called. */
static unsigned copy(void)
{
	unsigned before = *mallocs;

	copied = strdup("twelve bytes");
	free(copied);
	return *mallocs - before;
}

int main(int argc, char **argv)
{
	void *recorder = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
	const struct late *late = recorder ? dlsym(recorder, "late") : NULL;
	unsigned before, meanwhile, after;

	mallocs = recorder ? dlsym(recorder, "late_mallocs") : NULL;
	if (!late || !mallocs)
		return 9;
	before = copy();
	late->patch();
	meanwhile = copy();
	late->restore();
	after = copy();
	return before != 0 || meanwhile != 1 || after != 0;
}

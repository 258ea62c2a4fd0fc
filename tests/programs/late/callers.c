/* callers: a library that calls functions that recorder.so wraps. It is built twice: symbols are
 * bound at first use (callers.so), or when loaded, in pages that become read-only (sealed.so).
 * Their names are in them, so that needing.so can name the one that it needs.
 *
 * Facts: it has a setenv of its own, which returns 5. */
#include <dlfcn.h>
#include <stdlib.h>

char *call_getenv(const char *name);
char *call_kept(const char *name);
char *call_realpath(const char *path);
char *call_realpath_old(const char *path);
int call_setenv(void);
const char *call_table(void);
int call_only(void);
void *call_dlsym(void *handle, const char *name);

extern const char late_table[] __attribute__((weak));
int late_only(void) __attribute__((weak));

char *call_getenv(const char *name)
{
	return getenv(name);
}

/* A pointer in its data. */
static char *(*volatile kept)(const char *) = getenv;

char *call_kept(const char *name)
{
	return kept(name);
}

char *call_realpath(const char *path)
{
	return realpath(path, NULL);
}

/* The symbol version that old programs use. */
char *realpath_old(const char *path, char *resolved);
__asm__(".symver realpath_old, realpath@GLIBC_2.2.5");

char *call_realpath_old(const char *path)
{
	static char resolved[4096];

	return realpath_old(path, resolved);
}

int setenv(const char *name, const char *value, int replace)
{
	(void)name;
	(void)value;
	(void)replace;
	return 5;
}

int call_setenv(void)
{
	return setenv("LATE", "", 1);
}

const char *call_table(void)
{
	return late_table;
}

/* -1: there is none. */
int call_only(void)
{
	return late_only ? late_only() : -1;
}

void *call_dlsym(void *handle, const char *name)
{
	void *volatile found = dlsym(handle, name);

	return found;
}

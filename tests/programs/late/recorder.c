/* recorder: a library with the part of the recorder that changes bindings
 * (libcollector/hook/got.c), and with a few wrappers of its own. It is loaded late, so nothing
 * calls it until it patches.
 *
 * Facts: its getenv and realpath return "wrapped" for "LATE", and otherwise what the C library
 * returns; its malloc counts its calls for late_mallocs. realpath has the version GLIBC_2.3. */
#include "tests/programs/late/late.h"

#include "libcollector/hook/got.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT void *malloc(size_t size);
EXPORT char *getenv(const char *name);
EXPORT int setenv(const char *name, const char *value, int replace);
EXPORT void quick_exit(int status);
EXPORT int late_only(void);
EXPORT extern unsigned late_mallocs;
EXPORT extern const char late_table[];
EXPORT extern const struct late late;
char *late_realpath(const char *path, char *resolved);

unsigned late_mallocs;
const char late_table[] = "the recorder's table";
const struct late late = {got_patch, got_restore, got_is_preloaded, got_exports, got_clear_weak};

/* The function behind a wrapper: this library is loaded in a local scope. */
static void *real(const char *name)
{
	return dlsym(RTLD_DEFAULT, name);
}

void *malloc(size_t size)
{
	static void *(*allocate)(size_t);

	if (!allocate)
		allocate = (void *(*)(size_t))(size_t)real("malloc");
	__atomic_fetch_add(&late_mallocs, 1, __ATOMIC_RELAXED);
	return allocate(size);
}

char *getenv(const char *name)
{
	static char wrapped[] = "wrapped";

	return strcmp(name, "LATE") == 0 ? wrapped
	                                 : ((char *(*)(const char *))(size_t)real("getenv"))(name);
}

int setenv(const char *name, const char *value, int replace)
{
	(void)name;
	(void)value;
	return replace;
}

void quick_exit(int status)
{
	((void (*)(int))(size_t)real("_exit"))(status);
}

__asm__(".symver late_realpath, realpath@@GLIBC_2.3, remove");
__attribute__((visibility("default"))) char *late_realpath(const char *path, char *resolved)
{
	static char wrapped[] = "wrapped";

	return strcmp(path, "LATE") == 0
	               ? wrapped
	               : ((char *(*)(const char *, char *))(size_t)real("realpath"))(path,
	                                                                             resolved);
}

int late_only(void)
{
	return 77;
}

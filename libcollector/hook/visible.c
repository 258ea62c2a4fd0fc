/* visible.c: tells programs that they have not what only we have. See visible.h.
 * See doc/decisions/45-visible-symbols.md. */
#include "libcollector/hook/visible.h"

#include "libcollector/base/object.h"
#include "libcollector/hook/got.h"
#include "libcollector/hook/hook.h"
#include "libcollector/hook/next.h"
#include "libcollector/java/java_agent.h"

#include <link.h>
#include <sys/auxv.h>

#undef dlsym

static _Atomic(visible_dlsym_function *) real, next;
static atomic_uint is_open;
static void *program; /* what dlopen(NULL) gives */

/* What is ours, and offered to programs and to runtimes that look for tools. */
static int is_offered(const char *name)
{
	return strncmp(name, "xer_", 4) == 0 || strncmp(name, "collector_", 10) == 0 ||
	       strcmp(name, "ompt_start_tool") == 0;
}

static int is_alone(const char *name, const void *caller)
{
	return !is_offered(name) && !next_definition(name, caller);
}

visible_dlsym_function *visible_dlsym(void)
{
	static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5"};
	visible_dlsym_function *found = atomic_load_explicit(&real, memory_order_relaxed);

	if (found)
		return found;
	hook_pool_begin();
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]) && !found; i++)
		found = (visible_dlsym_function *)(uintptr_t)dlvsym(RTLD_NEXT, "dlsym",
		                                                    versions[i]);
	hook_pool_end();
	atomic_store_explicit(&real, found, memory_order_relaxed);
	return found;
}

/* The one behind ours: of a library that the user preloads to stand in front of the C library's, or
 * that. */
static visible_dlsym_function *next_dlsym(void)
{
	visible_dlsym_function *found = atomic_load_explicit(&next, memory_order_relaxed);

	if (found)
		return found;
	hook_pool_begin();
	found = (visible_dlsym_function *)(uintptr_t)visible_dlsym()(RTLD_NEXT, "dlsym");
	hook_pool_end();
	found = found ? found : visible_dlsym();
	atomic_store_explicit(&next, found, memory_order_relaxed);
	return found;
}

/* Nobody has it: the C library says so, in its words. It must see us as the caller, so this is no
 * jump. */
static __attribute__((noinline)) void *find_nothing(const char *name)
{
	void *volatile found = next_dlsym()(RTLD_NEXT, name);

	return found;
}

/* The next function looks who has called it: it is reached by a jump. */
EXPORT void *dlsym(void *handle, const char *name)
{
	int meets_us = handle == RTLD_DEFAULT || handle == RTLD_NEXT || handle == program;
	void *found = meets_us ? NULL : java_find(handle, name);

	if (found)
		return found;
	if (meets_us && atomic_load_explicit(&is_open, memory_order_acquire) && got_exports(name) &&
	    is_alone(name, __builtin_return_address(0)))
		return find_nothing(name);
	return next_dlsym()(handle, name);
}

void visible_open(void)
{
	struct object_found found;

	if (object_find((uintptr_t)getauxval(AT_PHDR), &found) == 0)
		program = found.link;
	got_clear_weak(is_alone);
	atomic_store_explicit(&is_open, 1, memory_order_release);
}

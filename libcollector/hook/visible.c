/* visible.c: hides the functions that only this library defines from look-ups by the program. See
 * visible.h.
 * See doc/decisions/45-visible-symbols.md. */
#include "libcollector/hook/visible.h"

#include "libcollector/base/object.h"
#include "libcollector/hook/dlsym.h"
#include "libcollector/hook/elftables.h"
#include "libcollector/hook/got.h"
#include "libcollector/hook/hook.h"
#include "libcollector/hook/next.h"

#include <link.h>
#include <sys/auxv.h>

#undef dlsym

static _Atomic(dlsym_function *) next;
static _Atomic(visible_finder *) finder;
static atomic_uint is_open;
static void *program; /* what dlopen(NULL) gives */

/* What is ours, and meant for programs and for runtimes that look for tools. */
static int is_offered(const char *name)
{
	return elf_tables_begins(name, "xer_") || elf_tables_begins(name, "collector_") ||
	       elf_tables_is_name(name, "ompt_start_tool");
}

static int is_alone(const char *name, const void *caller)
{
	return !is_offered(name) && !next_definition(name, caller);
}

/* The next one after ours: of a library that the user preloads to replace the C library's function,
 * or that function. */
static dlsym_function *next_dlsym(void)
{
	dlsym_function *found = atomic_load_explicit(&next, memory_order_relaxed);

	if (found)
		return found;
	hook_pool_begin();
	found = (dlsym_function *)(uintptr_t)dlsym_real()(RTLD_NEXT, "dlsym");
	hook_pool_end();
	found = found ? found : dlsym_real();
	atomic_store_explicit(&next, found, memory_order_relaxed);
	return found;
}

/* No object has it: the C library reports that, in its own words. It must see us as the caller, so
 * this is not a jump. */
static __attribute__((noinline)) void *find_nothing(const char *name)
{
	void *volatile found = next_dlsym()(RTLD_NEXT, name);

	return found;
}

/* What a source of events answers instead of the C library. */
static void *find_instead(void *handle, const char *name)
{
	visible_finder *find = atomic_load_explicit(&finder, memory_order_acquire);

	return find ? find(handle, name) : NULL;
}

void visible_ask(visible_finder *find)
{
	atomic_store_explicit(&finder, find, memory_order_release);
}

/* The next function checks the address of its caller, so it is reached by a jump. */
EXPORT void *dlsym(void *handle, const char *name)
{
	int meets_us = handle == RTLD_DEFAULT || handle == RTLD_NEXT || handle == program;
	void *found = meets_us ? NULL : find_instead(handle, name);

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

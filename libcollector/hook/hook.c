/* hook.c: find the functions behind the wrappers. See hook.h.
 * See doc/decisions/23-symbol-versions.md. */
#include "libcollector/hook/hook.h"

#include "libcollector/hook/dlsym.h"
#include "libcollector/hook/next.h"

struct hook_table hook_real;

static void *search_from = RTLD_NEXT;

/* If one operator of C++ exists, all do; if it does not, 20 look-ups would be in vain. */
static void find_operators(struct hook_table *found)
{
	if (!dlsym(search_from, "_Znwm"))
		return;
#define NEW(name, parameters, arguments, alignment) \
	found->name = (__typeof__(name) *)dlsym(search_from, #name);
#define DELETE(name, parameters, arguments) NEW(name, parameters, arguments, 0)
#include "libcollector/hook/operators.def"
}

/* Before glibc 2.36, dlsym(RTLD_NEXT) finds the oldest version of a function that has several.
 * Where there is no such version, as on processors that came later, there is one only. */
static void *find_at(const char *name, const char *version)
{
	void *found = dlvsym(search_from, name, version);

	return found ? found : dlsym(search_from, name);
}

void hook_search_all(void)
{
	search_from = RTLD_DEFAULT;
	hook_resolve();
}

/* sigset */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* A look-up that fails allocates its message. If the program's own malloc comes before ours, it
 * runs now, and may call any wrapper: a lock, a mapping. Blocks that we allocate come from the
 * pool. */
static void find_early(void)
{
	struct hook_table found = {.malloc = NULL};

#define HOOK(name) found.name = (__typeof__(name) *)next_in_order(#name);
#define HOOK_OLD(name, of, version)
#include "libcollector/hook/hook.def"
	found.malloc = NULL;
	found.calloc = NULL;
	found.realloc = NULL;
	hook_real = found;
}

void hook_resolve(void)
{
	static __thread volatile int is_early;
	struct hook_table found = {.malloc = NULL};

	if (hook_is_resolving()) {
		if (!hook_real.malloc && !is_early) {
			is_early = 1;
			find_early();
		}
		return;
	}
	hook_pool_begin();
#define HOOK(name) found.name = (__typeof__(name) *)dlsym(search_from, #name);
#define HOOK_AT(name, version) found.name = (__typeof__(name) *)find_at(#name, version);
#define HOOK_OLD(name, of, version) \
	found.name = (__typeof__(of) *)dlvsym(search_from, #of, version);
#include "libcollector/hook/hook.def"
	find_operators(&found);
	hook_real = found;
	hook_pool_end();
}

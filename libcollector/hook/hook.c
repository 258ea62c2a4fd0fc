/* hook.c: find the functions behind the wrappers. See hook.h.
 * See doc/decisions/23-symbol-versions.md. */
#include "libcollector/hook/hook.h"

#include "libcollector/hook/dlsym.h"

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

/* Before glibc 2.36, dlsym(RTLD_NEXT) finds the oldest version of a function that has several. Where there is no such version, as on
 * processors that came later, there is one only. */
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

void hook_resolve(void)
{
	struct hook_table found = {.malloc = NULL};

	if (hook_is_resolving())
		return;
	hook_pool_begin();
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#define HOOK(name) found.name = (__typeof__(name) *)dlsym(search_from, #name);
#define HOOK_AT(name, version) found.name = (__typeof__(name) *)find_at(#name, version);
#define HOOK_OLD(name, of, version) \
	found.name = (__typeof__(of) *)dlvsym(search_from, #of, version);
#include "libcollector/hook/hook.def"
#pragma GCC diagnostic pop
	find_operators(&found);
	hook_real = found;
	hook_pool_end();
}

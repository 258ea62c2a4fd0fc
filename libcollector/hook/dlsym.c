/* dlsym.c: the C library's dlsym. See dlsym.h. */
#include "libcollector/hook/dlsym.h"

#include "libcollector/hook/pool.h"

#include <stdatomic.h>
#include <stdint.h>

#undef dlsym

static _Atomic(dlsym_function *) real;

dlsym_function *dlsym_real(void)
{
	static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5"};
	dlsym_function *found = atomic_load_explicit(&real, memory_order_relaxed);

	if (found)
		return found;
	hook_pool_begin();
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]) && !found; i++)
		found = (dlsym_function *)(uintptr_t)dlvsym(RTLD_NEXT, "dlsym", versions[i]);
	hook_pool_end();
	atomic_store_explicit(&real, found, memory_order_relaxed);
	return found;
}

/* The function behind a wrapper, compared with the loader's answer. */
#include "libcollector/hook/next.h"
#include "tests/unit/libcollector/scratch.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdlib.h>

Test(next, a_function_of_one_object_is_found_wherever_that_is)
{
	void *library;

	cr_assert_eq(next_definition("qsort", NULL), dlsym(RTLD_DEFAULT, "qsort"));
	cr_assert_null(next_definition("call_getenv", NULL));
	library = scratch_load("callers.so", RTLD_NOW | RTLD_LOCAL);
	cr_assert_eq(next_definition("call_getenv", NULL), dlsym(library, "call_getenv"));
	cr_assert_null(next_definition("no_such_function_anywhere", NULL));
}

/* This program has wrappers itself, which must not be found. */
Test(next, this_object_is_passed_over)
{
	void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);

	cr_assert_neq(dlsym(RTLD_DEFAULT, "sigaction"), dlsym(libc, "sigaction"));
	cr_assert_eq(next_definition("sigaction", NULL), dlsym(libc, "sigaction"));
}

/* Two local libraries, and the C library, which is in the global scope. */
Test(next, of_several_the_one_in_the_global_scope_comes_first)
{
	void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
	void *first = scratch_load("callers.so", RTLD_NOW | RTLD_LOCAL), *second;

	cr_assert_eq(next_definition("setenv", NULL), dlsym(libc, "setenv"));
	second = scratch_load("sealed.so", RTLD_NOW | RTLD_LOCAL);
	cr_assert_neq(dlsym(first, "call_setenv"), dlsym(second, "call_setenv"));
	cr_assert_eq(next_definition("call_setenv", dlsym(second, "call_table")),
	             dlsym(first, "call_setenv"), "else the first one");
	cr_assert_eq(next_definition("call_setenv", NULL), dlsym(first, "call_setenv"));
	cr_assert_null(dlerror(), "nobody is told that there was none");
}

/* Two of them have it; the caller was linked with the second. */
Test(next, of_several_local_ones_it_is_that_of_a_needed_library)
{
	void *first = scratch_load("callers.so", RTLD_NOW | RTLD_LOCAL);
	void *second = scratch_load("sealed.so", RTLD_NOW | RTLD_LOCAL);
	void *needing = scratch_load("needing.so", RTLD_NOW | RTLD_LOCAL);

	cr_assert_neq(dlsym(first, "call_setenv"), dlsym(second, "call_setenv"));
	cr_expect_eq(next_definition("call_setenv", dlsym(needing, "needing_call")),
	             dlsym(second, "call_setenv"));
	cr_expect_eq(next_definition("call_setenv", NULL), dlsym(first, "call_setenv"));
}

/* Here the wrappers are in the program, so the C library is behind it. */
Test(next, without_the_loader_the_same_is_found)
{
	void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);

	cr_assert_eq(next_in_order("sigaction"), dlsym(libc, "sigaction"));
	cr_assert_eq(next_in_order("pthread_mutex_lock"), dlsym(libc, "pthread_mutex_lock"));
	cr_assert_null(next_in_order("strlen"), "each processor has another one");
	cr_assert_null(next_in_order("no_such_function_anywhere"));
}

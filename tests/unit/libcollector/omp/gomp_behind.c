/* The functions behind the wrappers of libgomp's entry points, and that they are remembered. */
#include "libcollector/hook/next.h"
#include "libcollector/omp/gomp.h"
#include "tests/unit/libcollector/scratch.h"

#include <criterion/criterion.h>
#include <dlfcn.h>

TestSuite(gomp_behind, .init = scratch_open, .fini = scratch_remove);

static void *here(void)
{
	return (void *)here;
}

/* The function that this program has, as none is behind; and some other object's address. */
static void *elsewhere(void)
{
	return dlsym(RTLD_DEFAULT, "qsort");
}

static struct gomp_bindings *latest(void)
{
	return atomic_load(&gomp_latest);
}

Test(gomp_behind, a_function_is_remembered_for_the_object_that_calls)
{
	void *library = dlopen("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL), *barrier;
	struct gomp_bindings *own;

	if (!library)
		cr_skip("there is no libgomp here");
	barrier = next_definition("GOMP_barrier", here());
	cr_assert_not_null(barrier);
	cr_assert_eq(gomp_find_behind(INDEX_GOMP_barrier, here()), barrier);
	own = latest();
	cr_assert_not_null(own);
	cr_assert(gomp_covers(own, (uint64_t)here()));
	cr_assert_not(gomp_covers(own, (uint64_t)elsewhere()));
	cr_assert_eq(gomp_begin_reading(own) % 2, 0, "nobody changes it any longer");
	cr_assert_eq(atomic_load(&own->function[INDEX_GOMP_barrier]), barrier);
	cr_assert_null(atomic_load(&own->function[INDEX_GOMP_task]));

	/* Another one of the same object stands beside it. */
	cr_assert_eq(gomp_behind(INDEX_GOMP_task, here()), next_definition("GOMP_task", here()));
	cr_assert_eq(latest(), own);
	cr_assert_not_null(atomic_load(&own->function[INDEX_GOMP_task]));
	cr_assert_eq(atomic_load(&own->function[INDEX_GOMP_barrier]), barrier);
	cr_assert_eq(gomp_begin_reading(own) % 2, 0);

	/* One that is there is not looked for again. */
	atomic_store(&own->function[INDEX_GOMP_barrier], (pointer)here);
	cr_assert_eq(gomp_find_behind(INDEX_GOMP_barrier, here()), (pointer)here);
	cr_assert_eq(gomp_behind(INDEX_GOMP_barrier, here()), (pointer)here);
}

Test(gomp_behind, each_object_has_an_entry_until_objects_are_gone)
{
	struct gomp_bindings *own, *other;
	unsigned sequence;

	gomp_find_behind(INDEX_GOMP_barrier, here());
	own = latest();
	gomp_find_behind(INDEX_GOMP_barrier, elsewhere());
	other = latest();
	cr_assert_neq(own, other);
	cr_assert(gomp_covers(other, (uint64_t)elsewhere()));
	gomp_find_behind(INDEX_GOMP_barrier, here());
	cr_assert_eq(latest(), own);

	/* What is out of date is taken by the next one, and its functions are forgotten. */
	atomic_store(&own->function[INDEX_GOMP_task], (pointer)here);
	sequence = gomp_begin_reading(own);
	atomic_fetch_add(&col.generation, 1);
	cr_assert_not(gomp_is_current(own));
	gomp_find_behind(INDEX_GOMP_barrier, elsewhere());
	cr_assert(gomp_covers(latest(), (uint64_t)elsewhere()));
	cr_assert_eq(latest(), own);
	cr_assert_null(atomic_load(&own->function[INDEX_GOMP_task]));
	cr_assert_gt(gomp_begin_reading(own), sequence);
	cr_assert_eq(gomp_begin_reading(own) % 2, 0);
}

/* As a child finds it that was forked meanwhile. */
Test(gomp_behind, an_entry_that_is_being_changed_is_left_alone)
{
	struct gomp_bindings *own;

	gomp_find_behind(INDEX_GOMP_barrier, here());
	own = latest();
	atomic_fetch_add(&own->sequence, 1);
	atomic_store(&own->function[INDEX_GOMP_barrier], (pointer)elsewhere);
	cr_assert_neq(gomp_behind(INDEX_GOMP_barrier, here()), (pointer)elsewhere);
	cr_assert_neq(latest(), own);
	cr_assert(gomp_covers(latest(), (uint64_t)here()));
	cr_assert_eq(atomic_load(&own->function[INDEX_GOMP_barrier]), (pointer)elsewhere);
	cr_assert_eq(gomp_begin_reading(own) % 2, 1);
}

Test(gomp_behind, code_in_no_object_has_no_entry)
{
	gomp_find_behind(INDEX_GOMP_barrier, NULL);
	cr_assert_null(latest());
}

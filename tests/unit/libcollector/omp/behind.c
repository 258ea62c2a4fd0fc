/* behind.c: see behind.h. */
#include "tests/unit/libcollector/omp/behind.h"
#include "tests/unit/libcollector/omp/tool.h"
#include "tests/unit/libcollector/scratch.h"

#include <criterion/criterion.h>

void behind_open(void)
{
	scratch_open();
	col.descriptor.omp = OMP_EVENTS;
	omp_start();
	tool_thread = thread_current();
	omp_thread_begin(tool_thread);
	tool_thread->omp.state = FMT_omp_state_SERIAL;
	gomp_find_behind(INDEX_GOMP_barrier, (const void *)(uintptr_t)behind_open);
	cr_assert_not_null(atomic_load(&gomp_latest));
}

void behind_set(enum gomp_index index, pointer function)
{
	atomic_store(&atomic_load(&gomp_latest)->function[index], function);
}

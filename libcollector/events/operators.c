/* operators.c: wrappers of C++ operator new and delete, for allocators that bring their own
 * (jemalloc, tcmalloc). The operators of the C++ library call malloc and free, which are recorded:
 * calls of them are passed on by a jump.
 *
 * Every C++ library finds a wrapper, even one that is loaded later with a C++ library of its own,
 * which is in no scope that we could search. Then nothing comes after the wrapper, and it does what
 * the C++ library does: it calls malloc and free, and, only if there is no memory, the operator of
 * that library, which throws.
 * See doc/decisions/22-operator-new.md. */
#include "libcollector/events/allocator.h"
#include "libcollector/events/heap.h"
#include "libcollector/hook/hook.h"
#include "libcollector/events/mapping.h"
#include "libcollector/thread/scope.h"
#include "libcollector/hook/dlsym.h"

enum { ALIGNMENT = 16 };

int operators_allocate __attribute__((visibility("hidden")));

static inline int is_on(void)
{
	return operators_allocate && heap_mode() != HEAP_OFF;
}

static void *allocate(size_t size, size_t alignment)
{
	size = size ? size : 1;
	if (alignment <= ALIGNMENT)
		return REAL(malloc)(size);
	return REAL(aligned_alloc)(alignment, (size + alignment - 1) & ~(alignment - 1));
}

/* The operator of a C++ library that is loaded somewhere. NULL: none, or no memory to find it. */
static void *find_operator(const char *name)
{
	static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1", "libc++.so.1"};
	void *found = NULL;

	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]) && !found; i++) {
		void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);

		found = library ? dlsym(library, name) : NULL;
	}
	return found;
}

#define NEW(name, parameters, arguments, alignment) \
	static __attribute__((noinline)) void *name##_alone parameters \
	{ \
		void *block = allocate(size, alignment); \
		__typeof__(name) *other; \
\
		if (block && (heap_mode() & HEAP_NEW)) \
			heap_record_alloc(FMT_heap_func_NEW, block, size, CALLER); \
		if (block) \
			return block; \
		other = (__typeof__(name) *)find_operator(#name); \
		return other ? other arguments : NULL; \
	} \
	static __attribute__((noinline)) void *name##_traced parameters \
	{ \
		struct col_thread *thread = scope_begin_passing(); \
		void *block = hook_real.name arguments; \
\
		scope_end_passing(thread); \
		if (block && (heap_mode() & HEAP_NEW)) \
			heap_record_alloc(FMT_heap_func_NEW, block, size, CALLER); \
		return block; \
	} \
	EXPORT void *name parameters \
	{ \
		if (unlikely(!hook_real.name)) \
			hook_resolve_once(); \
		if (unlikely(!hook_real.name)) \
			return name##_alone arguments; \
		if (likely(!is_on())) \
			return hook_real.name arguments; \
		return name##_traced arguments; \
	}

#define DELETE(name, parameters, arguments) \
	static __attribute__((noinline)) void name##_alone parameters \
	{ \
		if (block && heap_mode() != HEAP_OFF) \
			heap_record_free(FMT_heap_func_DELETE, block); \
		REAL(free)(block); \
	} \
	static __attribute__((noinline)) void name##_traced parameters \
	{ \
		struct col_thread *thread; \
\
		if (block) \
			heap_record_free(FMT_heap_func_DELETE, block); \
		thread = scope_begin_passing(); \
		hook_real.name arguments; \
		scope_end_passing(thread); \
	} \
	EXPORT void name parameters \
	{ \
		if (unlikely(!hook_real.name)) \
			hook_resolve_once(); \
		if (unlikely(!hook_real.name)) \
			name##_alone arguments; \
		else if (likely(!is_on())) \
			hook_real.name arguments; \
		else \
			name##_traced arguments; \
	}

/* Parameters that only the operators of a library look at. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "libcollector/hook/operators.def"

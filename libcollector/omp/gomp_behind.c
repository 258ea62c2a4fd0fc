/* gomp_behind.c: finds the functions behind the wrappers of libgomp's entry points, and remembers
 * them for each calling object.
 *
 * A program may have several libgomps outside the global scope (Python packages bring their own).
 * So the function behind a wrapper depends on the calling object.
 * See doc/decisions/09-openmp.md. */
#include "libcollector/omp/gomp.h"

#include "libcollector/base/object.h"
#include "libcollector/hook/next.h"

enum { SCOPES = 16 };

static const char *const names[] = {
#define REGION(type, name, parameters, ...) #name,
#define WAIT(type, name, state, parameters, arguments, object) #name,
#define LOOP(name, parameters, arguments) #name,
#define SHARE(type, name, event, parameters, arguments, counts) #name,
#include "libcollector/omp/gomp.def"
	"GOMP_task",
	"GOMP_taskloop",
	"GOMP_taskloop_ull",
	"omp_get_thread_num",
};

static struct gomp_bindings scopes[SCOPES];
_Atomic(struct gomp_bindings *) gomp_latest;

/* Returns 0 if another thread has changed it since `sequence`, or does so now. */
static int begin_change(struct gomp_bindings *scope, unsigned sequence)
{
	int is_mine = !(sequence & 1) &&
	              atomic_compare_exchange_strong(&scope->sequence, &sequence, sequence + 1);

	atomic_thread_fence(memory_order_release);
	return is_mine;
}

static void end_change(struct gomp_bindings *scope, unsigned sequence)
{
	atomic_store_explicit(&scope->sequence, sequence + 2, memory_order_release);
}

/* NULL: too many objects call, or the caller is in no object. *sequence: as it was found. */
static struct gomp_bindings *find_scope(uint64_t caller, unsigned *sequence)
{
	struct object_found object;

	for (unsigned i = 0; i < SCOPES; i++) {
		*sequence = gomp_begin_reading(&scopes[i]);
		if (gomp_covers(&scopes[i], caller) && gomp_is_unchanged(&scopes[i], *sequence))
			return &scopes[i];
	}
	if (object_find((uintptr_t)caller, &object) != 0)
		return NULL;
	for (struct gomp_bindings *scope = scopes; scope < scopes + SCOPES; scope++) {
		*sequence = gomp_begin_reading(scope);
		if ((atomic_load(&scope->end) != 0 && gomp_is_current(scope)) ||
		    !begin_change(scope, *sequence))
			continue;
		for (unsigned i = 0; i < INDEXES; i++)
			atomic_store_explicit(&scope->function[i], NULL, memory_order_relaxed);
		atomic_store_explicit(&scope->start, object.start, memory_order_relaxed);
		atomic_store_explicit(&scope->end, object.end, memory_order_relaxed);
		atomic_store_explicit(&scope->generation, atomic_load(&col.generation),
		                      memory_order_relaxed);
		end_change(scope, *sequence);
		*sequence += 2;
		return scope;
	}
	return NULL;
}

__attribute__((noinline)) pointer gomp_find_behind(enum gomp_index index, const void *caller)
{
	unsigned sequence;
	struct gomp_bindings *scope = find_scope((uint64_t)caller, &sequence);
	pointer function = scope ? atomic_load_explicit(&scope->function[index],
	                                                memory_order_relaxed)
	                         : NULL;

	if (!function || !gomp_is_unchanged(scope, sequence)) {
		function = next_definition(names[index], caller);
		if (scope && begin_change(scope, sequence)) {
			atomic_store_explicit(&scope->function[index], function,
			                      memory_order_relaxed);
			end_change(scope, sequence);
		}
	}
	if (scope)
		atomic_store_explicit(&gomp_latest, scope, memory_order_relaxed);
	return function;
}

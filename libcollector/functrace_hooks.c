/* functrace_hooks.c: entries and exits by the calls that -finstrument-functions makes, and the numbers of functions that
 * have no other: the place that a function's address has in an open hash table, so that finding it is one load.
 *
 * An entry goes from 0 to an address, and to that with DEAD set when its object is unloaded; it never changes again. */
#include "functrace_hooks.h"

#include "functrace_record.h"

#include <dlfcn.h>
#include <errno.h>

enum {
	ENTRIES = 1 << 20,
	FIRST_ID = 1 << 27, /* the numbers below are those of sleds */
	PROBES = 256
};
#define DEAD ((uint64_t)1 << 63)

static _Atomic(uint64_t) *table;
static _Atomic(uint32_t) *used; /* places of used[used_count], and their numbers plus 1; 0: not there yet */
static atomic_uint used_count;

int hooks_start(void)
{
	_Atomic(uint64_t) *memory;

	if (table)
		return 0;
	used = sys_mmap_anonymous(ENTRIES * sizeof(*used));
	memory = sys_mmap_anonymous(ENTRIES * sizeof(*table));
	if (!used || !memory)
		return -ENOMEM;
	table = memory;
	return 0;
}

void hooks_forget(void)
{
	uint32_t count = table ? atomic_load(&used_count) : 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t place = atomic_load(&used[i]);
		uint64_t function = place ? atomic_load(&table[place - 1]) : 0;
		struct dl_find_object object;

		if (function && !(function & DEAD) && _dl_find_object((void *)function, &object) != 0)
			atomic_compare_exchange_strong(&table[place - 1], &function, function | DEAD);
	}
}

void hooks_name_all(void)
{
	uint32_t count = atomic_load(&used_count);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t place = atomic_load(&used[i]);
		uint64_t function = place ? atomic_load(&table[place - 1]) : DEAD;

		if (!(function & DEAD))
			functrace_name(FIRST_ID + place - 1, function, FMT_function_source_HOOKS);
	}
}

static uint32_t place_of(uint64_t function)
{
	return (uint32_t)(function >> 4) & (ENTRIES - 1);
}

static void enter(uint32_t place, uint64_t function)
{
	atomic_store(&used[atomic_fetch_add(&used_count, 1)], place + 1);
	functrace_name(FIRST_ID + place, function, FMT_function_source_HOOKS);
}

/* Not where it belongs: look behind that place, and take a free one. Returns the number, 0 if the table is full. */
static __attribute__((noinline)) uint32_t find(uint64_t function)
{
	uint32_t place = place_of(function);

	for (int i = 0; i < PROBES; i++, place = (place + 1) & (ENTRIES - 1)) {
		uint64_t seen = atomic_load_explicit(&table[place], memory_order_relaxed);

		if (seen == 0 && atomic_compare_exchange_strong(&table[place], &seen, function)) {
			enter(place, function);
			return FIRST_ID + place;
		}
		if (seen == function)
			return FIRST_ID + place;
	}
	col_count(&col.count.lost_functrace, 1);
	return 0;
}

static inline __attribute__((always_inline)) void record(void *function, enum fdr_action action)
{
	uint64_t address = (uint64_t)function;
	uint32_t place = place_of(address), id = FIRST_ID + place;

	if (unlikely(!functrace_is_on()))
		return;
	if (unlikely(atomic_load_explicit(&table[place], memory_order_relaxed) != address)) {
		id = find(address);
		if (id == 0)
			return;
	}
	functrace_record(fdr_function_word(id, action, 0));
}

void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);

EXPORT void __cyg_profile_func_enter(void *function, void *site)
{
	(void)site;
	record(function, FDR_ENTER);
}

EXPORT void __cyg_profile_func_exit(void *function, void *site)
{
	(void)site;
	record(function, FDR_EXIT);
}

/* functrace_hooks.c: entries and exits by the calls that -finstrument-functions makes, and the numbers of functions that
 * have no other: the place that a function's address has in an open hash table, so that finding it is one load.
 *
 * An entry goes from 0 to an address, with LEFT_OUT if that function is not to be traced, and gets DEAD when its object is
 * unloaded; it never changes again. */
#include "functrace_hooks.h"

#include "functrace_choice.h"
#include "functrace_limits.h"
#include "functrace_record.h"

#include <dlfcn.h>
#include <errno.h>

enum {
	ENTRIES = 1 << 20,
	FIRST_ID = 1 << 27, /* the numbers below are those of sleds */
	PROBES = 256
};
#define DEAD ((uint64_t)1 << 63)
#define LEFT_OUT ((uint64_t)1 << 62)

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

		if (function && !(function & DEAD) && _dl_find_object((void *)(function & ~LEFT_OUT), &object) != 0)
			atomic_compare_exchange_strong(&table[place - 1], &function, function | DEAD);
	}
}

void hooks_name_all(void)
{
	uint32_t count = atomic_load(&used_count);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t place = atomic_load(&used[i]);
		uint64_t function = place ? atomic_load(&table[place - 1]) : DEAD;

		if (!(function & (DEAD | LEFT_OUT)))
			functrace_name(FIRST_ID + place - 1, function, FMT_function_source_HOOKS);
	}
}

static uint32_t place_of(uint64_t function)
{
	return (uint32_t)(function >> 4) & (ENTRIES - 1);
}

/* Take a free place, unless another thread has done so. */
static void enter(uint32_t place, uint64_t function)
{
	int is_chosen = choice_has(function);
	uint64_t seen = 0;

	if (!atomic_compare_exchange_strong(&table[place], &seen, is_chosen ? function : function | LEFT_OUT))
		return;
	atomic_store(&used[atomic_fetch_add(&used_count, 1)], place + 1);
	if (is_chosen)
		functrace_name(FIRST_ID + place, function, FMT_function_source_HOOKS);
}

/* Not where it belongs: look behind that place, and take a free one. Returns the number, 0 if the function is not to be
 * traced or the table is full. */
static __attribute__((noinline)) uint32_t find(uint64_t function)
{
	uint32_t place = place_of(function);

	for (int i = 0; i < PROBES; i++, place = (place + 1) & (ENTRIES - 1)) {
		uint64_t seen = atomic_load_explicit(&table[place], memory_order_relaxed);

		if (seen == 0) {
			enter(place, function);
			seen = atomic_load_explicit(&table[place], memory_order_relaxed);
		}
		if (seen == function)
			return FIRST_ID + place;
		if (seen == (function | LEFT_OUT))
			return 0;
	}
	col_count(&col.count.lost_functrace, 1);
	return 0;
}

static inline __attribute__((always_inline)) uint32_t number_of(uint64_t function)
{
	uint32_t place = place_of(function);

	if (unlikely(atomic_load_explicit(&table[place], memory_order_relaxed) != function))
		return find(function);
	return FIRST_ID + place;
}

static __attribute__((noinline)) void record_limited(uint64_t function, enum fdr_action action, uint64_t sp, uint64_t site)
{
	uint32_t id = number_of(function);
	uint64_t word = fdr_function_word(id, action, 0);
	enum limits_next next;

	if (id == 0)
		return;
	next = limits_record(word, sp, site);
	if (next == LIMITS_WRITE)
		functrace_interrupted(word);
	else if (next == LIMITS_PREPARE)
		functrace_limited(word, 0, sp, site);
}

static inline __attribute__((always_inline)) void record(void *function, enum fdr_action action)
{
	int mode = functrace_mode();
	uint32_t id;

	if (unlikely(mode != FUNCTRACE_ALL)) {
		if (mode == FUNCTRACE_LIMITED)
			record_limited((uint64_t)function, action, (uint64_t)__builtin_dwarf_cfa(), (uint64_t)__builtin_return_address(0));
		return;
	}
	id = number_of((uint64_t)function);
	if (likely(id != 0))
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

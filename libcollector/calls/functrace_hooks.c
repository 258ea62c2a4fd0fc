/* functrace_hooks.c: entries and exits by the calls that -finstrument-functions makes. */
#include "libcollector/calls/functrace_limits.h"
#include "libcollector/calls/functrace_number.h"
#include "libcollector/calls/functrace_record.h"

static inline __attribute__((always_inline)) uint32_t number_of(uint64_t function)
{
	uint32_t place = number_place(function);

	if (unlikely(atomic_load_explicit(&number_table[place], memory_order_relaxed) != function))
		return number_find(function, FMT_function_source_HOOKS);
	return NUMBER_FIRST + place;
}

static __attribute__((noinline)) void record_limited(uint64_t function, enum fdr_action action,
                                                     uint64_t sp, uint64_t site)
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
			record_limited((uint64_t)function, action, (uint64_t)__builtin_dwarf_cfa(),
			               (uint64_t)__builtin_return_address(0));
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

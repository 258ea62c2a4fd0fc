/* functrace_number.c: numbers of functions. See functrace_number.h. */
#include "libcollector/calls/functrace_number.h"

#include "libcollector/base/object.h"
#include "libcollector/base/budget.h"
#include "libcollector/calls/functrace.h"
#include "libcollector/calls/functrace_choice.h"
#include "libcollector/calls/functrace_write.h"
#include "libcollector/object/map.h"
#include "libcollector/unwind/cfi.h"

#include <errno.h>

enum { PLACE_BITS = 24 /* of a word of used[] */ };

_Atomic(uint64_t) *number_table;

/* For each entry, in order: its place plus 1, and its source above that; 0: not there yet. */
static _Atomic(uint32_t) *used;
static atomic_uint used_count;

int number_start(void)
{
	_Atomic(uint64_t) *memory;

	if (number_table)
		return 0;
	if (!budget_allows(NUMBER_PLACES * (sizeof(*used) + sizeof(*number_table)), 8))
		return -ENOMEM;
	used = sys_mmap_anonymous(NUMBER_PLACES * sizeof(*used));
	memory = sys_mmap_anonymous(NUMBER_PLACES * sizeof(*number_table));
	if (!used || !memory)
		return -ENOMEM;
	number_table = memory;
	return 0;
}

/* The beginning of the function that contains `code`; `code` itself if it is not known. */
static uint64_t start_of(uint64_t code, enum fmt_function_source source)
{
	struct object_found object;
	uint64_t start;

	if (source == FMT_function_source_HOOKS || object_find((uintptr_t)code, &object) != 0 ||
	    !object.unwind_table || cfi_function_find(object.unwind_table, code, &start) < 0)
		return code;
	return start;
}

/* Entry i: its place and its address, with the marks. Returns 0 if it is not there yet. */
static int get_used(uint32_t i, uint32_t *place, uint64_t *code, enum fmt_function_source *source)
{
	uint32_t word = atomic_load(&used[i]);

	if (word == 0)
		return 0;
	*place = (word & ((1u << PLACE_BITS) - 1)) - 1;
	*source = (enum fmt_function_source)(word >> PLACE_BITS);
	*code = atomic_load(&number_table[*place]);
	return 1;
}

void number_forget(void)
{
	uint32_t count = number_table ? atomic_load(&used_count) : 0;

	for (uint32_t i = 0; i < count; i++) {
		enum fmt_function_source source;
		struct object_found object;
		uint32_t place;
		uint64_t code;

		if (get_used(i, &place, &code, &source) && !(code & NUMBER_DEAD) &&
		    object_find((uintptr_t)(code & ~NUMBER_LEFT_OUT), &object) != 0)
			atomic_compare_exchange_strong(&number_table[place], &code,
			                               code | NUMBER_DEAD);
	}
}

void number_restart(void)
{
	uint32_t count = number_table ? atomic_load(&used_count) : 0;

	for (uint32_t i = 0; i < count; i++) {
		enum fmt_function_source source;
		uint32_t place;
		uint64_t code;

		if (get_used(i, &place, &code, &source))
			atomic_fetch_or(&number_table[place], NUMBER_DEAD);
	}
}

void number_name_all(void)
{
	uint32_t count = atomic_load(&used_count);

	for (uint32_t i = 0; i < count; i++) {
		enum fmt_function_source source;
		uint32_t place;
		uint64_t code;

		if (get_used(i, &place, &code, &source) &&
		    !(code & (NUMBER_DEAD | NUMBER_LEFT_OUT)))
			functrace_name(NUMBER_FIRST + place, start_of(code, source), source);
	}
}

/* Take a free place, unless another thread has done so. */
static void enter(uint32_t place, uint64_t code, enum fmt_function_source source)
{
	uint64_t start = start_of(code, source);
	int is_chosen = choice_has(start);
	uint64_t seen = 0;

	if (!atomic_compare_exchange_strong(&number_table[place], &seen,
	                                    is_chosen ? code : code | NUMBER_LEFT_OUT))
		return;
	atomic_store(&used[atomic_fetch_add(&used_count, 1)],
	             (place + 1) | (uint32_t)source << PLACE_BITS);
	if (is_chosen)
		functrace_name(NUMBER_FIRST + place, start, source);
}

uint32_t number_find(uint64_t code, enum fmt_function_source source)
{
	uint32_t number = number_look(code);
	uint32_t place = number_place(code);

	for (int i = 0; i < NUMBER_PROBES && number == NUMBER_UNKNOWN;
	     i++, place = (place + 1) & (NUMBER_PLACES - 1)) {
		if (atomic_load_explicit(&number_table[place], memory_order_relaxed) != 0)
			continue;
		enter(place, code, source);
		number = number_look(code);
	}
	if (number == NUMBER_UNKNOWN) {
		col_count(&col.count.lost[FMT_STREAM_FUNCTRACE], 1);
		return 0;
	}
	return number;
}

int functrace_name(uint32_t id, uint64_t addr, enum fmt_function_source source)
{
	struct fmt_function record = {
		.kind = FMT_KIND_function,
		.source = (uint8_t)source,
		.id = id,
		.addr = addr,
		.generation = atomic_load(&col.generation),
	};
	struct col_thread *thread = thread_current();
	uint32_t tid = thread ? atomic_load_explicit(&thread->tid, memory_order_relaxed) : 0;
	struct object_found found;
	sys_sigset old;
	int status = -1;

	functrace_begin_slow(thread, &old);
	if (!col_is_recording()) {
		functrace_end_slow(thread, &old);
		return -1;
	}
	/* Without the unwinder, nothing else has recorded the object. */
	map_begin();
	if (object_find((uintptr_t)addr, &found) == 0)
		map_see(&found);
	if (thread)
		status = col_slot_write(&thread->slot[COL_NORMAL][FMT_STREAM_FUNCTABLE],
		                        FMT_STREAM_FUNCTABLE, tid, &record, sizeof(record),
		                        col_ticks());
	else
		col_count(&col.count.lost[FMT_STREAM_FUNCTABLE], 1);
	functrace_end_slow(thread, &old);
	return status;
}

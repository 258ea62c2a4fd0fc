/* functrace_number.h: numbers of functions that are in no sled map. The number of a function is the
 * index of its code address in an open hash table, so a single load finds it.
 *
 * An entry goes from 0 to an address, with NUMBER_LEFT_OUT if that function is not to be traced,
 * and gets NUMBER_DEAD when its object is unloaded; it never changes again. */
#ifndef XER_COLLECTOR_FUNCTRACE_NUMBER_H
#define XER_COLLECTOR_FUNCTRACE_NUMBER_H

#include "libcollector/base/collector.h"

enum {
	NUMBER_PLACES = 1 << 20,
	NUMBER_FIRST = 1 << 27, /* the numbers below are those of sleds */
	NUMBER_PROBES = 256
};
#define NUMBER_DEAD ((uint64_t)1 << 63)
#define NUMBER_LEFT_OUT ((uint64_t)1 << 62)

/* What number_look returns for an address that is not in the table, which may be full. */
#define NUMBER_UNKNOWN UINT32_MAX

extern _Atomic(uint64_t) *number_table __attribute__((visibility("hidden")));

/* Prepare the table. Returns 0 or -ENOMEM. */
int number_start(void);

/* The number of the function of `code`: it begins there (source HOOKS), or contains `code`. A new
 * one is written to the experiment first. Returns 0 if the function is not to be traced, or the
 * table is full. Signal-safe. */
uint32_t number_find(uint64_t code, enum fmt_function_source source);

/* Write all names again, into the file of another process. Signal-safe. */
void number_name_all(void);

/* Objects were unloaded: the numbers of their functions are not used again. Signal-safe. */
void number_forget(void);

/* Another recording, which may choose other functions: numbers are not reused. */
void number_restart(void);

static inline uint32_t number_place(uint64_t code)
{
	return (uint32_t)(code >> 4) & (NUMBER_PLACES - 1);
}

/* The same without a new entry: its number, 0, or NUMBER_UNKNOWN. The table must have been
 * prepared. */
static inline uint32_t number_look(uint64_t code)
{
	uint32_t place = number_place(code);

	for (int i = 0; i < NUMBER_PROBES; i++, place = (place + 1) & (NUMBER_PLACES - 1)) {
		uint64_t seen = atomic_load_explicit(&number_table[place], memory_order_relaxed);

		if (likely(seen == code))
			return NUMBER_FIRST + place;
		if (seen == (code | NUMBER_LEFT_OUT))
			return 0;
		if (seen == 0)
			break;
	}
	return NUMBER_UNKNOWN;
}

/* Write which function a number stands for, before the first record that has it. Returns 0, or -1
 * if it could not be written. */
int functrace_name(uint32_t id, uint64_t addr, enum fmt_function_source source);

#endif

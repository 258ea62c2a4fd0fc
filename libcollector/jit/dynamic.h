/* dynamic.h: JIT functions that the program announces (collector_func_load). Each is an element of
 * map.xml; its code and its lines are written to the file dyntext. */
#ifndef XER_COLLECTOR_DYNAMIC_H
#define XER_COLLECTOR_DYNAMIC_H

#include "libcollector/write/log.h"

#include "include/collectorAPI.h"

#include <stdint.h>

/* A place in code whose calls were inlined: up to the offset `end`, exclusive, it is in `call` (a
 * number from 1, 0: not known). */
struct dynamic_place {
	uint32_t end, call;
};

/* A call of a method: by number in map.xml, at the bytecode bci, inlined in the call `outer` (0: in
 * none). */
struct dynamic_call {
	uint32_t outer, method, bci;
};

struct dynamic_function {
	const char *name, *alias, *source; /* each may be NULL */
	const void *code;
	int size;
	uint32_t method; /* compiled from this Java method, see java_method.h; 0: none */
	int is_machine;  /* of the Java machine: a stub, the interpreter; the code is not kept */
	const Lineno *lines; /* lines[line_count], NULL: not known */
	uint64_t line_count;
	const struct dynamic_place
		*places; /* places[place_count], directly behind them the calls [call_count] */
	uint64_t place_count, call_count;
};

/* How its code and the tables after it get into dyntext: dynamic_write, or a similar function. */
typedef int dynamic_writer(const void *first, uint64_t first_size, const void *second,
                           uint64_t second_size, uint64_t *at);

/* Append the element of a function to text, for col_xml_append on COL_MAP: several at once are
 * cheaper. All signals are blocked if the writer needs that. */
void dynamic_put(struct xml_text *text, const struct dynamic_function *function,
                 dynamic_writer *write);

/* Write a function. Signal-safe; in a process that is not recorded nothing is done. */
void dynamic_add(const struct dynamic_function *function);

/* See include/collectorAPI.h. Signal-safe; in a process that is not recorded, nothing is done. */
void dynamic_load(const char *name, const char *alias, const char *source, const void *code,
                  int size, int line_count, const Lineno *lines);
void dynamic_unload(const void *code);

/* The descriptor of dyntext, created at its first use; -errno, -EBUSY if another thread is creating
 * it. Signal-safe. */
int dynamic_text_fd(void);

/* Reserve this many bytes of it. Returns their offset. Signal-safe. */
uint64_t dynamic_text_reserve(uint64_t size);

/* Write to reserved bytes of dyntext. Returns 0 or -errno. All signals are blocked. Signal-safe. */
int dynamic_text_put(const void *from, uint64_t size, uint64_t at);

/* Write memory of the program, which may not be mapped, to dyntext. Returns 0 and its offset, or
 * -errno. Signal-safe. */
int dynamic_text_write(const void *from, uint64_t size, uint64_t *at);

/* Append to dyntext: first[first_size] and, from the next multiple of 8 on, second[second_size].
 * Returns 0 with the offset of the first, or -errno. All signals are blocked. Signal-safe. */
int dynamic_write(const void *first, uint64_t first_size, const void *second, uint64_t second_size,
                  uint64_t *at);

/* Close dyntext: in a forked child, and before another recording of a process. */
void dynamic_forget(void);

#endif

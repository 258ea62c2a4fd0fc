/* sled_entry.h: the code that patched sleds call. Not C functions: see sled_entry.c. */
#ifndef XER_COLLECTOR_SLED_ENTRY_H
#define XER_COLLECTOR_SLED_ENTRY_H

#define SLED_ENTRIES(X) \
	X(sled_enter) \
	X(sled_exit) \
	X(sled_tail_exit) X(sled_enter_argument) X(sled_custom_event) X(sled_typed_event)

#define X(name) void name(void) __attribute__((visibility("hidden")));
SLED_ENTRIES(X)
#undef X

/* Does this processor have what they need? */
int sled_entry_is_possible(void);

#endif

/* got.h: make the objects of a running process call our wrappers.
 *
 * A library that is preloaded stands in front of others because symbols are bound to it. One that
 * is loaded later is called by nobody: the words that the loader has filled in when it bound
 * symbols (JUMP_SLOT, GLOB_DAT and 64-bit relocations) are changed instead, in all objects but the
 * loader itself. Not reached are calls inside of one object that need no such word, pointers that
 * the program has copied before, and objects in other namespaces (dlmopen). */
#ifndef XER_COLLECTOR_GOT_H
#define XER_COLLECTOR_GOT_H

/* Does the library stand in front of the C library anyway, because it was preloaded? Normal
 * context, like all here. */
int got_is_preloaded(void);

/* Make all loaded objects call the wrappers, and those that are loaded from now on, as soon as the
 * program looks for a symbol in them. Returns the number of words changed. */
unsigned got_patch(void);

/* Give them the functions back. Returns the number of words changed. */
unsigned got_restore(void);

/* Does this library export a function of that name? False before got_patch or got_clear_weak.
 * Signal-safe. */
int got_exports(const char *name);

/* Clear the words of weak references that hold a function of ours which is_alone tells that nobody
 * else has; `object` is an address in the referring one. Returns the number of words changed. */
unsigned got_clear_weak(int (*is_alone)(const char *name, const void *object));

#endif

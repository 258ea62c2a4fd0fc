/* got.h: make the objects of a running process call our wrappers.
 *
 * A preloaded library comes before others because symbols are bound to it first. A library that is
 * loaded later is not called at all. Instead, the words that the loader filled in when it bound
 * symbols (JUMP_SLOT, GLOB_DAT and 64-bit relocations) are changed, in all objects except the
 * loader. Calls inside one object that need no such word, pointers that the program copied before,
 * and objects in other namespaces (dlmopen) are not reached. */
#ifndef XER_COLLECTOR_GOT_H
#define XER_COLLECTOR_GOT_H

/* Was the library preloaded, so that it comes before the C library anyway? Normal context, like all
 * functions here. */
int got_is_preloaded(void);

/* Make all loaded objects call the wrappers; and also objects that are loaded later, as soon as the
 * program looks up a symbol in them. Returns the number of words changed. */
unsigned got_patch(void);

/* Restore the original functions. Returns the number of words changed. */
unsigned got_restore(void);

/* Does this library export a function of that name? False before got_patch or got_clear_weak.
 * Signal-safe. */
int got_exports(const char *name);

/* Clear the words of weak references that hold a function of ours which no other object defines, as
 * is_alone says; `object` is an address in the referring object. Returns the number of words
 * changed. */
unsigned got_clear_weak(int (*is_alone)(const char *name, const void *object));

#endif

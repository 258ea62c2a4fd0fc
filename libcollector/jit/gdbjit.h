/* gdbjit.h: functions that a program registers for debuggers by the JIT interface of gdb: a list of
 * ELF files in memory, which begins at its variable __jit_debug_descriptor.
 *
 * A debugger stops the program at each change. The recorder reads the list when a stack has a frame
 * that is in no object: code that is not in a stack needs no name. Files that were not in the list
 * before are copied to dyntext, with the code that they describe, and each is an element <image> of
 * map.xml. */
#ifndef XER_COLLECTOR_GDBJIT_H
#define XER_COLLECTOR_GDBJIT_H

/* Check whether the list has changed, unless this was just done. Signal-safe. */
void gdbjit_look(void);

/* In a forked child, which has no files yet. */
void gdbjit_forget(void);

#endif

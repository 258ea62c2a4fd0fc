/* gdbjit.h: functions that a program registers for debuggers by the JIT interface of gdb: a list of
 * ELF files in memory, which begins at its variable __jit_debug_descriptor.
 *
 * A debugger stops the program at each change. We look at the list when a stack has a frame that
 * lies in no object: what is not registered then names nothing, and what is not met needs no name.
 * Files that were not there before are copied to dyntext, with the code that they tell of, and each
 * is an element <image> of map.xml. */
#ifndef XER_COLLECTOR_GDBJIT_H
#define XER_COLLECTOR_GDBJIT_H

/* Look whether the list has changed, if it has not just been done. Signal-safe. */
void gdbjit_look(void);

/* In a forked child, which has no files yet. */
void gdbjit_forget(void);

#endif

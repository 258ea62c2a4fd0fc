/* aside.h: do something that needs descriptors when the program has taken all that it may have. */
#ifndef XER_COLLECTOR_ASIDE_H
#define XER_COLLECTOR_ASIDE_H

/* Run run(argument) in a thread that has a table of descriptors of its own, in which all numbers
 * are free; the calling thread waits until it has ended. The descriptors end with it, so none may
 * stay behind in memory; mappings stay. It costs some 100 us. All signals must be blocked.
 * Returns what `run` returned, -EMFILE if no thread could be made. Signal-safe. */
int col_aside(int (*run)(void *argument), void *argument);

#endif

/* loader.h: the objects that the loader loads, now and later, are shown to those that patch their
 * code. */
#ifndef XER_COLLECTOR_LOADER_H
#define XER_COLLECTOR_LOADER_H

/* Begin. Normal context. */
void loader_start(void);

/* Another recording: all objects are to be looked at again. */
void loader_restart(void);

/* Objects were unloaded. Signal-safe. */
void loader_forget(void);

#endif

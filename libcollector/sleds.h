/* sleds.h: function tracing of code that clang compiled with -fxray-instrument, in the program and in shared objects. */
#ifndef XER_COLLECTOR_SLEDS_H
#define XER_COLLECTOR_SLEDS_H

/* Patch the sleds of all objects that are loaded, and of those that will be. Normal context. */
void sleds_start(void);

/* Write all names again, into the file of another process. Signal-safe. */
void sleds_name_all(void);

/* Objects were unloaded. */
void sleds_forget(void);

#endif

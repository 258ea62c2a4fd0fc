/* functrace_hooks.h: the calls that -finstrument-functions makes at entries and exits of functions. */
#ifndef XER_COLLECTOR_FUNCTRACE_HOOKS_H
#define XER_COLLECTOR_FUNCTRACE_HOOKS_H

/* Prepare the table of functions. Returns 0 or -ENOMEM. */
int hooks_start(void);

/* Write all names again, into the file of another process. Signal-safe. */
void hooks_name_all(void);

/* Objects were unloaded: the numbers of their functions are not used again. Signal-safe. */
void hooks_forget(void);

#endif

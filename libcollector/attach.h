/* attach.h: recording that begins and ends in the middle of a process's life (xcollect -P).
 *
 * The entries are called by xer_attach (format/attach.h) in a thread that it has stopped at a safe
 * point, on a stack of its own, with all signals blocked. */
#ifndef XER_COLLECTOR_ATTACH_H
#define XER_COLLECTOR_ATTACH_H

/* Begin to record as `text` says. Returns 0 or -errno, see format/attach.h. */
int collector_attach(const char *text);

/* End the recording; the process goes on. Returns 0, or -ENOENT if there is none. */
int collector_detach(const char *unused);

#endif

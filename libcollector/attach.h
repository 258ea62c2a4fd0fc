/* attach.h: recordings that begin and end while the process runs (xcollect -P).
 *
 * xer_attach (format/attach.h) calls these functions in a thread that it has stopped at a safe
 * point, on a separate stack, with all signals blocked. */
#ifndef XER_COLLECTOR_ATTACH_H
#define XER_COLLECTOR_ATTACH_H

#include "format/attach.h"

/* Begin to record as `text` says. Returns 0 or -errno, see format/attach.h. */
int collector_attach(const char *text, const struct attach_call *call);

/* End the recording; the process goes on. Returns 0, or -ENOENT if there is none. */
int collector_detach(const char *unused, const struct attach_call *call);

#endif

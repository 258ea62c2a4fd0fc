/* lostpages.h: data files whose pages are lost.
 *
 * A mapped file may be truncated while it is written, and its disk or network may fail to read or
 * write a page: then the next access to it is a fault, SIGBUS (buserror.h). Anonymous memory
 * replaces the mapping: the writer goes on, its data are dropped, and the stream stops as on a full
 * disk. Without their call stacks, frameinfo, events would mean little: all of them end. */
#ifndef XER_COLLECTOR_LOSTPAGES_H
#define XER_COLLECTOR_LOSTPAGES_H

#include <stdint.h>
#include <ucontext.h>

/* In the handler of a fault: the page at `address`, which `context` accesses, is lost. If it is in
 * a data file that this process records into, there is memory now: returns 1, with all signals
 * blocked until the handler returns. Returns 0 if the fault is not ours, or there is no memory, or
 * no space on an alternate stack. Signal-safe. */
int lostpages_replace(uintptr_t address, const ucontext_t *context);

#endif

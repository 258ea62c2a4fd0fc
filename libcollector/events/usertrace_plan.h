/* usertrace_plan.h: which hook goes to which trace, and how the traces keep their events. */
#ifndef XER_COLLECTOR_USERTRACE_PLAN_H
#define XER_COLLECTOR_USERTRACE_PLAN_H

#include "libcollector/base/collector.h"

enum { PLAN_NOWHERE = -1, PLAN_SYSTEM = 0 };

/* Read the plan from the descriptor; what it cannot do is noted in log.xml. Normal context,
 * once, and again after plan_forget. */
void plan_open(void);
void plan_forget(void);

/* The trace that events of this hook word go to, 0 to FMT_USER_TRACES - 1, or PLAN_NOWHERE.
 * Signal-safe. */
extern uint8_t *plan_routes; /* plan_routes[65536] by hook id, NULL: all go to the system trace */
int plan_route_slowly(unsigned word);

static inline int plan_route(unsigned word)
{
	return likely(!plan_routes) ? PLAN_SYSTEM : plan_route_slowly(word);
}

/* The files of the traces that hooks go to, bits 1 << enum fmt_stream. Signal-safe. */
uint32_t plan_streams(void);

/* The component trace of this name, 1 to FMT_USER_TRACES - 1, or PLAN_NOWHERE. Signal-safe. */
int plan_component(const char *name);

#endif

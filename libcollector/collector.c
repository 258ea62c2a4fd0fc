/* collector.c: the state of the collector. Until recording starts, its mark says that nothing is recorded. */
#include "collector.h"

#include "log.h"
#include "usertrace.h"

static struct col_mark no_mark;

struct collector col = {.mark = &no_mark};

void col_stop_events(const char *why)
{
	if (!atomic_exchange(&col.events_stopped, 1) && why)
		col_log_warning(why);
	atomic_store(&col.mark->profile, 0);
	atomic_store(&col.mark->heap, 0);
	atomic_store(&col.mark->sync, 0);
	atomic_store(&col.mark->io, 0);
	usertrace_stop();
	atomic_store(&col.mark->functrace, 0);
}

/* outside.c: see outside.h.
 * See doc/decisions/54-outside.md. */
#include "collect/target/outside.h"

#include <stdio.h>

static int refuse(const struct target *target, const char *remedy, struct cause *cause)
{
	return cause_set(cause, CAUSE_REFUSED, "%s cannot be recorded: %s; %s", target->path,
	                 target->outside, remedy);
}

int outside_prepare(struct request *request, const struct target *target, struct cause *cause)
{
	if (!request->sampler_ns && request->counters.count == 0)
		return refuse(target, "--sampler (or -h) samples it from outside", cause);
	request->profile_us = request->sample_ms = 0;
#define SWITCH(field, ...) request->field = 0;
#include "format/datakind.def"
	request->heap_mean = 0;
	request->sync = request->functrace = 0;
	request->mpi = MPI_OFF;
	request->omp = 0;
	request->hooks.is_off = 1;
	request->java = JAVA_OFF;
	request->pause_signal = request->sample_signal = request->snapshot_signal = 0;
	request->snapshot_wait_ms = 0;
	request->snapshot_crash = 0;
	request->start_paused = request->stop = 0;
	request->from_ms = request->limit_bytes = request->keep_bytes = request->keep_ms = 0;
	request->to_ms = request->attach ? request->to_ms : 0;
	fprintf(stderr, "xcollect: %s is sampled from outside, and nothing else is recorded: %s\n",
	        target->path, target->outside);
	return 0;
}

int outside_check(struct request *request, const struct target *target, struct cause *cause)
{
	if (request->sampler_timers)
		request->sampler_ns = request->profile_us = 0;
	request->sampler_timers = 0;
	if (request->sampler_ns || request->counters.count > 0)
		return 0;
	return refuse(target,
	              "the kernel's samples could be taken from outside, but are not allowed",
	              cause);
}

/* source.c: what is done for all sources of events. See source.h. */
#include "libcollector/base/source.h"

struct source_table sources;

static int is_wanted(const struct source *source)
{
	const char *settings = (const char *)&col.descriptor;

	return source->setting && *(const uint64_t *)(settings + source->setting) != 0;
}

void sources_open(void)
{
	for (const struct source *each = sources.first; each != sources.end; each++)
		if (each->open && is_wanted(each))
			each->open();
}

void sources_start(void)
{
	for (const struct source *each = sources.first; each != sources.end; each++) {
		if (!is_wanted(each))
			continue;
		if (each->start)
			each->start();
		else
			atomic_store(&col.switches->on[each->id], 1);
	}
}

static void stop(const struct source *source)
{
	if (source->stop)
		source->stop();
	else
		atomic_store(&col.switches->on[source->id], 0);
}

void sources_pause(void)
{
	for (const struct source *each = sources.first; each != sources.end; each++)
		if (each->pause)
			each->pause();
		else
			stop(each);
}

void sources_stop(void)
{
	for (const struct source *each = sources.first; each != sources.end; each++)
		stop(each);
}

void sources_stop_early(void)
{
	for (const struct source *each = sources.first; each != sources.end; each++)
		if (!each->is_last)
			stop(each);
}

int sources_prepare(void)
{
	int error = 0;

	for (const struct source *each = sources.first; each != sources.end && error == 0; each++)
		if (each->prepare)
			error = each->prepare();
	return error;
}

uint32_t sources_streams(void)
{
	uint32_t streams = 0;

	for (const struct source *each = sources.first; each != sources.end; each++)
		if (each->streams && is_wanted(each))
			streams |= each->streams &
			           (each->streams_of_recording ? each->streams_of_recording()
			                                       : UINT32_MAX);
	return streams;
}

int sources_are_interrupted(void)
{
	for (const struct source *each = sources.first; each != sources.end; each++)
		if (each->is_interrupted && each->is_interrupted())
			return 1;
	return 0;
}

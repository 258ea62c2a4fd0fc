/* waitname.c: see waitname.h. */
#include "analyzer/views/events/waitname.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/views/events/locks.h"
#include "experiment/events/syncclass.h"
#include "format/record.h"

#include <stdlib.h>
#include <string.h>

int wait_func_joins(unsigned func)
{
	return exp_sync_class_of(func) == EXP_SYNC_JOIN;
}

int wait_is_join(const struct exp_wait *wait)
{
	return wait->family == FMT_wait_family_SYNC && wait_func_joins(wait->func);
}

enum wait_owner wait_owner_kind(const struct exp_wait *wait)
{
	if (wait_is_join(wait))
		return WAIT_JOINED;
	if (wait->family == FMT_wait_family_SYNC && wait->func == FMT_sync_func_BARRIER_WAIT)
		return WAIT_RELEASER;
	return wait->state == FMT_wall_state_COND ? WAIT_SIGNALLER : WAIT_HOLDER;
}

static char *file_name(const struct dataset_experiment *at, uint64_t number)
{
	const struct exp_io *io = at->whole->io;

	for (size_t i = 0; i < io->file_count; i++)
		if (io->files[i].number == number && io->files[i].name)
			return memory_text(io->files[i].name, io->files[i].name_size);
	return NULL;
}

char *wait_object_name(const struct dataset *dataset, const struct dataset_experiment *at,
                       const struct exp_wait *wait)
{
	const struct exp_sync_object object = {
		.address = wait->object,
		.object_class = (uint8_t)exp_sync_class_of(wait->func),
		.creation = EXP_NO_INDEX,
		.node = wait->node};

	if (!wait->object)
		return NULL;
	if (wait->family == FMT_wait_family_SYNC)
		return lock_name(dataset, &(struct lock){at, &object});
	if (wait->state == FMT_wall_state_CHILD)
		return memory_format("process %llu", (unsigned long long)wait->object);
	if (wait->family == FMT_wait_family_CALL &&
	    (wait->func == FMT_wait_func_MSGRCV || wait->func == FMT_wait_func_MSGSND))
		return memory_format("message queue %llu", (unsigned long long)wait->object - 1);
	return file_name(at, wait->object);
}

void wait_put_call(const struct dataset *dataset, FILE *out, const struct dataset_experiment *at,
                   const struct exp_wait *wait)
{
	char *object = wait_object_name(dataset, at, wait);

	fprintf(out, "  %s", wait_func_name(wait->family, wait->func));
	if (object) {
		fputc('(', out);
		text_put(out, object);
		if (wait->ready > 1)
			fprintf(out, ", the first of %u that were ready", wait->ready);
		fputc(')', out);
	}
	free(object);
	if (wait->is_earlier)
		fputs(", began before the recording", out);
	if (wait->error == EXP_SYNC_OPEN)
		fputs(", has not ended", out);
	else if (wait->error != 0)
		fprintf(out, ", %s", strerror((int)wait->error));
	fputc('\n', out);
}

const char *wait_thread_name(const struct exp_data_set *data, uint32_t tid, double time_s)
{
	const char *name = NULL;

	for (size_t i = 0; i < data->thread_count; i++)
		if (data->threads[i].tid == tid && (!name || data->threads[i].time_s <= time_s))
			name = data->threads[i].name;
	return name && name[0] != '\0' ? name : NULL;
}

void wait_put_thread(FILE *out, const struct exp_data_set *data, uint32_t tid, double time_s)
{
	const char *name = wait_thread_name(data, tid, time_s);

	fprintf(out, "thread %u", tid);
	if (!name)
		return;
	fputs(" (", out);
	text_put(out, name);
	fputc(')', out);
}

/* descendant.c: names in the tree of processes. See descendant.h.
 * See doc/decisions/16-descendants.md. */
#include "libcollector/process/descendant.h"

#include "libcollector/process/follow.h"
#include "libcollector/process/helper.h"
#include "libcollector/profile/usage.h"
#include "libcollector/write/log.h"

#include "format/lineage.h"

#include <errno.h>

static atomic_uint forked, made; /* numbers given to children so far: _fN, _cN */

static char *own_lineage(void)
{
	return col.descriptor.step.lineage;
}

/* Is this the process that its parent meant? If the parent is gone, it is assumed. */
static int is_expected(const struct descriptor_step *step)
{
	int parent;

	if (step->pid)
		return step->pid == (uint64_t)col.pid;
	parent = (int)SYS0(SYS_getppid);
	return step->parent == (uint64_t)parent || parent == 1;
}

/* Take this place. The lineage, with the name of the program, decides whether the process is
 * recorded. */
static int settle_for(int error)
{
	if (error < 0)
		col.is_followed = 0;
	return error == 0 && follow_wants(own_lineage());
}

int descendant_begin(void)
{
	struct descriptor_step *step = &col.descriptor.step;
	int error = 0;

	col.is_followed = strcmp(col.descriptor.follow, "off") != 0 && col.descriptor.follow[0];
	if (!is_expected(step)) {
		step->process_ns = step->user_ns = step->thread_ns = 0;
		error = lineage_append(step->lineage, 'c', 1);
	} else if (step->leads) {
		/* After a program that is not recorded, neither its lineage nor its CPU time
		 * belongs to us. */
		usage_tell(step);
		step->thread_ns = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
		error = lineage_next_image(step->lineage);
	}
	return settle_for(error);
}

int descendant_fork(char letter, uint32_t number)
{
	struct descriptor_step *step = &col.descriptor.step;

	atomic_store(&forked, 0);
	atomic_store(&made, 0);
	step->process_ns = step->user_ns = step->thread_ns = 0;
	return settle_for(lineage_append(step->lineage, letter, number));
}

uint32_t descendant_number(char letter)
{
	return atomic_fetch_add(letter == 'f' ? &forked : &made, 1) + 1;
}

/* A child whose lineage is too long is not recorded: its parent notes that, once. */
static int named(int error)
{
	static atomic_uint is_told;

	if (error < 0 && col_is_recording() && !atomic_exchange(&is_told, 1))
		col_log_warning(
			"descendants of this process are not recorded: their lineage would be too long");
	return error;
}

int descendant_child(char *lineage, char letter, uint32_t number)
{
	strcpy(lineage, own_lineage());
	return named(lineage_append(lineage, letter, number));
}

uint32_t descendant_step_child(struct descriptor_step *step)
{
	uint32_t number = descendant_number('c');

	*step = (struct descriptor_step){.parent = (uint64_t)sys_getpid(),
	                                 .paused = col.descriptor.step.paused,
	                                 .filters = helper_filters()};
	return descendant_child(step->lineage, 'c', number) < 0 ? 0 : number;
}

int descendant_step_image(struct descriptor_step *step, uint32_t sharer)
{
	int pid = sys_getpid();
	int error = 0;

	*step = (struct descriptor_step){.pid = (uint64_t)pid,
	                                 .parent = (uint64_t)pid,
	                                 .paused = col.descriptor.step.paused,
	                                 .filters = helper_filters()};
	strcpy(step->lineage, own_lineage());
	if (sharer) {
		error = lineage_append(step->lineage, 'f', sharer);
	} else if (!atomic_load(&col.is_unsettled)) {
		step->thread_ns = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
		usage_tell(step);
	}
	return named(error < 0 ? error : lineage_next_image(step->lineage));
}

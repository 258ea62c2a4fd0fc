/* event_waits.c: the waits of a process: a row for each, one for each thing that was waited for,
 * and one for each state of a thread. See events.h. */
#include "analyzer/export/sqlite/events.h"

#include "analyzer/base/memory.h"
#include "analyzer/export/trace.h"
#include "analyzer/report/stacks.h"
#include "analyzer/views/events/locks.h"
#include "analyzer/views/events/waitowner.h"
#include "experiment/events/syncclass.h"
#include "format/record.h"

#include <stdlib.h>

struct sql_waits {
	struct trace_waits *known;
	struct trace_states *states; /* NULL: the states of threads are not known */
	struct exp_index objects;    /* what was waited for -> id */
	struct exp_index sites;      /* experiment << 32 | node -> its name in `names` */
	char **names;
	size_t name_count, name_capacity;
};

/* A state of a thread. */
static void put_state(void *context, uint64_t tid, uint64_t begin_ns, uint64_t end_ns,
                      unsigned state)
{
	struct sql_walk *walk = context;
	uint32_t index = exp_thread_at(walk->at->whole, (uint32_t)tid, (double)begin_ns / 1e9);
	struct cell *row = database_row(walk->database, SQL_STATE);

	cell_integer(&row[SQL_STATE_thread],
	             walk->process->first_thread + (index == EXP_NO_INDEX ? 0 : index + 1));
	cell_count(&row[SQL_STATE_begin_ns], begin_ns);
	cell_count(&row[SQL_STATE_end_ns], end_ns);
	cell_text(&row[SQL_STATE_state], sql_name(&walk->wall_states, state));
}

struct sql_waits *sql_waits_create(struct sql_walk *walk)
{
	struct sql_waits *waits = memory_take(1, sizeof(*waits));

	waits->known = trace_waits_create(&walk->sql->trace, walk->at);
	if (walk->at->whole->have & EXP_DATA_WALL)
		waits->states = trace_states_create(put_state, walk);
	return waits;
}

void sql_waits_destroy(struct sql_walk *walk)
{
	struct sql_waits *waits = walk->waits;

	if (waits->states)
		trace_states_destroy(waits->states);
	trace_waits_destroy(waits->known);
	exp_index_fini(&waits->objects);
	exp_index_fini(&waits->sites);
	for (size_t i = 0; i < waits->name_count; i++)
		free(waits->names[i]);
	free(waits->names);
	free(waits);
}

/* ---- what was waited for ---- */

/* A wait as tables of waits have it. */
static struct exp_wait wait_of(const struct sql_walk *walk, const struct exp_fact *fact,
                               unsigned family)
{
	int is_wall = fact->data == EXP_DATA_WALL;

	return (struct exp_wait){
		.time_s = (double)experiment_time_ns(walk->at->experiment, fact->ticks) / 1e9,
		.tid = fact->tid,
		.node = fact->node,
		.object = fact->address,
		.owner = is_wall ? fact->owner : 0,
		.site = is_wall ? fact->site : EXP_NO_INDEX,
		.error = fact->error,
		.state = (uint8_t)fact->state,
		.family = (uint8_t)family,
		.func = (uint8_t)fact->type};
}

static const char *kind_of(const struct exp_wait *wait)
{
	if (wait->family == FMT_wait_family_SYNC)
		return lock_class_name(exp_sync_class_of(wait->func));
	return wait->state == FMT_wall_state_CHILD ? "process" : NULL;
}

/* A process, a thread and an address are told apart by the function. */
static int64_t object_of(struct sql_walk *walk, const struct exp_wait *wait)
{
	struct sql_waits *waits = walk->waits;
	unsigned class = wait->family == FMT_wait_family_SYNC ? exp_sync_class_of(wait->func)
	                                                      : wait->state + 128u;
	uint64_t key = wait->object << 8 | class;
	uint32_t id = exp_index_find(&waits->objects, key);
	struct cell *row;
	char *name;

	if (id != EXP_INDEX_NONE)
		return id;
	id = (uint32_t)++walk->sql->object_count;
	if (exp_index_add(&waits->objects, key, id) != 0)
		memory_fail();
	row = database_row(walk->database, SQL_SYNC_OBJECT);
	name = wait_object_name(walk->sql->job->dataset, walk->at, wait);
	cell_integer(&row[SQL_SYNC_OBJECT_id], id);
	cell_integer(&row[SQL_SYNC_OBJECT_process], walk->at->id);
	cell_text(&row[SQL_SYNC_OBJECT_kind], kind_of(wait));
	cell_address(&row[SQL_SYNC_OBJECT_address], wait->object);
	cell_foreign(&row[SQL_SYNC_OBJECT_name], name);
	free(name);
	return id;
}

static void put_error(struct cell *error, struct cell *is_open, uint32_t value)
{
	cell_integer(is_open, value == EXP_SYNC_OPEN);
	if (value != 0 && value != EXP_SYNC_OPEN)
		cell_integer(error, value);
}

/* ---- who ended it ---- */

static const char *site_name(struct sql_walk *walk, const struct wait_waker *waker)
{
	struct sql_waits *waits = walk->waits;
	const struct export_job *job = walk->sql->job;
	uint64_t key = (uint64_t)waker->at->id << 32 | waker->site;
	uint32_t known = exp_index_find(&waits->sites, key);

	if (known != EXP_INDEX_NONE)
		return waits->names[known];
	waits->names = memory_grow(waits->names, waits->name_count, &waits->name_capacity,
	                           sizeof(*waits->names));
	waits->names[waits->name_count] = stacks_name_node(job->dataset, job->choices, waker->at,
	                                                   waker->site);
	if (exp_index_add(&waits->sites, key, (uint32_t)waits->name_count) != 0)
		memory_fail();
	return waits->names[waits->name_count++];
}

/* Id of a thread of any process at a time since the start of that one. */
static int64_t thread_of(const struct sql *sql, const struct dataset_experiment *at, uint32_t tid,
                         double time_s)
{
	uint32_t index = exp_thread_at(at->whole, tid, time_s);

	for (size_t i = 0; i < sql->process_count && index != EXP_NO_INDEX; i++)
		if (sql->processes[i].at == at)
			return sql->processes[i].first_thread + index + 1;
	return 0;
}

static void put_owner(struct sql_walk *walk, struct cell *row, const struct exp_wait *wait)
{
	static const char *const kinds[] = {[WAIT_HOLDER] = "holder",
	                                    [WAIT_JOINED] = "joined",
	                                    [WAIT_SIGNALLER] = "signaller",
	                                    [WAIT_RELEASER] = "releaser",
	                                    [WAIT_WRITER] = "writer"};
	const struct dataset *dataset = walk->sql->job->dataset;
	const struct exp_wait *known;
	struct wait_waker waker = trace_waits_waker(walk->waits->known, wait, &known);
	double apart_s;
	int64_t owner;

	if (!waker.at)
		return;
	apart_s = (double)(axis_offset_ns(dataset, walk->at) - axis_offset_ns(dataset, waker.at)) /
	          1e9;
	owner = thread_of(walk->sql, waker.at, waker.tid, known->time_s + apart_s);
	if (owner != 0)
		cell_integer(&row[SQL_WAIT_owner], owner);
	cell_text(&row[SQL_WAIT_owner_is], kinds[waker.kind]);
	if (waker.site != EXP_NO_INDEX)
		cell_text(&row[SQL_WAIT_owner_at], site_name(walk, &waker));
}

/* ---- waits ---- */

void sql_waits_sync(struct sql_walk *walk, const struct sql_event *event)
{
	const struct exp_fact *fact = event->fact;
	const struct exp_wait wait = wait_of(walk, fact, FMT_wait_family_SYNC);
	int64_t object = fact->address != 0 ? object_of(walk, &wait) : 0;
	struct cell *row = database_row(walk->database, SQL_SYNC_WAIT);

	cell_integer(&row[SQL_SYNC_WAIT_thread], event->thread);
	cell_integer(&row[SQL_SYNC_WAIT_begin_ns], event->span.begin_ns);
	cell_integer(&row[SQL_SYNC_WAIT_end_ns], event->span.end_ns);
	cell_count(&row[SQL_SYNC_WAIT_wait_ns],
	           experiment_ticks_ns(walk->at->experiment, fact->wait_ticks));
	sql_put_stack(walk, &row[SQL_SYNC_WAIT_stack], event);
	cell_text(&row[SQL_SYNC_WAIT_function], sql_name(&walk->sync_funcs, fact->type));
	if (object != 0)
		cell_integer(&row[SQL_SYNC_WAIT_object], object);
	put_error(&row[SQL_SYNC_WAIT_error], &row[SQL_SYNC_WAIT_is_open], fact->error);
}

static void put_wall_object(struct sql_walk *walk, struct cell *row, const struct exp_wait *wait)
{
	int64_t file = 0;

	if (wait->object == 0)
		return;
	if (wait->family != FMT_wait_family_SYNC && wait->state != FMT_wall_state_CHILD)
		file = sql_io_file(walk, wait->object);
	if (file != 0)
		cell_integer(&row[SQL_WAIT_file], file);
	else
		cell_integer(&row[SQL_WAIT_object], object_of(walk, wait));
}

/* Time between waits is no wait. */
void sql_waits_wall(struct sql_walk *walk, const struct sql_event *event)
{
	const struct exp_fact *fact = event->fact;
	const struct exp_wait wait = wait_of(walk, fact, fact->type >> 8);
	struct cell *row;

	if (fact->waits == 0)
		return;
	if (fact->waits == 1 && event->span.end_ns > 0)
		trace_states_wait(walk->waits->states, fact->tid,
		                  event->span.begin_ns > 0 ? (uint64_t)event->span.begin_ns : 0,
		                  (uint64_t)event->span.end_ns, fact->state);
	row = database_row(walk->database, SQL_WAIT);
	cell_integer(&row[SQL_WAIT_thread], event->thread);
	cell_integer(&row[SQL_WAIT_begin_ns], event->span.begin_ns);
	cell_integer(&row[SQL_WAIT_end_ns], event->span.end_ns);
	cell_count(&row[SQL_WAIT_wait_ns],
	           experiment_ticks_ns(walk->at->experiment, fact->wait_ticks * fact->waits));
	cell_integer(&row[SQL_WAIT_waits], fact->waits);
	sql_put_stack(walk, &row[SQL_WAIT_stack], event);
	cell_text(&row[SQL_WAIT_state],
	          wait_is_join(&wait) ? "join" : sql_name(&walk->wall_states, fact->state));
	cell_text(&row[SQL_WAIT_function], wall_wait_name(fact));
	put_wall_object(walk, row, &wait);
	put_error(&row[SQL_WAIT_error], &row[SQL_WAIT_is_open], fact->error);
	if (fact->waits == 1)
		put_owner(walk, row, &wait);
}

/* Residual time is in no sample. */
void sql_waits_sample(struct sql_walk *walk, const struct sql_event *event)
{
	const struct exp_fact *fact = event->fact;

	if (walk->waits->states && fact->type != FMT_clock_state_RESIDUAL && event->span.end_ns > 0)
		trace_states_sample(walk->waits->states, fact->tid, (uint64_t)event->span.end_ns,
		                    fact->cpu_ns,
		                    fact->type == FMT_clock_state_SYSTEM ? FMT_wall_state_SYSTEM
		                                                         : FMT_wall_state_USER);
}

/* trace_events.c: the events of a process that the filters let through, kind by kind. See trace.h.
 */
#include "analyzer/export/trace.h"

#include "analyzer/base/memory.h"
#include "analyzer/data/filters.h"
#include "analyzer/model/datakind.h"
#include "analyzer/report/wallwait.h"
#include "experiment/events/usertrace.h"
#include "format/record.h"
#include "template/template.h"

#include <stdio.h>

enum { MPI_NAMES = 1 << 12 };

/* The events of a process that are walked. */
struct walk {
	const struct trace_process *process;
	struct trace *trace;
	const struct dataset_experiment *at;
	struct filters_run *filters; /* NULL: nothing is filtered */
	struct trace_stacks *stacks;
	struct trace_states *states; /* NULL: the states of threads are not known */
	struct trace_waits *waits;
	struct exp_index hooks; /* hook << 16 | sub-id -> name */
	struct exp_index files; /* number of a file -> name */
	uint32_t io_names[256], sync_names[256], omp_names[256],
		mpi_names[MPI_NAMES]; /* of functions, + 1 */
};

static uint64_t time_of(const struct walk *walk, uint64_t ticks)
{
	return trace_on_axis(walk->process, experiment_time_ns(walk->at->experiment, ticks));
}

static void put(const struct walk *walk, const struct trace_event *event)
{
	walk->trace->format->event(walk->trace, event);
}

/* With its stack, as text where the format needs that. */
static void put_with_stack(const struct walk *walk, struct trace_event *event, uint32_t node)
{
	event->node = node;
	if (!walk->trace->format->has_stacks && node < walk->at->whole->nodes.count)
		trace_add_argument(event, TRACE_WORD_STACK, TRACE_NAME,
		                   trace_stacks_text(walk->stacks, node));
	put(walk, event);
}

/* An event at fact->ticks; or one that took a while until then. Arguments are not cleared. */
static void begin_event(const struct walk *walk, const struct exp_fact *fact,
                        enum fxt_event_kind kind, uint32_t category, uint32_t name,
                        struct trace_event *out)
{
	out->kind = kind;
	out->category = category;
	out->name = name;
	out->process = walk->process->id;
	out->tid = kind == FXT_EVENT_COUNTER ? walk->process->id : fact->tid;
	out->end_ns = time_of(walk, fact->ticks);
	out->begin_ns = kind == FXT_EVENT_COMPLETE ? time_of(walk, fact->ticks - fact->wait_ticks)
	                                           : out->end_ns;
	out->node = EXP_NO_INDEX;
	out->argument_count = 0;
}

/* Name of a value of an enumeration, looked for once. */
static uint32_t value_name(const struct walk *walk, uint32_t *names, const char *type,
                           uint32_t value)
{
	value &= 255;
	if (names[value] == 0)
		names[value] = trace_name(walk->trace, fmt_enum_name(type, value)) + 1;
	return names[value] - 1;
}

static void put_sample(const struct walk *walk, const struct exp_fact *fact)
{
	uint64_t ns = time_of(walk, fact->ticks), pcs[FXT_SAMPLE_PCS_MAX];
	size_t count;

	/* Residual time is in no sample. */
	if (fact->type == FMT_clock_state_RESIDUAL)
		return;
	count = export_pcs(&walk->at->whole->nodes, fact->node, pcs);
	if (walk->trace->format->sample)
		walk->trace->format->sample(walk->trace, ns, walk->process->id, fact->tid, pcs,
		                            count);
	trace_stacks_sample(walk->stacks, fact->tid, ns, fact->cpu_ns, fact->node);
	if (walk->states)
		trace_states_sample(walk->states, fact->tid, ns, fact->cpu_ns,
		                    fact->type == FMT_clock_state_SYSTEM ? FMT_wall_state_SYSTEM
		                                                         : FMT_wall_state_USER);
}

static void put_live(const struct walk *walk, const struct exp_fact *fact)
{
	struct trace_event event;

	if (fact->is_map)
		return;
	begin_event(walk, fact, FXT_EVENT_COUNTER, TRACE_WORD_HEAP, TRACE_WORD_LIVE, &event);
	trace_add_argument(&event, TRACE_WORD_BYTES, TRACE_NUMBER, fact->live_bytes);
	put(walk, &event);
}

/* A wait as tables of waits have it. */
static struct exp_wait wait_of(const struct walk *walk, const struct exp_fact *fact,
                               unsigned family)
{
	return (struct exp_wait){
		.time_s = (double)experiment_time_ns(walk->at->experiment, fact->ticks) / 1e9,
		.tid = fact->tid,
		.node = fact->node,
		.object = fact->address,
		.owner = fact->data == EXP_DATA_WALL ? fact->owner : 0,
		.site = fact->data == EXP_DATA_WALL ? fact->site : EXP_NO_INDEX,
		.error = fact->error,
		.state = (uint8_t)fact->state,
		.family = (uint8_t)family,
		.func = (uint8_t)fact->type};
}

static void put_wait(struct walk *walk, const struct exp_fact *fact)
{
	const struct exp_wait wait = wait_of(walk, fact, FMT_wait_family_SYNC);
	struct trace_event event;

	begin_event(walk, fact, FXT_EVENT_COMPLETE, TRACE_WORD_SYNC,
	            value_name(walk, walk->sync_names, "sync_func", fact->type), &event);
	trace_waits_object(walk->waits, &event, &wait);
	trace_waits_owner(walk->waits, &event, &wait);
	if (fact->error != 0)
		trace_add_argument(&event, TRACE_WORD_ERRNO, TRACE_NUMBER, fact->error);
	put_with_stack(walk, &event, fact->node);
}

/* Short waits that were added up have no times of their own. */
static void put_wall(struct walk *walk, const struct exp_fact *fact)
{
	uint32_t file = wall_wait_is_io(fact) ? exp_index_find(&walk->files, fact->address)
	                                      : EXP_INDEX_NONE;
	const struct exp_wait wait = wait_of(walk, fact, fact->type >> 8);
	struct trace_event event;

	if (fact->waits == 1)
		trace_states_wait(walk->states, fact->tid, time_of(walk, fact->begin_ticks),
		                  time_of(walk, fact->ticks), fact->state);
	if (!wall_wait_is_event(walk->at->whole, fact))
		return;
	begin_event(walk, fact, FXT_EVENT_COMPLETE, TRACE_WORD_WALL,
	            trace_name(walk->trace, wall_wait_name(fact)), &event);
	event.begin_ns = time_of(walk, fact->begin_ticks);
	trace_add_argument(&event, TRACE_WORD_STATE, TRACE_NAME,
	                   trace_name(walk->trace, fmt_enum_name("wall_state", fact->state)));
	if (file != EXP_INDEX_NONE)
		trace_add_argument(&event, TRACE_WORD_FILE, TRACE_NAME, file);
	else if (!wall_wait_is_io(fact))
		trace_waits_object(walk->waits, &event, &wait);
	trace_waits_owner(walk->waits, &event, &wait);
	if (fact->error != 0 && fact->error != EXP_SYNC_OPEN)
		trace_add_argument(&event, TRACE_WORD_ERRNO, TRACE_NUMBER, fact->error);
	put_with_stack(walk, &event, fact->node);
}

static void put_omp(struct walk *walk, const struct exp_fact *fact)
{
	struct trace_event event;

	begin_event(walk, fact, FXT_EVENT_COMPLETE, TRACE_WORD_OMP,
	            value_name(walk, walk->omp_names, "omp_event", fact->type), &event);
	if (fact->address != 0)
		trace_add_argument(&event, TRACE_WORD_OBJECT, TRACE_ADDRESS, fact->address);
	put(walk, &event);
}

static void put_mpi(struct walk *walk, const struct exp_fact *fact)
{
	uint32_t *name = &walk->mpi_names[fact->type % MPI_NAMES];
	struct trace_event event;

	/* A message that is not the call's own has no time of its own. */
	if (fact->mpi->message > FMT_mpi_message_RECEIVED)
		return;
	if (*name == 0)
		*name = trace_name(walk->trace, fmt_enum_name("mpi_func", fact->type)) + 1;
	begin_event(walk, fact, FXT_EVENT_COMPLETE, TRACE_WORD_MPI, *name - 1, &event);
	if (fact->bytes != 0)
		trace_add_argument(&event, TRACE_WORD_BYTES, TRACE_NUMBER, fact->bytes);
	if (fact->mpi->peer != UINT32_MAX)
		trace_add_argument(&event, TRACE_WORD_RANK, TRACE_NUMBER, fact->mpi->peer);
	put_with_stack(walk, &event, fact->node);
}

static void put_io(struct walk *walk, const struct exp_fact *fact)
{
	uint32_t file = exp_index_find(&walk->files, fact->file);
	const struct exp_wait wait = wait_of(walk, fact, FMT_wait_family_IO);
	struct trace_event event;

	begin_event(walk, fact, FXT_EVENT_COMPLETE, TRACE_WORD_IO,
	            value_name(walk, walk->io_names, "io_func", fact->type), &event);
	trace_add_argument(&event, TRACE_WORD_BYTES, TRACE_NUMBER, fact->bytes);
	if (fact->fd != UINT32_MAX)
		trace_add_argument(&event, TRACE_WORD_FD, TRACE_NUMBER, fact->fd);
	if (file != EXP_INDEX_NONE)
		trace_add_argument(&event, TRACE_WORD_FILE, TRACE_NAME, file);
	if (fact->wait_ticks != 0)
		trace_waits_owner(walk->waits, &event, &wait);
	if (fact->error != 0)
		trace_add_argument(&event, TRACE_WORD_ERRNO, TRACE_NUMBER, fact->error);
	put_with_stack(walk, &event, fact->node);
}

static void put_call(const struct walk *walk, const struct exp_fact *fact)
{
	struct trace_event event;

	begin_event(walk, fact, FXT_EVENT_COMPLETE, TRACE_WORD_CALLS,
	            trace_stacks_function(walk->stacks, fact->node), &event);
	put(walk, &event);
}

static uint32_t hook_name(struct walk *walk, const struct exp_user_event *user)
{
	uint64_t key = (uint64_t)user->hook << 16 | user->subhook;
	uint32_t known = exp_index_find(&walk->hooks, key);
	char text[40], id[5];

	if (known != EXP_INDEX_NONE)
		return known;
	template_hook_text(user->hook, id);
	snprintf(text, sizeof(text), "hook %s %04X", id, user->subhook);
	known = trace_name(walk->trace, text);
	if (exp_index_add(&walk->hooks, key, known) != 0)
		memory_fail();
	return known;
}

static void put_user(struct walk *walk, const struct exp_fact *fact)
{
	const struct exp_user_event *user = fact->user;
	struct trace_event event;

	begin_event(walk, fact, FXT_EVENT_INSTANT, TRACE_WORD_USER, hook_name(walk, user), &event);
	for (unsigned i = 0; i < user->word_count && i < FMT_USER_WORDS; i++)
		trace_add_argument(&event, TRACE_WORD_D1 + i, TRACE_ADDRESS, user->words[i]);
	if (user->is_generic)
		trace_add_argument(&event, TRACE_WORD_BYTES, TRACE_NUMBER, user->byte_count);
	put(walk, &event);
}

/* An event of a kind that has no words of its own here: it is called as the kind is. */
static void put_plain(const struct walk *walk, const struct exp_fact *fact)
{
	uint32_t name = trace_name(walk->trace, datakinds[__builtin_ctz(fact->data)].title);
	struct trace_event event;

	begin_event(walk, fact, fact->wait_ticks != 0 ? FXT_EVENT_COMPLETE : FXT_EVENT_INSTANT,
	            name, name, &event);
	if (fact->bytes != 0)
		trace_add_argument(&event, TRACE_WORD_BYTES, TRACE_NUMBER, fact->bytes);
	put(walk, &event);
}

static uint32_t on_fact(void *context, const struct exp_fact *fact)
{
	struct walk *walk = context;

	if (walk->filters && !filters_select(walk->filters, fact))
		return EXP_ROW_NONE;
	switch (fact->data) {
	case EXP_DATA_PROFILE:
		put_sample(walk, fact);
		break;
	case EXP_DATA_HEAP:
		put_live(walk, fact);
		break;
	case EXP_DATA_SYNC:
		put_wait(walk, fact);
		break;
	case EXP_DATA_IO:
		put_io(walk, fact);
		break;
	case EXP_DATA_WALL:
		put_wall(walk, fact);
		break;
	case EXP_DATA_FUNCTRACE:
		put_call(walk, fact);
		break;
	case EXP_DATA_OMP:
		put_omp(walk, fact);
		break;
	case EXP_DATA_MPI:
		put_mpi(walk, fact);
		break;
	case EXP_DATA_COUNTERS:
		break;
	case EXP_DATA_USER:
		put_user(walk, fact);
		break;
	default:
		put_plain(walk, fact);
		break;
	}
	return EXP_ROW_NONE;
}

static int on_begin(void *context, const struct exp_nodes *nodes)
{
	struct walk *walk = context;

	return walk->filters ? filters_begin(walk->filters, nodes) : 0;
}

static void name_files(struct walk *walk)
{
	const struct exp_io *io = walk->at->whole->io;

	for (size_t i = 0; i < io->file_count; i++)
		if (io->files[i].name &&
		    exp_index_find(&walk->files, io->files[i].number) == EXP_INDEX_NONE &&
		    exp_index_add(&walk->files, io->files[i].number,
		                  trace_name_bytes(walk->trace, io->files[i].name,
		                                   io->files[i].name_size)) != 0)
			memory_fail();
}

static void put_objects(const struct walk *walk)
{
	const struct exp_object *objects;
	size_t count = experiment_objects(walk->at->experiment, &objects);

	for (size_t i = 0; i < count && i <= UINT16_MAX && walk->trace->format->object != NULL; i++)
		walk->trace->format->object(walk->trace, time_of(walk, walk->at->info->start_ticks),
		                            walk->process->id, (uint16_t)i, &objects[i]);
}

/* All that is selected. */
static void walk_events(struct walk *walk)
{
	const struct dataset *dataset = walk->trace->job->dataset;
	const struct filter_place place = filters_place(dataset, walk->at);
	struct exp_selection selection = {.context = walk, .begin = on_begin, .row = on_fact};
	const struct exp_data_set *set;

	filters_ask(dataset->filters, &selection);
	if (filters_are_set(dataset->filters))
		walk->filters = filters_open(dataset->filters, &place);
	walk->stacks = trace_stacks_create(walk->trace, walk->at);
	if (experiment_select(walk->at->experiment, &selection, &set) == 0)
		exp_data_set_destroy(set);
	else
		memory_fail();
	trace_stacks_destroy(walk->stacks);
	if (walk->filters)
		filters_close(walk->filters);
}

/* A state of a thread. */
static void put_state(void *context, uint64_t tid, uint64_t begin_ns, uint64_t end_ns,
                      unsigned state)
{
	const struct trace_process *process = context;
	const struct trace_event event = {
		.kind = FXT_EVENT_COMPLETE,
		.category = TRACE_WORD_STATE,
		.name = trace_name(process->trace, fmt_enum_name("wall_state", state)),
		.process = process->id,
		.tid = tid + TRACE_STATES,
		.node = EXP_NO_INDEX,
		.begin_ns = begin_ns,
		.end_ns = end_ns};

	process->trace->format->event(process->trace, &event);
}

void trace_events_put(const struct trace_process *process)
{
	struct walk walk = {.process = process, .trace = process->trace, .at = process->at};
	struct trace_process of_states = *process;

	if (trace_has_states(process))
		walk.states = trace_states_create(put_state, &of_states);
	walk.waits = trace_waits_create(walk.trace, walk.at);
	name_files(&walk);
	put_objects(&walk);
	walk_events(&walk);
	if (walk.states)
		trace_states_destroy(walk.states);
	trace_waits_destroy(walk.waits);
	exp_index_fini(&walk.hooks);
	exp_index_fini(&walk.files);
}

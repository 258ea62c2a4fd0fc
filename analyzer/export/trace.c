/* trace.c: walks the events of the selected experiments and gives them to a format. See trace.h. */
#include "analyzer/export/trace.h"

#include "experiment/base/clock.h"
#include "experiment/events/usertrace.h"
#include "analyzer/data/filters.h"
#include "analyzer/report/wallwait.h"
#include "format/record.h"
#include "analyzer/base/memory.h"
#include "template/template.h"
#include "analyzer/base/text.h"
#include "analyzer/model/datakind.h"

#include <stdlib.h>
#include <string.h>

/* The experiment that is walked. */
enum { MPI_NAMES = 1 << 12 };

struct walk {
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
	uint64_t process;
	int64_t start_ns; /* on the axis */
};

/* A time since the start of the experiment on the axis of the trace. Hostile ones may be beyond the
 * type. */
static uint64_t on_axis(const struct walk *walk, int64_t since_start_ns)
{
	int64_t ns;

	return !__builtin_add_overflow(walk->start_ns, since_start_ns, &ns) && ns > 0 ? (uint64_t)ns
	                                                                              : 0;
}

static uint64_t time_of(const struct walk *walk, uint64_t ticks)
{
	return on_axis(walk, experiment_time_ns(walk->at->experiment, ticks));
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
	out->process = walk->process;
	out->tid = kind == FXT_EVENT_COUNTER ? walk->process : fact->tid;
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
		walk->trace->format->sample(walk->trace, ns, walk->process, fact->tid, pcs, count);
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

/* ---- what is known without reading events */

static void put_counter(const struct walk *walk, uint64_t ns, uint32_t name,
                        const struct trace_argument *values, unsigned count)
{
	struct trace_event event = {.kind = FXT_EVENT_COUNTER,
	                            .category = TRACE_WORD_USAGE,
	                            .name = name,
	                            .process = walk->process,
	                            .tid = walk->process,
	                            .node = EXP_NO_INDEX,
	                            .begin_ns = ns,
	                            .argument_count = count};

	memcpy(event.arguments, values, count * sizeof(*values));
	put(walk, &event);
}

static void put_label(const struct walk *walk, uint64_t ns, const char *label)
{
	struct trace_event event = {.kind = FXT_EVENT_INSTANT,
	                            .category = TRACE_WORD_USAGE,
	                            .name = TRACE_WORD_SAMPLE,
	                            .process = walk->process,
	                            .tid = walk->process,
	                            .node = EXP_NO_INDEX,
	                            .begin_ns = ns};

	trace_add_argument(&event, TRACE_WORD_LABEL, TRACE_NAME, trace_name(walk->trace, label));
	put(walk, &event);
}

static void put_usage(const struct walk *walk, const struct exp_usage *usage)
{
	uint64_t ns = on_axis(walk, exp_whole_signed(usage->time_s * 1e9));
	const struct trace_argument cpu[] = {
		{TRACE_WORD_USER_TIME, TRACE_NUMBER, usage->user_ns},
		{TRACE_WORD_SYSTEM_TIME, TRACE_NUMBER, usage->system_ns}};
	const struct trace_argument faults[] = {{TRACE_WORD_MINOR, TRACE_NUMBER, usage->minflt},
	                                        {TRACE_WORD_MAJOR, TRACE_NUMBER, usage->majflt}};
	const struct trace_argument switches[] = {
		{TRACE_WORD_VOLUNTARY, TRACE_NUMBER, usage->nvcsw},
		{TRACE_WORD_INVOLUNTARY, TRACE_NUMBER, usage->nivcsw}};
	const struct trace_argument resident = {TRACE_WORD_RESIDENT, TRACE_NUMBER,
	                                        usage->maxrss_kib};

	put_counter(walk, ns, TRACE_WORD_CPU_TIME, cpu, 2);
	put_counter(walk, ns, TRACE_WORD_RESIDENT, &resident, 1);
	put_counter(walk, ns, TRACE_WORD_FAULTS, faults, 2);
	put_counter(walk, ns, TRACE_WORD_SWITCHES, switches, 2);
	if (usage->label)
		put_label(walk, ns, usage->label);
}

static void put_threads(const struct walk *walk)
{
	const struct trace_format *format = walk->trace->format;
	const struct exp_data_set *data = walk->at->whole;

	for (size_t i = 0; i < data->thread_count; i++) {
		const struct exp_thread *thread = &data->threads[i];
		const char *name = thread->name[0] != '\0' ? thread->name : "thread";
		char *sampled = memory_format("%s (sampled)", name);
		char *states = memory_format("%s (states)", name);

		format->thread(walk->trace, walk->process, thread->tid,
		               trace_name(walk->trace, name));
		if (thread->samples > 0)
			format->thread(walk->trace, walk->process,
			               (uint64_t)thread->tid + TRACE_SAMPLED,
			               trace_name(walk->trace, sampled));
		if (walk->states)
			format->thread(walk->trace, walk->process,
			               (uint64_t)thread->tid + TRACE_STATES,
			               trace_name(walk->trace, states));
		free(states);
		free(sampled);
	}
}

/* The begin and the end of the process: its command, and how it ended. */
static void put_life(const struct walk *walk)
{
	const struct exp_info *info = walk->at->info;
	struct trace_event event = {.kind = FXT_EVENT_INSTANT,
	                            .category = TRACE_WORD_LIFE,
	                            .name = TRACE_WORD_BEGIN,
	                            .process = walk->process,
	                            .tid = walk->process,
	                            .node = EXP_NO_INDEX,
	                            .begin_ns = on_axis(walk, 0)};
	char *command;
	size_t size;
	FILE *out = memory_stream(&command, &size);

	for (size_t i = 0; i < info->argc; i++) {
		fputs(i ? " " : "", out);
		text_put(out, info->argv[i]);
	}
	memory_stream_end(out, &command);
	trace_add_argument(&event, TRACE_WORD_COMMAND, TRACE_NAME,
	                   trace_name(walk->trace, command));
	free(command);
	if (info->ppid > 0)
		trace_add_argument(&event, TRACE_WORD_PARENT, TRACE_NUMBER, (uint64_t)info->ppid);
	put(walk, &event);
	if (info->status != EXP_ENDED)
		return;
	event.name = TRACE_WORD_END;
	event.begin_ns = on_axis(walk, exp_whole_signed(info->duration_s * 1e9));
	event.argument_count = 0;
	if (info->exit_code >= 0)
		trace_add_argument(&event, TRACE_WORD_STATUS, TRACE_NUMBER,
		                   (uint64_t)info->exit_code);
	put(walk, &event);
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
		                            walk->process, (uint16_t)i, &objects[i]);
}

static void put_events(struct walk *walk)
{
	const struct dataset *dataset = walk->trace->job->dataset;
	const struct filter_place place = filters_place(dataset, walk->at);
	const struct exp_selection selection = {
		.context = walk,
		.begin = on_begin,
		.row = on_fact,
		.wants_leaks = filters_want_leaks(dataset->filters) != 0};
	const struct exp_data_set *set;

	if (filters_are_set(dataset->filters))
		walk->filters = filters_open(dataset->filters, &place);
	walk->stacks = trace_stacks_create(walk->trace, walk->at);
	if (experiment_select(walk->at->experiment, &selection, &set) == 0)
		exp_data_set_destroy(set);
	else
		memory_fail();
	trace_stacks_destroy(walk->stacks);
	if (walk->states)
		trace_states_destroy(walk->states);
	trace_waits_destroy(walk->waits);
	if (walk->filters)
		filters_close(walk->filters);
}

void trace_put_experiment(struct trace *trace, const struct dataset_experiment *at)
{
	const char *program = at->info->argc > 0 ? at->info->argv[0] : at->info->name;
	struct walk walk = {.trace = trace,
	                    .at = at,
	                    .process = (uint64_t)at->info->pid,
	                    .start_ns = at->info->start_real_ns - trace->origin_ns};

	if (at->whole->have & EXP_DATA_WALL)
		walk.states = trace_states_create(trace, walk.process);
	walk.waits = trace_waits_create(trace, at);
	trace->format->process(trace, walk.process, trace_name(trace, text_base(program)),
	                       &at->data->quality);
	put_threads(&walk);
	put_life(&walk);
	for (size_t i = 0; i < at->whole->usage_count; i++)
		put_usage(&walk, &at->whole->usage[i]);
	name_files(&walk);
	put_objects(&walk);
	put_events(&walk);
	exp_index_fini(&walk.hooks);
	exp_index_fini(&walk.files);
}

struct trace *trace_open(struct export_job *job, const struct trace_format *format, void *context)
{
	struct trace *trace = memory_take(1, sizeof(*trace));

	trace->job = job;
	trace->format = format;
	trace->context = context;
	trace->origin_ns = export_start_ns(job->dataset);
	trace->sink.out = job->out;
	format->begin(trace);
	trace_names_begin(trace);
	dataset_load(job->dataset, job->output);
	if (job->dataset->have & EXP_DATA_WALL)
		trace->writers = writers_create(job->dataset);
	return trace;
}

void trace_close(struct trace *trace)
{
	trace->format->end(trace);
	sink_flush(&trace->sink);
	if (trace->writers)
		writers_destroy(trace->writers);
	trace_names_fini(trace);
	free(trace);
}

void trace_export(struct export_job *job, const struct trace_format *format)
{
	struct trace *trace = trace_open(job, format, NULL);
	const struct dataset_experiment *at = NULL;

	while ((at = dataset_next(job->dataset, at)))
		trace_put_experiment(trace, at);
	trace_close(trace);
}

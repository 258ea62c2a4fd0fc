/* event_rows.c: a row for each event that is no wait. See events.h. */
#include "analyzer/export/sqlite/events.h"

#include "analyzer/base/memory.h"
#include "analyzer/views/events/iofile.h"
#include "experiment/events/heapweight.h"
#include "experiment/events/usertrace.h"
#include "format/record.h"
#include "template/template.h"

#include <stdlib.h>

const char *sql_name(struct sql_names *names, uint32_t value)
{
	const size_t count = sizeof(names->names) / sizeof(names->names[0]);

	if (value >= count)
		return fmt_enum_name(names->type, value);
	if (!names->names[value])
		names->names[value] = fmt_enum_name(names->type, value);
	return names->names[value];
}

static void put_stack(const struct sql_walk *walk, struct cell *cell, const uint32_t *stacks,
                      uint32_t node)
{
	if (walk->node_of && node != EXP_NO_INDEX)
		node = walk->node_of[node];
	if (node < walk->process->stacks.count && stacks[node] != 0)
		cell_integer(cell, stacks[node]);
}

void sql_put_stack(const struct sql_walk *walk, struct cell *cell, const struct sql_event *event)
{
	put_stack(walk, cell, walk->process->stacks.own, event->fact->node);
}

/* ---- samples ---- */

static void put_sample(struct sql_walk *walk, const struct sql_event *event)
{
	const struct exp_fact *fact = event->fact;
	struct cell *row = database_row(walk->database, SQL_SAMPLE);

	cell_integer(&row[SQL_SAMPLE_thread], event->thread);
	cell_integer(&row[SQL_SAMPLE_time_ns], event->span.end_ns);
	put_stack(walk, &row[SQL_SAMPLE_stack], walk->process->stacks.clock, fact->node);
	cell_integer(&row[SQL_SAMPLE_cpu], fact->cpu);
	cell_count(&row[SQL_SAMPLE_cpu_ns], fact->cpu_ns);
	cell_text(&row[SQL_SAMPLE_state], sql_name(&walk->clock_states, fact->type));
}

static void put_counter_sample(struct sql_walk *walk, const struct sql_event *event)
{
	const struct exp_fact *fact = event->fact;
	struct cell *row = database_row(walk->database, SQL_COUNTER_SAMPLE);

	cell_integer(&row[SQL_COUNTER_SAMPLE_thread], event->thread);
	cell_integer(&row[SQL_COUNTER_SAMPLE_time_ns], event->span.end_ns);
	sql_put_stack(walk, &row[SQL_COUNTER_SAMPLE_stack], event);
	cell_integer(&row[SQL_COUNTER_SAMPLE_cpu], fact->cpu);
	cell_integer(&row[SQL_COUNTER_SAMPLE_metric], METRIC_COUNTER0 + (int64_t)fact->type);
	cell_count(&row[SQL_COUNTER_SAMPLE_count], fact->bytes);
}

/* ---- the heap ---- */

static void put_mapping(struct sql_walk *walk, const struct sql_event *event)
{
	const struct exp_fact *fact = event->fact;
	struct cell *row = database_row(walk->database, SQL_MAPPING);

	cell_integer(&row[SQL_MAPPING_thread], event->thread);
	cell_integer(&row[SQL_MAPPING_time_ns], event->span.end_ns);
	sql_put_stack(walk, &row[SQL_MAPPING_stack], event);
	cell_text(&row[SQL_MAPPING_function], sql_name(&walk->map_funcs, fact->type));
	cell_address(&row[SQL_MAPPING_address], fact->address);
	cell_count(&row[SQL_MAPPING_size], fact->bytes);
}

static void put_block(struct sql_walk *walk, const struct sql_event *event)
{
	const struct exp_fact *fact = event->fact;
	uint64_t mean = walk->at->whole->heap.sampled_every;
	struct cell *row = database_row(walk->database, SQL_BLOCK);

	cell_integer(&row[SQL_BLOCK_thread], event->thread);
	cell_integer(&row[SQL_BLOCK_time_ns], event->span.end_ns);
	if (fact->freed_ticks != UINT64_MAX)
		cell_integer(&row[SQL_BLOCK_freed_ns],
		             experiment_time_ns(walk->at->experiment, fact->freed_ticks));
	sql_put_stack(walk, &row[SQL_BLOCK_stack], event);
	cell_text(&row[SQL_BLOCK_function], sql_name(&walk->heap_funcs, fact->type));
	cell_address(&row[SQL_BLOCK_address], fact->address);
	cell_count(&row[SQL_BLOCK_size], fact->bytes);
	if (mean != 0) {
		struct exp_heap_weight weight = exp_heap_weigh(fact->bytes, mean);

		cell_count(&row[SQL_BLOCK_stands_for_units], weight.units);
		cell_count(&row[SQL_BLOCK_stands_for_bytes], weight.bytes);
	}
}

/* ---- input and output ---- */

void sql_files_put(struct sql_walk *walk)
{
	const struct exp_io *io = walk->at->whole->io;

	for (size_t i = 0; i < io->file_count; i++) {
		const struct exp_io_file *file = &io->files[i];
		struct cell *row = database_row(walk->database, SQL_IO_FILE);
		uint32_t id = (uint32_t)++walk->sql->io_file_count;

		cell_integer(&row[SQL_IO_FILE_id], id);
		cell_integer(&row[SQL_IO_FILE_process], walk->at->id);
		cell_integer(&row[SQL_IO_FILE_number], file->number);
		cell_text(&row[SQL_IO_FILE_type], io_file_type(file));
		if (file->name)
			cell_foreign(&row[SQL_IO_FILE_name], file->name);
		if (exp_index_find(&walk->files, file->number) == EXP_INDEX_NONE &&
		    exp_index_add(&walk->files, file->number, id) != 0)
			memory_fail();
	}
}

int64_t sql_io_file(const struct sql_walk *walk, uint64_t number)
{
	uint32_t id = exp_index_find(&walk->files, number);

	return id == EXP_INDEX_NONE ? 0 : id;
}

static void put_io(struct sql_walk *walk, const struct sql_event *event)
{
	static const char *const classes[] = {[EXP_IO_OTHER] = "other",
	                                      [EXP_IO_READ] = "read",
	                                      [EXP_IO_WRITE] = "write",
	                                      [EXP_IO_ERROR] = "error"};
	const struct exp_fact *fact = event->fact;
	int64_t file = sql_io_file(walk, fact->file);
	struct cell *row = database_row(walk->database, SQL_IO);

	cell_integer(&row[SQL_IO_thread], event->thread);
	cell_integer(&row[SQL_IO_begin_ns], event->span.begin_ns);
	cell_integer(&row[SQL_IO_end_ns], event->span.end_ns);
	cell_count(&row[SQL_IO_wait_ns],
	           experiment_ticks_ns(walk->at->experiment, fact->wait_ticks));
	sql_put_stack(walk, &row[SQL_IO_stack], event);
	cell_text(&row[SQL_IO_function], sql_name(&walk->io_funcs, fact->type));
	cell_text(&row[SQL_IO_class], classes[fact->class < EXP_IO_CLASSES ? fact->class : 0]);
	if (file != 0)
		cell_integer(&row[SQL_IO_file], file);
	if (fact->fd != UINT32_MAX)
		cell_integer(&row[SQL_IO_fd], fact->fd);
	cell_count(&row[SQL_IO_bytes], fact->bytes);
	if (fact->error != 0)
		cell_integer(&row[SQL_IO_error], fact->error);
}

/* ---- what else there is ---- */

static void put_call(struct sql_walk *walk, const struct sql_event *event)
{
	struct cell *row = database_row(walk->database, SQL_CALL);

	cell_integer(&row[SQL_CALL_thread], event->thread);
	cell_integer(&row[SQL_CALL_begin_ns], event->span.begin_ns);
	cell_integer(&row[SQL_CALL_end_ns], event->span.end_ns);
	sql_put_stack(walk, &row[SQL_CALL_stack], event);
}

static void put_user(struct sql_walk *walk, const struct sql_event *event)
{
	const struct exp_user_event *user = event->fact->user;
	struct cell *row = database_row(walk->database, SQL_USER_EVENT);
	char hook[5];

	template_hook_text(user->hook, hook);
	cell_integer(&row[SQL_USER_EVENT_thread], event->thread);
	cell_integer(&row[SQL_USER_EVENT_time_ns], event->span.end_ns);
	cell_integer(&row[SQL_USER_EVENT_trace], user->trace);
	cell_take(&row[SQL_USER_EVENT_hook], memory_format("%s", hook));
	cell_take(&row[SQL_USER_EVENT_subhook], memory_format("%04X", user->subhook));
	for (unsigned i = 0; i < user->word_count && i < FMT_USER_WORDS; i++)
		cell_address(&row[SQL_USER_EVENT_d1 + i], user->words[i]);
	if (!user->is_generic)
		return;
	cell_integer(&row[SQL_USER_EVENT_channel], user->channel);
	cell_bytes(&row[SQL_USER_EVENT_data], user->bytes, user->byte_count);
}

static void put_omp(struct sql_walk *walk, const struct sql_event *event)
{
	const struct exp_fact *fact = event->fact;
	struct cell *row = database_row(walk->database, SQL_OMP);

	cell_integer(&row[SQL_OMP_thread], event->thread);
	cell_integer(&row[SQL_OMP_begin_ns], event->span.begin_ns);
	cell_integer(&row[SQL_OMP_end_ns], event->span.end_ns);
	sql_put_stack(walk, &row[SQL_OMP_stack], event);
	cell_text(&row[SQL_OMP_construct], sql_name(&walk->omp_events, fact->type));
	if (fact->address != 0)
		cell_address(&row[SQL_OMP_address], fact->address);
}

static void put_mpi(struct sql_walk *walk, const struct sql_event *event)
{
	const struct exp_fact *fact = event->fact;
	const struct fmt_mpi *mpi = fact->mpi;
	struct cell *row = database_row(walk->database, SQL_MPI);

	cell_integer(&row[SQL_MPI_thread], event->thread);
	cell_integer(&row[SQL_MPI_begin_ns], event->span.begin_ns);
	cell_integer(&row[SQL_MPI_end_ns], event->span.end_ns);
	cell_count(&row[SQL_MPI_time_ns],
	           experiment_ticks_ns(walk->at->experiment, fact->wait_ticks));
	sql_put_stack(walk, &row[SQL_MPI_stack], event);
	cell_text(&row[SQL_MPI_function], fmt_enum_name("mpi_func", fact->type));
	cell_text(&row[SQL_MPI_message], sql_name(&walk->mpi_messages, mpi->message));
	if (mpi->peer != UINT32_MAX)
		cell_integer(&row[SQL_MPI_peer], mpi->peer);
	if (mpi->comm != 0)
		cell_integer(&row[SQL_MPI_communicator], mpi->comm);
	cell_count(&row[SQL_MPI_sent], fmt_u48_get(&mpi->sent));
	cell_count(&row[SQL_MPI_received], fmt_u48_get(&mpi->received));
	if (fact->error != 0)
		cell_integer(&row[SQL_MPI_error], fact->error);
}

void sql_event_put(struct sql_walk *walk, const struct sql_event *event)
{
	switch (event->fact->data) {
	case EXP_DATA_PROFILE:
		put_sample(walk, event);
		break;
	case EXP_DATA_COUNTERS:
		put_counter_sample(walk, event);
		break;
	case EXP_DATA_HEAP:
		if (event->fact->is_map)
			put_mapping(walk, event);
		else
			put_block(walk, event);
		break;
	case EXP_DATA_IO:
		put_io(walk, event);
		break;
	case EXP_DATA_FUNCTRACE:
		put_call(walk, event);
		break;
	case EXP_DATA_USER:
		put_user(walk, event);
		break;
	case EXP_DATA_OMP:
		put_omp(walk, event);
		break;
	case EXP_DATA_SYNC:
	case EXP_DATA_WALL:
		break; /* waits: event_waits.c */
	case EXP_DATA_MPI:
		put_mpi(walk, event);
		break;
	}
}

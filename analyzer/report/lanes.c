/* lanes.c: see lanes.h. Waits are divided where columns end, so that each part is counted, and
 * shortened by the CPU time in it, as in every other table. */
#include "analyzer/report/lanes.h"

#include "analyzer/base/memory.h"
#include "analyzer/data/filters.h"
#include "analyzer/report/axis.h"
#include "experiment/table/index.h"

#include <stdlib.h>
#include <string.h>

/* One reading of an experiment. */
struct reading {
	const struct lanes_axis *axis;
	const struct dataset_experiment *at;
	int64_t offset_ns;
	struct filters_run *filters;
	struct filter_run *thread;
	struct lane *lanes; /* lanes[count] */
	size_t count;
	uint32_t *lane_of; /* by number of a thread: its lane + 1, 0: it has none */
	struct lanes_cell *cells;
	uint32_t *rows;  /* by cell: the row where its waits count + 1, 0: none yet */
	size_t *cell_of; /* cell_of[row_count]: by row, its cell */
	size_t row_count, row_capacity;
	struct exp_index files; /* number of a file -> state of waits for it */
	int has_wall;
};

int64_t lanes_column_ns(const struct lanes_axis *axis, size_t column)
{
	double width = ((double)axis->to_ns - (double)axis->from_ns) / (double)axis->columns;

	return column >= axis->columns ? axis->to_ns
	                               : axis->from_ns + (int64_t)(width * (double)column);
}

size_t lanes_column_at(const struct lanes_axis *axis, int64_t ns)
{
	double share;
	size_t column;

	if (ns < axis->from_ns || ns >= axis->to_ns)
		return SIZE_MAX;
	share = ((double)ns - (double)axis->from_ns) /
	        ((double)axis->to_ns - (double)axis->from_ns);
	column = (size_t)(share * (double)axis->columns);
	column = column < axis->columns ? column : axis->columns - 1;
	/* The same rounding as of the columns' begins. */
	if (ns < lanes_column_ns(axis, column))
		return column - 1;
	return ns >= lanes_column_ns(axis, column + 1) ? column + 1 : column;
}

/* ---- single events */

static struct lanes_cell *cell_at(const struct reading *reading, size_t lane, size_t column)
{
	return &reading->cells[lane * reading->axis->columns + column];
}

/* Time of a state from `begin` to `end`. */
static void add_span(const struct reading *reading, size_t lane, unsigned state,
                     const struct axis_span *span)
{
	const struct lanes_axis *axis = reading->axis;
	int64_t at = span->begin_ns > axis->from_ns ? span->begin_ns : axis->from_ns;
	int64_t end = span->end_ns < axis->to_ns ? span->end_ns : axis->to_ns;

	while (at < end) {
		size_t column = lanes_column_at(axis, at);
		int64_t next = lanes_column_ns(axis, column + 1);

		next = next > at && next < end ? next : end;
		cell_at(reading, lane, column)->ns[state] += (float)(next - at);
		at = next;
	}
}

/* What a sample stands for was before it, nobody knows when: it is placed later (place_all). */
static void add_sample(const struct reading *reading, size_t lane, const struct exp_fact *fact,
                       int64_t end_ns)
{
	const struct lanes_axis *axis = reading->axis;
	int64_t ns = fact->cpu_ns > INT64_MAX ? INT64_MAX : (int64_t)fact->cpu_ns;
	size_t column;

	if (end_ns >= axis->to_ns) {
		if (ns <= end_ns - axis->to_ns)
			return;
		ns -= end_ns - axis->to_ns;
		end_ns = axis->to_ns;
	}
	column = lanes_column_at(axis, end_ns - 1);
	if (column != SIZE_MAX)
		cell_at(reading, lane, column)->ns[LANES_CPU] += (float)ns;
}

static int is_lock(unsigned func)
{
	return func <= FMT_sync_func_MUTEX_CLOCKLOCK ||
	       (func >= FMT_sync_func_RDLOCK && func <= FMT_sync_func_SPIN_TRYLOCK) ||
	       (func >= FMT_sync_func_MTX_LOCK && func <= FMT_sync_func_MTX_TIMEDLOCK) ||
	       func == FMT_sync_func_MONITOR_ENTER || func == FMT_sync_func_ONCE ||
	       func == FMT_sync_func_CALL_ONCE;
}

/* Of a wait that wall-clock data do not tell of. */
static unsigned state_of(const struct reading *reading, const struct exp_fact *fact)
{
	uint32_t state;

	if (fact->data == EXP_DATA_SYNC)
		return is_lock(fact->type) ? FMT_wall_state_LOCK : FMT_wall_state_COND;
	state = exp_index_find(&reading->files, fact->file);
	return state == EXP_INDEX_NONE ? FMT_wall_state_FILE : state;
}

/* Where the time of a piece of a wait counts. */
static uint32_t row_of(struct reading *reading, size_t lane, int64_t begin_ns)
{
	size_t column = lanes_column_at(reading->axis, begin_ns), cell;

	if (column == SIZE_MAX)
		return EXP_ROW_NONE;
	cell = lane * reading->axis->columns + column;
	if (reading->rows[cell] != 0)
		return reading->rows[cell] - 1;
	if (reading->row_count == EXP_ROWS_MAX)
		return EXP_ROW_NONE;
	reading->cell_of = memory_grow(reading->cell_of, reading->row_count, &reading->row_capacity,
	                               sizeof(*reading->cell_of));
	reading->cell_of[reading->row_count++] = cell;
	reading->rows[cell] = (uint32_t)reading->row_count;
	return reading->rows[cell] - 1;
}

static uint32_t on_fact(void *context, const struct exp_fact *fact)
{
	struct reading *reading = context;
	struct axis_span span;
	uint32_t lane;
	int64_t thread;

	if (!filter_run_value(reading->thread, fact, &thread))
		thread = 0;
	if (thread < 0 || (uint64_t)thread > reading->at->whole->thread_count)
		return EXP_ROW_NONE;
	lane = reading->lane_of[thread];
	if (lane-- == 0)
		return EXP_ROW_NONE;
	span = axis_span_of(reading->at->experiment, reading->offset_ns, fact);
	if (reading->lanes[lane].end_ns < span.end_ns)
		reading->lanes[lane].end_ns = span.end_ns;
	if (!filters_select(reading->filters, fact))
		return EXP_ROW_NONE;
	if (fact->data == EXP_DATA_WALL)
		return row_of(reading, lane, span.begin_ns);
	if (fact->data == EXP_DATA_PROFILE)
		add_sample(reading, lane, fact, span.end_ns);
	else if (!reading->has_wall && fact->wait_ticks != 0)
		add_span(reading, lane, state_of(reading, fact), &span);
	return EXP_ROW_NONE;
}

static uint64_t next_cut(void *context, uint64_t ticks)
{
	const struct reading *reading = context;
	const struct lanes_axis *axis = reading->axis;
	int64_t ns = axis_ticks_ns(reading->at->experiment, reading->offset_ns, ticks), next;
	uint64_t cut = filters_next_cut(reading->filters, ticks), ticks_next;

	if (ns >= axis->to_ns)
		return cut;
	next = ns < axis->from_ns ? axis->from_ns
	                          : lanes_column_ns(axis, lanes_column_at(axis, ns) + 1);
	ticks_next = experiment_time_ticks(reading->at->experiment, next - reading->offset_ns);
	return ticks_next < cut ? ticks_next : cut;
}

static int on_begin(void *context, const struct exp_nodes *nodes)
{
	struct reading *reading = context;
	size_t cells = reading->count * reading->axis->columns;
	int status = filters_begin(reading->filters, nodes);

	/* A process that runs may be read several times. */
	memset(reading->cells, 0, cells * sizeof(*reading->cells));
	memset(reading->rows, 0, cells * sizeof(*reading->rows));
	reading->row_count = 0;
	return status != 0 ? status : filter_run_begin(reading->thread, nodes);
}

/* ---- cells */

static void take_state(const struct reading *reading, const uint64_t *values, size_t rows,
                       unsigned state)
{
	for (size_t i = 0; values && i < rows; i++)
		reading->cells[reading->cell_of[i]].ns[state] += (float)values[i];
}

/* The waits that counted in rows, and CPU time that no samples tell of. */
static void take_rows(const struct reading *reading, const struct exp_nodes *nodes)
{
	size_t rows = nodes->row_count < reading->row_count ? nodes->row_count : reading->row_count;

	for (unsigned state = FMT_wall_state_QUEUE; state < LANES_STATES; state++)
		take_state(reading, nodes->value[EXP_WALL_QUEUE + state - FMT_wall_state_QUEUE],
		           rows, state);
	take_state(reading, nodes->value[EXP_WALL_JOIN], rows, FMT_wall_state_COND);
	for (size_t i = 0; nodes->value[EXP_CPU_RESIDUAL] && i < rows; i++)
		reading->cells[reading->cell_of[i]]
			.ns[LANES_CPU] += (float)nodes->value[EXP_CPU_RESIDUAL][i];
}

double lanes_alive_ns(const struct lanes_axis *axis, const struct lane *lane, size_t column)
{
	int64_t begin = lanes_column_ns(axis, column), end = lanes_column_ns(axis, column + 1);

	begin = begin > lane->begin_ns ? begin : lane->begin_ns;
	end = end < lane->end_ns ? end : lane->end_ns;
	return end > begin ? (double)(end - begin) : 0;
}

/* Give time of a state that is known to have been before its column, or near it, to columns that
 * have room: from the last column to the first, then what is left from the first on. */
static void place(struct lanes_cell *cells, double *room, size_t columns, unsigned state)
{
	double carried = 0;

	for (size_t i = 2 * columns; i-- > 0;) {
		size_t column = i >= columns ? i - columns : columns - 1 - i;
		double *left = &room[column], taken;

		if (i >= columns) {
			carried += (double)cells[column].ns[state];
			cells[column].ns[state] = 0;
		}
		taken = carried < *left ? carried : *left;
		cells[column].ns[state] += (float)taken;
		*left -= taken;
		carried -= taken;
	}
}

/* CPU time first; time between waits is told for spans of a tenth of a second and more. */
static void place_all(const struct reading *reading, size_t lane)
{
	static const uint8_t placed[] = {LANES_CPU, FMT_wall_state_QUEUE, FMT_wall_state_OTHER};
	size_t columns = reading->axis->columns;
	struct lanes_cell *cells = cell_at(reading, lane, 0);
	double *room = memory_take(columns, sizeof(*room));

	for (size_t i = 0; i < columns; i++) {
		room[i] = lanes_alive_ns(reading->axis, &reading->lanes[lane], i);
		for (unsigned j = FMT_wall_state_LOCK; j < FMT_wall_state_OTHER; j++)
			room[i] -= (double)cells[i].ns[j];
		room[i] = room[i] > 0 ? room[i] : 0;
	}
	for (size_t i = 0; i < sizeof(placed); i++)
		place(cells, room, columns, placed[i]);
	free(room);
}

unsigned lanes_main_state(const struct lanes_cell *cell, double alive_ns, double *most_ns)
{
	unsigned most = LANES_STATES;
	double unknown = alive_ns;

	*most_ns = 0;
	for (unsigned i = 0; i < LANES_STATES; i++) {
		double ns = (double)cell->ns[i];

		unknown -= ns;
		if (ns > *most_ns) {
			*most_ns = ns;
			most = i;
		}
	}
	if (unknown > *most_ns) {
		*most_ns = unknown;
		most = LANES_STATES;
	}
	return most;
}

/* ---- an experiment */

static void index_files(struct reading *reading)
{
	const struct exp_io *io = reading->at->whole->io;

	for (size_t i = 0; i < io->file_count; i++) {
		unsigned state = io->files[i].type == FMT_file_type_PIPE     ? FMT_wall_state_PIPE
		                 : io->files[i].type == FMT_file_type_SOCKET ? FMT_wall_state_SOCKET
		                                                             : FMT_wall_state_FILE;

		if (exp_index_add(&reading->files, io->files[i].number, state) != 0)
			memory_fail();
	}
}

/* Until when a thread was there is told by its last event, if all of its time is recorded. */
static void begin_lives(const struct dataset *dataset, struct reading *reading)
{
	const struct exp_data_set *whole = reading->at->whole;
	double last_s = whole->last_s > reading->at->info->duration_s
	                        ? whole->last_s
	                        : reading->at->info->duration_s;

	for (size_t i = 0; i < reading->count; i++) {
		struct lane *lane = &reading->lanes[i];
		double begin_s = lane->thread != 0 && lane->thread <= whole->thread_count
		                         ? whole->threads[lane->thread - 1].time_s
		                         : 0;

		lane->begin_ns = axis_time_ns(dataset, reading->at, begin_s);
		lane->end_ns = reading->has_wall ? lane->begin_ns
		                                 : axis_time_ns(dataset, reading->at, last_s);
		if (lane->thread <= whole->thread_count)
			reading->lane_of[lane->thread] = (uint32_t)i + 1;
	}
}

static int read_all(const struct dataset *dataset, struct reading *reading)
{
	const struct filter_place place = filters_place(dataset, reading->at);
	struct expression_error error;
	struct expression *thread = expression_compile("THRID", &error);
	struct exp_selection selection = {
		.context = reading,
		.begin = on_begin,
		.row = on_fact,
		.next_cut = next_cut,
		.left_out = ~(unsigned)(EXP_DATA_PROFILE | EXP_DATA_WALL |
	                                (reading->has_wall ? 0 : EXP_DATA_SYNC | EXP_DATA_IO)),
		.is_grouped = 1};
	const struct exp_data_set *set;
	int status;

	filters_ask(dataset->filters, &selection);
	reading->filters = filters_open(dataset->filters, &place);
	reading->thread = filter_run_create(thread, &place);
	status = experiment_select(reading->at->experiment, &selection, &set);
	if (status == 0) {
		take_rows(reading, &set->nodes);
		exp_data_set_destroy(set);
	}
	filter_run_destroy(reading->thread);
	filters_close(reading->filters);
	expression_destroy(thread);
	return status;
}

int lanes_read(const struct dataset *dataset, const struct lanes_axis *axis, struct lane *lanes,
               size_t count, struct lanes_cell **cells)
{
	const struct dataset_experiment *at = lanes[0].at;
	size_t cell_count = count * axis->columns;
	struct reading reading = {.axis = axis,
	                          .at = at,
	                          .offset_ns = axis_offset_ns(dataset, at),
	                          .lanes = lanes,
	                          .count = count,
	                          .has_wall = (at->whole->have & EXP_DATA_WALL) != 0};
	int status;

	reading.cells = *cells = memory_take(cell_count, sizeof(**cells));
	reading.rows = memory_take(cell_count, sizeof(*reading.rows));
	reading.lane_of = memory_take(at->whole->thread_count + 1, sizeof(*reading.lane_of));
	if (!reading.has_wall)
		index_files(&reading);
	begin_lives(dataset, &reading);
	status = read_all(dataset, &reading);
	for (size_t i = 0; i < count && status == 0; i++)
		place_all(&reading, i);
	free(reading.lane_of);
	free(reading.rows);
	free(reading.cell_of);
	exp_index_fini(&reading.files);
	if (status != 0) {
		free(*cells);
		*cells = NULL;
	}
	return status;
}

/* timeline.c: what threads did, a line for each thread, a letter for each piece of time.
 * See doc/decisions/101-time-line.md. */
#include "analyzer/views/view.h"

#include "analyzer/base/fit.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/text.h"
#include "analyzer/data/filters.h"
#include "analyzer/data/indexobj.h"
#include "analyzer/report/quality/quality.h"
#include "analyzer/report/report.h"
#include "analyzer/views/time/eventrange.h"
#include "analyzer/views/time/timemarks.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
	WIDTH = 100,        /* of lines that go to no terminal */
	LABEL_MAX = 24,     /* columns for names of threads */
	COLUMNS_LEAST = 20, /* of time */
	LANES_USUAL = 40,   /* threads that are shown, if they go to no terminal */
	LANES_LEAST = 10,
	AROUND = 14 /* lines of a screen that are not for threads */
};

#define UNKNOWN_LETTER '.'

static const struct {
	char letter;
	int colour;
	const char *meaning;
} states[LANES_STATES] = {
#define LANE(state, letter, colour, meaning) [FMT_wall_state_##state] = {letter, colour, meaning},
#include "analyzer/views/time/timelane.def"
};

/* What is shown. */
struct timeline {
	const struct dataset *dataset;
	struct output *output;
	const struct event_range *range;
	struct lanes_axis axis;
	struct lane *lanes; /* lanes[count], in order of experiments and threads */
	size_t count, capacity;
	size_t left_out; /* threads that are not among them */
	size_t label_width;
	int has_colour;
	int is_partly; /* a filter leaves out events: the rest of the time is not unknown */
	unsigned seen; /* set of states that were shown; bit LANES_STATES: unknown time */
	struct print_table *table; /* for programs, NULL: text */
};

/* ---- which threads */

static void add_lane(struct timeline *timeline, const struct dataset_experiment *at,
                     uint32_t thread, uint64_t cpu_ns)
{
	timeline->lanes = memory_grow(timeline->lanes, timeline->count, &timeline->capacity,
	                              sizeof(*timeline->lanes));
	timeline->lanes[timeline->count++] = (struct lane){
		.at = at, .thread = thread, .cpu_ns = cpu_ns};
}

static int by_place(const void *left, const void *right)
{
	const struct lane *a = left, *b = right;

	if (a->at->id != b->at->id)
		return a->at->id < b->at->id ? -1 : 1;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return a->cpu_ns > b->cpu_ns ? -1 : a->cpu_ns < b->cpu_ns;
}

static int by_time(const void *left, const void *right)
{
	const struct lane *a = left, *b = right;

	if (a->cpu_ns != b->cpu_ns)
		return a->cpu_ns > b->cpu_ns ? -1 : 1;
	return by_place(left, right);
}

static void sort(struct timeline *timeline, int (*compare)(const void *, const void *))
{
	if (timeline->count > 1)
		qsort(timeline->lanes, timeline->count, sizeof(*timeline->lanes), compare);
}

/* A thread without events is there all the same. */
static void add_all(struct timeline *timeline)
{
	const struct dataset_experiment *at = NULL;
	size_t count = 0;

	while ((at = dataset_next(timeline->dataset, at)))
		for (size_t i = 0; i < at->whole->thread_count; i++)
			add_lane(timeline, at, (uint32_t)i + 1, 0);
	sort(timeline, by_place);
	for (size_t i = 0; i < timeline->count; i++)
		if (count == 0 || timeline->lanes[i].at != timeline->lanes[count - 1].at ||
		    timeline->lanes[i].thread != timeline->lanes[count - 1].thread)
			timeline->lanes[count++] = timeline->lanes[i];
	timeline->count = count;
}

/* How many threads to show, 0: all. */
static size_t most_lanes(const struct timeline *timeline, const struct choices *choices)
{
	size_t rows = terminal_rows(timeline->output->out);

	if (choices->limit != 0 || timeline->range->has_threads || timeline->table)
		return choices->limit;
	if (rows == 0)
		return LANES_USUAL;
	return rows > AROUND + LANES_LEAST ? rows - AROUND : LANES_LEAST;
}

static void choose_lanes(struct timeline *timeline, const struct choices *choices)
{
	char error[200];
	const struct index_type *type = index_find(timeline->dataset->indexes, 0, "threads", error,
	                                           sizeof(error));
	struct index_rows rows = index_gather(timeline->dataset, timeline->output, type,
	                                      timeline->range->wanted);
	size_t most = most_lanes(timeline, choices);

	for (size_t i = 0; i < rows.count; i++) {
		const struct index_row *row = &rows.rows[i];
		const struct dataset_experiment *at = dataset_find(timeline->dataset,
		                                                   (unsigned long)(row->key >> 32));
		uint64_t cpu_ns = columns_at(&rows.values, row->number, METRIC_TOTALCPU);

		if (at && !row->is_missing && ((row->key & UINT32_MAX) != 0 || cpu_ns != 0))
			add_lane(timeline, at, (uint32_t)(row->key & UINT32_MAX), cpu_ns);
	}
	index_rows_fini(&rows);
	if (!timeline->range->has_list && !timeline->is_partly)
		add_all(timeline);
	if (most != 0 && timeline->count > most) {
		sort(timeline, by_time);
		timeline->left_out = timeline->count - most;
		timeline->count = most;
	}
	sort(timeline, by_place);
}

/* ---- lanes */

/* A thread that ended before its name was looked for is called after its program. */
static const char *name_of(const struct lane *lane)
{
	const struct exp_data_set *whole = lane->at->whole;
	const char *name = lane->thread != 0 && lane->thread <= whole->thread_count
	                           ? whole->threads[lane->thread - 1].name
	                           : "";

	if (name[0] != '\0')
		return name;
	return lane->at->info->program ? text_base(lane->at->info->program) : "?";
}

/* As lists of threads name it. */
static char *label_of(const struct timeline *timeline, const struct lane *lane)
{
	const char *name = name_of(lane);

	if (timeline->dataset->count > 1)
		return memory_format("%u:%u %s", lane->at->id, lane->thread, name);
	return memory_format("%u %s", lane->thread, name);
}

static void measure(struct timeline *timeline)
{
	size_t screen = terminal_columns(timeline->output->out);

	timeline->label_width = strlen(timemark_heading(TIMEMARK_BEGIN));
	for (size_t i = 0; i < timeline->count; i++) {
		char *label = label_of(timeline, &timeline->lanes[i]);
		size_t width = fit_width(label);

		width = width < LABEL_MAX ? width : LABEL_MAX;
		if (width > timeline->label_width)
			timeline->label_width = width;
		free(label);
	}
	screen = screen == 0 || timeline->table ? WIDTH : screen;
	timeline->axis.columns = screen > timeline->label_width + 1 + COLUMNS_LEAST
	                                 ? screen - timeline->label_width - 1
	                                 : COLUMNS_LEAST;
	/* A column is a nanosecond at least. */
	if ((int64_t)timeline->axis.columns > timeline->axis.to_ns - timeline->axis.from_ns)
		timeline->axis.columns = (size_t)(timeline->axis.to_ns - timeline->axis.from_ns);
}

/* The letter of a state; a small one if the state has less than half of the time that the thread
 * was there. */
static int letter_of(unsigned state, double most_ns, double alive_ns)
{
	if (state == LANES_STATES)
		return UNKNOWN_LETTER;
	return most_ns * 2 < alive_ns ? tolower(states[state].letter) : states[state].letter;
}

static unsigned state_at(struct timeline *timeline, const struct lane *lane,
                         const struct lanes_cell *cells, size_t column, int *letter)
{
	double alive_ns = lanes_alive_ns(&timeline->axis, lane, column), most_ns;
	unsigned state = lanes_main_state(&cells[column], timeline->is_partly ? 0 : alive_ns,
	                                  &most_ns);

	if (most_ns <= 0) {
		*letter = ' ';
		return LANES_STATES + 1;
	}
	timeline->seen |= 1u << state;
	*letter = letter_of(state, most_ns, alive_ns);
	return state;
}

static void put_label(const struct timeline *timeline, const struct lane *lane)
{
	char *label = label_of(timeline, lane);
	size_t width = fit_width(label);

	fit_put(timeline->output->out, label, timeline->label_width);
	fprintf(timeline->output->out, "%*s ",
	        width < timeline->label_width ? (int)(timeline->label_width - width) : 0, "");
	free(label);
}

static void put_lane(struct timeline *timeline, const struct lane *lane,
                     const struct lanes_cell *cells)
{
	FILE *out = timeline->output->out;
	int colour = 0, blanks = 0;

	put_label(timeline, lane);
	for (size_t i = 0; i < timeline->axis.columns; i++) {
		int letter;
		unsigned state = state_at(timeline, lane, cells, i, &letter);
		int wanted = state < LANES_STATES ? states[state].colour : 0;

		if (letter == ' ') {
			blanks++;
			continue;
		}
		fprintf(out, "%*s", blanks, "");
		blanks = 0;
		if (timeline->has_colour && wanted != colour)
			fprintf(out, "\033[%dm", wanted);
		colour = wanted;
		fputc(letter, out);
	}
	fputs(timeline->has_colour && colour != 0 ? TERMINAL_PLAIN "\n" : "\n", out);
}

/* For programs: pieces of time in which one state has most. */
static void put_rows(struct timeline *timeline, const struct lane *lane,
                     const struct lanes_cell *cells)
{
	const struct lanes_axis *axis = &timeline->axis;
	int letter;

	for (size_t i = 0, next; i < axis->columns; i = next) {
		unsigned state = state_at(timeline, lane, cells, i, &letter);
		double ns = state < LANES_STATES ? (double)cells[i].ns[state] : 0;

		for (next = i + 1; next < axis->columns &&
		                   state_at(timeline, lane, cells, next, &letter) == state;
		     next++)
			ns += state < LANES_STATES ? (double)cells[next].ns[state] : 0;
		if (state > LANES_STATES)
			continue;
		print_number(timeline->table, lane->at->id);
		print_number(timeline->table, lane->thread);
		print_word(timeline->table, name_of(lane));
		print_real(timeline->table, (double)lanes_column_ns(axis, i) / 1e9);
		print_real(timeline->table, (double)lanes_column_ns(axis, next) / 1e9);
		print_word(timeline->table, state == LANES_STATES ? "unknown"
		                            : state == LANES_CPU
		                                    ? "cpu"
		                                    : fmt_enum_name("wall_state", state));
		print_number(timeline->table, (uint64_t)ns);
	}
}

/* Read the lanes of one experiment, and print them. Returns how many. */
static size_t put_experiment(struct timeline *timeline, size_t first)
{
	struct lane *lanes = &timeline->lanes[first];
	struct lanes_cell *cells;
	size_t count = 1;

	while (first + count < timeline->count && lanes[count].at == lanes->at)
		count++;
	if (lanes_read(timeline->dataset, &timeline->axis, lanes, count, &cells) != 0)
		memory_fail();
	for (size_t i = 0; i < count; i++)
		(timeline->table ? put_rows : put_lane)(timeline, &lanes[i],
		                                        &cells[i * timeline->axis.columns]);
	free(cells);
	return count;
}

/* ---- around them */

static void put_head(const struct timeline *timeline)
{
	const struct lanes_axis *axis = &timeline->axis;
	double seconds = (double)(axis->to_ns - axis->from_ns) / 1e9;

	fprintf(timeline->output->out,
	        "Time line from %.3f to %.3f seconds, %.3g seconds a column\n\n",
	        (double)axis->from_ns / 1e9, (double)axis->to_ns / 1e9,
	        seconds / (double)axis->columns);
}

static void put_legend(const struct timeline *timeline)
{
	FILE *out = timeline->output->out;
	char *text;
	size_t size;
	FILE *made = memory_stream(&text, &size);

	for (unsigned i = 0; i < LANES_STATES; i++)
		if (timeline->seen & 1u << i)
			fprintf(made, "%c %s, ", states[i].letter, states[i].meaning);
	if (timeline->seen & 1u << LANES_STATES)
		fprintf(made, "%c unknown, ", UNKNOWN_LETTER);
	fputs("small letters: most, but less than half", made);
	memory_stream_end(made, &text);
	fputc('\n', out);
	fit_put_wrapped(out, text, timeline->label_width + 1 + timeline->axis.columns, 0, 2);
	fputc('\n', out);
	free(text);
}

/* What was not recorded, and what would show it. */
static void put_missing(const struct timeline *timeline)
{
	unsigned have = timeline->dataset->have;

	if (!(have & EXP_DATA_WALL))
		print_note(timeline->output,
		           "not recorded: waits%s (xcollect -w on records all time of threads)",
		           have & EXP_DATA_SYNC && have & EXP_DATA_IO
		                   ? " but for synchronization, input and output"
		           : have & EXP_DATA_SYNC ? " but for synchronization"
		           : have & EXP_DATA_IO   ? " but for input and output"
		                                  : "");
	if (!(have & (EXP_DATA_PROFILE | EXP_DATA_WALL)))
		print_note(timeline->output, "not recorded: CPU time (xcollect -p on)");
	if (timeline->left_out != 0)
		print_note(timeline->output,
		           "not shown: %zu of %zu threads, those with the least CPU time "
		           "(timeline all all shows every thread)",
		           timeline->left_out, timeline->left_out + timeline->count);
}

static void begin_table(struct timeline *timeline)
{
	struct print_table *table;

	if (!print_is_data(timeline->output))
		return;
	timeline->table = table = print_table_begin("timeline");
	print_column(table, PRINT_ID, "experiment", "Experiment");
	print_column(table, PRINT_ID, "thread", "Thread");
	print_column(table, PRINT_WORD, "name", "Name");
	print_column(table, PRINT_SECONDS, "from", "From");
	print_column(table, PRINT_SECONDS, "to", "To");
	print_column(table, PRINT_WORD, "state", "State");
	print_column(table, PRINT_NS, "time", "Time in It");
}

static void put_marks_table(const struct timeline *timeline, const struct timemarks *marks)
{
	struct print_table *table = print_table_begin("timeline_marks");

	print_column(table, PRINT_WORD, "mark", "Mark");
	print_column(table, PRINT_SECONDS, "from", "From");
	print_column(table, PRINT_SECONDS, "to", "To");
	print_column(table, PRINT_COUNT, "count", "Count");
	for (unsigned mark = 0; mark < TIMEMARKS; mark++)
		for (size_t i = 0; i < marks->axis->columns; i++) {
			if (timemarks_at(marks, mark, i) == 0)
				continue;
			print_word(table, timemark_key(mark));
			print_real(table, (double)lanes_column_ns(marks->axis, i) / 1e9);
			print_real(table, (double)lanes_column_ns(marks->axis, i + 1) / 1e9);
			print_number(table, timemarks_at(marks, mark, i));
		}
	print_table_end(timeline->output, table, 0);
}

static void put_all(struct timeline *timeline)
{
	FILE *out = timeline->output->out;
	struct timemarks marks;

	if (timemarks_read(timeline->dataset, &timeline->axis, &marks) != 0)
		memory_fail();
	if (!timeline->table)
		put_head(timeline);
	for (size_t i = 0; i < timeline->count;)
		i += put_experiment(timeline, i);
	if (timeline->table) {
		print_table_end(timeline->output, timeline->table, 0);
		put_marks_table(timeline, &marks);
	} else {
		timemarks_put(&marks, out, timeline->label_width);
		timemarks_put_axis(&timeline->axis, out, timeline->label_width);
		put_legend(timeline);
	}
	timemarks_fini(&marks);
	put_missing(timeline);
	fputc('\n', out);
}

static int leaves_out(const struct filters *filters)
{
	return filters_shown(filters, FILTERS_EXPRESSION) || filters_shown(filters, FILTERS_CPUS) ||
	       filters_shown(filters, FILTERS_SAMPLES) || filters_shown(filters, FILTERS_THREADS) ||
	       filters_shown(filters, FILTERS_LWPS);
}

void view_timeline(const struct dataset *dataset, const struct choices *choices,
                   struct output *output, const struct command_argument *argument)
{
	struct event_range range;
	struct timeline timeline = {.dataset = dataset,
	                            .output = output,
	                            .range = &range,
	                            .has_colour = terminal_has_color(output->out),
	                            .is_partly = leaves_out(dataset->filters)};

	if (event_range_read(dataset, output, "timeline", argument, &range) != 0)
		return;
	quality_put(dataset, output);
	timeline.axis = (struct lanes_axis){range.from_ns, range.to_ns, COLUMNS_LEAST};
	begin_table(&timeline);
	choose_lanes(&timeline, choices);
	measure(&timeline);
	put_all(&timeline);
	free(timeline.lanes);
	event_range_fini(&range);
}

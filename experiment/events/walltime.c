/* walltime.c: the ends of threads' time, and its parts by the rows that a load asks for. See
 * wall.h.
 */
#include "experiment/events/wall.h"

#include "experiment/events/syncclass.h"
#include "experiment/streams/readers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

uint64_t exp_load_end(const struct exp_load *load, uint64_t last_tsc)
{
	const struct experiment *experiment = load->experiment;
	const struct exp_clock *clock = &experiment->clock;
	double since_s = experiment->info.duration_s, known;
	struct timespec now;
	uint64_t end;

	if (experiment->info.status == EXP_RUNNING && clock_gettime(CLOCK_MONOTONIC_RAW, &now) == 0)
		since_s = ((double)now.tv_sec * 1e9 + (double)now.tv_nsec -
		           (double)clock->start.raw_ns) *
		          1e-9;
	known = (double)clock->start.ticks + since_s * clock->hz;
	end = known > 0 ? (uint64_t)known : 0;
	if (load->known_tsc > last_tsc)
		last_tsc = load->known_tsc;
	return (int64_t)(end - last_tsc) > 0 ? end : last_tsc;
}

int exp_load_has_profile(const struct exp_load *load)
{
	return load->experiment->samples[0] ||
	       strcmp(experiment_setting(load->experiment, "profile_us", "0"), "0") != 0;
}

enum exp_metric exp_wall_metric(unsigned state, unsigned type)
{
	static const uint8_t metrics[] = {
		[FMT_wall_state_QUEUE] = EXP_WALL_QUEUE,
		[FMT_wall_state_LOCK] = EXP_WALL_LOCK,
		[FMT_wall_state_COND] = EXP_WALL_COND,
		[FMT_wall_state_SLEEP] = EXP_WALL_SLEEP,
		[FMT_wall_state_FILE] = EXP_WALL_FILE,
		[FMT_wall_state_PIPE] = EXP_WALL_PIPE,
		[FMT_wall_state_SOCKET] = EXP_WALL_SOCKET,
		[FMT_wall_state_TERMINAL] = EXP_WALL_TERMINAL,
		[FMT_wall_state_POLL] = EXP_WALL_POLL,
		[FMT_wall_state_CHILD] = EXP_WALL_CHILD,
		[FMT_wall_state_SIGNAL] = EXP_WALL_SIGNAL,
		[FMT_wall_state_FAULT] = EXP_WALL_FAULT,
		[FMT_wall_state_STOP] = EXP_WALL_STOP,
		[FMT_wall_state_OTHER] = EXP_WALL_OTHER,
	};

	if (type >> 8 == FMT_wait_family_SYNC &&
	    exp_sync_class_of(type & UINT8_MAX) == EXP_SYNC_JOIN)
		return EXP_WALL_JOIN;
	return (enum exp_metric)metrics[state];
}

/* ---- parts */

static uint32_t row_of(struct exp_load *load, struct exp_fact *fact, uint64_t ticks)
{
	fact->ticks = ticks;
	return exp_load_row_of(load, fact);
}

/* Times are divided at most so often: one of a damaged file may last for centuries. What is left
 * then is one piece, and that is said. A time of six days has half a million
 * seconds; a hundred threads have so many pieces in three days. */
enum { PIECES_OF_PART = 1 << 19, PIECES = 1 << 25 };

static int may_divide(struct exp_load *load, size_t pieces)
{
	if (pieces < PIECES_OF_PART && load->pieces < PIECES)
		return 1;
	if (load->pieces != SIZE_MAX)
		exp_warn(load->experiment,
		         "waits and CPU time of threads last too long to be divided whole");
	load->pieces = SIZE_MAX;
	return 0;
}

void exp_part_divide(struct exp_load *load, const struct exp_part *part,
                     void (*take)(void *context, uint32_t row, uint64_t ns, int is_last),
                     void *context)
{
	const struct exp_selection *selection = load->selection;
	uint64_t from = part->from, left = part->ns;
	double ns = (double)part->ns / (double)(part->to > from ? part->to - from : 1);
	struct exp_fact fact = part->fact;
	size_t pieces = 0;

	while (selection && selection->next_cut && load->rc == 0) {
		uint64_t cut = selection->next_cut(selection->context, from), piece;

		if (cut >= part->to || cut <= from || !may_divide(load, pieces))
			break;
		pieces++;
		load->pieces++;
		piece = exp_whole(ns * (double)(cut - from));
		piece = piece < left ? piece : left;
		fact.begin_ticks = from;
		take(context, row_of(load, &fact, cut - 1), piece, 0);
		left -= piece;
		from = cut;
	}
	fact.begin_ticks = from;
	take(context, row_of(load, &fact, part->to), left, 1);
}

struct counting {
	struct exp_load *load;
	enum exp_metric metric;
};

static void count_piece(void *context, uint32_t row, uint64_t ns, int is_last)
{
	const struct counting *counting = context;

	(void)is_last;
	if (row != EXP_ROW_NONE)
		exp_load_add(counting->load, counting->metric, row, ns);
}

void exp_part_count(struct exp_load *load, const struct exp_part *part)
{
	int is_cpu = part->fact.state < FMT_wall_state_QUEUE;
	struct counting counting = {load,
	                            is_cpu ? EXP_CPU_RESIDUAL
	                                   : exp_wall_metric(part->fact.state, part->fact.type)};

	exp_part_divide(load, part, count_piece, &counting);
}

/* ---- the end */

static uint64_t ticks_of(const struct exp_load *load, double time_s)
{
	const struct exp_clock *clock = &load->experiment->clock;
	double ticks = (double)clock->start.ticks + time_s * clock->hz;

	return exp_whole(ticks);
}

/* of_thread[thread_count]: their lives, the last ones. */
static void find_threads(const struct exp_load *load, struct exp_life **of_thread)
{
	for (size_t i = 0; i < load->life_count; i++) {
		struct exp_life *life = &load->lives[i];
		double time_s = exp_clock_seconds(&load->experiment->clock,
		                                  life->at ? life->at : load->last_tsc);
		struct exp_data_set set = {.threads = load->threads,
		                           .thread_count = load->thread_count,
		                           .threads_by_tid = load->threads_by_tid};
		uint32_t at = exp_thread_at(&set, life->tid, time_s);

		if (at != EXP_NO_INDEX)
			of_thread[at] = life;
	}
}

/* A thread of which no account was made at its end: the process was killed, or it runs. */
static void end_life(struct exp_load *load, struct exp_life *life, const struct exp_thread *thread,
                     const struct exp_pauses *pauses, uint64_t end)
{
	uint64_t all_ns, known_ns, cpu_ns;

	if (!life->at)
		life->begin = life->at = ticks_of(load, thread->time_s);
	if (life->at < load->experiment->kept_from)
		life->at = load->experiment->kept_from;
	if (end <= life->at)
		return;
	all_ns = exp_load_ns(load, exp_pauses_outside(pauses, life->at, end));
	cpu_ns = thread->cpu_ns > life->cpu_ns ? thread->cpu_ns - life->cpu_ns : 0;
	known_ns = cpu_ns + life->waited_ns;
	life->rest_ns = all_ns > known_ns ? all_ns - known_ns : 0;
	life->end = end;
	load->set.quality.wall_ns += all_ns;
	load->set.quality.wall_unknown_ns += life->rest_ns;
}

/* Add lives of threads that have no record of wall-clock time, and end those that go on. */
static int end_lives(struct exp_load *load)
{
	uint64_t end = exp_load_end(load, load->first_tsc <= load->last_tsc ? load->last_tsc : 0);
	struct exp_life **of_thread = calloc(load->thread_count + 1, sizeof(struct exp_life *));
	struct exp_life *lives = calloc(load->thread_count + 1, sizeof(*lives));
	struct exp_pauses pauses = {0};
	size_t count = 0;
	int rc = of_thread && lives ? exp_pauses_read(load->experiment, &pauses) : -ENOMEM;

	if (rc == 0)
		find_threads(load, of_thread);
	for (size_t i = 0; i < load->thread_count && rc == 0; i++) {
		struct exp_life *life = &lives[count];

		if (of_thread[i] && of_thread[i]->end)
			continue;
		*life = of_thread[i] ? *of_thread[i]
		                     : (struct exp_life){.tid = load->threads[i].tid};
		end_life(load, life, &load->threads[i], &pauses, end);
		count++;
	}
	exp_pauses_fini(&pauses);
	free(of_thread);
	free(load->lives);
	load->lives = lives;
	load->life_count = lives ? count : 0;
	return rc;
}

int exp_wall_finish(struct exp_load *load)
{
	const struct exp_load *whole = load->selection ? load->experiment->load : load;
	int rc = 0;

	if (strcmp(experiment_setting(load->experiment, "wall", "off"), "on") != 0 ||
	    (load->selection && load->selection->left_out & EXP_DATA_WALL))
		return 0;
	load->set.have |= EXP_DATA_WALL;
	for (enum exp_metric i = EXP_WALL_QUEUE; i <= EXP_WALL_COUNT && rc == 0; i++)
		rc = exp_load_need(load, i);
	if (rc == 0 && whole == load)
		rc = end_lives(load);
	for (size_t i = 0; i < whole->life_count && rc == 0; i++) {
		const struct exp_life *life = &whole->lives[i];
		struct exp_part part = {.fact = {.data = EXP_DATA_WALL,
		                                 .state = FMT_wall_state_OTHER,
		                                 .tid = life->tid,
		                                 .buffer_ticks = life->end,
		                                 .begin_ticks = life->at,
		                                 .wait_ticks = life->end - life->at,
		                                 .node = EXP_NODE_NONE},
		                        .from = life->at,
		                        .to = life->end,
		                        .ns = life->rest_ns};

		if (part.ns > 0)
			exp_part_count(load, &part);
		rc = load->rc;
	}
	return rc;
}

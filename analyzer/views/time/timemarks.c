/* timemarks.c: see timemarks.h. */
#include "analyzer/views/time/timemarks.h"

#include "analyzer/base/memory.h"
#include "analyzer/data/filters.h"
#include "analyzer/report/axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *key, *heading;
} texts[TIMEMARKS] = {
#define X(id, key, heading) {key, heading},
	TIMEMARKS_ALL(X)
#undef X
};

const char *timemark_key(enum timemark mark)
{
	return texts[mark].key;
}

const char *timemark_heading(enum timemark mark)
{
	return texts[mark].heading;
}

uint64_t timemarks_at(const struct timemarks *marks, enum timemark mark, size_t column)
{
	return marks->counts[mark * marks->axis->columns + column];
}

static void add(struct timemarks *marks, enum timemark mark, int64_t ns)
{
	size_t column = lanes_column_at(marks->axis, ns);

	if (column == SIZE_MAX)
		return;
	marks->counts[mark * marks->axis->columns + column]++;
	marks->all[mark]++;
}

/* ---- user events */

struct reading {
	struct timemarks *marks;
	const struct dataset_experiment *at;
	int64_t offset_ns;
	struct filters_run *filters;
	/* Of user events, before this experiment: one that grows is read several times. */
	uint64_t *counts_before; /* [columns] */
	uint64_t all_before;
};

static uint64_t *user_counts(const struct timemarks *marks)
{
	return marks->counts + TIMEMARK_USER * marks->axis->columns;
}

static int on_begin(void *context, const struct exp_nodes *nodes)
{
	const struct reading *reading = context;

	memcpy(user_counts(reading->marks), reading->counts_before,
	       reading->marks->axis->columns * sizeof(*reading->counts_before));
	reading->marks->all[TIMEMARK_USER] = reading->all_before;
	return filters_begin(reading->filters, nodes);
}

static uint32_t on_fact(void *context, const struct exp_fact *fact)
{
	const struct reading *reading = context;

	if (fact->data == EXP_DATA_USER && filters_select(reading->filters, fact))
		add(reading->marks, TIMEMARK_USER,
		    axis_ticks_ns(reading->at->experiment, reading->offset_ns, fact->ticks));
	return EXP_ROW_NONE;
}

static int read_user(const struct dataset *dataset, const struct dataset_experiment *at,
                     struct timemarks *marks)
{
	const struct filter_place place = filters_place(dataset, at);
	struct reading reading = {
		.marks = marks,
		.at = at,
		.offset_ns = axis_offset_ns(dataset, at),
		.filters = filters_open(dataset->filters, &place),
		.counts_before = memory_take(marks->axis->columns, sizeof(uint64_t)),
		.all_before = marks->all[TIMEMARK_USER]};
	const struct exp_selection selection = {.context = &reading,
	                                        .begin = on_begin,
	                                        .row = on_fact,
	                                        .left_out = ~(unsigned)EXP_DATA_USER,
	                                        .is_grouped = 1};
	const struct exp_data_set *set;
	int status;

	memcpy(reading.counts_before, user_counts(marks),
	       marks->axis->columns * sizeof(*reading.counts_before));
	status = experiment_select(at->experiment, &selection, &set);
	free(reading.counts_before);
	filters_close(reading.filters);
	if (status == 0)
		exp_data_set_destroy(set);
	return status;
}

/* ---- all */

int timemarks_read(const struct dataset *dataset, const struct lanes_axis *axis,
                   struct timemarks *out)
{
	const struct dataset_experiment *at = NULL;
	int status = 0;

	*out = (struct timemarks){.axis = axis};
	out->counts = memory_take(TIMEMARKS * axis->columns, sizeof(*out->counts));
	while (status == 0 && (at = dataset_next(dataset, at))) {
		const struct exp_data_set *whole = at->whole;
		int64_t end_ns = axis_time_ns(dataset, at, at->info->duration_s);

		add(out, TIMEMARK_BEGIN, axis_time_ns(dataset, at, 0));
		if (at->info->status != EXP_RUNNING && at->info->status != EXP_SNAPSHOT)
			add(out, TIMEMARK_END, end_ns == axis->to_ns ? end_ns - 1 : end_ns);
		for (size_t i = 0; i < whole->usage_count; i++)
			add(out, TIMEMARK_SAMPLES,
			    axis_time_ns(dataset, at, whole->usage[i].time_s));
		for (size_t i = 0; i < whole->gc_count; i++)
			add(out, TIMEMARK_COLLECTIONS,
			    axis_time_ns(dataset, at, whole->gcs[i].time_s));
		if (whole->have & EXP_DATA_USER)
			status = read_user(dataset, at, out);
	}
	if (status != 0)
		timemarks_fini(out);
	return status;
}

void timemarks_fini(struct timemarks *marks)
{
	free(marks->counts);
	*marks = (struct timemarks){.axis = NULL};
}

void timemarks_put(const struct timemarks *marks, FILE *out, size_t label_width)
{
	for (unsigned mark = 0; mark < TIMEMARKS; mark++) {
		size_t blanks = 1;

		if (marks->all[mark] == 0)
			continue;
		fprintf(out, "%-*s", (int)label_width, texts[mark].heading);
		for (size_t i = 0; i < marks->axis->columns; i++) {
			uint64_t count = timemarks_at(marks, mark, i);

			if (count == 0) {
				blanks++;
				continue;
			}
			fprintf(out, "%*s%c", (int)blanks, "",
			        count < 10 ? (int)('0' + count) : '+');
			blanks = 0;
		}
		fputc('\n', out);
	}
}

/* ---- the axis */

enum { LEAST_STEP = 10 /* columns between two ticks */, DECIMALS_MAX = 9 };

/* 1, 2 or 5 times a power of ten seconds, the least that is so many columns; ns. */
static double step_of(const struct lanes_axis *axis)
{
	double least = ((double)axis->to_ns - (double)axis->from_ns) / (double)axis->columns *
	               LEAST_STEP;
	double power = pow(10, floor(log10(least)));

	if (power < 1)
		return 1;
	if (least <= power)
		return power;
	if (least <= 2 * power)
		return 2 * power;
	return least <= 5 * power ? 5 * power : 10 * power;
}

/* Digits behind the point that tell ticks apart. */
static int decimals_of(double step_ns)
{
	int decimals = DECIMALS_MAX - (int)floor(log10(step_ns) + 1e-9);

	return decimals < 1 ? 1 : decimals > DECIMALS_MAX ? DECIMALS_MAX : decimals;
}

void timemarks_put_axis(const struct lanes_axis *axis, FILE *out, size_t label_width)
{
	double step = step_of(axis), first = ceil((double)axis->from_ns / step);
	size_t at = 0;

	fprintf(out, "%-*s ", (int)label_width, "seconds");
	for (size_t i = 0; i <= axis->columns; i++) {
		double ns = (first + (double)i) * step;
		size_t column = lanes_column_at(axis, (int64_t)ns);
		char text[64];
		int len = snprintf(text, sizeof(text), "|%.*f", decimals_of(step), ns / 1e9);

		if (column == SIZE_MAX)
			break;
		if (column < at || column + (size_t)len > axis->columns)
			continue;
		fprintf(out, "%*s%s", (int)(column - at), "", text);
		at = column + (size_t)len;
	}
	fputc('\n', out);
}

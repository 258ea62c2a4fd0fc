/* rows.h: the events of an experiment by kind, time, thread and stack, in one reading. */
#ifndef XER_ANALYZER_PAGE_ROWS_H
#define XER_ANALYZER_PAGE_ROWS_H

#include "analyzer/data/dataset.h"
#include "analyzer/page/sizes.h"
#include "experiment/streams/selection.h"
#include "format/layout.h"

/* Where events count together. Times are in units of width_ns of their kind since the start of the
 * founder. */
struct page_row {
	uint32_t thread; /* as the filter token THRID says: from 1, 0: not known */
	uint32_t node;   /* the innermost of the stack, EXP_NO_INDEX: none */
	uint32_t end, begin;
	uint32_t value; /* where its values stand in set->nodes.value[total] */
	uint8_t kind;   /* number of a kind of data */
	/* The class of the size of its first block or read, and of its first write, plus 1; 0: it
	 * has none. */
	uint8_t first, first_write;
};

/* Blocks of a row that were freed at the same time. Those that did not live beyond the unit of time
 * in which they were allocated are left out: they are live at no border of units. */
struct page_death {
	uint32_t value; /* of the row */
	uint32_t end;   /* when they were freed, in units of its kind */
	uint64_t bytes, count;
};

/* What is told of each event that filters leave, with its place on the axis of time. */
struct page_fact {
	const struct exp_fact *fact;
	uint32_t thread;
	int64_t end_ns, begin_ns;
};

struct page_rows {
	struct page_row *rows; /* rows[count], sorted by kind, end, thread and node */
	size_t count;
	struct page_death *deaths; /* deaths[death_count], in any order, of EXP_DATA_HEAP */
	size_t death_count;
	struct sizes sizes;               /* by `value` of rows */
	uint64_t width_ns[FMT_DATAKINDS]; /* by kind */
	unsigned merged;                  /* set of enum exp_data: threads are not told apart */
	const struct exp_data_set *set;
	int has_overflow; /* there were too many rows: some events are missing */
};

/* At how many rows of one kind, and deaths, the units of time become wider, again and again. */
enum {
	PAGE_ROWS_SAMPLES = 1 << 20,
	PAGE_ROWS_OTHER = 1 << 18,
	PAGE_ROWS_LEAST = 1 << 10,
	PAGE_DEATHS = 1 << 17
};

/* Which events are read, and who is told of each; `see` may be NULL. */
struct page_reading {
	unsigned kinds; /* set of enum exp_data */
	double share;   /* of the limits above, 0 < share <= 1 */
	void (*see)(void *context, const struct page_fact *fact);
	void *context;
};

/* Read the events of an experiment that the filters leave. Memory grows with the rows, not with
 * events. Returns 0, then page_rows_fini frees; or -ENOMEM. */
int page_rows_read(const struct dataset *dataset, const struct dataset_experiment *at,
                   const struct page_reading *reading, struct page_rows *out);
void page_rows_fini(struct page_rows *rows);

/* Where rows stand in rows->rows, by their values. The caller frees. */
uint32_t *page_rows_places(const struct page_rows *rows);

#endif

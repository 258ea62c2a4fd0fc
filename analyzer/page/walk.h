/* walk.h: an experiment while its events are written to a report page.
 *
 *   events.c   reads its events, and tells of single ones
 *   values.c   writes the rows
 *   deaths.c   and when blocks were freed
 *   sizeparts.c    and what sizes they had
 *   things.c   and what was done with things that are no stacks */
#ifndef XER_ANALYZER_PAGE_WALK_H
#define XER_ANALYZER_PAGE_WALK_H

#include "analyzer/page/curve.h"
#include "analyzer/page/page.h"
#include "analyzer/page/rows.h"
#include "analyzer/page/uses.h"

enum { WALK_NAMES = 1 << 12 };

struct walk {
	struct page *page;
	const struct dataset_experiment *at;
	struct tree_places places;
	struct curve live;
	int has_live;
	struct uses uses[FMT_DATAKINDS];
	struct exp_index things[FMT_DATAKINDS];    /* by what they are -> number */
	struct exp_index files;                    /* number of a file -> index */
	uint32_t names[FMT_DATAKINDS][WALK_NAMES]; /* numbers of texts + 1, by type of an event */
};

/* Where the values of a row are written: those of clock samples, and all others. A sample at a call
 * stands at its own node, what else is known of it at that of the call. */
struct written {
	uint32_t clock, own; /* numbers of rows of the page, UINT32_MAX: there is no such value */
};

/* The node of the tree for an event of this kind. (values.c) */
uint32_t walk_place(struct walk *walk, uint32_t node, unsigned kind);

/* Write rows with their values. (values.c) */
void walk_put_rows(struct walk *walk, const struct page_rows *rows);

/* What was done with things: between begin and end each event is told of, call: a text. (things.c)
 */
void walk_begin_uses(struct walk *walk, double share);
void walk_use(struct walk *walk, const struct page_fact *fact, uint32_t call);
void walk_use_java(struct walk *walk, const struct page_fact *fact);
void walk_put_uses(struct walk *walk);

/* Write what was freed; written: by index of a row. (deaths.c) */
void walk_put_deaths(struct page *page, const struct page_rows *rows,
                     const struct written *written);

/* Write which sizes blocks and calls had; written: by index of a row. (sizeparts.c)
 */
void walk_put_sizes(struct page *page, const struct page_rows *rows, const struct written *written);

#endif

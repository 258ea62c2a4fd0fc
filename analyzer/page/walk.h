/* walk.h: an experiment while its events are written to a report page.
 *
 *   events.c   reads its events, and tells of single ones
 *   values.c   writes the rows */
#ifndef XER_ANALYZER_PAGE_WALK_H
#define XER_ANALYZER_PAGE_WALK_H

#include "analyzer/page/curve.h"
#include "analyzer/page/page.h"
#include "analyzer/page/rows.h"

enum { WALK_NAMES = 1 << 12 };

struct walk {
	struct page *page;
	const struct dataset_experiment *at;
	struct tree_places places;
	struct curve live;
	int has_live;
	uint32_t names[FMT_DATAKINDS][WALK_NAMES]; /* numbers of texts + 1, by type of an event */
};

/* The node of the tree for an event of this kind. (values.c) */
uint32_t walk_place(struct walk *walk, uint32_t node, unsigned kind);

/* Write rows with their values. (values.c) */
void walk_put_rows(struct walk *walk, const struct page_rows *rows);

#endif

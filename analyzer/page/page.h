/* page.h: a report page while it is written. section.def describes what it holds.
 *
 *   page.c       the command, the file: the viewer, then the sections
 *   events.c     experiment by experiment: marks, curves, and by values.c rows with their sums
 *   stacks.c     functions, frames and stacks
 *   head.c       what there is, as JSON
 *   documents.c  what other commands print */
#ifndef XER_ANALYZER_PAGE_PAGE_H
#define XER_ANALYZER_PAGE_PAGE_H

#include "analyzer/data/dataset.h"
#include "analyzer/model/choices.h"
#include "analyzer/page/column.h"
#include "analyzer/page/marks.h"
#include "analyzer/print/output.h"
#include "experiment/table/hash.h"

enum page_section {
#define SECTION(id, name, coding, meaning) PAGE_##id,
#include "analyzer/page/section.def"
	PAGE_SECTIONS
};

/* Where a function comes from, for its colour. */
enum page_origin {
	PAGE_PROGRAM,
	PAGE_LIBRARY,
	PAGE_KERNEL,
	PAGE_GENERATED,
	PAGE_JAVA,
	PAGE_RECORDER,
	PAGE_UNKNOWN
};

/* The values of a total: in which rows it is not 0, and how much it is there. */
struct page_total {
	struct column *row, *value; /* NULL: it is 0 everywhere */
};

struct page {
	const struct dataset *dataset;
	const struct choices *choices;
	struct output *output;
	const char *base;    /* path of what is compared with, NULL: nothing is */
	unsigned base_group; /* its first group, DATASET_ALL: none */
	struct tree *tree;   /* of lines: the stacks of all experiments */
	struct column *sections[PAGE_SECTIONS];
	struct page_total totals[EXP_METRICS];
	uint32_t *stacks; /* by node of the tree: its number among stacks with rows + 1, 0: none */
	size_t stacks_size;
	uint32_t stack_count;
	unsigned merged;      /* as of struct page_rows */
	uint64_t rounding_ns; /* steps that times of rows are rounded to, 0: they are not */
	struct marks marks;
	size_t rows;        /* written so far */
	size_t thread_base; /* number of the first thread of the experiment that is written */
	size_t experiment;  /* and its number */
	FILE *blocks, *curves, *uses; /* parts of the head, closed by page_add_head */
	char *blocks_text, *curves_text, *uses_text;
	size_t blocks_size, curves_size, uses_size;
	size_t thing_count, use_count; /* written so far */
	struct exp_hash texts;         /* by text: number in `strings` */
	char **strings;                /* strings[string_count] */
	size_t string_count, string_capacity;
	uint64_t end_ns; /* of the last event or process */
	int has_overflow;
	int lacks_sizes; /* sizes are not told of parts: there are too many, or blocks were sampled
	                  */
};

/* The number of a text in `strings`; NULL and "" are 0. (strings.c) */
uint32_t page_string(struct page *page, const char *text);

/* Is this one that is compared with? */
static inline int page_is_base(const struct page *page, const struct dataset_experiment *at)
{
	return at->group >= page->base_group;
}

void page_add_events(struct page *page);
void page_add_stacks(struct page *page);
void page_add_head(struct page *page);
void page_add_documents(struct page *page);

/* The viewer: the page up to the sections. (viewer.c) */
extern const char page_viewer[];
extern const uint64_t page_viewer_size;

#endif

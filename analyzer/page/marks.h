/* marks.h: the longest of the events that took a while, for the time line. */
#ifndef XER_ANALYZER_PAGE_MARKS_H
#define XER_ANALYZER_PAGE_MARKS_H

#include <stddef.h>
#include <stdint.h>

struct mark {
	int64_t begin_ns;
	uint64_t duration_ns, bytes;
	uint32_t thread, node, name; /* as in section.def */
	uint8_t kind;
};

enum { MARKS_MAX = 20000 };

struct marks {
	struct mark *at; /* at[count]: a heap with the shortest first; any order after marks_sort */
	size_t count;
	uint64_t all; /* events that were offered */
};

void marks_init(struct marks *marks);
void marks_fini(struct marks *marks);

/* Would an event of this duration be kept? Counts it. */
int marks_want(struct marks *marks, uint64_t duration_ns);

/* Keep an event that is wanted; of too many, the shortest goes. */
void marks_add(struct marks *marks, const struct mark *mark);

/* Sort by the time of the beginning. */
void marks_sort(struct marks *marks);

#endif

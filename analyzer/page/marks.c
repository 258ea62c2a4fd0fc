/* marks.c: the longest events, in a binary heap whose root is the shortest of them. */
#include "analyzer/page/marks.h"

#include "analyzer/base/memory.h"

#include <stdlib.h>

void marks_init(struct marks *marks)
{
	*marks = (struct marks){.at = memory_take(MARKS_MAX, sizeof(*marks->at))};
}

void marks_fini(struct marks *marks)
{
	free(marks->at);
	*marks = (struct marks){.count = 0};
}

int marks_want(struct marks *marks, uint64_t duration_ns)
{
	marks->all++;
	return marks->count < MARKS_MAX || duration_ns > marks->at[0].duration_ns;
}

static void exchange(struct mark *left, struct mark *right)
{
	struct mark mark = *left;

	*left = *right;
	*right = mark;
}

static void sink_root(struct marks *marks)
{
	size_t at = 0;

	for (;;) {
		size_t least = at;

		for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < marks->count;
		     child++)
			if (marks->at[child].duration_ns < marks->at[least].duration_ns)
				least = child;
		if (least == at)
			return;
		exchange(&marks->at[at], &marks->at[least]);
		at = least;
	}
}

void marks_add(struct marks *marks, const struct mark *mark)
{
	size_t at = marks->count;

	if (at == MARKS_MAX) {
		marks->at[0] = *mark;
		sink_root(marks);
		return;
	}
	marks->at[marks->count++] = *mark;
	for (; at > 0 && marks->at[at].duration_ns < marks->at[(at - 1) / 2].duration_ns;
	     at = (at - 1) / 2)
		exchange(&marks->at[at], &marks->at[(at - 1) / 2]);
}

static int compare(const void *left, const void *right)
{
	const struct mark *a = left, *b = right;

	if (a->begin_ns != b->begin_ns)
		return a->begin_ns < b->begin_ns ? -1 : 1;
	if (a->duration_ns != b->duration_ns)
		return a->duration_ns > b->duration_ns ? -1 : 1;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

void marks_sort(struct marks *marks)
{
	if (marks->count > 1)
		qsort(marks->at, marks->count, sizeof(*marks->at), compare);
}

/* deaths.c: writes to a report page when blocks of the heap were freed, so that it can tell what
 * was live at the end of any range of time. See doc/decisions/90-report-page.md. */
#include "analyzer/page/walk.h"

#include "analyzer/base/memory.h"

#include <stdlib.h>

/* A death at a row of the page. */
struct placed {
	uint32_t row, span;
	uint64_t bytes, count;
};

static int compare(const void *left, const void *right)
{
	const struct placed *a = left, *b = right;

	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	return (a->span > b->span) - (a->span < b->span);
}

static void put(struct page *page, const struct placed *death)
{
	column_step(page->sections[PAGE_DEATH_ROW], death->row);
	column_number(page->sections[PAGE_DEATH_SPAN], death->span);
	column_number(page->sections[PAGE_DEATH_BYTES], death->bytes);
	column_number(page->sections[PAGE_DEATH_COUNT], death->count);
}

void walk_put_deaths(struct page *page, const struct page_rows *rows, const struct written *written)
{
	uint32_t *places;
	struct placed *deaths;
	size_t count = 0;

	if (rows->death_count == 0)
		return;
	places = page_rows_places(rows);
	deaths = memory_take(rows->death_count, sizeof(*deaths));
	for (size_t i = 0; i < rows->death_count; i++) {
		const struct page_death *death = &rows->deaths[i];
		uint32_t at = places[death->value];

		deaths[count++] = (struct placed){written[at].own, death->end - rows->rows[at].end,
		                                  death->bytes, death->count};
	}
	qsort(deaths, count, sizeof(*deaths), compare);
	for (size_t i = 0; i < count; i++) {
		struct placed sum = deaths[i];

		for (; i + 1 < count && compare(&sum, &deaths[i + 1]) == 0; i++) {
			sum.bytes += deaths[i + 1].bytes;
			sum.count += deaths[i + 1].count;
		}
		put(page, &sum);
	}
	free(deaths);
	free(places);
}

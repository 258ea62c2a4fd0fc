/* Streams and growing XML files, with several threads. The suites of stream.c and log.c make their
 * directories. */
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"
#include "libcollector/write/log.h"
#include "libcollector/write/stream.h"

#include <criterion/criterion.h>
#include <libxml/parser.h>
#include <pthread.h>

enum { THREADS = 6, EVENTS = 20000, ELEMENTS = 300 };

static void *write_events(void *index)
{
	uint32_t tid = (uint32_t)(uintptr_t)index + 100;
	struct col_slot slot = {0};

	for (uint32_t i = 0; i < EVENTS; i++) {
		struct fmt_clock record = {.kind = FMT_KIND_clock, .stack = tid, .cpu_ns = i};

		if (col_slot_write(&slot, FMT_STREAM_PROFILE, tid, &record, sizeof(record), i) < 0)
			return "no room";
	}
	return NULL;
}

/* Read one buffer at `at`; returns its size, or that of unused space. Checks that a thread's events
 * are in order. */
static size_t read_buffer(const uint8_t *at, size_t len, uint32_t next[])
{
	struct fdr_prologue prologue;
	struct fdr_record record;
	size_t done = FDR_PROLOGUE_SIZE;

	if (at[0] == 0)
		return FDR_EXTENT_UNIT;
	cr_assert(fdr_prologue_get(at, &prologue) == 0);
	while (done < len && fdr_record_get(at + done, len - done, &record) > 0 &&
	       record.type == FDR_RECORD_EVENT) {
		const struct fmt_clock *clock = (const struct fmt_clock *)record.payload;

		cr_assert_eq(clock->stack, prologue.tid);
		cr_assert_eq(clock->cpu_ns, next[prologue.tid - 100]);
		next[prologue.tid - 100]++;
		done += record.size;
	}
	return prologue.extent_left;
}

Test(stream, keeps_the_events_of_all_threads_in_order)
{
	pthread_t threads[THREADS];
	uint32_t next[THREADS] = {0};
	uint8_t *bytes;
	size_t len, at = FDR_HEADER_SIZE;
	void *failure;

	for (uintptr_t i = 0; i < THREADS; i++)
		cr_assert(pthread_create(&threads[i], NULL, write_events, (void *)i) == 0);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &failure);
		cr_assert(!failure);
	}
	bytes = (uint8_t *)scratch_read("profile", &len);
	cr_assert(bytes != NULL);
	/* The first prologue has the tid of the thread that created the file, which is a real one
	 * here. */
	memcpy(bytes + at + 1, &(uint32_t){((struct fmt_clock *)(bytes + at + 64))->stack}, 4);
	while (at < len)
		at += read_buffer(bytes + at, len - at, next);
	for (int i = 0; i < THREADS; i++)
		cr_assert_eq(next[i], EVENTS);
	free(bytes);
}

static void *append_elements(void *index)
{
	for (int i = 0; i < ELEMENTS; i++) {
		char buffer[1024];
		struct xml_text text = XML_TEXT(buffer);

		xml_put(&text, " <e");
		xml_put_number(&text, "thread", (uint64_t)(uintptr_t)index);
		for (int k = 0; k < i % 7; k++)
			xml_put_string(&text, k % 2 ? "odd" : "even", NULL);
		xml_put_string(&text, "bytes", i % 3 ? "\x01<&\">\\ \xff" : "plain");
		xml_put(&text, "/>\n");
		col_xml_append(COL_MAP, &text);
	}
	return NULL;
}

Test(log, appended_by_threads_is_well_formed_and_nothing_is_silently_lost)
{
	pthread_t threads[THREADS];
	size_t len, count = 0;
	char *text;
	xmlDocPtr document;

	for (uintptr_t i = 0; i < THREADS; i++)
		cr_assert(pthread_create(&threads[i], NULL, append_elements, (void *)i) == 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	text = scratch_read("map.xml", &len);
	document = xmlReadMemory(text, (int)len, "map.xml", NULL, XML_PARSE_NONET);
	cr_assert(document != NULL);
	for (xmlNodePtr node = xmlDocGetRootElement(document)->children; node; node = node->next)
		count += node->type == XML_ELEMENT_NODE;
	cr_assert_eq(count + atomic_load(&col.count.lost_log), THREADS * ELEMENTS);
	xmlFreeDoc(document);
	free(text);
}

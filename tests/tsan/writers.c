/* writers: threads that claim extents, fill them, make nodes of stacks and append to log.xml at the
 * same time, for the thread sanitizer.
 *
 * usage: writers [EVENTS]      default: 5000 a thread and stream
 *
 * Then each thread's events must be in its buffers, complete and in order, and equal stacks must
 * have equal nodes. The collector is linked without its wrappers: this program is both the recorder
 * and the target. Exit status 0, or 1 if something is missing; the sanitizer's own if it reports a
 * race. */
#include "libcollector/base/collector.h"
#include "libcollector/base/file.h"
#include "libcollector/write/log.h"
#include "libcollector/write/stream.h"
#include "libcollector/unwind/tree.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { THREADS = 8, DEPTH = 12, STACKS = 64, FIRST_TID = 100, EXTENT_EVENTS = 40 };

static const enum fmt_stream streams[] = {FMT_STREAM_PROFILE, FMT_STREAM_HEAPTRACE,
                                          FMT_STREAM_SYNCTRACE};
static const char *const names[] = {"profile", "heaptrace", "synctrace"};
enum { STREAMS = sizeof(streams) / sizeof(streams[0]) };

static struct col_switches mark = {.recording = 1};
static pthread_barrier_t start, end;
static unsigned events = 5000;
static uint32_t nodes[THREADS][STACKS];

static void fail(const char *what)
{
	fprintf(stderr, "writers: %s\n", what);
	exit(1);
}

static void put_file(const char *directory, const char *name, const char *text)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "w");
	if (!file || fputs(text, file) < 0 || fclose(file) != 0)
		fail(path);
}

static void begin(char *directory)
{
	if (!mkdtemp(directory))
		fail("mkdtemp");
	strcpy(col.descriptor.directory, directory);
	col.descriptor.clock_is_tsc = 1;
	col.descriptor.clock_hz = 1000000000;
	col.pid = getpid();
	col.switches = &mark;
	put_file(directory, "log.xml", "<experiment>\n</experiment>\n");
	put_file(directory, "map.xml", "<map>\n</map>\n");
	if (col_founder_open() != 0 || col_directory_open(".") != 0 || col_xml_open(COL_LOG) != 0 ||
	    tree_open() != 0)
		fail("the recorder does not start");
}

static void append(uint32_t tid, uint32_t number)
{
	char buffer[256];
	struct xml_text text = XML_TEXT(buffer);

	xml_put(&text, " <event");
	xml_put_number(&text, "thread", tid);
	xml_put_number(&text, "number", number);
	xml_put(&text, "/>\n");
	if (col_xml_append(COL_LOG, &text) < 0)
		fail("log.xml");
}

static uint32_t stack_of(uint32_t number)
{
	uint32_t node = 0;

	for (uint64_t depth = 0; depth < DEPTH; depth++)
		node = tree_node(node,
		                 0x401000 + depth * 64 + (depth > DEPTH / 2 ? number % STACKS : 0));
	return node;
}

static const char *write_events(size_t thread)
{
	uint32_t tid = (uint32_t)thread + FIRST_TID;
	struct col_slot slots[STREAMS] = {{0}};

	for (size_t at = 0; at < STREAMS && thread % 2; at++)
		slots[at].size = FDR_EXTENT_UNIT /
		                 2; /* as if the extent before had been so short */
	for (uint32_t i = 0; i < events; i++) {
		struct fmt_clock record = {.kind = FMT_KIND_clock, .stack = tid, .cpu_ns = i};

		for (size_t at = 0; at < STREAMS; at++)
			if (col_slot_write(&slots[at], streams[at], tid, &record, sizeof(record),
			                   i) < 0)
				return "no room";
		/* Begin a new extent again and again, as small as the last one, since threads
		 * compete for extents. A slot that has had a page takes no part of a page again:
		 * that might be before it in the file. */
		for (size_t at = 0; at < STREAMS && i % EXTENT_EVENTS == 0; at++) {
			col_slot_abandon(&slots[at]);
			slots[at].size /= 2;
		}
		nodes[thread][i % STACKS] = stack_of(i);
		if (i % 256 == 0)
			append(tid, i);
	}
	return NULL;
}

/* No thread ends before all are done: an extent may be mapped where the stack of an ended thread
 * was, and the sanitizer, which does not see the recorder's system calls, would take the two for
 * the same memory. */
static void *run(void *index)
{
	const char *failure;

	pthread_barrier_wait(&start);
	failure = write_events((size_t)(uintptr_t)index);
	pthread_barrier_wait(&end);
	return (void *)(uintptr_t)failure;
}

/* Read one buffer at `at`; returns how far the extent goes, or the unused space. A thread's events
 * must be in order. */
static size_t read_buffer(const uint8_t *at, size_t len, uint32_t next[])
{
	struct fdr_prologue prologue;
	struct fdr_record record;
	size_t done = FDR_PROLOGUE_SIZE;

	if (at[0] == 0)
		return FDR_EXTENT_UNIT;
	if (fdr_prologue_get(at, &prologue) != 0)
		fail("no buffer");
	while (done < len && fdr_record_get(at + done, len - done, &record) > 0 &&
	       record.type == FDR_RECORD_EVENT) {
		struct fmt_clock clock;

		memcpy(&clock, record.payload, sizeof(clock));
		if (clock.stack - FIRST_TID >= THREADS ||
		    clock.cpu_ns != next[clock.stack - FIRST_TID]++)
			fail("an event is missing, or in another thread's place");
		done += record.size;
	}
	return prologue.extent_left;
}

static void check_stream(const char *directory, const char *name)
{
	uint32_t next[THREADS] = {0};
	char path[4096];
	struct stat st;
	uint8_t *bytes;
	size_t len;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "r");
	if (!file || fstat(fileno(file), &st) != 0)
		fail(path);
	bytes = malloc((size_t)st.st_size);
	len = !bytes ? 0 : fread(bytes, 1, (size_t)st.st_size, file);
	fclose(file);
	for (size_t at = FDR_HEADER_SIZE; at < len;)
		at += read_buffer(bytes + at, len - at, next);
	for (size_t i = 0; i < THREADS; i++)
		if (next[i] != events)
			fail("events are missing");
	free(bytes);
}

static void check_nodes(void)
{
	for (size_t thread = 1; thread < THREADS; thread++)
		if (memcmp(nodes[thread], nodes[0], sizeof(nodes[0])) != 0)
			fail("equal stacks have different nodes");
}

int main(int argc, char **argv)
{
	char directory[] = "/tmp/xer-writers-XXXXXX", command[256];
	pthread_t threads[THREADS];
	void *failure;

	if (argc > 1)
		events = (unsigned)atoi(argv[1]);
	begin(directory);
	pthread_barrier_init(&start, NULL, THREADS);
	pthread_barrier_init(&end, NULL, THREADS);
	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run, (void *)i) != 0)
			fail("pthread_create");
	for (size_t i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &failure);
		if (failure)
			fail(failure);
	}
	for (size_t i = 0; i < STREAMS; i++)
		check_stream(directory, names[i]);
	check_nodes();
	snprintf(command, sizeof(command), "rm -rf '%s'", directory);
	printf("%u events of %d threads in each of %d streams\n", events, THREADS, STREAMS);
	return system(command) != 0;
}

/* scratch.c: see scratch.h. */
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"
#include "libcollector/base/file.h"
#include "libcollector/base/host.h"
#include "libcollector/base/source.h"
#include "libcollector/profile/tick_possible.h"
#include "libcollector/recording.h"
#include "libcollector/unwind/tree.h"
#include "libcollector/write/log.h"

#include "format/fdr.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct col_switches mark = {.recording = 1};

static void put_file(const char *name, const char *text)
{
	char path[5000];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", col.descriptor.directory, name);
	file = fopen(path, "w");
	cr_assert(file != NULL);
	fputs(text, file);
	fclose(file);
}

void scratch_open(void)
{
	char template[] = "/tmp/xer-collector-XXXXXX";

	cr_assert(mkdtemp(template) != NULL);
	strcpy(col.descriptor.directory, template);
	col.descriptor.clock_is_tsc = 1;
	col.descriptor.clock_hz = 1000000000;
	col.descriptor.filters = tick_filters(); /* as xcollect would have told */
	col.pid = getpid();
	col.switches = &mark;
	put_file("log.xml", "<experiment>\n</experiment>\n");
	put_file("map.xml", "<map>\n</map>\n");
	cr_assert(col_founder_open() == 0);
	cr_assert(col_directory_open(".") == 0);
	cr_assert(col_xml_open(COL_LOG) == 0);
	cr_assert(col_xml_open(COL_MAP) == 0);
	cr_assert(tree_open() == 0);
}

void scratch_host(const struct source *first, unsigned count)
{
	static struct col_host host;

	host = *col_host;
	host.stop_events = recording_stop;
	host.check_time = recording_check;
	col_host = &host;
	sources = (struct source_table){first, first + count};
}

void scratch_remove(void)
{
	char command[5000];

	snprintf(command, sizeof(command), "rm -rf '%s'", col.descriptor.directory);
	cr_assert(system(command) == 0);
}

char *scratch_read(const char *name, size_t *len)
{
	char path[5000];
	char *text;
	FILE *file;
	long size;

	snprintf(path, sizeof(path), "%s/%s", col.descriptor.directory, name);
	file = fopen(path, "r");
	if (!file)
		return NULL;
	fseek(file, 0, SEEK_END);
	size = ftell(file);
	rewind(file);
	text = malloc((size_t)size + 1);
	*len = fread(text, 1, (size_t)size, file);
	text[*len] = '\0';
	fclose(file);
	return text;
}

struct wanted {
	unsigned kind;
	uint8_t *to;
	size_t size;
	int most, count;
};

static void take_record(const struct fdr_record *record, struct wanted *wanted)
{
	if (record->payload_size < wanted->size || record->payload[0] != wanted->kind)
		return;
	if (wanted->count < wanted->most)
		memcpy(wanted->to + (size_t)wanted->count * wanted->size, record->payload,
		       wanted->size);
	wanted->count++;
}

/* The buffers of an extent, one after the other; the whole file is searched. */
static void read_extent(const uint8_t *at, size_t len, struct wanted *wanted)
{
	struct fdr_record record;
	size_t done = 0;

	while (done < len && fdr_record_get(at + done, len - done, &record) > 0) {
		if (record.type == FDR_RECORD_EVENT)
			take_record(&record, wanted);
		done += record.size;
	}
}

int scratch_records(const char *name, unsigned kind, void *records, size_t size, int most)
{
	struct wanted wanted = {kind, records, size, most, 0};
	struct fdr_prologue prologue;
	size_t len, at = FDR_HEADER_SIZE;
	uint8_t *bytes = (uint8_t *)scratch_read(name, &len);

	while (bytes && at + FDR_PROLOGUE_SIZE <= len) {
		if (fdr_prologue_get(bytes + at, &prologue) == 0) {
			read_extent(bytes + at, prologue.extent_left, &wanted);
			at += prologue.extent_left;
		} else if (bytes[at] == 0) { /* a hole, or not used yet */
			at = at / FDR_EXTENT_UNIT * FDR_EXTENT_UNIT + FDR_EXTENT_UNIT;
		} else {
			break;
		}
	}
	free(bytes);
	return wanted.count;
}

int scratch_count(const char *name, const char *what)
{
	size_t len;
	char *text = scratch_read(name, &len);
	int found = 0;

	for (const char *at = text; at && (at = strstr(at, what)) != NULL; at++)
		found++;
	free(text);
	return found;
}

void scratch_path(const char *name, char *path)
{
	char own[PATH_MAX] = "";

	cr_assert_gt(readlink("/proc/self/exe", own, PATH_MAX - 1), 0);
	*strrchr(own, '/') = '\0';
	cr_assert_lt(snprintf(path, PATH_MAX, "%s/../programs/late/%s", own, name), PATH_MAX);
}

void *scratch_load(const char *name, int flags)
{
	char path[PATH_MAX];
	void *handle;

	scratch_path(name, path);
	handle = dlopen(path, flags);
	cr_assert(handle != NULL, "%s", dlerror());
	return handle;
}

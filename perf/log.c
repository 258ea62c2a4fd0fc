/* log.c: see log.h. */
#include "perf/log.h"

#include "format/layout.h"
#include "format/retry.h"
#include "format/xml.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* COUNT(before the directory's name, behind it, value). */
#define COUNTS(COUNT) \
	COUNT("", "_samples", counts->samples) \
	COUNT("", is_counter ? "_counted" : "_cpu_ns", counts->cpu_ns) \
	COUNT("", "_one_frame", counts->one_frame) \
	COUNT("", "_cut_stacks", counts->cut_stacks) \
	COUNT("", "_deep_stacks", counts->deep_stacks) \
	COUNT("", "_archiver_samples", counts->of_archiver) \
	COUNT("", "_bad_stacks", counts->ring.bad_stacks) \
	COUNT("", "_throttled", counts->ring.throttled) \
	COUNT("", "_in_kernel", (uint64_t)in_kernel) \
	COUNT("", "_cost_ns", cost_ns) \
	COUNT("", "_beside_ns", beside_ns) \
	COUNT("lost_", "", counts->ring.lost) \
	COUNT("lost_", "_room", counts->no_room) \
	COUNT("lost_", "_map", counts->no_map)

static int write_all(int log, const struct xml_write *write)
{
	unsigned tries = 0;
	ssize_t written;

	do
		written = pwrite(log, write->bytes, write->len, (off_t)write->at);
	while (retry_call(written, &tries));
	return written == (ssize_t)write->len ? 0 : -EIO;
}

static int append(int log, const char *text, size_t len)
{
	static struct xml_append plan;
	char tail[2 * XML_PAGE];
	struct stat status;
	unsigned tries = 0;
	uint64_t start;
	ssize_t size;
	long end;

	if (fstat(log, &status) < 0)
		return -errno;
	start = status.st_size > (off_t)sizeof(tail) ? (uint64_t)status.st_size - sizeof(tail) : 0;
	do
		size = pread(log, tail, sizeof(tail), (off_t)start);
	while (retry_call(size, &tries));
	end = size < 0 ? -EIO : xml_end_find(tail, (size_t)size, FMT_LOG_CLOSE);
	if (end < 0 || xml_append_plan(&plan, start + (uint64_t)end, text, len, FMT_LOG_CLOSE) < 0)
		return -EIO;
	for (size_t i = 0; i < plan.count; i++)
		if (write_all(log, &plan.write[i]) < 0)
			return -EIO;
	return 0;
}

static void put_count(struct xml_text *text, const char *before, const char *directory,
                      const char *behind, uint64_t value)
{
	char name[64];

	snprintf(name, sizeof(name), "%s%s%s", before, directory, behind);
	xml_put(text, "<count");
	xml_put_string(text, "name", name);
	xml_put_number(text, "value", value);
	xml_put(text, "/>\n");
}

/* Readers see by the lack of it if it cannot be written. */
static void append_to_log(int directory, const struct xml_text *text)
{
	unsigned tries = 0;
	int log;

	do
		log = openat(directory, FMT_FILE_LOG, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	while (retry_call(log, &tries));
	if (log < 0)
		return;
	/* One helper at a time: they share `directory`, so its lock would be that of all, but each
	 * has opened the log for itself. */
	flock(log, LOCK_EX);
	append(log, text->at, text->len);
	close(log);
}

void log_lost_files(int directory, const char *reason)
{
	char element[1024];
	struct xml_text text = XML_TEXT(element);

	xml_put(&text, "<event kind=\"loss\"");
	xml_put_string(&text, "stream", FMT_DIR_SAMPLER);
	xml_put_string(&text, "reason", reason);
	xml_put(&text, "/>\n");
	put_count(&text, "lost_", FMT_DIR_SAMPLER, "_files", 1);
	append_to_log(directory, &text);
}

void log_counts(int directory, const char *name, const struct work_counts *counts, int in_kernel,
                uint64_t cost_ns, uint64_t beside_ns)
{
	int is_counter = strcmp(name, FMT_DIR_SAMPLER) != 0;
	char element[1536];
	struct xml_text text = XML_TEXT(element);

#define COUNT(before, behind, value) put_count(&text, before, name, behind, value);
	COUNTS(COUNT)
#undef COUNT
	append_to_log(directory, &text);
}

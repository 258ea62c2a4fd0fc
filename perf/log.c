/* log.c: see log.h. */
#include "log.h"

#include "format/layout.h"
#include "format/xml.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNTS(COUNT) \
	COUNT(sampler_samples, counts->samples) \
	COUNT(sampler_cpu_ns, counts->cpu_ns) \
	COUNT(sampler_one_frame, counts->one_frame) \
	COUNT(sampler_cut_stacks, counts->cut_stacks) \
	COUNT(sampler_bad_stacks, counts->ring.bad_stacks) \
	COUNT(sampler_throttled, counts->ring.throttled) \
	COUNT(sampler_in_kernel, (uint64_t)in_kernel) \
	COUNT(sampler_cost_ns, cost_ns) \
	COUNT(sampler_beside_ns, beside_ns) \
	COUNT(lost_sampler, counts->ring.lost) \
	COUNT(lost_sampler_room, counts->no_room)

static int append(int log, const char *text, size_t len)
{
	static struct xml_append plan;
	char tail[2 * XML_PAGE];
	struct stat status;
	uint64_t start;
	ssize_t size;
	long end;

	if (fstat(log, &status) < 0)
		return -errno;
	start = status.st_size > (off_t)sizeof(tail) ? (uint64_t)status.st_size - sizeof(tail) : 0;
	size = pread(log, tail, sizeof(tail), (off_t)start);
	end = size < 0 ? -EIO : xml_end_find(tail, (size_t)size, FMT_LOG_CLOSE);
	if (end < 0 || xml_append_plan(&plan, start + (uint64_t)end, text, len, FMT_LOG_CLOSE) < 0)
		return -EIO;
	for (size_t i = 0; i < plan.count; i++)
		if (pwrite(log, plan.write[i].bytes, plan.write[i].len, (off_t)plan.write[i].at) != (ssize_t)plan.write[i].len)
			return -EIO;
	return 0;
}

static void put_count(struct xml_text *text, const char *name, uint64_t value)
{
	xml_put(text, "<count");
	xml_put_string(text, "name", name);
	xml_put_number(text, "value", value);
	xml_put(text, "/>\n");
}

void log_counts(int directory, const struct work_counts *counts, int in_kernel, uint64_t cost_ns, uint64_t beside_ns)
{
	char element[1024];
	struct xml_text text = XML_TEXT(element);
	int log;

#define COUNT(name, value) put_count(&text, #name, value);
	COUNTS(COUNT)
#undef COUNT
	log = openat(directory, FMT_FILE_LOG, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (log < 0)
		return;
	append(log, text.at, text.len);
	close(log);
}

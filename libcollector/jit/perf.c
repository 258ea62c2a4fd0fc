/* perf.c: see perf.h. */
#include "libcollector/jit/perf.h"

#include "libcollector/base/collector.h"
#include "libcollector/write/log.h"

#include <string.h>

enum { PATH_SIZE = 2048, FD_PATH_SIZE = 32, JITDUMPS_MAX = 8 };

static atomic_uint_fast64_t map_size;
static atomic_uint_fast64_t last_look; /* event time */
static atomic_uint jitdump_count;

static char *put_text(char *to, const char *text)
{
	while (*text)
		*to++ = *text++;
	*to = '\0';
	return to;
}

/* "BEFORE<number>BEHIND" */
static void make_path(char *to, const char *before, unsigned number, const char *behind)
{
	char digits[12];
	int at = sizeof(digits) - 1;

	digits[at] = '\0';
	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	put_text(put_text(put_text(to, before), digits + at), behind);
}

void perf_sample(struct col_thread *self, enum col_context context)
{
	(void)self;
	(void)context;
	char path[FD_PATH_SIZE], buffer[160];
	struct xml_text text = XML_TEXT(buffer);
	struct stat status;
	uint64_t seen = atomic_load(&map_size), now = col_ticks(),
		 before = atomic_exchange(&last_look, now);

	make_path(path, "/tmp/perf-", (unsigned)col.pid, ".map");
	if (SYS4(SYS_newfstatat, AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !S_ISREG(status.st_mode))
		return;
	if ((uint64_t)status.st_size <= seen ||
	    !atomic_compare_exchange_strong(&map_size, &seen, (uint64_t)status.st_size))
		return;
	col_event_begin(&text, "perf_map");
	xml_put_number(&text, "bytes", (uint64_t)status.st_size);
	if (before)
		xml_put_number(&text, "before", before);
	col_event_end(&text);
}

/* perf(1) knows them by their name: jit-PID.dump. */
static int is_jitdump(const char *path)
{
	const char *name = strrchr(path, '/');
	size_t len;

	if (!name)
		return 0;
	name++;
	len = strlen(name);
	return strncmp(name, "jit-", 4) == 0 && len > 9 && strcmp(name + len - 5, ".dump") == 0;
}

void perf_mapped(int fd)
{
	char link[FD_PATH_SIZE], path[PATH_SIZE], buffer[2 * PATH_SIZE];
	struct xml_text text = XML_TEXT(buffer);
	long len;

	if (!process_is_recorded())
		return;
	make_path(link, "/proc/self/fd/", (unsigned)fd, "");
	len = SYS4(SYS_readlinkat, AT_FDCWD, link, path, sizeof(path) - 1);
	if (len <= 0)
		return;
	path[len] = '\0';
	if (!is_jitdump(path) || atomic_fetch_add(&jitdump_count, 1) >= JITDUMPS_MAX)
		return;
	col_event_begin(&text, "jitdump");
	xml_put_string(&text, "path", path);
	col_event_end(&text);
}

void perf_forget(void)
{
	atomic_store(&map_size, 0);
	atomic_store(&last_look, 0);
	atomic_store(&jitdump_count, 0);
}

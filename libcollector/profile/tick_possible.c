/* tick_possible.c: what speaks against perf events. See tick_possible.h.
 * See doc/decisions/85-clock.md. */
#include "libcollector/profile/tick_possible.h"

#include "libcollector/base/collector.h"
#include "libcollector/base/file.h"
#include "libcollector/base/kernel.h"

#include "format/attach.h"
#include "format/clockevent.h"

#include <sys/prctl.h>

/* Of /proc/thread-self/status: filters are those of a thread. */
struct status {
	uint64_t tracer, filters;
};

/* The number in a line[len] that begins with `key`, else what it was. */
static void take_number(const char *line, size_t len, const char *key, uint64_t *number)
{
	size_t at = strlen(key);

	if (len < at || memcmp(line, key, at) != 0)
		return;
	for (*number = 0; at < len; at++)
		if (line[at] >= '0' && line[at] <= '9')
			*number = *number * 10 + (uint64_t)(line[at] - '0');
}

/* Lines may be of any length. What is not there is 0. */
static struct status read_status(void)
{
	struct status status = {0, 0};
	char text[512], line[32];
	size_t used = 0;
	long fd = sys_openat(AT_FDCWD, "/proc/thread-self/status", O_RDONLY, 0), got;

	if (fd < 0 && SYS5(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0) != 0)
		status.filters = UINT64_MAX;
	while (fd >= 0 && (got = SYS3(SYS_read, fd, text, sizeof(text))) > 0) {
		for (long i = 0; i < got; i++) {
			if (text[i] != '\n') {
				if (used < sizeof(line))
					line[used++] = text[i];
				continue;
			}
			take_number(line, used, "TracerPid:", &status.tracer);
			take_number(line, used, "Seccomp_filters:", &status.filters);
			used = 0;
		}
	}
	if (fd >= 0)
		sys_close((int)fd);
	return status;
}

/* The helper of `xcollect -P` traces the process as long as it is inside. */
static int is_helper(uint64_t pid)
{
	static const char helper[] = ATTACH_HELPER "\n";
	char path[40] = "/proc/", name[sizeof(helper)] = "";
	char *end = path + strlen(path), digits[20];
	int count = 0;
	long fd;

	for (; pid; pid /= 10)
		digits[count++] = (char)('0' + pid % 10);
	while (count > 0)
		*end++ = digits[--count];
	strcpy(end, "/comm");
	fd = sys_openat(AT_FDCWD, path, O_RDONLY, 0);
	if (fd < 0)
		return 0;
	SYS3(SYS_read, fd, name, sizeof(name) - 1);
	sys_close((int)fd);
	return strcmp(name, helper) == 0;
}

static int is_traced_by(uint64_t tracer)
{
	return tracer && !is_helper(tracer);
}

int tick_perf_is_traced(void)
{
	return is_traced_by(read_status().tracer);
}

uint64_t tick_filters(void)
{
	return read_status().filters;
}

int tick_is_filtered(void)
{
	return read_status().filters > col.descriptor.filters;
}

/* Under a tracer, or a filter of system calls that xcollect did not have, and that may kill who
 * opens an event. */
static int is_under_control(void)
{
	struct status status = read_status();

	return is_traced_by(status.tracer) || status.filters > col.descriptor.filters;
}

uint64_t tick_descriptors(void)
{
	struct rlimit limit;

	return SYS4(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit) < 0 ? 0 : limit.rlim_cur;
}

/* A forked child need not look again: what comes later is noticed by tick_arm.c. */
int tick_perf_is_possible(void)
{
	static int was_possible;

	was_possible = !col_file_are_few() &&
	               (was_possible || (kernel_is_at_least(CLOCKEVENT_MAJOR, CLOCKEVENT_MINOR) &&
	                                 !is_under_control()));
	return was_possible;
}

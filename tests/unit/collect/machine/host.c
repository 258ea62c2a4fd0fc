/* Tests of collect/machine/host.c, against what the C library and /proc say. */
#include "collect/machine/host.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

/* The rest of the first line of a file behind `key` and blanks; "" if there is none. */
static const char *line_of(const char *path, const char *key)
{
	static char line[256];
	FILE *file = fopen(path, "r");
	char *found = NULL;

	while (file && !found && fgets(line, sizeof(line), file))
		found = strncmp(line, key, strlen(key)) == 0 ? line + strlen(key) : NULL;
	if (file)
		fclose(file);
	if (!found)
		return "";
	found[strcspn(found, "\n")] = '\0';
	return found + strspn(found, " \t:");
}

Test(host, is_described_as_the_system_does)
{
	struct host host;
	struct utsname own;
	struct sysinfo info;

	memset(&host, 0xff, sizeof(host));
	host_read(&host);
	cr_assert_eq(uname(&own), 0);
	cr_expect_str_eq(host.system.nodename, own.nodename);
	cr_expect_str_eq(host.system.release, own.release);
	cr_expect_str_eq(host.system.machine, own.machine);
	cr_expect_eq(host.cpus, (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
	cr_expect_eq(host.page_size, (uint64_t)sysconf(_SC_PAGESIZE));
	cr_assert_eq(sysinfo(&info), 0);
	cr_expect_eq(host.memory_kib, (uint64_t)info.totalram * info.mem_unit / 1024);
	cr_expect_str_eq(host.boot_id, line_of("/proc/sys/kernel/random/boot_id", ""));
#if defined(__x86_64__)
	cr_expect_str_eq(host.cpu_model, line_of("/proc/cpuinfo", "model name"));
#endif
}

Test(host, a_tick_is_that_of_the_coarse_clocks)
{
	struct timespec tick;

	cr_assert_eq(clock_getres(CLOCK_MONOTONIC_COARSE, &tick), 0);
	cr_assert_eq(tick.tv_sec, 0);
	cr_expect_eq(host_tick_ns(), (uint64_t)tick.tv_nsec);
	cr_expect_gt(host_tick_ns(), 0);
}

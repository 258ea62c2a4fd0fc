/* host.c: describes the machine, in the cheapest way for each fact: reading /proc/cpuinfo takes
 * milliseconds on large machines, CPUID does not. */
#include "collect/machine/host.h"

#include "collect/arch/arch.h"

#include <fcntl.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

static void read_cpu_model(char out[49])
{
	size_t blanks;

	arch_read_model(out);
	blanks = strspn(out, " ");
	memmove(out, out + blanks, 49 - blanks);
}

static void read_boot_id(char *out, size_t size)
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return;
	len = read(fd, out, size - 1);
	close(fd);
	out[len > 0 ? len : 0] = '\0';
	out[strcspn(out, "\n")] = '\0';
}

/* The coarse clocks move on at each tick. */
uint64_t host_tick_ns(void)
{
	struct timespec tick;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) < 0 || tick.tv_sec != 0)
		return 0;
	return (uint64_t)tick.tv_nsec;
}

void host_read(struct host *out)
{
	struct sysinfo info = {0};

	memset(out, 0, sizeof(*out));
	uname(&out->system);
	sysinfo(&info);
	out->cpus = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
	out->page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	out->memory_kib = (uint64_t)info.totalram * info.mem_unit / 1024;
	out->tick_ns = host_tick_ns();
	read_cpu_model(out->cpu_model);
	read_boot_id(out->boot_id, sizeof(out->boot_id));
}

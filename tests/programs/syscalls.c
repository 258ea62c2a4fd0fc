/* syscalls: a known share of CPU time in system calls.
 *
 * usage: syscalls [seconds]      default: 2
 *
 * Facts: one thread alternates between `compute` (user time), `call_read` (read of 4096 bytes from
 * /dev/zero) and `call_getppid` (raw getppid), and measures each by its thread CPU clock around
 * hundreds of calls. Rounds are of random length, so that they do not keep step with the kernel's
 * tick. At the end it prints "compute N", "call_read N", "call_getppid N": the share of each in per
 * mille, and "cpu_ns N". */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile uint64_t sink;

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

__attribute__((noinline)) static void compute(int turns)
{
	uint64_t value = sink;

	for (int i = 0; i < turns; i++)
		__asm__ volatile("imul $0x5851f42d, %0, %0\n\tadd $0x14057b7e, %0" : "+r"(value));
	sink = value;
}

__attribute__((noinline)) static void call_read(int fd, int turns)
{
	static char buffer[4096];

	for (int i = 0; i < turns; i++)
		sink += (uint64_t)read(fd, buffer, sizeof(buffer));
}

__attribute__((noinline)) static void call_getppid(int turns)
{
	for (int i = 0; i < turns; i++)
		sink += (uint64_t)syscall(SYS_getppid);
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 2;
	int fd = open("/dev/zero", O_RDONLY);
	uint64_t spent[3] = {0}, before = cpu_ns(), begin = before, now;
	uint64_t total, random = begin;

	do {
		int unit;

		random = random * 6364136223846793005u + 1442695040888963407u;
		unit = 50 + (int)((random >> 33) % 100);
		compute(10000 * unit);
		now = cpu_ns();
		spent[0] += now - before;
		before = now;
		call_read(fd, 20 * unit);
		now = cpu_ns();
		spent[1] += now - before;
		before = now;
		call_getppid(50 * unit);
		now = cpu_ns();
		spent[2] += now - before;
		before = now;
	} while ((double)(now - begin) < seconds * 1e9);
	total = spent[0] + spent[1] + spent[2];
	printf("compute %llu\ncall_read %llu\ncall_getppid %llu\ncpu_ns %llu\n",
	       (unsigned long long)(spent[0] * 1000 / total),
	       (unsigned long long)(spent[1] * 1000 / total),
	       (unsigned long long)(spent[2] * 1000 / total), (unsigned long long)cpu_ns());
	return 0;
}

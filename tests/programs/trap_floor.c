/* trap_floor: fixed_work with the recorder's kind of clock event, and a handler that does nothing:
 * what no recorder that takes its samples in the program can cost less than.
 *
 * usage: trap_floor [million turns [period in us]]      default: 300, 0: no event
 *
 * Facts: the same loop as in fixed_work. Prints "signals N" and "cpu_ns N". Exits with 77 where
 * such events may not be had. */
#include "format/clockevent.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t signals;

static void count(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	(void)context;
	signals = signals + 1;
}

static int begin(uint64_t period_ns)
{
	struct perf_event_attr attr = CLOCKEVENT(period_ns, .inherit = 1, .inherit_thread = 1);
	struct sigaction action = {.sa_sigaction = count, .sa_flags = SA_SIGINFO | SA_RESTART};
	long fd;

	sigaction(SIGTRAP, &action, NULL);
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -1 : ioctl((int)fd, PERF_EVENT_IOC_ENABLE, 0);
}

int main(int argc, char **argv)
{
	uint64_t turns = 1000000u * (argc > 1 ? strtoull(argv[1], NULL, 10) : 300);
	uint64_t period_us = argc > 2 ? strtoull(argv[2], NULL, 10) : 0, value = 1;
	struct timespec now;

	if (period_us > 0 && begin(period_us * 1000) < 0)
		return 77;
	for (uint64_t i = 0; i < turns; i++)
		__asm__ volatile("imul $0x5851f42d, %0, %0\n\tadd $0x14057b7e, %0" : "+r"(value));
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	printf("value %llu\nsignals %ld\ncpu_ns %llu\n", (unsigned long long)value, (long)signals,
	       (unsigned long long)now.tv_sec * 1000000000u + (unsigned long long)now.tv_nsec);
	return 0;
}

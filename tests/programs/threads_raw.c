/* threads_raw: a thread made directly by clone, so that libpthread does not know it.
 *
 * usage: threads_raw [seconds]      default: 1
 *
 * Facts: the raw thread runs raw_burn for the given CPU seconds while the main thread waits (in
 * futex or in short sleeps); nearly all CPU time is in raw_burn. The raw thread calls no function
 * of libc that needs its own thread pointer. Prints "cpu_ns N". */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static uint64_t limit_ns = 1000000000u;
static volatile int done;
static volatile uint64_t sink;

static uint64_t read_clock(long id)
{
	struct timespec now;
	long result;

	__asm__ volatile("syscall"
	                 : "=a"(result)
	                 : "0"((long)SYS_clock_gettime), "D"(id), "S"(&now)
	                 : "rcx", "r11", "memory");
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

__attribute__((noinline, optimize("no-stack-protector"))) static int raw_burn(void *unused)
{
	uint64_t value = 1;

	(void)unused;
	while (read_clock(CLOCK_THREAD_CPUTIME_ID) < limit_ns)
		for (int i = 0; i < 1000000; i++)
			__asm__ volatile("imul $0x5851f42d, %0, %0" : "+r"(value));
	sink = value;
	done = 1;
	return 0;
}

int main(int argc, char **argv)
{
	size_t size = 256 * 1024;
	char *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct timespec pause = {0, 5000000};

	if (argc > 1)
		limit_ns = (uint64_t)(atof(argv[1]) * 1e9);
	/* Without CLONE_SETTLS it shares the thread pointer of the main thread. */
	if (clone(raw_burn, stack + size,
	          CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM,
	          NULL) < 0)
		return 1;
	while (!done)
		nanosleep(&pause, NULL);
	printf("cpu_ns %llu\n", (unsigned long long)read_clock(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}

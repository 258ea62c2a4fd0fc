/* fixed_work: the same computation at every run, to measure what recording adds.
 *
 * usage: fixed_work [million turns]      default: 300
 *
 * Facts: no system calls and no allocation in the loop; the work does not depend on time. Prints
 * "cpu_ns N". */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
	uint64_t turns = 1000000u * (argc > 1 ? strtoull(argv[1], NULL, 10) : 300);
	uint64_t value = 1;
	struct timespec now;

	for (uint64_t i = 0; i < turns; i++)
		__asm__ volatile("imul $0x5851f42d, %0, %0\n\tadd $0x14057b7e, %0" : "+r"(value));
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	printf("value %llu\ncpu_ns %llu\n", (unsigned long long)value,
	       (unsigned long long)now.tv_sec * 1000000000u + (unsigned long long)now.tv_nsec);
	return 0;
}

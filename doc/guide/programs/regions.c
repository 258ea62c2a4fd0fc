/* regions.c: an example of the guide: a loop whose threads have unequal work, so that all but one
 * wait at its end. cc -g -O1 -fopenmp -o regions regions.c && OMP_NUM_THREADS=2 ./regions */
#include <stdio.h>

static unsigned long work(unsigned long turns)
{
	unsigned long sum = turns;

	while (turns-- > 0)
		sum = sum * 31 + (sum >> 7) % 1001;
	return sum;
}

int main(void)
{
	unsigned long sum = 0;

#pragma omp parallel for schedule(static) reduction(+ : sum)
	for (int i = 0; i < 400; i++)
		sum += work(200UL * (unsigned long)i);
	printf("%lu\n", sum);
	return 0;
}

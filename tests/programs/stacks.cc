// stacks: code whose stacks are difficult to walk.
//
// usage: stacks [seconds]      default: 1
//
// Facts: main calls these in turn, for a quarter of the CPU time each:
//   throwing      throws through five frames and catches (time in libgcc_s and libstdc++)
//   sorting       qsort of 20000 ints with the callback `compare`
//   signalling    raises SIGUSR1, whose handler `on_signal` burns CPU
// moving memmove and strlen of 64 KiB: leaf functions of libc in assembler
// The whole stack of every sample ends in main and what started it.
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>

static volatile uint64_t sink;

static double cpu_seconds()
{
	timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

__attribute__((noinline)) static void thrower(int depth)
{
	if (depth == 0)
		throw depth;
	thrower(depth - 1);
	sink = sink + 1;
}

__attribute__((noinline)) static void throwing(double end)
{
	while (cpu_seconds() < end)
		for (int i = 0; i < 50; i++) {
			try {
				thrower(5);
			} catch (int value) {
				sink = sink + uint64_t(value);
			}
		}
}

__attribute__((noinline)) static int compare(const void *left, const void *right)
{
	int a = *static_cast<const int *>(left), b = *static_cast<const int *>(right);

	return (a > b) - (a < b);
}

__attribute__((noinline)) static void sorting(double end)
{
	static int numbers[20000];

	while (cpu_seconds() < end) {
		for (int &number : numbers)
			number = rand();
		qsort(numbers, 20000, sizeof(numbers[0]), compare);
	}
}

static void on_signal(int)
{
	uint64_t value = 1;

	for (int i = 0; i < 100000; i++)
		__asm__ volatile("imul $0x5851f42d, %0, %0" : "+r"(value));
	sink = value;
}

__attribute__((noinline)) static void signalling(double end)
{
	std::signal(SIGUSR1, on_signal);
	while (cpu_seconds() < end)
		std::raise(SIGUSR1);
}

__attribute__((noinline)) static void moving(double end)
{
	static char block[2 * 65536];

	std::memset(block, 'x', sizeof(block) - 1);
	while (cpu_seconds() < end)
		for (int i = 0; i < 100; i++) {
			std::memmove(block + 1, block, 65536);
			sink = sink + std::strlen(block);
		}
}

int main(int argc, char **argv)
{
	double quarter = (argc > 1 ? std::atof(argv[1]) : 1) / 4;

	throwing(quarter);
	sorting(2 * quarter);
	signalling(3 * quarter);
	moving(4 * quarter);
	return 0;
}

/* dl: loads and unloads a library many times.
 *
 * usage: dl [rounds [calls]]      default: 50 20000
 *
 * Facts: each round opens libm.so.6, which the program is not linked with, calls its lgamma `calls`
 * times from use_library, and closes it again, which unloads it. Prints "rounds N", those that
 * worked. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static volatile double sink;
static int calls = 20000;

__attribute__((noinline)) static int use_library(const char *name, const char *symbol)
{
	void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	double (*function)(double);

	if (!library)
		return 0;
	function = (double (*)(double))dlsym(library, symbol);
	for (int i = 0; function && i < calls; i++)
		sink = function((double)i);
	dlclose(library);
	return function != NULL;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 50;
	int good = 0;

	calls = argc > 2 ? atoi(argv[2]) : calls;
	for (int i = 0; i < rounds; i++)
		good += use_library("libm.so.6", "lgamma");
	printf("rounds %d\n", good);
	return good == rounds ? 0 : 1;
}

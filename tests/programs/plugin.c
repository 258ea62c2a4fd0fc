/* plugin: a C program that loads a C++ library when it runs, so that the C++ runtime library is in
 * a local scope.
 *
 * usage: plugin LIBRARY
 *
 * Facts: it calls `plug` of the library, whose facts are in tests/e2e/allocators.sh, and prints
 * what that returns. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *library = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
	int (*plug)(void) = library ? (int (*)(void))dlsym(library, "plug") : NULL;

	if (!plug) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	printf("plug %d\n", plug());
	return 0;
}

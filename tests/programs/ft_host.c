/* ft_host.c: three times over, loads ft_plugin.c, built as a shared object, calls plug(10) in it,
 * which calls plugged 10 times, and unloads it. Not compiled for function tracing itself.
 *
 * ft_host FILE [keep] keep: it is loaded once, and stays loaded */
#include <dlfcn.h>
#include <stdio.h>

__attribute__((no_instrument_function)) int main(int argc, char **argv)
{
	for (int i = 0; i < 3 && argc > 1; i++) {
		void *object = dlopen(argv[1], RTLD_NOW);
		void (*plug)(int);

		if (!object) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
		*(void **)&plug = dlsym(object, "plug");
		plug(10);
		if (argc == 2)
			dlclose(object);
	}
	printf("plug 3\nplugged 30\n");
	return 0;
}

/* main.c: writes a file with completions; run by the build. Usage: completions bash|zsh|fish
 * PROGRAM */
#include "completions/shells.h"

#include <string.h>

static const struct {
	const char *name;
	void (*put)(const struct program *program, FILE *out);
} shells[] = {{"bash", bash_put}, {"zsh", zsh_put}, {"fish", fish_put}};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 3 && i < sizeof(shells) / sizeof(shells[0]); i++)
		for (size_t j = 0; j < PROGRAMS; j++)
			if (strcmp(argv[1], shells[i].name) == 0 &&
			    strcmp(argv[2], programs[j].name) == 0) {
				shells[i].put(&programs[j], stdout);
				return fflush(stdout) != 0;
			}
	fputs("Usage: completions bash|zsh|fish PROGRAM\n", stderr);
	return 2;
}

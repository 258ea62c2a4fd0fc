/* engine: a target for libFuzzer; the name that the program is called by says which one. */
#include "tests/fuzz/targets/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct fuzz_target *target;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *slash = strrchr((*argv)[0], '/');

	(void)argc;
	target = fuzz_find(slash ? slash + 1 : (*argv)[0]);
	if (!target) {
		fprintf(stderr, "%s: no such target\n", (*argv)[0]);
		exit(2);
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	fuzz_give(target, bytes, size);
	return 0;
}

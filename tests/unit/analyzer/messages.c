#include "tests/unit/analyzer/messages.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static FILE *kept;
static int before;

void messages_begin(void)
{
	fflush(stderr);
	kept = tmpfile();
	before = dup(STDERR_FILENO);
	cr_assert(kept && before >= 0);
	dup2(fileno(kept), STDERR_FILENO);
}

char *messages_end(void)
{
	char *text;
	long size;

	fflush(stderr);
	size = lseek(STDERR_FILENO, 0, SEEK_END);
	dup2(before, STDERR_FILENO);
	close(before);
	text = calloc(1, (size_t)size + 1);
	rewind(kept);
	cr_assert_eq(fread(text, 1, (size_t)size, kept), (size_t)size);
	fclose(kept);
	return text;
}

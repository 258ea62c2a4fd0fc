/* capture.c: keeps what is written in temporary files. Linked into every unit program. */
#include "tests/unit/capture.h"
#include "tests/unit/input.h"

#include <criterion/criterion.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS_MAX = 64 };

void capture_begin(struct capture *capture, FILE *stream)
{
	fflush(stream);
	*capture = (struct capture){
		.stream = stream, .kept = tmpfile(), .before = dup(fileno(stream))};
	cr_assert(capture->kept && capture->before >= 0);
	dup2(fileno(capture->kept), fileno(stream));
}

char *capture_end(struct capture *capture)
{
	char *text;
	long size;

	fflush(capture->stream);
	size = lseek(fileno(capture->kept), 0, SEEK_END);
	dup2(capture->before, fileno(capture->stream));
	close(capture->before);
	text = calloc(1, (size_t)size + 1);
	rewind(capture->kept);
	cr_assert_eq(fread(text, 1, (size_t)size, capture->kept), (size_t)size);
	fclose(capture->kept);
	return text;
}

/* Returns a descriptor of what was there, -1: nothing. */
static int put_input(const char *input)
{
	int before = dup(STDIN_FILENO);
	FILE *file;

	input_open();
	file = tmpfile();
	cr_assert(file);
	fputs(input ? input : "", file);
	rewind(file);
	dup2(fileno(file), STDIN_FILENO);
	fclose(file);
	return before;
}

static void take_input(int before)
{
	if (before >= 0) {
		dup2(before, STDIN_FILENO);
		close(before);
	} else {
		close(STDIN_FILENO);
	}
	__fpurge(stdin);
	clearerr(stdin);
}

struct capture_run capture_main(int (*main_function)(int argc, char **argv),
                                const char *const *words, const char *input)
{
	char *argv[WORDS_MAX] = {NULL}, *copies[WORDS_MAX] = {NULL};
	struct capture_run run;
	struct capture out, err;
	int argc = 0, before;

	for (; words[argc]; argc++) {
		cr_assert_lt(argc, WORDS_MAX - 1);
		argv[argc] = copies[argc] = strdup(words[argc]);
	}
	before = put_input(input);
	capture_begin(&out, stdout);
	capture_begin(&err, stderr);
	run.status = main_function(argc, argv);
	run.err = capture_end(&err);
	run.out = capture_end(&out);
	take_input(before);
	while (argc > 0)
		free(copies[--argc]);
	return run;
}

void capture_run_fini(struct capture_run *run)
{
	free(run->out);
	free(run->err);
}

/* answer.h: what commands print, in an analysis of their own. */
#ifndef XER_TESTS_UNIT_ANALYZER_ANSWER_H
#define XER_TESTS_UNIT_ANALYZER_ANSWER_H

struct answer {
	char *text;     /* what was printed */
	char *messages; /* what was printed on stderr */
	int status;
};

/* Run commands, one a line, on an experiment, or on none if the path is NULL. */
struct answer answer_of(const char *path, const char *lines);
void answer_fini(struct answer *answer);

/* Assert that the commands print this text and these messages, and end with this status. */
void answer_check(const char *path, const char *lines, const char *text, const char *messages,
                  int status);

/* The contents of a file with a NUL after them; the caller frees it. */
char *answer_file(const char *path, unsigned long *size);

#endif

/* golden.h: the golden experiments, and the expected texts. */
#ifndef XER_TESTS_UNIT_ANALYZER_GOLDEN_H
#define XER_TESTS_UNIT_ANALYZER_GOLDEN_H

enum { GOLDEN_PATH = 32 };

/* Copy experiments, "heap,killed", into a new directory and go there: a reader may archive what a
 * killed process could not, and reports show the experiment's name as it was given. */
void golden_enter(const char *names, char directory[GOLDEN_PATH]);

/* Go back to the previous directory, and remove the new one. */
void golden_leave(const char *directory);

/* The text tests/golden/expected/NAME, relative to the root of the tree; the caller frees it. */
char *golden_expected(const char *name);

/* Expect that the output, its exit status and its messages are this text. */
void golden_compare(const char *name, const char *expected, char *text, int status,
                    const char *messages);

#endif

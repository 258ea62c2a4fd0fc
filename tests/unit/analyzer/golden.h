/* golden.h: the experiments that are kept, and the texts that were printed of them. */
#ifndef XER_TESTS_UNIT_ANALYZER_GOLDEN_H
#define XER_TESTS_UNIT_ANALYZER_GOLDEN_H

enum { GOLDEN_PATH = 32 };

/* Copy experiments, "heap,killed", into a new directory and go there: a reader may archive what a
 * killed process could not, and reports name the experiment as it was named. */
void golden_enter(const char *names, char directory[GOLDEN_PATH]);

/* Go back to where that began, and remove the directory. */
void golden_leave(const char *directory);

/* The text tests/golden/expected/NAME; the caller frees. From the root of the tree. */
char *golden_expected(const char *name);

/* Expect that what was printed, its exit status and its messages are this text. */
void golden_compare(const char *name, const char *expected, char *text, int status,
                    const char *messages);

#endif

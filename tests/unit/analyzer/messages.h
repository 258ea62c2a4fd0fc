/* messages.h: what the code under test says on stderr. */
#ifndef XER_TESTS_UNIT_ANALYZER_MESSAGES_H
#define XER_TESTS_UNIT_ANALYZER_MESSAGES_H

/* From now on what is written to stderr is kept. */
void messages_begin(void);

/* What was written since; the caller frees. */
char *messages_end(void);

#endif

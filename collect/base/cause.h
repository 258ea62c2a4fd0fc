/* cause.h: why xcollect cannot go on, as a message and as an exit status. */
#ifndef XER_COLLECT_BASE_CAUSE_H
#define XER_COLLECT_BASE_CAUSE_H

/* Exit statuses of xcollect itself, as env(1) and timeout(1) have them. */
enum { CAUSE_FAILED = 125, CAUSE_REFUSED = 126, CAUSE_NOT_FOUND = 127 };

struct cause {
	int exit_code;
	char text[4608];
};

/* Fill in `cause` and return exit_code, so that callers can return the call. Longer texts are cut.
 */
__attribute__((format(printf, 3, 4))) int cause_set(struct cause *cause, int exit_code,
                                                    const char *format, ...);

#endif

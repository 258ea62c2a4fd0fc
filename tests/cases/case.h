/* case.h: what the programs of cases.def share. A case prints what it sees by say(), and does
 * marked work. */
#ifndef XER_TESTS_CASE_H
#define XER_TESTS_CASE_H

#include <stdio.h>
#include <sys/types.h>

/* For a case that cannot be run here: its return value, or exit status. The runner skips it. */
enum { CASE_SKIP = 77, MARK_BLOCKS = 10 };

#define say(...) dprintf(STDOUT_FILENO, __VA_ARGS__)

extern char case_self[4096];

/* One traced call and MARK_BLOCKS allocations of 40 bytes that are never freed: the runner looks
 * for these in the experiment. */
void mark(void);

/* Use this many milliseconds of the thread's CPU time. */
void burn(int milliseconds);

/* mark() as a child, a thread, a signal handler, a function for clone(2). */
void mark_and_leave(int status) __attribute__((noreturn));
void *mark_thread(void *unused);
void mark_handler(int signal);
int mark_child(void *unused);

/* Wait for a child and print how it ended. Returns 0 if there was one. */
int say_end(pid_t pid);

/* Execute this program again with another case. */
void become(const char *id);

#define CASE(id, guarantee, marks, end, text) int case_##id(void);
#include "cases.def"
#undef CASE

#endif

/* members.h: whose samples count where whole CPUs are sampled: the program's and its descendants'.
 * See doc/decisions/50-sampler.md. */
#ifndef XER_PERF_MEMBERS_H
#define XER_PERF_MEMBERS_H

#include "sampler/ring.h"

/* Forget all, and begin with a process. members_expect: when it executes a program, and before
 * anything is recorded; members_begin: now, when records come already. */
void members_expect(pid_t pid);
void members_begin(pid_t pid);

/* Take note of a record that is no sample, in order of time. Returns 1 if it is about a member, 0
 * if others need not see it. */
int members_take(const struct ring_record *record);

/* Is a process a member? */
int members_have(pid_t pid);

#endif

/* beforehand.h: files that a process may not be able to create later.
 *
 * A file of the experiment is created when there is something to write. If a process gives up its
 * user, its root directory, its namespace or its descriptors first, this would fail. So what it may
 * need is created before. */
#ifndef XER_LIBCOLLECTOR_PROCESS_BEFOREHAND_H
#define XER_LIBCOLLECTOR_PROCESS_BEFOREHAND_H

/* Create the directory of the process, and the files of the kinds of data that are recorded now.
 * Signal-safe. */
void beforehand_make(void);

/* The process may have another root directory now. If the experiment cannot be reached from there,
 * say that its children will not be recorded. Signal-safe. */
void beforehand_look_back(void);

/* Does this system call, with this first argument, give up something? */
int beforehand_is_wanted(long number, long argument);

/* Does clone with these flags create a process that may change the root directory of this one? So
 * Chromium puts its zygote into an empty one. Threads call their wrappers themselves. */
int beforehand_is_wanted_by_clone(unsigned long flags);

/* Do what is to be done before it, by its first two arguments. Signal-safe. */
void beforehand_call(long number, long first, long second);

#endif

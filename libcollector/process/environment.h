/* environment.h: the two variables by which the collector comes into a process, LD_PRELOAD and the
 * descriptor. They are taken out before the program sees its environment, and given to each image
 * that it executes. */
#ifndef XER_COLLECTOR_ENVIRONMENT_H
#define XER_COLLECTOR_ENVIRONMENT_H

#include "format/descriptor.h"

#include <stddef.h>

/* The value of a variable, without libc's help: other libraries may wrap getenv. NULL if there is
 * none. Signal-safe. */
const char *environment_get(const char *name);

/* Read the descriptor and take both variables out of the environment; the user's own LD_PRELOAD
 * stays. Returns 0, -ENOENT (this process is not to be recorded) or what descriptor_get returns. At
 * the start only. */
int environment_take(struct descriptor *out);

/* The same from a descriptor that came in another way (attach.c). */
void environment_set(const struct descriptor *descriptor);

/* What environment_give may need for an environment. */
struct environment_room {
	size_t entries; /* the NULL included */
	size_t text;    /* bytes */
};

/* For `envp`, NULL: an empty one. */
struct environment_room environment_room(char *const *envp);

/* Make list[room.entries]: `envp` with the two variables for a program of 32 or 64 `bits`, whose
 * text goes to text[room.text], the descriptor with `step`. Signal-safe. */
void environment_give(char **list, char *text, char *const *envp,
                      const struct descriptor_step *step, int bits);

/* Can all of `envp` be read, NULL included? The kernel refuses others (EFAULT), and only it may
 * look at them. Signal-safe. */
int environment_is_readable(char *const *envp);

/* Is `envp` not to be touched? It belongs to another recording, which the program itself begins,
 * asks the loader to list libraries, among which ours would be, or is valgrind's, which would take
 * the recorder's reading of stacks for errors of the program. Signal-safe. */
int environment_refuses(char *const *envp);

/* The preload library for programs of 32 or 64 `bits`, NULL if there is none. Signal-safe. */
const char *environment_library(int bits);

/* Is it still where the loader will look for it? Not after chroot. Signal-safe. */
int environment_has_library(int bits);

/* While libc makes a child by itself (system, popen, ...), the process's own environment holds the
 * variables, with `step`, for a program of so many bits. Calls nest and threads share; what the
 * program changes meanwhile is kept. lend returns 0 or -ENOMEM. */
int environment_lend(const struct descriptor_step *step, int bits);
void environment_take_back(void);

/* In a forked child: nobody else is lending any more. */
void environment_forget(void);

#endif

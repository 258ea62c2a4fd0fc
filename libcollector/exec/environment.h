/* environment.h: the two variables by which the recorder gets into a process, LD_PRELOAD and the
 * descriptor. They are removed before the program sees its environment, and passed to each image
 * that it executes. */
#ifndef XER_COLLECTOR_EXEC_ENVIRONMENT_H
#define XER_COLLECTOR_EXEC_ENVIRONMENT_H

#include "format/descriptor.h"

#include <stddef.h>

/* The value of a variable, without libc's help: other libraries may wrap getenv. NULL if there is
 * none. Signal-safe. */
const char *environment_get(const char *name);

/* Read the descriptor and remove both variables from the environment; the user's own LD_PRELOAD
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

/* Can all of `envp` be read, NULL included? If not, the kernel refuses it (EFAULT), and only the
 * kernel may read it. Signal-safe. */
int environment_is_readable(char *const *envp);

/* Must `envp` be left alone? It belongs to another recording that the program itself begins; or it
 * asks the loader to list libraries, which would show ours; or it is that of valgrind, which would
 * report the recorder's reading of stacks as errors of the program. Signal-safe. */
int environment_refuses(char *const *envp);

/* The preload library for programs of 32 or 64 `bits`, NULL if there is none. Signal-safe. */
const char *environment_library(int bits);

/* Will the loader still find it there? Not after chroot. Signal-safe. */
int environment_has_library(int bits);

/* While libc itself creates a child (system, popen, ...), the environment of the process has the
 * variables, with `step`, for a program of so many bits. Calls can be nested, and threads share it;
 * what the program changes during that is kept. lend returns 0 or -ENOMEM. */
int environment_lend(const struct descriptor_step *step, int bits);
void environment_take_back(void);

/* What a thread finds that asks for a variable while another one lends: the program's own value for
 * `value`, NULL if it has none. */
char *environment_own(char *value);

/* In a forked child: no other thread lends any more. */
void environment_forget(void);

#endif

/* hooks.h: which user events are recorded, and how: the options about hooks, as the plan that
 * libcollector reads. */
#ifndef XER_COLLECT_OPTIONS_HOOKS_H
#define XER_COLLECT_OPTIONS_HOOKS_H

#include <stdint.h>

enum { HOOKS_TEXT = 2048, HOOKS_MODES = 256, HOOKS_NAMES = 512, HOOKS_TRACES = 8 };

/* Trace 0 is the system trace, the others are component traces. The texts are as descriptor.def has
 * them. */
struct hooks {
	int is_off;                  /* --hooks=off: nothing goes to the system trace */
	int is_list;                 /* --hooks=LIST: only what is listed does */
	char system[HOOKS_TEXT];     /* entries about the system trace */
	char components[HOOKS_TEXT]; /* entries about the others */
	char modes[HOOKS_MODES];
	char names[HOOKS_NAMES];
	unsigned count; /* of component traces */
	unsigned off;   /* bit n: trace n is off at the start */
	int signal;     /* that switches, 0: none */
};

/* Each takes the value of an option. Return 0, -EINVAL (it makes no sense), -ENOENT (no such
 * group), -EEXIST (a component of that name is there) or -E2BIG (too many). */
int hooks_take(struct hooks *hooks, const char *value);    /* on, off or a list */
int hooks_exclude(struct hooks *hooks, const char *value); /* a list */
int hooks_component(struct hooks *hooks,
                    const char *value);                  /* NAME:LIST[:mode=MODE][:size=MB][:off] */
int hooks_mode(struct hooks *hooks, const char *value);  /* alternate, circular:MB or single:MB */
int hooks_start(struct hooks *hooks, const char *value); /* on or off */
int hooks_signal(struct hooks *hooks, const char *value); /* a number or name */

/* Is `text` a list of hooks: hexadecimal ids of three or four digits, each perhaps with :SUBID, and
 * @GROUPs? */
int hooks_is_list(const char *text);

/* The whole plan as the descriptor's user_hooks into out[2 * HOOKS_TEXT + 2]; and the traces to be
 * recorded. */
void hooks_text(const struct hooks *hooks, char *out);
unsigned hooks_traces(const struct hooks *hooks);

#endif

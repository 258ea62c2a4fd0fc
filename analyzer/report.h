/* report.h: the lines around tables: how good the data are, what the table is, where to look next.
 *
 * All of them but the title begin with `#`, so that programs can skip them. */
#ifndef XER_ANALYZER_REPORT_H
#define XER_ANALYZER_REPORT_H

#include "analyzer/session.h"

/* Print "# quality: ..." */
void report_put_quality(struct session *session);

/* Print "WHAT sorted by metric: ..." and an empty line, after the quality line. */
void report_put_title(struct session *session, const char *what);

/* Print "# next: COMMAND  (why)"; the command is about `function` unless that is NULL. */
void report_put_next(struct session *session, const char *command,
		     const struct sym_function *function, const char *why);

/* What is said of experiments with info->untold. */
#define REPORT_UNTOLD "a helper that samples (--sampler, -h) ended before it wrote its counts: samples may be missing"

/* If the process grew by far more than its heap events account for, say so in text[size], and return true. */
int report_unseen(const struct session_experiment *at, char *text, size_t size);

/* Seconds from the start of the first experiment to the end of the last. */
double report_wall_seconds(const struct session *session);

/* "1.25" for 1250000000 ns. */
double report_seconds(uint64_t ns);

/* "died", "running", "ended, exit code 0", "ended" into text[size]. Returns text. */
char *report_status(const struct exp_info *info, char *text, size_t size);

/* Print "  WHAT   VALUE", and a table of how many blocks or calls had which size. */
void report_put_count(FILE *out, const char *what, uint64_t value);
void report_put_sizes(FILE *out, const uint64_t counts[EXP_HISTOGRAM], const char *size,
		      const char *what);

/* Value of an attribute of an event, NULL if it has none. */
const char *report_attribute(const struct exp_event *event, const char *name);

/* The command as it can be typed, quoted where needed. */
void report_put_command(FILE *out, const struct exp_info *info);

/* The same as a text; the caller frees. NULL if there is no memory. */
char *report_command(const struct exp_info *info);

/* The same on one line of a list: a long command is cut, "...". */
void report_put_command_cut(FILE *out, const struct exp_info *info);

/* CPU time of the process in ns, as its end or its last usage sample tells. */
/* Is anything that was sampled left out? Says what, and why. */
int report_left_out(const struct session_experiment *at, char *text, size_t size);
void report_put_left_out(const struct session *session);

/* Of an experiment with many stacks that are cut although parts of them were copied: what part, in per cent, and what may find more.
 * Returns 1, or 0: it is none. */
int report_cut(const struct experiment *experiment, double *share, char *text, size_t size);

uint64_t report_cpu_ns(const struct session_experiment *at);

/* A thread's CPU time into a table: of threads it is known by clock samples alone. */
void report_put_thread_cpu(const struct session *session, struct print_table *table, const struct exp_thread *thread);

#endif

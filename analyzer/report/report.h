/* report.h: the lines around tables: what the table is, and what to run next; and what many views
 * have in common. */
#ifndef XER_ANALYZER_REPORT_REPORT_H
#define XER_ANALYZER_REPORT_REPORT_H

#include "analyzer/data/dataset.h"
#include "analyzer/model/choices.h"
#include "analyzer/print/output.h"

/* Print "# next: COMMAND  (why)"; the command is about `function` unless that is NULL. */
void report_put_next(const struct dataset *dataset, const struct choices *choices,
                     struct output *output, const char *command,
                     const struct sym_function *function, const char *why);

/* Seconds from the start of the first experiment to the end of the last. */
double report_wall_seconds(const struct dataset *dataset);

/* "1.25" for 1250000000 ns. */
double report_seconds(uint64_t ns);

/* 25.0 for 1 of 4; 0 of nothing. */
double report_percent(uint64_t part, uint64_t whole);

/* "killed by SIGSEGV", "died", "running", "ended, exit code 0", "ended" into text[size]. Returns
 * text. */
char *report_status(const struct dataset_experiment *at, char *text, size_t size);

/* The name of a signal, "SIGSEGV", or "signal 40". Returns text. */
char *report_signal(int signal, char *text, size_t size);

/* Print "  WHAT   VALUE", and a table of how many blocks or calls had which size. */
void report_put_count(FILE *out, const char *what, uint64_t value);
void report_put_sizes(FILE *out, const uint64_t counts[EXP_HISTOGRAM], const char *size,
                      const char *what);

/* Value of an attribute of an event, NULL if it has none. */
const char *report_attribute(const struct exp_event *event, const char *name);

/* The command as it can be typed, quoted where needed; of many empty words at its end, how many. */
void report_put_command(FILE *out, const struct exp_info *info);

/* The same as a text; the caller frees. NULL if there is no memory. */
char *report_command(const struct exp_info *info);

/* The same on one line of a list: a long command is cut, "...". */
void report_put_command_cut(FILE *out, const struct exp_info *info);

/* CPU time of the process in ns, as its end or its last usage sample tells. */
uint64_t report_cpu_ns(const struct dataset_experiment *at);

/* A thread's CPU time into a table: of threads it is known by clock samples alone. */
void report_put_thread_cpu(const struct dataset *dataset, struct print_table *table,
                           const struct exp_thread *thread);

#endif

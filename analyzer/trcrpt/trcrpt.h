/* trcrpt.h: the report of user events by templates, with the options of AIX's trcrpt:
 * xer_trcrpt(1). */
#ifndef XER_ANALYZER_TRCRPT_TRCRPT_H
#define XER_ANALYZER_TRCRPT_TRCRPT_H

#include "analyzer/data/dataset.h"
#include "analyzer/model/choices.h"
#include "analyzer/print/output.h"
#include "experiment/events/usertrace.h"
#include "template/template.h"

#include <sys/types.h>

enum { TRCRPT_ANY_SUBHOOK = -1 };

/* A hook of a list; subhook TRCRPT_ANY_SUBHOOK: whatever the sub-id. */
struct trcrpt_hook {
	uint16_t hook;
	int subhook;
};

struct trcrpt_words {
	char **words;
	size_t count, capacity;
};

struct trcrpt_hooks {
	struct trcrpt_hook *hooks;
	size_t count, capacity;
};

enum trcrpt_timestamp { TRCRPT_ELAPSED_DELTA, TRCRPT_ELAPSED, TRCRPT_MICROSECONDS, TRCRPT_NO_TIME };

struct trcrpt_options {
	int is_check, is_quiet, is_list, without_headings, is_raw, is_verbose, is_json;
	int two_lines, ids, exec, pid, tid, cpuid, filename, removes_duplicates, histogram;
	unsigned timestamp;     /* enum trcrpt_timestamp */
	unsigned page_size;     /* lines between headings, 0: no pages */
	double start_s, end_s;  /* of events, after the start */
	int64_t from_ns, to_ns; /* the same, CLOCK_REALTIME */
	char *output, *update;
	struct trcrpt_hooks only, except;
	struct trcrpt_words files; /* of templates */
	struct trcrpt_words processes, programs, threads, cpus;
	struct trcrpt_words paths; /* of experiments */
	char *command;             /* the options as they were given */
};

/* Read the words[count] of a command line. Returns 0; or -EINVAL with the reason in error[size].
 * trcrpt_options_fini is called in both cases. (options.c) */
int trcrpt_options_parse(struct trcrpt_options *out, char *const *words, size_t count, char *error,
                         size_t size);
void trcrpt_options_fini(struct trcrpt_options *options);

/* Read the templates that the options name, or the default ones, and check them. Returns the set,
 * to be destroyed by the caller; NULL after messages. (templates.c) */
struct template_set *trcrpt_templates(struct output *output, const struct trcrpt_options *options);

/* The text of a whole file, to be freed; NULL: *len is -errno. */
char *trcrpt_read_file(const char *path, ssize_t *len);

/* Path of the default templates, to be freed; NULL: unknown. */
char *trcrpt_default_file(void);

/* Print the messages about templates: errors in any case, warnings where they are asked for. */
void trcrpt_tell(struct output *output, const struct trcrpt_options *options,
                 const struct template_set *set);

/* Change a template file, the default one or that of -t, by the update file of -update.
 * (update.c) */
void trcrpt_update(struct output *output, const struct trcrpt_options *options);

/* List the ids and labels of templates. */
void trcrpt_list(struct output *output, const struct template_set *set);

/* Do what the options ask for, with the experiments of the dataset. (trcrpt.c) */
void trcrpt_run(const struct dataset *dataset, const struct choices *choices, struct output *output,
                const struct trcrpt_options *options);

/* ---- lines (line.c) ---- */

/* A line under construction. */
struct trcrpt_line {
	char *text;
	size_t len, capacity;
};

void trcrpt_line_put(struct trcrpt_line *line, const char *text, size_t len);
void trcrpt_line_blanks(struct trcrpt_line *line, size_t count);

/* An event, ready to be printed. */
struct trcrpt_event {
	const struct exp_user_event *event;
	const struct template_event *entry;
	const struct exp_info *process;
	int64_t delta_ns; /* since the event that was reported before */
	enum template_level level;
	const char *text; /* text[len] */
	size_t len;
};

/* The headings, without a newline. */
void trcrpt_line_headings(struct trcrpt_line *line, const struct trcrpt_options *options);

/* The event's lines, newlines included. */
void trcrpt_line_event(struct trcrpt_line *line, const struct trcrpt_options *options,
                       const struct trcrpt_event *at);

/* The text of an event without a template. */
void trcrpt_line_undefined(struct trcrpt_line *line, const struct template_event *entry);

/* The bytes of an entry as hexadecimal words. */
void trcrpt_line_raw(struct trcrpt_line *line, const struct template_event *entry);

/* ---- the program ---- */

/* xer_trcrpt: xer_print under another name. Returns the exit status. (program.c) */
int trcrpt_main(int argc, char **argv);

#endif

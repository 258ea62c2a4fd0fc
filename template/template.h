/* template.h: trace format templates, which turn user events into text. The language is defined in
 * xer_trcfmt(5).
 *
 * A set holds the templates of some files. It is checked once, when all files are added; a set with
 * errors formats nothing. A run turns events into text by the templates of a set. Templates and
 * events are not trusted: any bytes result in messages or bounded text. Nothing here does I/O or
 * knows about experiments. */
#ifndef XER_TEMPLATE_TEMPLATE_H
#define XER_TEMPLATE_TEMPLATE_H

#include <stddef.h>
#include <stdint.h>

/* ---- sets ---------------------------------------------------------------------------------------
 */

struct template_set;
struct template;

struct template_message {
	int is_warning;
	char text[512]; /* "file:line: reason (near 'token')" */
};

/* Columns of the report, from the left. */
enum template_level { TEMPLATE_APPL, TEMPLATE_SVC, TEMPLATE_KERN, TEMPLATE_INT };

/* NULL: no memory. */
struct template_set *template_set_create(void);
void template_set_destroy(struct template_set *set);

/* Add the templates of text[len], a file called `file` in messages; both are copied.
 * Returns 0, also if there are errors in it (see template_set_messages), or -ENOMEM. */
int template_set_add(struct template_set *set, const char *file, const char *text, size_t len);

/* Resolve duplicates and subroutines, when all files are added. Returns the number of errors of all
 * files, or -ENOMEM. */
int template_set_finish(struct template_set *set);

/* All messages so far, in order of the files. Borrowed from the set. */
size_t template_set_messages(const struct template_set *set, const struct template_message **out);

/* The template of a hook id, NULL if there is none. Templates in order of their ids: `index` below
 * template_set_count. After template_set_finish. */
const struct template *template_find(const struct template_set *set, uint16_t hook);
size_t template_set_count(const struct template_set *set);
const struct template *template_at(const struct template_set *set, size_t index);

/* What the header of a template says. The label and the version are not NUL-terminated. */
struct template_header {
	uint16_t hook;
	enum template_level level;
	const char *label, *version;
	size_t label_len, version_len;
	const char
		*text; /* of the whole stanza, text[text_len], without the end of its last line */
	size_t text_len;
	unsigned line;
};
const struct template_header *template_header(const struct template *template);

/* A hook id as it is printed, in out[5]: three digits if the fourth is 0. */
void template_hook_text(uint16_t hook, char *out);

/* Read "hhh" or "hhhh" of text[len]. Returns 0 or -EINVAL. */
int template_hook_parse(const char *text, size_t len, uint16_t *out);

/* ---- runs ---------------------------------------------------------------------------------------
 */

/* An event. bytes[size] is the hook word in big-endian order, 8 bytes or 4 in a program of 32 bits,
 * and behind it the data in the order of the machine that recorded. */
struct template_event {
	const uint8_t *bytes;
	size_t size;
	uint16_t hook, subhook;
	uint8_t is_32, is_generic, is_big_endian;
	uint16_t cpu;
	uint32_t tid, pid;
	uint64_t time_ns;    /* since the start of the recording */
	uint64_t log_offset; /* of the event in its file */
	const char *log_file, *program;
	uint64_t line; /* of the report, at which the event begins */
};

/* What the report knows in addition to the event; each function may be NULL. */
struct template_context {
	/* Name of the program of a process, NULL if unknown. */
	const char *(*program_of)(void *context, uint32_t pid);
	/* The function or variable at an address, as text in out[size]. Returns its length, 0 if
	 * unknown. */
	size_t (*name_of)(void *context, uint64_t address, char *out, size_t size);
	void *context;
};

struct template_run;

/* A run over `set`, which must outlive it. NULL: no memory. `context` is copied. */
struct template_run *template_run_create(const struct template_set *set,
                                         const struct template_context *context);
void template_run_destroy(struct template_run *run);

enum template_outcome {
	TEMPLATE_PRINTED, /* the text is to be printed */
	TEMPLATE_SKIPPED, /* nothing of this event is to be printed */
	TEMPLATE_STOPPED, /* the text is to be printed, and no event after it */
	TEMPLATE_UNKNOWN  /* the event is to be printed as one without a template */
};

/* Format an event by `template`. *text, borrowed until the next call, has *len bytes of UTF-8
 * without control characters but newlines, and tabs that stand in texts of the template; lines have
 * no blanks at their ends. Returns an enum template_outcome. */
enum template_outcome template_format(struct template_run *run, const struct template *template,
                                      const struct template_event *event, const char **text,
                                      size_t *len);

/* The words of an event's entry. Word 0 is the hook word. 0 if there is none such. */
uint64_t template_event_word(const struct template_event *event, unsigned number);

#endif

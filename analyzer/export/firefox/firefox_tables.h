/* firefox_tables.h: the tables of a thread that its samples and markers refer to: stacks, frames,
 * functions, load objects, strings. They have only what occurs in the thread: first each stack is
 * used, then all are numbered, then samples and markers are written, and then the tables. */
#ifndef XER_ANALYZER_EXPORT_FIREFOX_FIREFOX_TABLES_H
#define XER_ANALYZER_EXPORT_FIREFOX_FIREFOX_TABLES_H

#include "analyzer/export/firefox/firefox.h"

/* What occurs in a thread, in the order of its tables. All zero but for the first two. */
struct firefox_tables {
	struct firefox_process *process;
	FILE *out;
	uint32_t *nodes; /* nodes[stack_count]: callers first */
	size_t stack_count, stack_capacity;
	uint32_t *items; /* items[frame_count] */
	size_t frame_count, frame_capacity;
	const struct sym_function **functions; /* functions[function_count] */
	size_t function_count, function_capacity;
	struct exp_index names; /* the name of a marker -> its place behind the other strings */
	uint32_t *name_list;
	size_t name_count, name_capacity;
};

/* , "NAME": [VALUE of 0, VALUE of 1, ...] */
#define FIREFOX_PUT_ARRAY(out, name, count, format, value) \
	do { \
		fprintf(out, ", \"" name "\": ["); \
		for (size_t i = 0; i < (count); i++) \
			fprintf(out, i ? "," format : format, value); \
		fputc(']', out); \
	} while (0)

/* A node of the tree occurs, with its callers. */
void firefox_tables_use(struct firefox_tables *tables, uint32_t node);

/* All that occurs has been used: number it. */
void firefox_tables_number(struct firefox_tables *tables);

/* Write the number of a used stack; "null" for none. */
void firefox_tables_put_stack(const struct firefox_tables *tables, uint32_t node);

/* The number of the string of a marker's name. After firefox_tables_number. */
size_t firefox_tables_name(struct firefox_tables *tables, uint32_t name);

/* Write the tables, when all names of markers have been asked for. */
void firefox_tables_put(const struct firefox_tables *tables);

/* Free them. Their numbers are those of this thread alone. */
void firefox_tables_fini(struct firefox_tables *tables);

#endif

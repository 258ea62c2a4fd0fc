/* indexobj.h: index objects: groups of events by something other than functions, such as threads,
 * CPUs and seconds; and memory objects, which are groups by address. The key of an event is the
 * value of an expression. */
#ifndef XER_ANALYZER_DATA_INDEXOBJ_H
#define XER_ANALYZER_DATA_INDEXOBJ_H

#include "analyzer/data/dataset.h"
#include "analyzer/print/output.h"
#include "analyzer/filter/expression.h"

enum index_label {
	INDEX_NUMBER, /* the key as it is, or its name if the expression is a word with names */
	INDEX_THREAD,
	INDEX_CPU,
	INDEX_SAMPLE,
	INDEX_SECOND,
	INDEX_PIECE, /* of time: the key is a number of pieces of length_ns */
	INDEX_PROCESS,
	INDEX_EXPERIMENT,
	INDEX_DATASIZE,
	INDEX_DURATION,
	INDEX_HEX,
	INDEX_CONSTRUCT /* of OpenMP: EXPID << 32 | OMPREG or OMPTASK */
};

struct index_type {
	char *name, *heading, *meaning;
	struct expression *expression;
	enum index_label label;
	unsigned shift;    /* of INDEX_HEX: keys are addresses shifted by so many bits */
	int64_t length_ns; /* of INDEX_PIECE */
	int is_memory;
	int is_by_key;     /* rows are in order of their keys */
	int is_own;        /* the user's */
	const char *token; /* lists of rows are about this; NULL: there are none */
};

struct index_types; /* of a dataset */

struct index_types *index_types_create(void);
void index_types_destroy(struct index_types *types);

/* The type with this name or, if there is only one, this beginning of a name; NULL with the reason
 * in error[size]. */
const struct index_type *index_find(const struct index_types *types, int is_memory,
                                    const char *name, char *error, size_t size);

/* The i-th type, NULL behind the last. */
const struct index_type *index_at(const struct index_types *types, size_t i);

/* Define a type of the user's, whose name is_command must not know; one with this name is
 * replaced. Returns 0; or -EINVAL and *error, whose column is 0 if the name is wrong. */
int index_define(struct index_types *types, int is_memory, const char *name, const char *expression,
                 int (*is_command)(const char *name), struct expression_error *error);

/* ---- rows ---- */

struct index_row {
	int64_t key;
	int is_missing;  /* events for which the key is missing */
	uint32_t number; /* its values are values[number] of all rows */
};

struct index_rows {
	struct index_row *rows; /* rows[count], in order of their first events */
	size_t count, capacity;
	struct columns values;
	char **names; /* of keys, if these are numbers of names; names[name_count]; index_rows_fini
	                 frees them */
	size_t name_count, name_capacity;
	int has_overflow; /* there were too many rows, events are missing */
};

/* The rows of all selected experiments, by the dataset's filters and, unless it is NULL, `list`
 * (borrowed). */
struct index_rows index_gather(const struct dataset *dataset, struct output *output,
                               const struct index_type *type, const struct expression *list);
void index_rows_fini(struct index_rows *rows);

#endif

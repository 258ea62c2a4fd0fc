/* valuenames.h: the values of words that have names: of files, threads, functions and errors. */
#ifndef XER_ANALYZER_FILTER_VALUENAMES_H
#define XER_ANALYZER_FILTER_VALUENAMES_H

#include "analyzer/filter/expression.h"
#include "experiment/experiment.h"

/* A set of values, in order. */
struct value_set {
	int64_t *values; /* values[count] */
	size_t count;
};

/* The values of `token` in an experiment whose names match. The caller frees out.values. */
struct value_set value_set_find(const struct token *token, const struct expression_text *text,
                                const struct exp_data_set *whole);
int value_set_has(const struct value_set *set, int64_t value);

/* Name of a file system by f_type of statfs(2), NULL if it is not known. */
const char *value_file_system_name(uint32_t magic);

/* What a file is: its type, or the file system it is on, as ioactivity shows it; "" if neither is
 * known. */
const char *value_file_system(const struct exp_io_file *file);

#endif

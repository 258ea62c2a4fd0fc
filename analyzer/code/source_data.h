/* source_data.h: what the recorded stacks and the debug information say about the lines of one
 * source file. */
#ifndef XER_ANALYZER_CODE_SOURCE_DATA_H
#define XER_ANALYZER_CODE_SOURCE_DATA_H

#include "analyzer/code/place.h"
#include "experiment/symbols/code.h"

/* A call from a line: the values spent in it, in each column. */
struct source_call {
	uint32_t line; /* index */
	const struct sym_function *callee;
	struct metric_values *values; /* values[column_count] */
};

struct source_data {
	const struct dataset *dataset;
	const struct choices *choices;
	struct place place;
	const struct tree *tree; /* of lines */
	unsigned *lines;         /* lines[line_count] with data, sorted */
	size_t line_count, line_capacity;
	struct fold **folds; /* folds[column] of the lines; behind them those of `others` */
	size_t column_count;
	const struct sym_frame *
		*others; /* items of functions of this file whose code is elsewhere or nowhere */
	size_t other_count, other_capacity;
	const struct sym_note **notes; /* notes[note_count] of this file, by line */
	size_t note_count, note_capacity;
	const struct sym_compilation **units; /* that were compiled from it */
	size_t unit_count, unit_capacity;
	int has_more_units;        /* so many that the notes of the others were left out */
	const uint8_t *sum;        /* MD5 of the file when it was compiled, NULL: not known */
	struct source_call *calls; /* calls[call_count] by line, the greatest first */
	size_t call_count, call_capacity;
	uint32_t *key_of; /* by item: index of its row, TREE_NONE: not of this file */
};

/* Gather the data of place->file, which is not NULL; the calls only if asked for. */
void source_data_init(struct source_data *data, const struct dataset *dataset,
                      const struct choices *choices, const struct place *place, int with_calls);
void source_data_fini(struct source_data *data);

/* Index of a line, TREE_NONE: it has no data. */
uint32_t source_data_find(const struct source_data *data, unsigned line);

#endif

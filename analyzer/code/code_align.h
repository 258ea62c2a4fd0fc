/* code_align.h: the instructions of one function in several builds, put beside each other. */
#ifndef XER_ANALYZER_CODE_CODE_ALIGN_H
#define XER_ANALYZER_CODE_CODE_ALIGN_H

#include "analyzer/print/output.h"
#include "analyzer/code/code.h"

enum { CODE_NONE = UINT32_MAX };

/* A row for each instruction of any build: at[row * columns + column] is its index in the code of a
 * column, CODE_NONE if that has no such instruction. All instructions of each column are there, in
 * their order. */
struct code_rows {
	uint32_t *at;
	size_t count, columns;
};

/* Align codes[columns], of which some may be empty. Instructions are matched if they read alike,
 * whatever their addresses, and as many as possible in one order are matched (the longest common
 * subsequence), each code with those before it. Pieces of more than some thousand instructions
 * without a match are left side by side. */
void code_align(const struct dataset *dataset, const struct choices *choices, struct output *output,
                const struct code *codes, size_t columns, struct code_rows *out);
void code_rows_fini(struct code_rows *rows);

/* The same for keys[n] and others[m] instead of instructions: pairs[*count], in the order of both,
 * each an index or CODE_NONE at either side. The caller frees. */
struct code_pair {
	uint32_t left, right;
};
struct code_pair *code_align_keys(const uint64_t *keys, size_t n, const uint64_t *others, size_t m,
                                  size_t *count);

#endif

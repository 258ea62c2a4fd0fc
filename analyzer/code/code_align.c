/* code_align.c: which instructions of two builds are one: the longest common subsequence, by
 * dynamic programming between what both have in common at the beginning and at the end.
 * See doc/decisions/31-comparing.md. */
#include "analyzer/code/code_align.h"

#include "analyzer/base/memory.h"
#include "experiment/table/hash.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* So many steps of the table at most: 16 MiB of it. */
enum { STEPS_MAX = 1 << 24 };

enum step { STEP_BOTH, STEP_LEFT, STEP_RIGHT };

/* ---- what an instruction reads like ---- */

/* The hash of a text without its hexadecimal numbers. */
static uint64_t hash_without_numbers(const char *text)
{
	char kept[INSTRUCTION_TEXT_MAX];
	size_t len = 0;

	while (*text != '\0' && len + 1 < sizeof(kept)) {
		if (text[0] == '0' && text[1] == 'x') {
			text += 2;
			while (isxdigit((unsigned char)*text))
				text++;
			continue;
		}
		kept[len++] = *text++;
	}
	kept[len] = '\0';
	return exp_hash_text(EXP_HASH_START, kept);
}

/* Fixed addresses count by what is there; jumps inside of the function by nothing, since whatever
 * is put in moves them. */
static uint64_t key_of(const struct dataset *dataset, const struct choices *choices,
                       const struct code *code, const struct instruction *decoded)
{
	const struct sym_function *function = code->function;
	uint64_t address = decoded->has_target ? decoded->target : decoded->data, hash;
	char *name;

	if (!decoded->has_target && !decoded->has_data)
		return exp_hash_text(EXP_HASH_START, decoded->text);
	hash = hash_without_numbers(decoded->text);
	if (address >= function->address && address - function->address < function->size)
		return hash;
	name = code_name(dataset, choices, function, address);
	if (name)
		hash = exp_hash_text(hash, name);
	free(name);
	return hash;
}

static uint64_t *find_keys(const struct dataset *dataset, const struct choices *choices,
                           const struct code *code)
{
	uint64_t *keys = memory_take(code->count, sizeof(*keys));

	for (size_t i = 0; i < code->count; i++)
		keys[i] = key_of(dataset, choices, code, &code->at[i].decoded);
	return keys;
}

/* ---- two sequences ---- */

/* How to go from each place of both to the end of the common subsequence: steps[i * (m + 1) + j] of
 * the first i and j. The caller frees. */
static unsigned char *find_steps(const uint64_t *keys, size_t n, const uint64_t *others, size_t m)
{
	unsigned char *steps = memory_take((n + 1) * (m + 1), 1);
	uint32_t *before = memory_take(m + 1, sizeof(*before)),
		 *now = memory_take(m + 1, sizeof(*now)), *swap;

	for (size_t j = 1; j <= m; j++)
		steps[j] = STEP_RIGHT;
	for (size_t i = 1; i <= n; i++) {
		unsigned char *row = steps + i * (m + 1);

		row[0] = STEP_LEFT;
		for (size_t j = 1; j <= m; j++) {
			if (keys[i - 1] == others[j - 1]) {
				now[j] = before[j - 1] + 1;
				row[j] = STEP_BOTH;
			} else {
				row[j] = now[j - 1] >= before[j] ? STEP_RIGHT : STEP_LEFT;
				now[j] = row[j] == STEP_RIGHT ? now[j - 1] : before[j];
			}
		}
		swap = before;
		before = now;
		now = swap;
	}
	free(before);
	free(now);
	return steps;
}

/* Write the pairs of the first n and m backwards, in front of `end`. Returns the first. */
static struct code_pair *walk_back(const unsigned char *steps, size_t n, size_t m, size_t from,
                                   struct code_pair *end)
{
	size_t width = m + 1;

	while (n > 0 || m > 0) {
		enum step step = steps   ? (enum step)steps[n * width + m]
		                 : m > 0 ? STEP_RIGHT
		                         : STEP_LEFT;
		struct code_pair pair = {CODE_NONE, CODE_NONE};

		if (step != STEP_RIGHT)
			pair.left = (uint32_t)(from + --n);
		if (step != STEP_LEFT)
			pair.right = (uint32_t)(from + --m);
		*--end = pair;
	}
	return end;
}

struct code_pair *code_align_keys(const uint64_t *keys, size_t n, const uint64_t *others, size_t m,
                                  size_t *count)
{
	struct code_pair *pairs = memory_take(n + m, sizeof(*pairs)), *end = pairs + n + m,
			 *first = end;
	size_t head = 0, tail = 0;
	unsigned char *steps = NULL;

	while (head < n && head < m && keys[head] == others[head])
		head++;
	while (tail < n - head && tail < m - head && keys[n - 1 - tail] == others[m - 1 - tail])
		tail++;
	for (size_t i = 1; i <= tail; i++)
		*--first = (struct code_pair){(uint32_t)(n - i), (uint32_t)(m - i)};
	n -= head + tail;
	m -= head + tail;
	if (n > 0 && m > 0 && n + 1 <= STEPS_MAX / (m + 1))
		steps = find_steps(keys + head, n, others + head, m);
	first = walk_back(steps, n, m, head, first);
	free(steps);
	while (head > 0) {
		head--;
		*--first = (struct code_pair){(uint32_t)head, (uint32_t)head};
	}
	*count = (size_t)(end - first);
	memmove(pairs, first, *count * sizeof(*pairs));
	return pairs;
}

/* ---- several builds ---- */

/* Add a column to the rows, which have these keys: of the first that has the instruction. */
static void add_column(struct code_rows *rows, uint64_t **keys, const uint64_t *others, size_t m,
                       size_t column)
{
	size_t count;
	struct code_pair *pairs = code_align_keys(*keys, rows->count, others, m, &count);
	uint32_t *at = memory_take(count * rows->columns, sizeof(*at));
	uint64_t *merged = memory_take(count, sizeof(*merged));

	for (size_t i = 0; i < count; i++) {
		const struct code_pair *pair = &pairs[i];

		for (size_t j = 0; j < rows->columns; j++)
			at[i * rows->columns +
			   j] = pair->left == CODE_NONE ? CODE_NONE
			                                : rows->at[pair->left * rows->columns + j];
		at[i * rows->columns + column] = pair->right;
		merged[i] = pair->left != CODE_NONE ? (*keys)[pair->left] : others[pair->right];
	}
	free(pairs);
	free(rows->at);
	free(*keys);
	rows->at = at;
	rows->count = count;
	*keys = merged;
}

void code_align(const struct dataset *dataset, const struct choices *choices, struct output *output,
                const struct code *codes, size_t columns, struct code_rows *out)
{
	uint64_t *keys = NULL;

	(void)output;
	*out = (struct code_rows){.columns = columns};
	for (size_t i = 0; i < columns; i++) {
		/* There is nothing to align one build with. */
		uint64_t *others = columns > 1 ? find_keys(dataset, choices, &codes[i])
		                               : memory_take(codes[i].count, sizeof(*others));

		add_column(out, &keys, others, codes[i].count, i);
		free(others);
	}
	free(keys);
}

void code_rows_fini(struct code_rows *rows)
{
	free(rows->at);
}

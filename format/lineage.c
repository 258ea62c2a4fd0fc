/* lineage.c: the grammar of lineages. */
#include "format/lineage.h"

#include "format/layout.h"

#include <errno.h>
#include <string.h>

#define RANK "M_r"

int lineage_rank_name(char *out, size_t size, uint32_t rank)
{
	char digits[12];
	size_t at = sizeof(digits);

	digits[--at] = '\0';
	do
		digits[--at] = (char)('0' + rank % 10);
	while (rank /= 10);
	if (sizeof(RANK FMT_EXPERIMENT_SUFFIX) + sizeof(digits) - at > size)
		return -ENAMETOOLONG;
	strcpy(out, RANK);
	strcpy(out + sizeof(RANK) - 1, digits + at);
	strcat(out, FMT_EXPERIMENT_SUFFIX);
	return 0;
}

int lineage_append(char *text, char letter, uint32_t number)
{
	size_t len = strlen(text);
	char digits[12];
	size_t at = sizeof(digits);

	if (number == 0 || (letter != 'f' && letter != 'x' && letter != 'c'))
		return -EINVAL;
	digits[--at] = '\0';
	do
		digits[--at] = (char)('0' + number % 10);
	while (number /= 10);
	if (len + 2 + sizeof(digits) - at > LINEAGE_MAX)
		return -ENAMETOOLONG;
	text[len] = '_';
	text[len + 1] = letter;
	memcpy(text + len + 2, digits + at, sizeof(digits) - at);
	return 0;
}

/* The last step of a lineage, NULL if it has none. */
static char *last_step(char *text)
{
	return strrchr(text, '_');
}

int lineage_count_on(char *text, uint32_t more)
{
	enum { DIGITS_MAX = 9 };
	char *step = last_step(text);
	char letter;
	uint32_t number = 0;
	int error;

	if (!step)
		return -EINVAL;
	if (strlen(step) > 2 + DIGITS_MAX)
		return -ENAMETOOLONG;
	for (const char *at = step + 2; *at; at++)
		number = number * 10 + (uint32_t)(*at - '0');
	letter = step[1];
	*step = '\0';
	error = lineage_append(text, letter, number + more);
	if (error < 0)
		*step = '_';
	return error;
}

int lineage_count_up(char *text)
{
	return lineage_count_on(text, 1);
}

int lineage_next_image(char *text)
{
	const char *step = last_step(text);

	return step && step[1] == 'x' ? lineage_count_up(text) : lineage_append(text, 'x', 1);
}

static size_t parse_step(const char *text)
{
	size_t len = 2;

	if (text[0] != '_' || (text[1] != 'f' && text[1] != 'x' && text[1] != 'c'))
		return 0;
	if (text[2] < '1' || text[2] > '9')
		return 0;
	while (text[len] >= '0' && text[len] <= '9')
		len++;
	return len;
}

/* "M_r" and a number. */
static size_t parse_rank(const char *text)
{
	size_t len = sizeof(RANK) - 1;

	if (strncmp(text, RANK, len) != 0 || text[len] < '0' || text[len] > '9' ||
	    (text[len] == '0' && text[len + 1] >= '0' && text[len + 1] <= '9'))
		return 0;
	while (text[len] >= '0' && text[len] <= '9')
		len++;
	return len;
}

size_t lineage_parse(const char *text)
{
	size_t len = parse_rank(text);
	size_t step;

	if (len > 0)
		return len;

	while ((step = parse_step(text + len)) > 0)
		len += step;
	return len;
}

/* Numbers of steps have no leading zeros: the longer one is greater. */
static int compare_numbers(const char *left, size_t left_len, const char *right, size_t right_len)
{
	if (left_len != right_len)
		return left_len < right_len ? -1 : 1;
	return memcmp(left, right, left_len);
}

static int compare_letters(char left, char right)
{
	static const char order[] = "fcx";

	return (int)(strchr(order, left) - strchr(order, right));
}

int lineage_compare(const char *left, const char *right)
{
	size_t left_rank = parse_rank(left), right_rank = parse_rank(right);

	if (left_rank && right_rank)
		return compare_numbers(left, left_rank, right, right_rank);
	if (left_rank || right_rank)
		return left_rank ? -1 : 1;
	for (;;) {
		size_t left_len = parse_step(left), right_len = parse_step(right);
		int order;

		if (left_len == 0 || right_len == 0)
			return (left_len != 0) - (right_len != 0);
		order = compare_letters(left[1], right[1]);
		if (order == 0)
			order = compare_numbers(left + 2, left_len - 2, right + 2, right_len - 2);
		if (order != 0)
			return order;
		left += left_len;
		right += right_len;
	}
}

unsigned lineage_depth(const char *text)
{
	unsigned depth = 0;
	size_t step;

	while ((step = parse_step(text)) > 0) {
		text += step;
		depth++;
	}
	return depth;
}

int lineage_is_experiment(const char *name)
{
	size_t len = lineage_parse(name);

	return len > 0 && strcmp(name + len, FMT_EXPERIMENT_SUFFIX) == 0;
}

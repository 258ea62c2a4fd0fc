/* work.c: see work.h. */
#include "analyzer/data/work.h"

#include "analyzer/data/dataset.h"
#include "analyzer/model/metric_list.h"
#include "analyzer/model/name.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int parse_numbers(const char *text, struct work *out)
{
	char *end;

	out->kind = WORK_NUMBERS;
	do {
		if (out->count == WORK_GROUPS_MAX)
			return 0;
		out->numbers[out->count] = strtod(text, &end);
		if (end == text || !isfinite(out->numbers[out->count]) ||
		    out->numbers[out->count] <= 0)
			return 0;
		out->count++;
		text = end + 1;
	} while (*end == ',');
	return *end == '\0';
}

/* METRIC or METRIC(FUNCTION). */
static int parse_metric(const char *text, unsigned have, struct work *out, char *error)
{
	size_t len = strcspn(text, "("), size = strlen(text);
	char word[METRIC_TEXT_MAX], spec[METRIC_TEXT_MAX + 2];
	struct metric_sort sort;
	int status;

	out->kind = WORK_METRIC;
	if (len + 3 > sizeof(word) || (text[len] == '(' && text[size - 1] != ')') ||
	    size - len > WORK_FUNCTION_MAX) {
		snprintf(error, METRIC_ERROR_MAX, "write METRIC, METRIC(FUNCTION) or numbers");
		return -EINVAL;
	}
	snprintf(word, sizeof(word), "%.*s", (int)len, text);
	if (text[len] == '(')
		snprintf(out->function, sizeof(out->function), "%.*s", (int)(size - len - 2),
		         text + len + 1);
	snprintf(spec, sizeof(spec), "i.%s", word);
	status = strpbrk(word, ":.%~!+") ? -EINVAL : metric_sort_parse(spec, have, &sort, error);
	if (status != 0 || sort.metric.id >= METRIC_VALUES || metric_is_ratio(sort.metric.id) ||
	    strcmp(metric_keyword(sort.metric.id), word) != 0) {
		if (status == 0 || strpbrk(word, ":.%~!+"))
			snprintf(error, METRIC_ERROR_MAX, "'%.60s' is no measured metric", word);
		return -EINVAL;
	}
	out->metric = sort.metric.id;
	return 0;
}

int work_parse(const char *text, unsigned have, struct work *out, char *error)
{
	*out = (struct work){.kind = WORK_NONE};
	if (strcasecmp(text, "off") == 0)
		return 0;
	if (!strchr("0123456789.+-", text[0]))
		return parse_metric(text, have, out, error);
	if (parse_numbers(text, out))
		return 0;
	snprintf(error, METRIC_ERROR_MAX, "'%.60s' is no list of at most %d numbers above 0", text,
	         WORK_GROUPS_MAX);
	return -EINVAL;
}

char *work_spell(const struct work *work, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	if (work->kind == WORK_METRIC && work->function[0] != '\0')
		snprintf(text, size, "%s(%s)", metric_keyword(work->metric), work->function);
	else if (work->kind == WORK_METRIC)
		snprintf(text, size, "%s", metric_keyword(work->metric));
	for (size_t i = 0; i < work->count && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%.15g", i > 0 ? "," : "",
		                         work->numbers[i]);
	return text;
}

static int is_called(const struct sym_function *function, const char *name)
{
	char *shortened;
	int is_it;

	if (strcmp(function->name, name) == 0)
		return 1;
	shortened = name_shorten(function->name);
	is_it = strcmp(shortened, name) == 0;
	free(shortened);
	return is_it;
}

/* The inclusive value of all functions of the name. */
static double value_in(const struct dataset *dataset, size_t column, const struct work *work)
{
	const struct tree *tree = dataset_tree(dataset, TREE_FUNCTIONS);
	const struct fold *fold;
	double sum = 0;

	if (work->function[0] == '\0')
		return (double)dataset_column_tree(dataset, TREE_FUNCTIONS, column)
		        ->sum.of[work->metric];
	fold = dataset_column_fold(dataset, TREE_FUNCTIONS, column);
	for (uint32_t item = TREE_ROOT + 1; item < tree->item_count; item++)
		if (is_called(tree->items[item].function, work->function))
			sum += (double)columns_at(&fold->total, item, work->metric);
	return sum;
}

double work_done(const struct dataset *dataset, size_t column, size_t group)
{
	const struct work *work = &dataset->tables->work;

	if (work->kind == WORK_METRIC)
		return value_in(dataset, column, work);
	if (work->kind == WORK_NUMBERS)
		return work->numbers[group < work->count ? group : work->count - 1];
	return 1;
}

double work_factor(const struct dataset *dataset, size_t column)
{
	double first, here;

	if (dataset->tables->work.kind == WORK_NONE || column == 0)
		return 1;
	first = work_done(dataset, 0, 0);
	here = work_done(dataset, column, column);
	return first > 0 && here > 0 ? first / here : 1;
}

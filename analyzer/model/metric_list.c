/* metric_list.c: lists of metrics, and the keywords that users write for them. See metric_list.h.
 */
#include "analyzer/model/metric_list.h"

#include "format/nearest.h"
#include "analyzer/model/datakind.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static void add(struct metric_list *list, unsigned id, unsigned flavor, unsigned show)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->at[i].id == id && list->at[i].flavor == flavor) {
			list->at[i].show |= (uint8_t)show;
			return;
		}
	if (list->count < METRIC_LIST_MAX)
		list->at[list->count++] = (struct metric){(uint8_t)id, (uint8_t)flavor,
		                                          (uint8_t)show};
}

/* ---- the columns at the start. A table that is wider than a terminal is not read: where several
 * kinds of data were recorded, each has its leading metrics only ---- */

/* Kinds that have no columns at the start, or are no reason to leave those of others out. */
#define ALONGSIDE (EXP_DATA_PROFILE | EXP_DATA_COUNTERS | EXP_DATA_USER)

static int are_several(unsigned kinds)
{
	return (kinds & (kinds - 1)) != 0;
}

static void choose(unsigned have, enum metric_place least, struct metric_list *list)
{
	const unsigned both = METRIC_SHOW_VALUE | METRIC_SHOW_PERCENT;

	*list = (struct metric_list){.count = 0};
	if (have & EXP_DATA_PROFILE || (have & ~(unsigned)EXP_DATA_USER) == 0) {
		add(list, METRIC_TOTALCPU, METRIC_EXCLUSIVE, both);
		add(list, METRIC_TOTALCPU, METRIC_INCLUSIVE, both);
	}
	for (unsigned id = 0; id < METRIC_VALUES; id++)
		if (metric_data_of(id) != EXP_DATA_PROFILE && metric_data_of(id) & have &&
		    metric_place_of(id) >= least)
			add(list, id, METRIC_INCLUSIVE, METRIC_SHOW_VALUE);
}

static enum metric_place least_at_start(unsigned have)
{
	return are_several(have & ~(unsigned)ALONGSIDE) ? METRIC_LEADING : METRIC_USUAL;
}

void metric_defaults(unsigned have, struct metric_list *list, struct metric_sort *sort)
{
	choose(have, least_at_start(have), list);
	*sort = (struct metric_sort){.reverse = 0};
	/* Bytes allocated, not how often. */
	sort->metric = list->at[list->at[0].id == METRIC_HEAPALLOCCNT ? 1 : 0];
	add(list, METRIC_NAME, METRIC_PLAIN, METRIC_SHOW_VALUE);
}

static int is_same(const struct metric_list *a, const struct metric_list *b)
{
	for (size_t i = 0; i < a->count && i < b->count; i++)
		if (a->at[i].id != b->at[i].id || a->at[i].flavor != b->at[i].flavor)
			return 0;
	return a->count == b->count;
}

size_t metric_left_out(unsigned have, const struct metric_list *shown)
{
	struct metric_list list, wide;
	struct metric_sort sort;

	metric_defaults(have, &list, &sort);
	choose(have, METRIC_USUAL, &wide);
	return is_same(&list, shown) ? wide.count - (list.count - 1) : 0;
}

/* The list that `default` or `wide` names, without the name of the row. Returns 0, or -ENOENT: it
 * is another word. */
static int choose_named(const char *word, unsigned have, struct metric_list *list)
{
	if (strcasecmp(word, "default") == 0)
		choose(have, least_at_start(have), list);
	else if (strcasecmp(word, "wide") == 0)
		choose(have, METRIC_USUAL, list);
	else
		return -ENOENT;
	return 0;
}

void metric_of_programs(struct metric_list *list, struct metric_sort *sort)
{
	*list = (struct metric_list){.count = 0};
	add(list, METRIC_ADDRESS, METRIC_PLAIN, METRIC_SHOW_VALUE);
	add(list, METRIC_SIZE, METRIC_PLAIN, METRIC_SHOW_VALUE);
	add(list, METRIC_NAME, METRIC_PLAIN, METRIC_SHOW_VALUE);
	*sort = (struct metric_sort){.metric = list->at[2]};
}

/* One keyword taken apart: sets of flavors and shows, 0 where not given. */
struct keyword {
	unsigned flavors, show;
	unsigned any; /* all metrics of these data; 0: one */
	unsigned id;
};

static int find_name(const char *name, struct keyword *out)
{
	out->any = strcasecmp(name, "any") == 0 || strcasecmp(name, "all") == 0 ? ~0u
	           : strcasecmp(name, "hwc") == 0                               ? EXP_DATA_COUNTERS
	                                                                        : 0;
	if (out->any != 0)
		return 0;
	for (unsigned id = 0; id < METRICS; id++)
		if (metric_is_there(id) && strcasecmp(name, metric_keyword(id)) == 0) {
			out->id = id;
			return 0;
		}
	return -EINVAL;
}

static int read_flavors(const char *text, size_t len, unsigned *out)
{
	*out = 0;
	for (size_t i = 0; i < len; i++) {
		unsigned found = metric_flavor_of(text[i]);

		if (found == 0)
			return -EINVAL;
		*out |= found;
	}
	return 0;
}

static unsigned read_show(const char *text, size_t len)
{
	unsigned show = 0;

	for (size_t i = 0; i < len; i++) {
		if (text[i] == '!')
			show |= METRIC_SHOW_HIDDEN;
		else if (text[i] == '~')
			show |= METRIC_SHOW_VALUE | METRIC_SHOW_REACH;
		else
			show |= text[i] == '%' ? METRIC_SHOW_PERCENT : METRIC_SHOW_VALUE;
	}
	return show;
}

/* Without a visibility sign "address" is a name and not flavor a of "ddress": whole names come
 * first. */
static int read_keyword(const char *text, struct keyword *out)
{
	size_t flavor_len = strcspn(text, METRIC_SIGNS);
	size_t show_len = strspn(text + flavor_len, METRIC_SIGNS);

	*out = (struct keyword){.flavors = 0};
	if (show_len != 0) {
		out->show = read_show(text + flavor_len, show_len);
		if (read_flavors(text, flavor_len, &out->flavors) != 0)
			return -EINVAL;
		return find_name(text + flavor_len + show_len, out);
	}
	for (size_t len = 0; len <= METRIC_FLAVORS && text[len] != '\0'; len++)
		if (read_flavors(text, len, &out->flavors) == 0 && find_name(text + len, out) == 0)
			return 0;
	return -EINVAL;
}

static void expand(const struct keyword *keyword, unsigned id, struct metric_list *out)
{
	unsigned wanted = keyword->flavors;
	unsigned show = keyword->show ? keyword->show : METRIC_SHOW_VALUE;

	if (metric_kind_of(id) == METRIC_DATA_STATIC) {
		add(out, id, METRIC_PLAIN,
		    show & METRIC_SHOW_HIDDEN ? METRIC_SHOW_HIDDEN : METRIC_SHOW_VALUE);
		return;
	}
	if (wanted == 0)
		wanted = metric_kind_of(id) == EXP_DATA_PROFILE
		                 ? METRIC_EXCLUSIVE | METRIC_INCLUSIVE
		                 : METRIC_INCLUSIVE;
	if (wanted & METRIC_ATTRIBUTED) /* derived from what the table of functions shows */
		wanted = (wanted & ~(unsigned)METRIC_ATTRIBUTED) | METRIC_INCLUSIVE;
	for (unsigned flavor = METRIC_EXCLUSIVE; flavor <= METRIC_ATTRIBUTED; flavor <<= 1)
		if (wanted & flavor)
			add(out, id, flavor, show);
}

/* `text` is no keyword; its name, if it has one, begins at `skip`. The nearest one is named with
 * the same flavor and signs. */
static void say_unknown(const char *text, size_t skip, char *error)
{
	const char *names[METRICS + 4] = {"any", "default", "wide", "hwc"}, *near;
	size_t count = 4, flavor_len = strcspn(text, METRIC_SIGNS);
	unsigned flavors_read;

	for (unsigned id = 0; id < METRICS; id++)
		if (metric_is_there(id))
			names[count++] = metric_keyword(id);
	near = nearest_of(text + skip, names, count);
	if (near && skip != 0 && read_flavors(text, flavor_len, &flavors_read) != 0)
		snprintf(
			error, METRIC_ERROR_MAX,
			"'%.30s' is not a metric: what stands before its name is e, i or a (did you mean 'e.%.30s'?)",
			text, near);
	else if (near)
		snprintf(error, METRIC_ERROR_MAX,
		         "'%.40s' is not a metric (did you mean '%.*s%.40s'?)", text, (int)skip,
		         text, near);
	else
		snprintf(error, METRIC_ERROR_MAX,
		         "'%.40s' is not a metric (metric_list lists them)", text);
}

static int parse_keyword(const char *text, unsigned have, struct metric_list *out, char *error)
{
	struct keyword keyword;

	if (read_keyword(text, &keyword) != 0) {
		size_t skip = strcspn(text, METRIC_SIGNS);

		skip += strspn(text + skip, METRIC_SIGNS);
		if (text[skip] == '\0') /* without signs all of it is the name */
			skip = 0;
		if (strcasecmp(text + skip, "bit") == 0) {
			snprintf(error, METRIC_ERROR_MAX,
			         "'%.40s': no such data in these experiments", text);
			return -ENODATA;
		}
		say_unknown(text, skip, error);
		return -EINVAL;
	}
	if (keyword.any != 0 && (keyword.any & have) == 0 && keyword.any != ~0u) {
		snprintf(error, METRIC_ERROR_MAX, "'%.40s': no such data in these experiments",
		         text);
		return -ENODATA;
	}
	if (keyword.any != 0) {
		for (unsigned id = 0; id < METRIC_VALUES; id++)
			if (metric_kind_of(id) & have & keyword.any && metric_is_there(id))
				expand(&keyword, id, out);
		return 0;
	}
	if (metric_kind_of(keyword.id) != METRIC_DATA_STATIC &&
	    !(metric_kind_of(keyword.id) & have)) {
		snprintf(error, METRIC_ERROR_MAX, "'%.40s': no %s data in these experiments", text,
		         datakind_name(metric_kind_of(keyword.id)));
		return -ENODATA;
	}
	expand(&keyword, keyword.id, out);
	return 0;
}

int metric_list_parse(const char *spec, unsigned have, struct metric_list *out, char *error)
{
	struct metric_list list = {.count = 0}, usual;
	char text[64];

	for (;;) {
		size_t len = strcspn(spec, ":");
		int status;

		snprintf(text, sizeof(text), "%.*s", (int)len, spec);
		if (choose_named(text, have, &usual) == 0) {
			for (size_t i = 0; i < usual.count; i++)
				add(&list, usual.at[i].id, usual.at[i].flavor, usual.at[i].show);
		} else {
			status = parse_keyword(text, have, &list, error);
			if (status != 0)
				return status;
		}
		if (spec[len] == '\0')
			break;
		spec += len + 1;
	}
	add(&list, METRIC_NAME, METRIC_PLAIN, METRIC_SHOW_VALUE);
	*out = list;
	return 0;
}

size_t metric_list_fault(const char *spec, unsigned have)
{
	struct metric_list list;
	char error[METRIC_ERROR_MAX], text[64];
	const char *at = spec;

	for (;;) {
		size_t len = strcspn(at, ":");

		snprintf(text, sizeof(text), "%.*s", (int)len, at);
		if (metric_list_parse(text, have, &list, error) != 0 || at[len] == '\0')
			return (size_t)(at - spec) + 1;
		at += len + 1;
	}
}

int metric_sort_parse(const char *spec, unsigned have, struct metric_sort *out, char *error)
{
	struct metric_list list = {.count = 0};
	struct metric_list usual;
	int reverse = spec[0] == '-';
	int status;

	if (strcasecmp(spec, "default") == 0) {
		metric_defaults(have, &usual, out);
		return 0;
	}
	status = parse_keyword(spec + reverse, have, &list, error);
	if (status != 0)
		return status;
	if (list.count == 0) {
		snprintf(error, METRIC_ERROR_MAX, "'%.40s': no such data in these experiments",
		         spec);
		return -ENODATA;
	}
	*out = (struct metric_sort){.metric = list.at[0], .reverse = reverse};
	return 0;
}

void metric_sort_adjust(const struct metric_list *list, struct metric_sort *sort)
{
	if (sort->metric.id == METRIC_NAME)
		return;
	for (size_t i = 0; i < list->count; i++)
		if (list->at[i].id == sort->metric.id && list->at[i].flavor == sort->metric.flavor)
			return;
	for (size_t i = 0; i < list->count; i++)
		if (list->at[i].flavor != METRIC_PLAIN) {
			*sort = (struct metric_sort){.metric = list->at[i]};
			return;
		}
}

size_t metric_list_reduce(unsigned have, struct metric_list *list)
{
	size_t kept = 0, measured = 0;

	for (size_t i = 0; i < list->count; i++) {
		unsigned data = metric_kind_of(list->at[i].id);

		if (data != METRIC_DATA_STATIC && !(data & have))
			continue;
		measured += data != METRIC_DATA_STATIC;
		list->at[kept++] = list->at[i];
	}
	list->count = kept;
	return measured;
}

int metric_list_equal(const struct metric_list *left, const struct metric_list *right)
{
	if (left->count != right->count)
		return 0;
	for (size_t i = 0; i < left->count; i++)
		if (left->at[i].id != right->at[i].id ||
		    left->at[i].flavor != right->at[i].flavor ||
		    left->at[i].show != right->at[i].show)
			return 0;
	return 1;
}

void metric_list_attributed(const struct metric_list *list, struct metric_list *out)
{
	*out = (struct metric_list){.count = 0};
	for (size_t i = 0; i < list->count; i++) {
		const struct metric *metric = &list->at[i];

		if (metric->id < METRIC_VALUES && !(metric->show & METRIC_SHOW_HIDDEN))
			add(out, metric->id, METRIC_ATTRIBUTED, metric->show);
	}
	add(out, METRIC_NAME, METRIC_PLAIN, METRIC_SHOW_VALUE);
}

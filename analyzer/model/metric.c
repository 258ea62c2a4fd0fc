/* metric.c: the table of metrics, and the keywords that users write. */
#include "analyzer/model/metric.h"

#include "experiment/base/clock.h"
#include "experiment/experiment.h"
#include "format/nearest.h"
#include "analyzer/model/datakind.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define NO METRIC_NO, NULL
#define TOTAL METRIC_TOTAL, NULL
#define FUNCTIONS(title) METRIC_FUNCTIONS, title
#define OWN(title) METRIC_OWN, title

static const struct {
	const char *keyword, *heading, *meaning;
	unsigned data;
	enum metric_unit unit;
	enum metric_place place;
	enum metric_overview overview;
	const char *title;
} metrics[METRICS] = {
#define METRIC(id, keyword, kind, unit, place, from, overview, heading, meaning) \
	{keyword, heading, meaning, EXP_DATA_##kind, METRIC_UNIT_##unit, METRIC_##place, overview},
#define PROPERTY(id, keyword, unit, heading, meaning) \
	{keyword, heading, meaning, METRIC_DATA_STATIC, METRIC_UNIT_##unit, METRIC_SPECIAL, NO},
#include "analyzer/model/metric.def"
};

#undef NO
#undef TOTAL
#undef FUNCTIONS
#undef OWN

_Static_assert(EXP_METRICS <= UINT8_MAX, "a total's number fits");
#define FROM(...) \
	{ \
		__VA_ARGS__, EXP_METRICS \
	}
const uint8_t metric_from[METRIC_VALUES][METRIC_FROM_MAX] = {
#define METRIC(id, keyword, kind, unit, place, from, overview, heading, meaning) FROM from,
#include "analyzer/model/metric.def"
};

static const struct {
	char letter;
	unsigned flavor;
	const char *heading, *meaning;
} flavors[] = {
	{'e', METRIC_EXCLUSIVE, "Excl.", "Exclusive "},
	{'i', METRIC_INCLUSIVE, "Incl.", "Inclusive "},
	{'a', METRIC_ATTRIBUTED, "Attr.", "Attributed "},
};
enum { FLAVORS = sizeof(flavors) / sizeof(flavors[0]) };

static int is_counter(unsigned id)
{
	return id >= METRIC_COUNTER0 && id <= METRIC_COUNTER7;
}

/* What the event of a counter is called; `otherwise` for all other metrics. */
static const char *counter_name(unsigned id, const char *otherwise)
{
	const char *name = is_counter(id) ? experiment_counter_name(id - METRIC_COUNTER0) : NULL;

	return name ? name : otherwise;
}

/* The metric of a counter, METRICS if there is none. */
static unsigned find_counter(const char *event)
{
	for (unsigned id = METRIC_COUNTER0; id <= METRIC_COUNTER7; id++)
		if (strcmp(counter_name(id, ""), event) == 0)
			return id;
	return METRICS;
}

static int is_there(unsigned id)
{
	if (metrics[id].unit == METRIC_UNIT_RATIO)
		return find_counter("cycles") != METRICS && find_counter("instructions") != METRICS;
	return !is_counter(id) || counter_name(id, NULL) != NULL;
}

int metric_is_ratio(unsigned id)
{
	return metrics[id].unit == METRIC_UNIT_RATIO;
}

int metric_find_ratio(unsigned id, unsigned *above, unsigned *below)
{
	unsigned cycles = find_counter("cycles"), instructions = find_counter("instructions");

	*above = id == METRIC_IPC ? instructions : cycles;
	*below = id == METRIC_IPC ? cycles : instructions;
	return cycles != METRICS && instructions != METRICS;
}

const char *metric_keyword(unsigned id)
{
	return counter_name(id, metrics[id].keyword);
}

const char *metric_heading(unsigned id)
{
	return counter_name(id, metrics[id].heading);
}

const char *metric_meaning(unsigned id)
{
	return counter_name(id, metrics[id].meaning);
}

unsigned metric_data_of(unsigned id)
{
	return is_there(id) ? metrics[id].data : METRIC_DATA_STATIC;
}

metric_set metric_set_of(unsigned data)
{
	metric_set set = 0;

	for (unsigned id = 0; id < METRIC_VALUES; id++)
		if (metrics[id].data & data)
			set |= METRIC_BIT(id);
	return set;
}

enum metric_overview metric_overview_of(unsigned id, const char **title)
{
	*title = metrics[id].title;
	return metrics[id].overview;
}

enum metric_unit metric_unit_of(unsigned id)
{
	return metrics[id].unit;
}

const char *metric_flavor_heading(unsigned flavor)
{
	for (size_t i = 0; i < FLAVORS; i++)
		if (flavors[i].flavor == flavor)
			return flavors[i].heading;
	return "";
}

char *metric_describe(const struct metric *metric, char *text)
{
	const char *prefix = "";

	for (size_t i = 0; i < FLAVORS; i++)
		if (flavors[i].flavor == metric->flavor)
			prefix = flavors[i].meaning;
	snprintf(text, METRIC_ERROR_MAX, "%s%s", prefix, metric_meaning(metric->id));
	return text;
}

char *metric_spell(const struct metric *metric, char *text)
{
	char *at = text;

	for (size_t i = 0; i < FLAVORS; i++)
		if (flavors[i].flavor == metric->flavor)
			*at++ = flavors[i].letter;
	if (metric->show & METRIC_SHOW_HIDDEN)
		*at++ = '!';
	if (metric->show & METRIC_SHOW_VALUE && metric->flavor != METRIC_PLAIN)
		*at++ = '.';
	if (metric->show & METRIC_SHOW_PERCENT)
		*at++ = '%';
	if (metric->show & METRIC_SHOW_REACH)
		*at++ = '~';
	snprintf(at, (size_t)(text + METRIC_TEXT_MAX - at), "%s", metric_keyword(metric->id));
	return text;
}

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
		    metrics[id].place >= least)
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
		if (is_there(id) && strcasecmp(name, metric_keyword(id)) == 0) {
			out->id = id;
			return 0;
		}
	return -EINVAL;
}

static int read_flavors(const char *text, size_t len, unsigned *out)
{
	*out = 0;
	for (size_t i = 0; i < len; i++) {
		unsigned found = 0;

		for (size_t j = 0; j < FLAVORS; j++)
			if ((text[i] | 0x20) == flavors[j].letter)
				found = flavors[j].flavor;
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
	for (size_t len = 0; len <= FLAVORS && text[len] != '\0'; len++)
		if (read_flavors(text, len, &out->flavors) == 0 && find_name(text + len, out) == 0)
			return 0;
	return -EINVAL;
}

static void expand(const struct keyword *keyword, unsigned id, struct metric_list *out)
{
	unsigned wanted = keyword->flavors;
	unsigned show = keyword->show ? keyword->show : METRIC_SHOW_VALUE;

	if (metrics[id].data == METRIC_DATA_STATIC) {
		add(out, id, METRIC_PLAIN,
		    show & METRIC_SHOW_HIDDEN ? METRIC_SHOW_HIDDEN : METRIC_SHOW_VALUE);
		return;
	}
	if (wanted == 0)
		wanted = metrics[id].data == EXP_DATA_PROFILE ? METRIC_EXCLUSIVE | METRIC_INCLUSIVE
		                                              : METRIC_INCLUSIVE;
	if (wanted & METRIC_ATTRIBUTED) /* derived from what the table of functions shows */
		wanted = (wanted & ~(unsigned)METRIC_ATTRIBUTED) | METRIC_INCLUSIVE;
	for (size_t i = 0; i < FLAVORS; i++)
		if (wanted & flavors[i].flavor)
			add(out, id, flavors[i].flavor, show);
}

/* `text` is no keyword; its name, if it has one, begins at `skip`. The nearest one is named with
 * the same flavor and signs. */
static void say_unknown(const char *text, size_t skip, char *error)
{
	const char *names[METRICS + 4] = {"any", "default", "wide", "hwc"}, *near;
	size_t count = 4, flavor_len = strcspn(text, METRIC_SIGNS);
	unsigned flavors_read;

	for (unsigned id = 0; id < METRICS; id++)
		if (is_there(id))
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
			if (metrics[id].data & have & keyword.any && is_there(id))
				expand(&keyword, id, out);
		return 0;
	}
	if (metrics[keyword.id].data != METRIC_DATA_STATIC && !(metrics[keyword.id].data & have)) {
		snprintf(error, METRIC_ERROR_MAX, "'%.40s': no %s data in these experiments", text,
		         datakind_name(metrics[keyword.id].data));
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
		unsigned data = metrics[list->at[i].id].data;

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

char *metric_format(unsigned id, uint64_t value, char *text)
{
	if (metrics[id].unit == METRIC_UNIT_SECONDS) {
		/* Half a millisecond up; in integers, so that every machine prints the same. */
		uint64_t ms = value / 1000000 + (value % 1000000 >= 500000);

		snprintf(text, METRIC_TEXT_MAX, "%llu.%03llu", (unsigned long long)(ms / 1000),
		         (unsigned long long)(ms % 1000));
	} else if (metrics[id].unit == METRIC_UNIT_RATIO) {
		snprintf(text, METRIC_TEXT_MAX, "%llu.%03llu", (unsigned long long)(value / 1000),
		         (unsigned long long)(value % 1000));
	} else if (metrics[id].unit == METRIC_UNIT_HEX) {
		snprintf(text, METRIC_TEXT_MAX, "0x%08llx", (unsigned long long)value);
	} else {
		snprintf(text, METRIC_TEXT_MAX, "%llu", (unsigned long long)value);
	}
	return text;
}

char *metric_format_percent(uint64_t value, uint64_t total, char *text)
{
	snprintf(text, METRIC_TEXT_MAX, "%.2f",
	         total ? 100.0 * (double)value / (double)total : 0.0);
	return text;
}

void metric_values_add(struct metric_values *to, const struct metric_values *from)
{
	for (size_t i = 0; i < METRIC_VALUES; i++)
		to->of[i] += from->of[i];
}

int metric_values_any(const struct metric_values *values)
{
	for (size_t i = 0; i < METRIC_VALUES; i++)
		if (values->of[i] != 0)
			return 1;
	return 0;
}

/* metric.c: the table of metrics. See metric.h. */
#include "analyzer/model/metric.h"

#include "analyzer/base/text.h"
#include "experiment/base/clock.h"
#include "experiment/experiment.h"

#include <stdio.h>
#include <string.h>

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

int metric_is_there(unsigned id)
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
	return metric_is_there(id) ? metrics[id].data : METRIC_DATA_STATIC;
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

enum metric_place metric_place_of(unsigned id)
{
	return metrics[id].place;
}

unsigned metric_kind_of(unsigned id)
{
	return metrics[id].data;
}

unsigned metric_flavor_of(char letter)
{
	for (size_t i = 0; i < FLAVORS; i++)
		if ((letter | 0x20) == flavors[i].letter)
			return flavors[i].flavor;
	return METRIC_PLAIN;
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

/* The scale of times that are not known to be short. */
static const struct metric_scale usual = {.unit_ns = METRIC_SECOND_NS, .digits = 3};

/* Times of which the greatest is below these are short, or tiny. */
enum { SCALE_SHORT_NS = 100000000, SCALE_TINY_NS = 1000000, SCALE_DIGITS_MAX = 6 };

/* The last digit is worth no more than a sample, so that a row of one is not 0; a sample may weigh
 * half of another. Of few samples it is worth no more than a twentieth of all, so that rows are
 * not all equal. */
static struct metric_scale sampled_scale(uint64_t greatest_ns, double sample_ns)
{
	struct metric_scale scale = {.unit_ns = METRIC_SECOND_NS, .digits = 0};
	double worth = METRIC_SECOND_NS;

	while (scale.digits < SCALE_DIGITS_MAX &&
	       (worth > 2 * sample_ns || worth > (double)greatest_ns / 20)) {
		scale.digits++;
		worth /= 10;
	}
	return scale;
}

struct metric_scale metric_scale_of(unsigned id, uint64_t greatest_ns, double sample_ns)
{
	if (sample_ns > 0)
		return sampled_scale(greatest_ns, sample_ns);
	if (greatest_ns == 0 || greatest_ns >= SCALE_SHORT_NS ||
	    metrics[id].data & (EXP_DATA_PROFILE | EXP_DATA_WALL))
		return usual;
	if (greatest_ns < SCALE_TINY_NS)
		return (struct metric_scale){.unit_ns = 1000, .digits = 3};
	return (struct metric_scale){.unit_ns = METRIC_SECOND_NS, .digits = 6};
}

const char *metric_scale_unit(const struct metric_scale *scale)
{
	return scale->unit_ns == METRIC_SECOND_NS ? "sec." : "usec.";
}

char *metric_format_scaled(unsigned id, uint64_t value, const struct metric_scale *scale,
                           char *text)
{
	if (metrics[id].unit == METRIC_UNIT_SECONDS)
		text_time_digits(value, scale->unit_ns, scale->digits, text);
	else if (metrics[id].unit == METRIC_UNIT_RATIO)
		snprintf(text, METRIC_TEXT_MAX, "%llu.%03llu", (unsigned long long)(value / 1000),
		         (unsigned long long)(value % 1000));
	else if (metrics[id].unit == METRIC_UNIT_HEX)
		snprintf(text, METRIC_TEXT_MAX, "0x%08llx", (unsigned long long)value);
	else
		snprintf(text, METRIC_TEXT_MAX, "%llu", (unsigned long long)value);
	return text;
}

char *metric_format(unsigned id, uint64_t value, char *text)
{
	return metric_format_scaled(id, value, &usual, text);
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

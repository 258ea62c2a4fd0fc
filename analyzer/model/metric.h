/* metric.h: what a table can show, and how values are written. Lists of metrics, and the keywords
 * that name them: metric_list.h. */
#ifndef XER_ANALYZER_MODEL_METRIC_H
#define XER_ANALYZER_MODEL_METRIC_H

#include "experiment/experiment.h"

#include <stddef.h>
#include <stdint.h>

enum metric_id {
#define METRIC(id, ...) METRIC_##id,
#define PROPERTY(id, ...) METRIC_##id,
#include "analyzer/model/metric.def"
	METRICS
};

/* Those before METRIC_VALUES are measured; the others are properties of functions. */
enum {
	METRIC_VALUES = 0
#define METRIC(...) +1
#include "analyzer/model/metric.def"
};

/* A set of measured metrics. */
typedef unsigned __int128 metric_set;
#define METRIC_BIT(id) ((metric_set)1 << (id))
_Static_assert(METRIC_VALUES <= 128, "a bit for each metric");

enum metric_unit {
	METRIC_UNIT_SECONDS,
	METRIC_UNIT_COUNT,
	METRIC_UNIT_BYTES,
	METRIC_UNIT_HEX,
	METRIC_UNIT_TEXT,
	METRIC_UNIT_RATIO /* in thousandths; of such that are made of others */
};
enum metric_flavor {
	METRIC_PLAIN = 0,
	METRIC_EXCLUSIVE = 1,
	METRIC_INCLUSIVE = 2,
	METRIC_ATTRIBUTED = 4
};
enum metric_show {
	METRIC_SHOW_VALUE = 1,
	METRIC_SHOW_PERCENT = 2,
	METRIC_SHOW_HIDDEN = 4,
	METRIC_SHOW_REACH = 8 /* of its interval; of what is sampled */
};

/* One value for each measured metric; times in ns. */
struct metric_values {
	uint64_t of[METRIC_VALUES];
};

struct metric {
	uint8_t id;     /* enum metric_id */
	uint8_t flavor; /* one enum metric_flavor */
	uint8_t show;   /* set of enum metric_show */
};

enum { METRIC_TEXT_MAX = 64, METRIC_ERROR_MAX = 160 };

const char *metric_keyword(unsigned id);
const char *metric_heading(unsigned id);
const char *metric_meaning(unsigned id);

/* The kind of data that brings it, enum exp_data; METRIC_DATA_STATIC: it is a property of
 * functions, or a counter that no experiment has. */
enum { METRIC_DATA_STATIC = 0 };
unsigned metric_data_of(unsigned id);

/* The same, also of a counter that no experiment has. */
unsigned metric_kind_of(unsigned id);

/* Do the experiments have it? False for counters, and ratios of counters, that were not asked
 * for. */
int metric_is_there(unsigned id);

/* Those that kinds of data (a set of enum exp_data) bring, as a set: bit 1 << metric. */
metric_set metric_set_of(unsigned data);

/* The totals of call stacks that it is the sum of: enum exp_metric, EXP_METRICS behind the last. */
enum { METRIC_FROM_MAX = 20 };
extern const uint8_t metric_from[METRIC_VALUES][METRIC_FROM_MAX];

/* What the overview tells of it: METRIC_FUNCTIONS: its total and, under this title, the functions
 * with most of it; METRIC_OWN: the same by functions of the program's own code. */
enum metric_overview { METRIC_NO, METRIC_TOTAL, METRIC_FUNCTIONS, METRIC_OWN };
enum metric_overview metric_overview_of(unsigned id, const char **title);

/* METRIC_LEADING: among the columns at the start; METRIC_USUAL: the same, unless several kinds of
 * data were recorded. */
enum metric_place { METRIC_SPECIAL, METRIC_USUAL, METRIC_LEADING };
enum metric_place metric_place_of(unsigned id);

enum metric_unit metric_unit_of(unsigned id);

/* The flavor of a letter, e, i or a in either case; METRIC_PLAIN: it is another one. */
enum { METRIC_FLAVORS = 3 };
unsigned metric_flavor_of(char letter);

/* "Excl.", "Incl.", "Attr." or "". */
const char *metric_flavor_heading(unsigned flavor);

/* "Exclusive Total CPU Time" into text[METRIC_ERROR_MAX]. Returns text. */
char *metric_describe(const struct metric *metric, char *text);

/* Keyword of a metric, "e.%totalcpu", into text[METRIC_TEXT_MAX]. Returns text. */
char *metric_spell(const struct metric *metric, char *text);

/* Is it the ratio of two others, in thousandths? Find these: returns 1, or 0 if there is no such
 * data. */
int metric_is_ratio(unsigned id);
int metric_find_ratio(unsigned id, unsigned *above, unsigned *below);

/* How the times of a column are written: in which unit, with how many digits behind the point. */
#define METRIC_SECOND_NS 1000000000u
struct metric_scale {
	uint64_t unit_ns; /* METRIC_SECOND_NS or 1000 */
	unsigned digits;
};

/* The scale of times of a metric of which the greatest is given. Of sampled ones the last digit is
 * worth about a sample, which stands for `sample_ns`; exact ones (0) are in seconds with 3 digits.
 * Where single events are timed they have 6 below 0.1 s, and are in microseconds below 1 ms; times
 * of threads, which are CPU time and waits, are not: they add up. */
struct metric_scale metric_scale_of(unsigned id, uint64_t greatest_ns, double sample_ns);

/* The unit, as headings have it: "sec." or "usec."; static. */
const char *metric_scale_unit(const struct metric_scale *scale);

/* A measured value as text[METRIC_TEXT_MAX]: times by the scale, else an integer. Returns text. */
char *metric_format_scaled(unsigned id, uint64_t value, const struct metric_scale *scale,
                           char *text);

/* The same, with times in seconds with 3 digits. */
char *metric_format(unsigned id, uint64_t value, char *text);

/* The share of `value` in `total` with 2 decimals as text[METRIC_TEXT_MAX]. Returns text. */
char *metric_format_percent(uint64_t value, uint64_t total, char *text);

/* Add `from` to `to`. */
void metric_values_add(struct metric_values *to, const struct metric_values *from);

/* True if any of the values is not 0. */
int metric_values_any(const struct metric_values *values);

#endif

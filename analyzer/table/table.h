/* table.h: tables of metrics: rows, their order, their columns, and the lines around them. */
#ifndef XER_ANALYZER_TABLE_TABLE_H
#define XER_ANALYZER_TABLE_TABLE_H

#include "analyzer/data/dataset.h"
#include "analyzer/model/metric_list.h"
#include "analyzer/print/output.h"
#include "analyzer/statistics/interval.h"

/* One row. Its exclusive or attributed values are `own`, its inclusive ones `total`; tables of
 * attributed values use `own` alone. */
struct table_row {
	struct metric_view own, total;       /* borrowed */
	int has_values;                      /* 0: a line without values */
	const struct sym_function *function; /* for size and address; NULL: none */
	uint32_t item;                       /* of the tree, for the caller's use */
	char *name;                          /* freed by table_fini */
	char mark;                           /* printed before the name: '*' or ' '; 0: none */
	uint32_t depth;                      /* in a tree, where its table has depths */
	const char *kind;                    /* in a listing: what the line is; static */
	uint64_t address;                    /* in a listing: of an instruction, 0: none */
	unsigned line;                       /* in a listing: of the source, 0: none */
	int is_hot;                          /* in a listing: marked in the margin */
	size_t values;                       /* index of its first in table->values */
};

/* The values of a row in one of the columns of a comparison. */
struct table_values {
	struct metric_view own, total; /* borrowed */
};

/* A column of a comparison. */
struct table_group {
	char *label;   /* "before", "[2]" */
	double factor; /* of all its values, which are told for as much work as the first group did;
	                  0: they are as they are */
	struct metric_values sum; /* 100 % */
	/* Of each sampled metric (sampled.h), and the number of equal samples that tell as much; or
	 * what a sample stands for, at most. 0: it is not sampled. */
	double whole[METRIC_VALUES], effective[METRIC_VALUES], unit[METRIC_VALUES];
};

/* Where groups are compared, each metric has a column for each of them; the first is the base, and
 * what `own`, `total` and `sum` are about. */
struct table {
	struct table_row *rows; /* rows[count] */
	size_t count, capacity;
	struct metric_values sum; /* 100 % */
	int has_depth;            /* a table of a tree */
	int is_listing; /* lines in the order of a text: it has a margin, and values that are 0 stay
	                   blank */
	int has_properties; /* for programs: what is known of each function, besides values */
	int has_color;      /* for a terminal that shows it */
	int has_addresses;  /* a listing whose places are addresses */
	size_t width; /* columns of the terminal, 0: none, where rows are as long as they like */
	enum tree_compare compare;
	struct table_group *groups; /* groups[group_count]; of one or none nothing is compared */
	size_t group_count;
	struct table_values *values; /* of the rows, group_count of each */
	size_t value_count, value_capacity;
	struct table_values *next; /* next[group_count]: of the row to come, for table_add_next */
};

/* Append a row for an item of `tree`, with the values in table->next, to a table made by
 * compare_table; takes `name`. */
void table_add_next(struct table *table, const struct tree *tree, uint32_t item, char *name);

/* Give a row the values in table->next. */
void table_take_next(struct table *table, struct table_row *row);

/* Sort rows[from..]: by the metric of `sort`, then by each metric of the list, then by name. Where
 * differences are shown, the greatest of them decides, up or down. */
void table_sort(struct table *table, size_t from, const struct metric_sort *sort,
                const struct metric_list *metrics);

/* True if the row has a value in a shown metric or in the one sorted by. */
int table_is_worth(const struct metric_view *own, const struct metric_view *total,
                   const struct metric_list *metrics, const struct metric_sort *sort);

/* True if a row has anything to show in the column of a metric. */
int table_has_value(const struct table_row *row, const struct metric *metric);

/* The same of table->next, in any group. */
int table_next_is_worth(const struct table *table, const struct metric_list *metrics,
                        const struct metric_sort *sort);

/* What a row has in the column of a metric. */
uint64_t table_value(const struct table_row *row, const struct metric *metric);

/* The same in a group. */
uint64_t table_group_value(const struct table *table, const struct table_row *row,
                           const struct metric *metric, size_t group);

/* Its share of the sum of the group in percent, 0 if that is 0. */
double table_share(const struct table *table, const struct table_row *row,
                   const struct metric *metric, size_t group);

/* What one sample of a sampled metric stands for in a group, on average or, for blocks that are
 * chosen by their size, at most; in the metric's unit. 0: the metric is exact. */
double table_sample(const struct table *table, const struct metric *metric, size_t group);

/* Digits behind the point that shares of a metric deserve in a group, and ratios to the first
 * group.
 */
unsigned table_percent_digits(const struct table *table, const struct metric *metric, size_t group);
unsigned table_ratio_digits(const struct table *table, const struct metric *metric, size_t group);

/* How times of a metric are written, in all groups. */
struct metric_scale table_scale(const struct table *table, const struct metric *metric);

/* The value of a metric in a group, or its difference or ratio to that of the base, as
 * text[METRIC_TEXT_MAX]; and its share of the sum of the group, or the difference of both shares,
 * with as many digits as the number of samples tells. Return text. */
char *table_format(const struct table *table, const struct table_row *row,
                   const struct metric *metric, size_t group, char *text);
char *table_format_percent(const struct table *table, const struct table_row *row,
                           const struct metric *metric, size_t group, char *text);

/* The interval of a value as text that says how far its farther end is, "" if it is exact, or a
 * difference or ratio is shown; and the interval itself, in the value's unit: returns 0 if it is
 * exact. */
char *table_format_reach(const struct table *table, const struct table_row *row,
                         const struct metric *metric, size_t group, char *text);
int table_interval(const struct table *table, const struct table_row *row,
                   const struct metric *metric, size_t group, struct interval *out);

/* Print the heading and at most `limit` rows (0: all) in the form that the user chose; `name` is
 * the table's for programs. */
void table_put(const struct dataset *dataset, struct output *output, const struct table *table,
               const struct metric_list *metrics, size_t limit, const char *name);

/* The same as text. */
void table_print(const struct table *table, const struct metric_list *metrics, size_t limit,
                 FILE *out);

/* Free the rows. */
void table_fini(struct table *table);

#endif

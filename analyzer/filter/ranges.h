/* ranges.h: lists like "1,3-5" and "1:1+2:2", and ranges of time, as expressions. */
#ifndef XER_ANALYZER_FILTER_RANGES_H
#define XER_ANALYZER_FILTER_RANGES_H

#include "analyzer/filter/expression.h"

#include <stdint.h>

/* A list of numbers and ranges of the values of `token`: `1,3-5`; of single experiments `2:1,3` (in
 * experiments by lists and ranges of their own, or `all:`), several such joined by `+`. `all` is
 * everything. Returns 0 and *out, an expression that the caller frees, NULL for `all`; or -EINVAL
 * and *error. */
int ranges_expression(const char *text, const char *token, char **out,
                      struct expression_error *error);

/* A range of time, `FROM-TO` in seconds or with units (`1.5-2`, `200ms-`, `-3`), either of which
 * may be left out; `all` is everything. Returns as ranges_expression. */
int ranges_time(const char *text, char **out, struct expression_error *error);

/* The same as numbers, in ns. `all`, and an end that is left out: RANGES_NO_END. */
#define RANGES_NO_END INT64_MAX
int ranges_time_ns(const char *text, int64_t *from_ns, int64_t *to_ns,
                   struct expression_error *error);

/* A length of time as `10ms` or `0.5`, in ns, at least 1. Returns 0 or -EINVAL and *error. */
int ranges_length_ns(const char *text, int64_t *out, struct expression_error *error);

#endif

/* ranges.c: reads the short forms by which users choose threads, CPUs, samples and times. */
#include "analyzer/filter/ranges.h"

#include "analyzer/base/memory.h"
#include "analyzer/filter/fault.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct reader {
	const char *text, *at;
	struct expression_error *error;
	FILE *out;
};

static int fail(const struct reader *reader, const char *what)
{
	fault_tell(reader->error, (size_t)(reader->at - reader->text) + 1, "%s", what);
	return -EINVAL;
}

static int read_number(struct reader *reader, unsigned long long *out)
{
	char *end;

	if (!isdigit((unsigned char)*reader->at))
		return fail(reader, "a number expected, as in 1,3-5 or 2:1,3");
	errno = 0;
	*out = strtoull(reader->at, &end, 10);
	if (errno != 0 || *out > INT64_MAX)
		return fail(reader, "the number is too large");
	reader->at = end;
	return 0;
}

static int is_all(const char *at)
{
	return strncasecmp(at, "all", 3) == 0 && !isalnum((unsigned char)at[3]);
}

/* `1,3-5` or `all`, as conditions on `token`. */
static int read_list(struct reader *reader, const char *token)
{
	unsigned long long first, last;

	if (is_all(reader->at)) {
		reader->at += 3;
		fputs("1", reader->out);
		return 0;
	}
	fputc('(', reader->out);
	for (;;) {
		if (read_number(reader, &first) != 0)
			return -EINVAL;
		last = first;
		if (*reader->at == '-') {
			reader->at++;
			if (read_number(reader, &last) != 0)
				return -EINVAL;
		}
		fprintf(reader->out, "%s >= %llu && %s <= %llu", token, first, token, last);
		if (*reader->at != ',')
			break;
		reader->at++;
		fputs(" || ", reader->out);
	}
	fputc(')', reader->out);
	return 0;
}

/* `1,3-5`, or the same behind `2:`, the experiments that it is about. */
static int read_item(struct reader *reader, const char *token)
{
	size_t before = strspn(reader->at, "0123456789,-"), all = is_all(reader->at) ? 3 : before;

	fputc('(', reader->out);
	if (reader->at[all] == ':') {
		if (read_list(reader, "EXPID") != 0)
			return -EINVAL;
		reader->at++;
		fputs(" && ", reader->out);
	}
	if (read_list(reader, token) != 0)
		return -EINVAL;
	fputc(')', reader->out);
	return 0;
}

static int read_items(struct reader *reader, const char *token)
{
	for (;;) {
		if (read_item(reader, token) != 0)
			return -EINVAL;
		if (*reader->at == '\0')
			return 0;
		if (*reader->at != '+')
			return fail(reader, "`,`, `-`, `:` or `+` expected");
		reader->at++;
		fputs(" || ", reader->out);
	}
}

int ranges_expression(const char *text, const char *token, char **out,
                      struct expression_error *error)
{
	struct reader reader = {.text = text, .at = text, .error = error};
	char *made = NULL;
	size_t size;
	int status;

	*error = (struct expression_error){.column = 0};
	if (strcasecmp(text, "all") == 0) {
		*out = NULL;
		return 0;
	}
	reader.out = memory_stream(&made, &size);
	status = read_items(&reader, token);
	memory_stream_end(reader.out, &made);
	if (status == 0)
		*out = made;
	else
		free(made);
	return status;
}

/* A time at reader->at in ns: seconds, unless it has another unit. */
static int read_time(struct reader *reader, double *out)
{
	static const struct {
		const char *name;
		double factor;
	} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"", 1e9}};
	size_t len = strspn(reader->at, "0123456789."), unit_len;
	char *end;
	double number = strtod(reader->at, &end);

	if (len == 0 || end != reader->at + len || !isfinite(number))
		return fail(reader, "a time expected, as in 1.5-2 or 200ms-");
	unit_len = strspn(end, "nums");
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strlen(units[i].name) != unit_len || strncmp(units[i].name, end, unit_len) != 0)
			continue;
		*out = number * units[i].factor;
		reader->at = end + unit_len;
		return *out < 9e18 ? 0 : fail(reader, "the time is too large");
	}
	reader->at = end;
	return fail(reader, "an unknown unit of time (ns, us, ms, s)");
}

int ranges_time_ns(const char *text, int64_t *from_ns, int64_t *to_ns,
                   struct expression_error *error)
{
	struct reader reader = {.text = text, .at = text, .error = error};
	double from = 0, to = -1;

	*error = (struct expression_error){.column = 0};
	*from_ns = 0;
	*to_ns = RANGES_NO_END;
	if (strcasecmp(text, "all") == 0)
		return 0;
	if (*reader.at != '-' && read_time(&reader, &from) != 0)
		return -EINVAL;
	if (*reader.at != '-')
		return fail(&reader, "`-` expected, as in 1.5-2, 1.5- or -2");
	reader.at++;
	if (*reader.at != '\0' && read_time(&reader, &to) != 0)
		return -EINVAL;
	if (*reader.at != '\0')
		return fail(&reader, "nothing more expected behind the range");
	if (to >= 0 && to < from)
		return fail(&reader, "the range ends before it begins");
	*from_ns = llround(from);
	if (to >= 0)
		*to_ns = llround(to);
	return 0;
}

int ranges_time(const char *text, char **out, struct expression_error *error)
{
	int64_t from, to;
	int status = ranges_time_ns(text, &from, &to, error);

	*out = NULL;
	if (status != 0 || strcasecmp(text, "all") == 0)
		return status;
	/* A wait or a call counts where any part of it is in the range, whose end is not. */
	*out = memory_format("TSTAMP >= %lld && TSTAMP_LO < %lld", (long long)from,
	                     to == RANGES_NO_END ? 9000000000000000000 : (long long)to);
	return 0;
}

int ranges_length_ns(const char *text, int64_t *out, struct expression_error *error)
{
	struct reader reader = {.text = text, .at = text, .error = error};
	double length;

	*error = (struct expression_error){.column = 0};
	if (read_time(&reader, &length) != 0)
		return -EINVAL;
	if (*reader.at != '\0')
		return fail(&reader, "nothing more expected behind the length");
	if (length < 0.5)
		return fail(&reader, "a length of a nanosecond or more expected");
	*out = llround(length);
	return 0;
}

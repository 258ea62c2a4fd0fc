/* take_how.c: options for the processes, time, amount and place of a recording. */
#include "collect/base/amount.h"
#include "collect/base/signalname.h"
#include "collect/options/take.h"

#include "format/compress.h"
#include "format/descriptor.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE_MIN_MS = 10, RUNS_MAX = 10000 };

int take_sample(struct request *request, const char *value)
{
	uint64_t ms;
	int on, status;

	if (amount_switch(value, &on) == 0) {
		request->sample_ms = on ? 1000 : 0;
		return 0;
	}
	status = amount_read(&value, 1000, &ms);
	if (status == -EINVAL || *value)
		return -EINVAL;
	if (status < 0 || ms < SAMPLE_MIN_MS)
		return take_out_of_range(request, "from 0.01");
	request->sample_ms = ms;
	return 0;
}

/* "N", "Ns" or "Nm" at *text, which is moved behind it. */
static int read_time(const char **text, uint64_t *out_ms)
{
	if (amount_read(text, 1000, out_ms) < 0)
		return -EINVAL;
	if (**text == 'm')
		*out_ms *= 60;
	*text += **text == 'm' || **text == 's';
	return 0;
}

int take_time_range(struct request *request, const char *value)
{
	uint64_t from = 0, to;

	if (read_time(&value, &to) < 0)
		return -EINVAL;
	if (*value == '-') {
		from = to;
		value++;
		if (read_time(&value, &to) < 0)
			return -EINVAL;
	}
	if (*value)
		return -EINVAL;
	if (to <= from)
		return take_out_of_range(request, "an end after the beginning");
	request->from_ms = from;
	request->to_ms = to;
	return 0;
}

int take_limit(struct request *request, const char *value)
{
	int status;

	if (strcmp(value, "unlimited") == 0) {
		request->limit_bytes = 0;
		return 0;
	}
	status = amount_read(&value, 1 << 20, &request->limit_bytes);
	if (status == -EINVAL || *value)
		return -EINVAL;
	return status < 0 || request->limit_bytes == 0
	               ? take_out_of_range(request, "more than 0, up to 900000000")
	               : 0;
}

/* Read "N" and a unit at *text. Returns 0, -EINVAL or -ERANGE. */
static int read_kept(const char **text, struct request *out)
{
	static const struct {
		const char *unit;
		double factor;
		int is_time;
	} units[] = {
		{"KB", 1 << 10, 0}, {"K", 1 << 10, 0},  {"MB", 1 << 20, 0},
		{"M", 1 << 20, 0},  {"GB", 1 << 30, 0}, {"G", 1 << 30, 0},
		{"s", 1e3, 1},      {"m", 60e3, 1},     {"h", 3600e3, 1},
	};
	size_t len = strspn(*text, "0123456789.");

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		uint64_t *to = units[i].is_time ? &out->keep_ms : &out->keep_bytes;
		size_t end = len + strlen(units[i].unit);
		int status;

		if (strncmp(*text + len, units[i].unit, end - len) != 0 ||
		    ((*text)[end] && (*text)[end] != ','))
			continue;
		status = *to ? -EINVAL : amount_read(text, units[i].factor, to);
		*text += end - len;
		return status;
	}
	return -EINVAL;
}

enum { KEEP_BYTES_MIN = 1 << 20, KEEP_MS_MIN = 100 };

int take_keep(struct request *request, const char *value)
{
	int status;

	request->keep_bytes = request->keep_ms = 0;
	status = read_kept(&value, request);
	if (status == 0 && *value == ',') {
		value++;
		status = read_kept(&value, request);
	}
	if (status == -EINVAL || *value)
		return -EINVAL;
	return status < 0 || (request->keep_bytes && request->keep_bytes < KEEP_BYTES_MIN) ||
	                       (request->keep_ms && request->keep_ms < KEEP_MS_MIN) ||
	                       (!request->keep_bytes && !request->keep_ms)
	               ? take_out_of_range(request, "at least 1MB, at least 0.1s")
	               : 0;
}

static int take_pid(const char *value, pid_t *out)
{
	char *end;
	long pid;

	errno = 0;
	pid = strtol(value, &end, 10);
	if (!isdigit((unsigned char)*value) || *end || errno || pid <= 0 || pid > INT_MAX)
		return -EINVAL;
	*out = (pid_t)pid;
	return 0;
}

int take_attach(struct request *request, const char *value)
{
	return take_pid(value, &request->attach);
}

int take_snapshot(struct request *request, const char *value)
{
	request->action = OPTIONS_SNAPSHOT;
	return take_pid(value, &request->snapshot);
}

int take_pause_signal(struct request *request, const char *value)
{
	size_t len = strcspn(value, ",");

	if (value[len] && strcmp(value + len, ",r") != 0)
		return -EINVAL;
	request->start_paused = value[len] == '\0';
	return signalname_parse(value, (unsigned)len, &request->pause_signal);
}

int take_snapshot_signal(struct request *request, const char *value)
{
	return signalname_parse(value, (unsigned)strlen(value), &request->snapshot_signal);
}

int take_snapshot_crash(struct request *request, const char *value)
{
	return amount_switch(value, &request->snapshot_crash);
}

int take_snapshot_wait(struct request *request, const char *value)
{
	uint64_t ms;
	int status = amount_read(&value, 1, &ms);

	if (status == -EINVAL)
		return status;
	if (strcmp(value, "s") == 0)
		ms = ms > UINT32_MAX ? 0 : ms * 1000;
	else if (strcmp(value, "ms") != 0)
		return -EINVAL;
	if (status < 0 || ms < 1 || ms > UINT32_MAX)
		return take_out_of_range(request, "1ms to 4294967s");
	request->snapshot_wait_ms = ms;
	return 0;
}

int take_sample_signal(struct request *request, const char *value)
{
	return signalname_parse(value, (unsigned)strlen(value), &request->sample_signal);
}

int take_stop(struct request *request, const char *value)
{
	(void)value;
	request->stop = 1;
	return 0;
}

static int check_pattern(const char *pattern)
{
	regex_t compiled;

	if (strlen(pattern) >= sizeof(((struct descriptor *)0)->follow) - 1 ||
	    regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB) != 0)
		return -EINVAL;
	regfree(&compiled);
	return 0;
}

int take_follow(struct request *request, const char *value)
{
	int is_word = strcmp(value, "on") == 0 || strcmp(value, "off") == 0 ||
	              strcmp(value, "all") == 0;

	if (!is_word && (value[0] != '=' || check_pattern(value + 1) < 0))
		return -EINVAL;
	request->follow = value;
	return 0;
}

int take_archive(struct request *request, const char *value)
{
	static const char *const names[] = {"on",  "off",           "copy",   "ldobjects",
	                                    "src", "usedldobjects", "usedsrc"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(value, names[i]) == 0) {
			request->archive = names[i];
			return 0;
		}
	}
	return -EINVAL;
}

int take_compress(struct request *request, const char *value)
{
	int what = compress_parse(value);

	if (what < 0)
		return -EINVAL;
	request->compress = (enum compress)what;
	return 0;
}

int take_comment(struct request *request, const char *value)
{
	if (request->comment_count == OPTIONS_COMMENTS)
		return -E2BIG;
	request->comments[request->comment_count++] = value;
	return 0;
}

int take_output(struct request *request, const char *value)
{
	request->output = value;
	request->overwrite = 0;
	return *value ? 0 : -EINVAL;
}

int take_overwrite(struct request *request, const char *value)
{
	request->output = value;
	request->overwrite = 1;
	return *value ? 0 : -EINVAL;
}

int take_directory(struct request *request, const char *value)
{
	request->directory = value;
	return *value ? 0 : -EINVAL;
}

int take_experiment_group(struct request *request, const char *value)
{
	if (request->group_count == sizeof(request->groups) / sizeof(request->groups[0]))
		return -E2BIG;
	request->experiment_group = value;
	request->groups[request->group_count++] = value;
	return *value ? 0 : -EINVAL;
}

static int take_number(const char *value, unsigned least, unsigned *out)
{
	char *end;
	unsigned long number;

	errno = 0;
	number = strtoul(value, &end, 10);
	if (!isdigit((unsigned char)*value) || *end)
		return -EINVAL;
	if (errno || number < least || number > RUNS_MAX)
		return -ERANGE;
	*out = (unsigned)number;
	return 0;
}

int take_repeat(struct request *request, const char *value)
{
	int status = take_number(value, 1, &request->repeat);

	return status == -ERANGE ? take_out_of_range(request, "from 1 to 10000") : status;
}

int take_warmup(struct request *request, const char *value)
{
	int status = take_number(value, 0, &request->warmup);

	return status == -ERANGE ? take_out_of_range(request, "up to 10000") : status;
}

int take_versus(struct request *request, const char *value)
{
	request->versus = value ? value : "--";
	return *request->versus ? 0 : -EINVAL;
}

int take_dry_run(struct request *request, const char *value)
{
	(void)value;
	request->dry_run = 1;
	return 0;
}

int take_verbose(struct request *request, const char *value)
{
	(void)value;
	request->verbose = 1;
	return 0;
}

static int take_action(struct request *request, enum options_action action, const char *group)
{
	request->action = action;
	request->group = group;
	return 0;
}

int take_group(struct request *request, const char *value)
{
	return take_action(request, OPTIONS_GROUP_DEFINE, value);
}

int take_group_delete(struct request *request, const char *value)
{
	return take_action(request, OPTIONS_GROUP_DELETE, value);
}

int take_group_list(struct request *request, const char *value)
{
	return take_action(request, OPTIONS_GROUP_LIST, value);
}

int take_version(struct request *request, const char *value)
{
	return take_action(request, OPTIONS_VERSION, value);
}

int take_help(struct request *request, const char *value)
{
	return take_action(request, OPTIONS_HELP, value);
}

/* options.c: the command line of xcollect. The options are the rows of options.def: the parser, the
 * default values and the help all walk that table. */
#include "options.h"

#include "calibrate.h"
#include "signalname.h"

#include "format/descriptor.h"

#include <ctype.h>
#include <errno.h>
#include <regex.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Takes the value of an option (NULL for flags). Returns 0, or -EINVAL if the value makes no sense. */
typedef int option_taker(struct request *request, const char *value);

/* Read "N" or "N.FRACTION" at *text in units of `unit`, rounded; *text is moved behind it. */
static int read_amount(const char **text, double unit, uint64_t *out)
{
	char *end;
	double value;

	if (!isdigit((unsigned char)**text))
		return -EINVAL;
	errno = 0;
	value = strtod(*text, &end);
	if (errno || (*text)[strspn(*text, "0123456789.")] != *end || value * unit > 1e15)
		return -EINVAL;
	*out = (uint64_t)(value * unit + 0.5);
	*text = end;
	return 0;
}

static int take_switch(const char *value, int *out)
{
	if (strcmp(value, "on") != 0 && strcmp(value, "off") != 0)
		return -EINVAL;
	*out = strcmp(value, "on") == 0;
	return 0;
}

/* Primes and the like, so that samples do not march in step with the program or the kernel's tick. */
static const struct {
	const char *name;
	uint64_t us;
} profile_names[] = {{"off", 0}, {"on", 10007}, {"hi", 997}, {"lo", 100003}};

enum { PROFILE_MIN_US = 100, PROFILE_MAX_US = 10 * 1000 * 1000, SAMPLE_MIN_MS = 10, SAMPLER_MIN_US = 10, SAMPLER_DEFAULT_MB = 64,
	SAMPLER_MAX_MB = 1 << 20 };

static int take_profile(struct request *request, const char *value)
{
	uint64_t us;
	int is_us = strchr(value, 'u') != NULL;

	for (size_t i = 0; i < sizeof(profile_names) / sizeof(profile_names[0]); i++) {
		if (strcmp(value, profile_names[i].name) == 0) {
			request->profile_us = profile_names[i].us;
			return 0;
		}
	}
	if (read_amount(&value, is_us ? 1 : 1000, &us) < 0 || us < SAMPLER_MIN_US || us > PROFILE_MAX_US)
		return -EINVAL;
	if (*value && strcmp(value, is_us ? "u" : "m") != 0)
		return -EINVAL;
	/* Shorter than timers can do anything with: the kernel samples, and timers stand by for where it may not. */
	if (us < PROFILE_MIN_US) {
		request->sampler_ns = us * 1000;
		request->sampler_bytes = (uint64_t)SAMPLER_DEFAULT_MB << 20;
		us = PROFILE_MIN_US;
	}
	request->profile_us = us;
	return 0;
}

static int take_sampler(struct request *request, const char *value)
{
	size_t len = strcspn(value, ",");
	int is_us = memchr(value, 'u', len) != NULL;
	uint64_t us, bytes = (uint64_t)SAMPLER_DEFAULT_MB << 20;

	if (read_amount(&value, is_us ? 1 : 1000, &us) < 0 || us < SAMPLER_MIN_US || us > PROFILE_MAX_US)
		return -EINVAL;
	if (*value == 'm' || *value == 'u')
		value++;
	if (*value == ',') {
		value++;
		if (read_amount(&value, 1 << 20, &bytes) < 0 || bytes < 1 << 12 || bytes > (uint64_t)SAMPLER_MAX_MB << 20)
			return -EINVAL;
	}
	if (*value)
		return -EINVAL;
	request->sampler_ns = us * 1000;
	request->sampler_bytes = bytes / 8 * 8; /* whole words */
	return 0;
}

static int take_heap(struct request *request, const char *value)
{
	return take_switch(value, &request->heap);
}

static int take_io(struct request *request, const char *value)
{
	return take_switch(value, &request->io);
}

/* Options that hooks.c takes. */
#define TAKEN_BY_HOOKS(name, function) \
	static int name(struct request *request, const char *value) \
	{ \
		return function(&request->hooks, value); \
	}
TAKEN_BY_HOOKS(take_hooks, hooks_take)
TAKEN_BY_HOOKS(take_no_hooks, hooks_exclude)
TAKEN_BY_HOOKS(take_component, hooks_component)
TAKEN_BY_HOOKS(take_trace_mode, hooks_mode)
TAKEN_BY_HOOKS(take_trace_start, hooks_start)
TAKEN_BY_HOOKS(take_trace_signal, hooks_signal)

static int take_action(struct request *request, enum options_action action, const char *group)
{
	request->action = action;
	request->group = group;
	return 0;
}

static int take_group(struct request *request, const char *value)
{
	return take_action(request, OPTIONS_GROUP_DEFINE, value);
}

static int take_group_delete(struct request *request, const char *value)
{
	return take_action(request, OPTIONS_GROUP_DELETE, value);
}

static int take_group_list(struct request *request, const char *value)
{
	return take_action(request, OPTIONS_GROUP_LIST, value);
}

static int take_functrace(struct request *request, const char *value)
{
	memset(&request->calls, 0, sizeof(request->calls));
	if (!value || take_switch(value, &request->functrace) == 0) {
		request->functrace = value ? request->functrace : 1;
		return 0;
	}
	request->functrace = 1;
	return calls_read(value, &request->calls);
}

/* Behind a comma, collect(1) names native and Java synchronization: there is only the former yet. */
static int ends_sync(const char *value)
{
	return *value == '\0' || strcmp(value, ",n") == 0 || strcmp(value, ",j") == 0 || strcmp(value, ",nj") == 0;
}

static int take_sync(struct request *request, const char *value)
{
	static const char *const words[] = {"off", "on", "calibrate", "all"};
	size_t len = strcspn(value, ",");

	if (!ends_sync(value + len))
		return -EINVAL;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strlen(words[i]) != len || strncmp(value, words[i], len) != 0)
			continue;
		request->sync = i > 0;
		request->sync_threshold_ns = i == 1 || i == 2 ? calibrate_sync_ns() : 0;
		return 0;
	}
	request->sync = 1;
	return read_amount(&value, 1000, &request->sync_threshold_ns) < 0 || !ends_sync(value) ? -EINVAL : 0;
}

/* "N", "Ns" or "Nm" at *text, which is moved behind it. */
static int read_time(const char **text, uint64_t *out_ms)
{
	if (read_amount(text, 1000, out_ms) < 0)
		return -EINVAL;
	if (**text == 'm')
		*out_ms *= 60;
	*text += **text == 'm' || **text == 's';
	return 0;
}

static int take_window(struct request *request, const char *value)
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
	if (*value || to <= from)
		return -EINVAL;
	request->from_ms = from;
	request->to_ms = to;
	return 0;
}

static int take_pause_signal(struct request *request, const char *value)
{
	size_t len = strcspn(value, ",");

	if (value[len] && strcmp(value + len, ",r") != 0)
		return -EINVAL;
	request->start_paused = value[len] == '\0';
	return signalname_parse(value, (unsigned)len, &request->pause_signal);
}

static int take_sample_signal(struct request *request, const char *value)
{
	return signalname_parse(value, (unsigned)strlen(value), &request->sample_signal);
}

static int take_stop(struct request *request, const char *value)
{
	(void)value;
	request->stop = 1;
	return 0;
}

static int take_attach(struct request *request, const char *value)
{
	char *end;
	long pid;

	errno = 0;
	pid = strtol(value, &end, 10);
	if (!isdigit((unsigned char)*value) || *end || errno || pid <= 0 || pid > INT_MAX)
		return -EINVAL;
	request->attach = (pid_t)pid;
	return 0;
}

static int take_limit(struct request *request, const char *value)
{
	if (strcmp(value, "unlimited") == 0) {
		request->limit_bytes = 0;
		return 0;
	}
	if (read_amount(&value, 1 << 20, &request->limit_bytes) < 0 || *value || request->limit_bytes == 0)
		return -EINVAL;
	return 0;
}

static int take_sample(struct request *request, const char *value)
{
	uint64_t ms;
	int on;

	if (take_switch(value, &on) == 0) {
		request->sample_ms = on ? 1000 : 0;
		return 0;
	}
	if (read_amount(&value, 1000, &ms) < 0 || *value || ms < SAMPLE_MIN_MS)
		return -EINVAL;
	request->sample_ms = ms;
	return 0;
}

static int check_pattern(const char *pattern)
{
	regex_t compiled;

	if (strlen(pattern) >= sizeof(((struct descriptor *)0)->follow) - 1 || regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB) != 0)
		return -EINVAL;
	regfree(&compiled);
	return 0;
}

static int take_follow(struct request *request, const char *value)
{
	int is_word = strcmp(value, "on") == 0 || strcmp(value, "off") == 0 || strcmp(value, "all") == 0;

	if (!is_word && (value[0] != '=' || check_pattern(value + 1) < 0))
		return -EINVAL;
	request->follow = value;
	return 0;
}

static int take_archive(struct request *request, const char *value)
{
	static const char *const names[] = {"on", "off", "copy", "ldobjects", "src", "usedldobjects", "usedsrc"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(value, names[i]) == 0) {
			request->archive = names[i];
			return 0;
		}
	}
	return -EINVAL;
}

static int take_comment(struct request *request, const char *value)
{
	if (request->comment_count == OPTIONS_COMMENTS)
		return -E2BIG;
	request->comments[request->comment_count++] = value;
	return 0;
}

static int take_output(struct request *request, const char *value)
{
	request->output = value;
	request->overwrite = 0;
	return *value ? 0 : -EINVAL;
}

static int take_overwrite(struct request *request, const char *value)
{
	request->output = value;
	request->overwrite = 1;
	return *value ? 0 : -EINVAL;
}

static int take_directory(struct request *request, const char *value)
{
	request->directory = value;
	return *value ? 0 : -EINVAL;
}

static int take_experiment_group(struct request *request, const char *value)
{
	request->experiment_group = value;
	return *value ? 0 : -EINVAL;
}

static int take_dry_run(struct request *request, const char *value)
{
	(void)value;
	request->dry_run = 1;
	return 0;
}

static int take_verbose(struct request *request, const char *value)
{
	(void)value;
	request->verbose = 1;
	return 0;
}

static int take_version(struct request *request, const char *value)
{
	return take_action(request, OPTIONS_VERSION, value);
}

static int take_help(struct request *request, const char *value)
{
	return take_action(request, OPTIONS_HELP, value);
}

static const struct option {
	char letter;
	const char *word;
	const char *argument;
	const char *initial;
	option_taker *take; /* NULL: not supported yet */
	const char *meaning;
} options[] = {
#define OPTION(letter, word, argument, initial, take, meaning) {letter, word, argument, initial, take, meaning},
#define LATER(letter, meaning) {letter, NULL, NULL, NULL, NULL, meaning},
#include "options.def"
};

enum { OPTION_COUNT = sizeof(options) / sizeof(options[0]) };

static const struct option *find_letter(char letter)
{
	for (size_t i = 0; i < OPTION_COUNT; i++)
		if (options[i].letter && options[i].letter == letter)
			return &options[i];
	return NULL;
}

static const struct option *find_word(const char *word, size_t len)
{
	for (size_t i = 0; i < OPTION_COUNT; i++)
		if (options[i].word && strncmp(options[i].word, word, len) == 0 && options[i].word[len] == '\0')
			return &options[i];
	return NULL;
}

static int refuse_value(const struct option *option, const char *value, int status, struct cause *cause)
{
	if (status == -E2BIG)
		return cause_set(cause, CAUSE_FAILED, "-%c can be given %d times at most", option->letter, OPTIONS_COMMENTS);
	return cause_set(cause, CAUSE_FAILED, "-%c cannot be '%s' (it takes %s)", option->letter, value, option->argument);
}

/* Take the options in one argument, `text` pointing behind its dash; a value may be in `next`.
 * *used becomes 1 if it was. */
static int take_letters(struct request *request, const char *text, const char *next, int *used, struct cause *cause)
{
	for (; *text; text++) {
		const struct option *option = find_letter(*text);
		const char *value = text[1] ? text + 1 : next;
		int status;

		if (!option)
			return cause_set(cause, CAUSE_FAILED, "unknown option -%c; see xcollect --help", *text);
		if (!option->take)
			return cause_set(cause, CAUSE_FAILED, "-%c (%s) is not supported yet", *text, option->meaning);
		if (!option->argument) {
			option->take(request, NULL);
			continue;
		}
		if (!value)
			return cause_set(cause, CAUSE_FAILED, "-%c needs a value (%s)", *text, option->argument);
		status = option->take(request, value);
		*used = text[1] == '\0';
		return status < 0 ? refuse_value(option, value, status, cause) : 0;
	}
	return 0;
}

static int take_word(struct request *request, const char *word, struct cause *cause)
{
	const char *value = strchr(word, '=');
	const struct option *option = find_word(word, value ? (size_t)(value - word) : strlen(word));

	if (!option)
		return cause_set(cause, CAUSE_FAILED, "unknown option --%s; see xcollect --help", word);
	if (value && !option->argument)
		return cause_set(cause, CAUSE_FAILED, "--%s takes no value", option->word);
	if (!value && option->argument && option->argument[0] != '[')
		return cause_set(cause, CAUSE_FAILED, "--%s needs a value (=%s)", option->word, option->argument);
	if (option->take(request, value ? value + 1 : NULL) < 0)
		return cause_set(cause, CAUSE_FAILED, "--%s cannot be '%s' (it takes %s)", option->word, value + 1, option->argument);
	return 0;
}

static void take_initial(struct request *request)
{
	memset(request, 0, sizeof(*request));
	for (size_t i = 0; i < OPTION_COUNT; i++)
		if (options[i].initial)
			options[i].take(request, options[i].initial);
}

/* A signal can do one thing only. */
static int check_signals(const struct request *request, struct cause *cause)
{
	int pause = request->pause_signal, sample = request->sample_signal, trace = request->hooks.signal;

	if ((pause && (pause == sample || pause == trace)) || (sample && sample == trace))
		return cause_set(cause, CAUSE_FAILED, "-y, -l and --trace-signal need different signals");
	return 0;
}

/* What cannot be had in a process that runs already: its code has found out that nobody wants its calls. */
static int check_attach(const struct request *request, const char *program, struct cause *cause)
{
	if (program)
		return cause_set(cause, CAUSE_FAILED, "-P records a process that runs: there is no program to name ('%s')", program);
	if (request->functrace)
		return cause_set(cause, CAUSE_FAILED, "--functrace and -P do not go together: a program asks for function tracing when it starts");
	if (request->sampler_ns)
		return cause_set(cause, CAUSE_FAILED, "--sampler and -P do not go together: sampling begins with a program");
	if (request->stop)
		return cause_set(cause, CAUSE_FAILED, "-x and -P do not go together: the program has begun");
	return 0;
}

int options_parse(char **argv, struct request *out, struct cause *cause)
{
	char **at = argv + (argv[0] != NULL);

	take_initial(out);
	for (; *at && (*at)[0] == '-' && (*at)[1]; at++) {
		int used = 0;
		int status;

		if (strcmp(*at, "--") == 0) {
			at++;
			break;
		}
		if ((*at)[1] == '-')
			status = take_word(out, *at + 2, cause);
		else
			status = take_letters(out, *at + 1, at[1], &used, cause);
		if (status)
			return status;
		at += used;
	}
	out->target = at;
	if (out->attach && out->action == OPTIONS_RECORD && check_attach(out, *at, cause))
		return cause->exit_code;
	if (out->action == OPTIONS_RECORD && !*at && !out->attach)
		return cause_set(cause, CAUSE_FAILED, "no program to record; see xcollect --help");
	return check_signals(out, cause);
}

void options_help(FILE *to)
{
	fputs("usage: xcollect [option ...] program [argument ...]\n"
	      "       xcollect -P pid [option ...]\n"
	      "Record what a program does into an experiment directory; read it with xer_print.\n\n",
	      to);
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		const struct option *option = &options[i];

		if (!option->take)
			continue;
		fputs("  ", to);
		if (option->letter)
			fprintf(to, "-%c", option->letter);
		if (option->word)
			fprintf(to, "%s--%s", option->letter ? ", " : "", option->word);
		if (option->argument)
			fprintf(to, "%s%s", option->argument[0] == '[' ? "" : option->letter ? " " : "=", option->argument);
		fprintf(to, "\n        %s", option->meaning);
		if (option->initial)
			fprintf(to, " [%s]", option->initial);
		fputc('\n', to);
	}
	fputs("\nxcollect becomes the program: its exit status is the program's. Its own failures give 125, a\n"
	      "program that cannot be recorded 126, one that is not found 127.\n",
	      to);
}

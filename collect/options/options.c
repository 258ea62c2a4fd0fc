/* options.c: the command line of xcollect. The options are the rows of options.def: the parser, the
 * default values and the help all walk that table. */
#include "collect/options/options.h"

#include "collect/options/take.h"
#include "format/nearest.h"

#include <errno.h>
#include <string.h>

static const struct option {
	char letter;
	const char *word;
	const char *argument;
	const char *initial;
	option_taker *take;
	const char *meaning;
} options[] = {
#define OPTION(letter, word, argument, initial, take, meaning) \
	{letter, word, argument, initial, take, meaning},
#include "collect/options/options.def"
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
		if (options[i].word && strncmp(options[i].word, word, len) == 0 &&
		    options[i].word[len] == '\0')
			return &options[i];
	return NULL;
}

static int refuse_value(const struct request *request, const struct option *option,
                        const char *value, int status, struct cause *cause)
{
	if (request->counters.unknown[0])
		return cause_set(
			cause, CAUSE_FAILED,
			"-%c: there is no event '%s'; xcollect -%c lists those that there are",
			option->letter, request->counters.unknown, option->letter);
	if (status == -E2BIG && option->letter == 'h')
		return cause_set(cause, CAUSE_FAILED, "-h takes %d events at most",
		                 FMT_COUNTERS_MAX);
	if (status == -E2BIG && option->letter == 'g')
		return cause_set(cause, CAUSE_FAILED, "-g can be given twice at most");
	if (status == -E2BIG)
		return cause_set(cause, CAUSE_FAILED, "-%c can be given %d times at most",
		                 option->letter, OPTIONS_COMMENTS);
	if (status == -ERANGE)
		return cause_set(cause, CAUSE_FAILED, "-%c cannot be '%s': out of range (%s)",
		                 option->letter, value, request->range);
	return cause_set(cause, CAUSE_FAILED, "-%c cannot be '%s' (it takes %s)", option->letter,
	                 value, option->argument);
}

/* Take the options in one argument, `text` pointing behind its dash; a value may be in `next`.
 * *used becomes 1 if it was. */
static int take_letters(struct request *request, const char *text, const char *next, int *used,
                        struct cause *cause)
{
	for (; *text; text++) {
		const struct option *option = find_letter(*text);
		const char *value = text[1] ? text + 1 : next;
		int status;

		if (!option)
			return cause_set(cause, CAUSE_FAILED,
			                 "unknown option -%c; see xcollect --help", *text);
		if (!option->argument) {
			option->take(request, NULL);
			continue;
		}
		if (!value && option->argument[0] == '[') {
			option->take(request, NULL);
			return 0;
		}
		if (!value)
			return cause_set(cause, CAUSE_FAILED, "-%c needs a value (%s)", *text,
			                 option->argument);
		status = option->take(request, value);
		*used = text[1] == '\0';
		return status < 0 ? refuse_value(request, option, value, status, cause) : 0;
	}
	return 0;
}

static int refuse_word(const char *word, size_t len, struct cause *cause)
{
	const char *names[OPTION_COUNT], *near;
	char name[64];
	size_t count = 0;

	for (size_t i = 0; i < OPTION_COUNT; i++)
		if (options[i].word)
			names[count++] = options[i].word;
	snprintf(name, sizeof(name), "%.*s", (int)(len < sizeof(name) ? len : sizeof(name) - 1),
	         word);
	near = nearest_of(name, names, count);
	if (near)
		return cause_set(cause, CAUSE_FAILED,
		                 "unknown option --%s (did you mean --%s?); see xcollect --help",
		                 name, near);
	return cause_set(cause, CAUSE_FAILED, "unknown option --%s; see xcollect --help", name);
}

/* A value that must be there may be the next word. *used: 1 if it was. */
static int take_word(struct request *request, const char *word, const char *next, int *used,
                     struct cause *cause)
{
	const char *value = strchr(word, '=');
	const struct option *option = find_word(word,
	                                        value ? (size_t)(value - word) : strlen(word));
	int status;

	if (!option)
		return refuse_word(word, value ? (size_t)(value - word) : strlen(word), cause);
	value = value ? value + 1 : NULL;
	if (!value && next && option->argument && option->argument[0] != '[') {
		value = next;
		*used = 1;
	}
	if (value && !option->argument)
		return cause_set(cause, CAUSE_FAILED, "--%s takes no value", option->word);
	if (!value && option->argument && option->argument[0] != '[')
		return cause_set(cause, CAUSE_FAILED, "--%s needs a value (=%s)", option->word,
		                 option->argument);
	status = option->take(request, value);
	if (status == -ERANGE)
		return cause_set(cause, CAUSE_FAILED, "--%s cannot be '%s': out of range (%s)",
		                 option->word, value, request->range);
	if (status < 0)
		return cause_set(cause, CAUSE_FAILED, "--%s cannot be '%s' (it takes %s)",
		                 option->word, value, option->argument);
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
	const int signals[] = {request->pause_signal, request->sample_signal, request->hooks.signal,
	                       request->snapshot_signal};
	const size_t count = sizeof(signals) / sizeof(signals[0]);

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < i; k++)
			if (signals[i] && signals[i] == signals[k])
				return cause_set(
					cause, CAUSE_FAILED,
					"-y, -l, --trace-signal and --snapshot-signal need different signals");
	return 0;
}

/* At a size, either the end goes, or the beginning. */
static int check_sizes(const struct request *request, struct cause *cause)
{
	if (request->limit_bytes && (request->keep_bytes || request->keep_ms))
		return cause_set(
			cause, CAUSE_FAILED,
			"-L and --keep do not go together: -L ends recording at a size, --keep drops what is oldest");
	return 0;
}

/* Two groups are for two programs. */
static int check_groups(const struct request *request, struct cause *cause)
{
	if (request->versus ? request->group_count == 1 : request->group_count > 1)
		return cause_set(
			cause, CAUSE_FAILED,
			request->versus
				? "--versus needs a group for each program: -g twice, or not at all"
				: "two groups (-g) are for two programs (--versus)");
	return 0;
}

/* Several runs need several names, and a process that runs has begun only once. */
static int check_repeat(const struct request *request, struct cause *cause)
{
	if (!options_repeats(request))
		return 0;
	if (request->attach)
		return cause_set(cause, CAUSE_FAILED,
		                 "--repeat, --warmup, --versus and -P do not go together");
	if (request->output)
		return cause_set(
			cause, CAUSE_FAILED,
			"--repeat makes several experiments: -g names their group, instead of -%c, which names one",
			request->overwrite ? 'O' : 'o');
	return 0;
}

/* What is impossible in a running process. */
static int check_attach(const struct request *request, const char *program, struct cause *cause)
{
	if (program)
		return cause_set(
			cause, CAUSE_FAILED,
			"-P records a process that runs: there is no program to name ('%s')",
			program);
	if (request->functrace && request->calls.returns)
		return cause_set(
			cause, CAUSE_FAILED,
			"--functrace=returns=on and -P do not go together: calls that have begun cannot be followed");
	if (request->stop)
		return cause_set(cause, CAUSE_FAILED,
		                 "-x and -P do not go together: the program has begun");
	return 0;
}

/* It is a copy: what is recorded was decided before. */
static int check_snapshot(const struct request *request, const char *program, struct cause *cause)
{
	if (program)
		return cause_set(
			cause, CAUSE_FAILED,
			"--snapshot copies what is recorded of a process that runs: there is no program to name ('%s')",
			program);
	if (request->attach || request->experiment_group || options_repeats(request))
		return cause_set(cause, CAUSE_FAILED,
		                 "--snapshot goes with -o, -O, -d, -A, -z and -C only");
	return 0;
}

/* collect(1) needs a -- between a launcher's arguments and its program; not all launchers know
 * it. */
static void drop_separator(char **at)
{
	while (*at && strcmp(*at, "--") != 0)
		at++;
	for (; *at; at++)
		at[0] = at[1];
}

/* Waits that are not recorded are not known. */
static int check_wait(const struct request *request, struct cause *cause)
{
	if (request->snapshot_wait_ms && !request->sync && !request->wall)
		return cause_set(cause, CAUSE_FAILED, "--snapshot-wait needs -s or -w");
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
			status = take_word(out, *at + 2, at[1], &used, cause);
		else
			status = take_letters(out, *at + 1, at[1], &used, cause);
		if (status)
			return status;
		at += used;
	}
	out->target = at;
	if (*at && options_launches_mpi(out))
		drop_separator(at + 1);
	if (out->attach && out->action == OPTIONS_RECORD && check_attach(out, *at, cause))
		return cause->exit_code;
	if (out->action == OPTIONS_SNAPSHOT && check_snapshot(out, *at, cause))
		return cause->exit_code;
	if (out->action == OPTIONS_RECORD && !*at && !out->attach)
		return cause_set(cause, CAUSE_FAILED, "no program to record; see xcollect --help");
	if (check_wait(out, cause) || check_sizes(out, cause) || check_groups(out, cause) ||
	    check_repeat(out, cause))
		return cause->exit_code;
	return check_signals(out, cause);
}

int options_repeats(const struct request *request)
{
	return request->repeat != 0 || request->warmup != 0 || request->versus;
}

void options_help(FILE *to)
{
	fputs("usage: xcollect [option ...] program [argument ...]\n"
	      "       xcollect -P pid [option ...]\n"
	      "       xcollect --snapshot=pid [-o name.er]\n"
	      "Record what a program does into an experiment directory; read it with xer_print.\n\n",
	      to);
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		const struct option *option = &options[i];

		fputs("  ", to);
		if (option->letter)
			fprintf(to, "-%c", option->letter);
		if (option->word)
			fprintf(to, "%s--%s", option->letter ? ", " : "", option->word);
		if (option->argument)
			fprintf(to, "%s%s",
			        option->letter               ? " "
			        : option->argument[0] == '[' ? ""
			                                     : "=",
			        option->argument);
		fprintf(to, "\n        %s", option->meaning);
		if (option->initial)
			fprintf(to, " [%s]", option->initial);
		fputc('\n', to);
	}
	fputs("\nxcollect becomes the program: its exit status is the program's. Its own failures give 125, a\n"
	      "program that cannot be recorded 126, one that is not found 127.\n",
	      to);
}

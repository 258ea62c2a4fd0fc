/* report.c: what many reports have in common. See report.h. */
#include "analyzer/report/report.h"

#include "analyzer/base/memory.h"
#include "analyzer/data/names.h"
#include "analyzer/model/name.h"
#include "analyzer/print/print.h"
#include "analyzer/base/text.h"
#include "experiment/open/load.h"

#include <stdlib.h>
#include <string.h>

double report_seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

double report_percent(uint64_t part, uint64_t whole)
{
	return whole != 0 ? 100.0 * (double)part / (double)whole : 0.0;
}

double report_wall_seconds(const struct dataset *dataset)
{
	const struct dataset_experiment *first_at = dataset_next(dataset, NULL), *at = NULL;
	double first = 0, last = 0;

	while ((at = dataset_next(dataset, at))) {
		const struct exp_info *info = at->info;
		double start = (double)info->start_real_ns / 1e9, end = start + info->duration_s;

		if (at == first_at || start < first)
			first = start;
		if (at == first_at || end > last)
			last = end;
	}
	return last - first;
}

void report_put_next(const struct dataset *dataset, const struct choices *choices,
                     struct output *output, const char *command,
                     const struct sym_function *function, const char *why)
{
	char *reference = function ? name_reference(dataset, choices, function) : NULL;

	if (print_is_data(output)) {
		print_next(output, command, reference, why);
	} else {
		fprintf(output->out, "# next: %s%s", command, reference ? " " : "");
		text_put(output->out, reference);
		fprintf(output->out, "  (%s)\n", why);
	}
	free(reference);
}

char *report_signal(int signal, char *text, size_t size)
{
	const char *name = sigabbrev_np(signal);

	if (name)
		snprintf(text, size, "SIG%s", name);
	else
		snprintf(text, size, "signal %d", signal);
	return text;
}

char *report_status(const struct dataset_experiment *at, char *text, size_t size)
{
	const struct exp_info *info = at->info;
	char signal[24];

	switch (info->status) {
	case EXP_RUNNING:
		snprintf(text, size, "running");
		break;
	case EXP_DIED:
		if (at->killed_by)
			snprintf(text, size, "killed by %s",
			         report_signal(at->killed_by, signal, sizeof(signal)));
		else
			snprintf(text, size, "died");
		break;
	case EXP_EXECED:
		snprintf(text, size, "executed another program");
		break;
	case EXP_SNAPSHOT:
		snprintf(text, size, "running then");
		break;
	case EXP_DETACHED:
		snprintf(text, size, "detached");
		break;
	case EXP_ENDED:
		if (info->exit_code >= 0)
			snprintf(text, size, "ended, exit code %d", info->exit_code);
		else
			snprintf(text, size, "ended");
		break;
	}
	return text;
}

static void put_word(FILE *out, const char *word)
{
	size_t plain = strspn(
		word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@%^");

	if (word[0] != '\0' && word[plain] == '\0') {
		text_put(out, word);
		return;
	}
	fputc('\'', out);
	for (const char *at = word; *at != '\0'; at += strcspn(at, "'")) {
		while (*at == '\'') {
			fputs("'\\''", out);
			at++;
		}
		text_put_bytes(out, at, strcspn(at, "'"));
	}
	fputc('\'', out);
}

/* A program that writes its title over its arguments leaves empty ones at the end. */
static size_t count_empty(const struct exp_info *info)
{
	size_t count = 0;

	while (count < info->argc && info->argv[info->argc - 1 - count][0] == '\0')
		count++;
	return count;
}

void report_put_command(FILE *out, const struct exp_info *info)
{
	enum { MANY = 3 };
	size_t empty = count_empty(info), shown = empty < MANY ? info->argc : info->argc - empty;

	for (size_t i = 0; i < shown; i++) {
		if (i != 0)
			fputc(' ', out);
		put_word(out, info->argv[i]);
	}
	if (shown < info->argc)
		fprintf(out, " '' (%zu times)", empty);
}

char *report_command(const struct exp_info *info)
{
	char *text = NULL;
	size_t size;
	FILE *out = memory_stream(&text, &size);

	report_put_command(out, info);
	memory_stream_end(out, &text);
	return text;
}

void report_put_command_cut(FILE *out, const struct exp_info *info)
{
	enum { WIDTH = 120 };
	char *text = report_command(info);
	size_t size = strlen(text);

	if (size > WIDTH) {
		size = WIDTH;
		while (size > 0 &&
		       ((unsigned char)text[size] & 0xc0) == 0x80) /* not within a character */
			size--;
		fprintf(out, "%.*s...", (int)size, text);
	} else {
		fputs(text, out);
	}
	free(text);
}

uint64_t report_cpu_ns(const struct dataset_experiment *at)
{
	if (at->info->outside && at->whole)
		return at->whole->quality.sampled_ns;
	if (at->info->cpu_ns != 0)
		return at->info->cpu_ns;
	if (at->data)
		return at->data->quality.cpu_ns;
	return !at->experiment ? 0 : exp_load_cpu_ns(at->experiment);
}

void report_put_thread_cpu(const struct dataset *dataset, struct print_table *table,
                           const struct exp_thread *thread)
{
	if (dataset->have & EXP_DATA_PROFILE)
		print_number(table, thread->cpu_ns);
	else
		print_none(table);
}

/* "1 KiB" for 1024: histogram bounds are powers of 2. */
static void put_bound(FILE *out, unsigned bits, const char *behind)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

	fprintf(out, "%5llu %-3s%s", 1ull << bits % 10, units[bits / 10], behind);
}

void report_put_sizes(FILE *out, const uint64_t counts[EXP_HISTOGRAM], const char *size,
                      const char *what)
{
	fprintf(out, "  %-23s  %s\n", size, what);
	for (unsigned i = 0; i < EXP_HISTOGRAM; i++) {
		if (counts[i] == 0)
			continue;
		if (i == 0) {
			fputs("        0 B              ", out);
		} else {
			put_bound(out, i - 1, " to < ");
			if (i < 64)
				put_bound(out, i, "");
			else
				fputs("   16 EiB", out);
		}
		fprintf(out, "  %llu\n", (unsigned long long)counts[i]);
	}
}

void report_put_count(FILE *out, const char *what, uint64_t value)
{
	fprintf(out, "  %-23s  %llu\n", what, (unsigned long long)value);
}

const char *report_attribute(const struct exp_event *event, const char *name)
{
	for (size_t i = 0; i < event->attribute_count; i++)
		if (strcmp(event->attributes[i].name, name) == 0)
			return event->attributes[i].value;
	return NULL;
}

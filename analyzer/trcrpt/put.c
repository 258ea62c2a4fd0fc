/* put.c: prints the report: headings, events as lines, JSON or rows of a table, what is
 * missing. */
#include "analyzer/trcrpt/report.h"

#include "analyzer/base/memory.h"
#include "analyzer/report/report.h"
#include "analyzer/base/text.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static void put_headings(struct trcrpt_report *report)
{
	report->line.len = 0;
	trcrpt_line_headings(&report->line, report->options);
	trcrpt_line_put(&report->line, "\n\n", 2);
	fwrite(report->line.text, 1, report->line.len, report->out);
}

static void put_text_event(struct trcrpt_report *report, const struct trcrpt_event *at)
{
	report->line.len = 0;
	if (report->options->page_size && report->reported &&
	    report->reported % report->options->page_size == 0) {
		fputc('\n', report->out);
		put_headings(report);
		report->line.len = 0;
	}
	trcrpt_line_event(&report->line, report->options, at);
	fwrite_unlocked(report->line.text, 1, report->line.len, report->out);
	for (const char *newline = at->text;
	     newline &&
	     (newline = memchr(newline, '\n', (size_t)(at->text + at->len - newline))) != NULL;
	     newline++)
		report->lines++;
	report->lines++;
}

/* ---- data ---- */

static char *words_text(const struct template_event *entry)
{
	struct trcrpt_line line = {0};
	char *text;

	trcrpt_line_raw(&line, entry);
	for (size_t i = 0; i < line.len; i++)
		if (line.text[i] == '\n')
			line.text[i] = ' ';
	text = memory_text(line.text, line.len);
	free(line.text);
	return text;
}

struct print_table *trcrpt_table(void)
{
	struct print_table *table = print_table_begin("trcrpt");

	print_column(table, PRINT_WORD, "id", "ID");
	print_column(table, PRINT_VALUE, "subhook", "Subhook");
	print_column(table, PRINT_SECONDS, "elapsed", "Elapsed");
	print_column(table, PRINT_SECONDS, "delta", "Delta");
	print_column(table, PRINT_VALUE, "pid", "PID");
	print_column(table, PRINT_VALUE, "tid", "TID");
	print_column(table, PRINT_VALUE, "cpu", "CPU");
	print_column(table, PRINT_VALUE, "channel", "Channel");
	print_column(table, PRINT_WORD, "program", "Program");
	print_column(table, PRINT_WORD, "words", "Hook Word and Data");
	print_column(table, PRINT_WORD, "text", "Text");
	return table;
}

static void put_row(struct trcrpt_report *report, const struct trcrpt_event *at)
{
	char *words = words_text(at->entry);
	char *text = memory_text(at->text, at->len);
	char id[5];

	template_hook_text(at->event->hook, id);
	print_word(report->table, id);
	print_real(report->table, at->event->subhook);
	print_real(report->table, (double)at->event->time_ns * 1e-9);
	print_real(report->table, (double)at->delta_ns * 1e-9);
	print_real(report->table, (double)at->process->pid);
	print_real(report->table, at->event->tid);
	print_real(report->table, at->event->cpu);
	print_real(report->table, at->event->channel);
	print_word(report->table, at->process->program);
	print_word(report->table, words);
	print_word(report->table, text);
	free(words);
	free(text);
}

/* An object of its own for each event, so that a report of any length takes no memory. */
static void put_json(struct trcrpt_report *report, const struct trcrpt_event *at)
{
	char *words = words_text(at->entry);
	char id[5];

	template_hook_text(at->event->hook, id);
	fprintf(report->out,
	        "%s\n  {\"id\": \"%s\", \"subhook\": %u, \"elapsed_s\": %.9f, \"delta_ms\": %.6f, \"pid\": %lld, \"tid\": %u, \"cpu\": %u, "
	        "\"channel\": %u, \"words\": \"%s\", \"text\": ",
	        report->reported ? "," : "", id, at->event->subhook,
	        (double)at->event->time_ns * 1e-9, (double)at->delta_ns * 1e-6,
	        (long long)at->process->pid, at->event->tid, at->event->cpu, at->event->channel,
	        words);
	print_json_string(report->out, at->text, at->len);
	fputc('}', report->out);
	free(words);
}

void trcrpt_put_event(struct trcrpt_report *report, const struct trcrpt_event *at)
{
	if (report->table)
		put_row(report, at);
	else if (report->options->is_json)
		put_json(report, at);
	else
		put_text_event(report, at);
}

/* ---- around the events ---- */

static void put_preface(struct trcrpt_report *report)
{
	const struct exp_info *info = report->infos[0];
	time_t start = (time_t)(info->start_real_ns / 1000000000);
	struct tm date;
	char text[64] = "";

	if (localtime_r(&start, &date))
		strftime(text, sizeof(text), "%a %b %d %H:%M:%S %Y", &date);
	fprintf(report->out, "%s\nSystem: ", text);
	text_put(report->out, info->os);
	fputc(' ', report->out);
	text_put(report->out, info->release);
	fputs(" Node: ", report->out);
	text_put(report->out, info->host);
	fputs("\nMachine: ", report->out);
	text_put(report->out, info->arch);
	fprintf(report->out, "\nExperiment: ");
	text_put(report->out, info->path);
	fputs("\nCommand: ", report->out);
	report_put_command(report->out, info);
	fputs("\n\n", report->out);
}

static void put_loss(struct trcrpt_report *report, const char *form, uint64_t count)
{
	if (count == 0)
		return;
	if (report->table)
		print_note(report->output, form, (unsigned long long)count);
	else if (!report->options->is_json) {
		fputs("# ", report->out);
		fprintf(report->out, form, (unsigned long long)count);
		fputc('\n', report->out);
	}
}

struct losses {
	uint64_t lost, overwritten, truncated, full;
};

static struct losses find_losses(const struct trcrpt_report *report)
{
	struct losses sum = {0};

	for (size_t i = 0; i < report->family.count; i++) {
		const struct exp_info *info = report->infos[i];

		sum.lost += experiment_counter(report->family.experiments[i], "lost_usertrace", 0);
		sum.overwritten += experiment_counter(report->family.experiments[i],
		                                      "user_overwritten", 0);
		sum.truncated += experiment_counter(report->family.experiments[i], "user_truncated",
		                                    0);
		for (size_t k = 0; k < info->event_count; k++)
			for (size_t m = 0; strcmp(info->events[k].kind, "loss") == 0 &&
			                   m < info->events[k].attribute_count;
			     m++)
				sum.full += strcmp(info->events[k].attributes[m].name, "reason") ==
				                    0 &&
				            strcmp(info->events[k].attributes[m].value, "full") ==
				                    0;
	}
	return sum;
}

static void put_losses(struct trcrpt_report *report)
{
	struct losses sum = find_losses(report);

	put_loss(report, "%llu traces ended because they were full", sum.full);
	put_loss(report, "%llu events were lost", sum.lost);
	put_loss(report, "%llu events gave their place to newer ones", sum.overwritten);
	put_loss(report, "%llu generic events were cut to 4096 bytes", sum.truncated);
	put_loss(report, "%llu duplicates were removed", report->removed);
	if (report->options->is_json)
		fprintf(report->out,
		        "\n], \"full\": %llu, \"lost\": %llu, \"overwritten\": %llu, \"truncated\": %llu}\n",
		        (unsigned long long)sum.full, (unsigned long long)sum.lost,
		        (unsigned long long)sum.overwritten, (unsigned long long)sum.truncated);
}

static void put_histogram(struct trcrpt_report *report)
{
	if (!report->histogram || report->options->is_json || report->table)
		return;
	fputs("\nID         COUNT  LABEL\n\n", report->out);
	for (unsigned hook = 0; hook < TRCRPT_HOOKS; hook++) {
		const struct template *template = template_find(report->set, (uint16_t)hook);
		char id[5];

		if (report->histogram[hook] == 0)
			continue;
		template_hook_text((uint16_t)hook, id);
		fprintf(report->out, "%-4s  %10llu  ", id,
		        (unsigned long long)report->histogram[hook]);
		if (template)
			text_put_bytes(report->out, template_header(template)->label,
			               template_header(template)->label_len);
		fputc('\n', report->out);
	}
}

void trcrpt_put_begin(struct trcrpt_report *report)
{
	if (report->options->is_json) {
		fputs("{\"command\": \"trcrpt\", \"experiment\": ", report->out);
		print_json_string(report->out, report->infos[0]->path,
		                  strlen(report->infos[0]->path));
		fputs(", \"events\": [", report->out);
	} else if (!report->table && !report->options->without_headings) {
		put_preface(report);
		if (report->options->filename)
			fprintf(report->out, "File: %s\n\n", exp_user_file(0));
		put_headings(report);
	}
}

void trcrpt_put_end(struct trcrpt_report *report)
{
	put_losses(report);
	put_histogram(report);
}

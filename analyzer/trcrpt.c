/* trcrpt.c: the report of user events: which events, in which form, and what surrounds them. Events are read, formatted and
 * printed one by one. */
#include "trcrpt.h"

#include "format/layout.h"
#include "memory.h"
#include "report.h"
#include "text.h"
#include "trcrpt_select.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HOOK_ON = 0x0010, HOOK_OFF = 0x0020, HOOK_DEFAULT = 0x0080, HOOKS = 1 << 16 };
enum { IMAGE_MAX = 16 + FMT_USER_BYTES, NAME_TEXT = 256 };

struct report {
	struct session *session;
	const struct trcrpt_options *options;
	const struct template_set *set;
	struct template_run *run;
	FILE *out;
	/* The experiments of one founder. */
	struct experiment **experiments; /* experiments[count] */
	const struct exp_info **infos;
	size_t count;
	/* The event. */
	uint8_t image[IMAGE_MAX];
	struct template_event entry;
	const struct exp_user_event *event;
	struct trcrpt_line line, undefined;
	/* The report. */
	int64_t last_ns;  /* of the event reported last */
	uint64_t reported, removed, lines;
	uint64_t *histogram; /* by hook; NULL: not asked for */
	struct {
		struct template_event entry;
		uint8_t image[IMAGE_MAX];
	} previous; /* for removedups */
	struct print_table *table; /* NULL: text */
	int is_stopped;
};

/* ---- what templates may ask ---- */

static const char *program_of(void *context, uint32_t pid)
{
	const struct report *report = context;

	for (size_t i = 0; i < report->count; i++)
		if (report->infos[i]->pid == (int64_t)pid)
			return report->infos[i]->program;
	return NULL;
}

/* A function is told with its offset, a variable too. */
static size_t name_of(void *context, uint64_t address, char *out, size_t size)
{
	const struct report *report = context;
	const struct experiment *experiment = report->experiments[report->event->process];
	const struct sym_frame *frames;
	const char *name = NULL, *object = NULL;
	uint64_t offset = 0;
	int count = experiment_object_at(experiment, address, 0) != NULL
			? symbols_frames(report->session->symbols, experiment, address, 0, 1, &frames)
			: 0;

	if (count > 0 && !frames[count - 1].function->unresolved) {
		name = frames[count - 1].function->name;
		offset = frames[count - 1].address - frames[count - 1].function->address;
	} else if (symbols_variable(report->session->symbols, experiment, address, 0, &name, &object, &offset) != 0) {
		return 0;
	}
	if (name == NULL)
		return 0;
	return (size_t)snprintf(out, size, offset ? "%s+0x%llx" : "%s", name, (unsigned long long)offset);
}

/* ---- entries ---- */

static void put_big_endian(uint8_t *to, uint64_t number, size_t size)
{
	for (size_t i = 0; i < size; i++)
		to[i] = (uint8_t)(number >> 8 * (size - 1 - i));
}

/* The hook word of 64 bits: flags, length, id, sub-id; of 32: id, type, sub-id or length. */
static void put_hook_word(uint8_t *image, const struct exp_user_event *event)
{
	unsigned data = event->is_generic ? 8 + event->byte_count : 8u * event->word_count;
	unsigned type = event->is_generic ? 8 : event->word_count > 1 ? 0xe : 9 + event->word_count;

	if (event->is_32) {
		put_big_endian(image, (uint64_t)(event->hook & 0xfff0u) << 16 | (uint64_t)type << 16 |
					  (event->is_generic ? event->byte_count : event->subhook), 4);
		return;
	}
	put_big_endian(image, (uint64_t)(event->is_generic ? 0xc000 : 0x8000) << 48 | (uint64_t)(data + 16) << 32 |
				  (uint64_t)event->hook << 16 | event->subhook, 8);
}

static void make_entry(struct report *report, const struct exp_user_event *event)
{
	const struct exp_info *info = report->infos[event->process];
	size_t word_size = event->is_32 ? 4 : 8;

	put_hook_word(report->image, event);
	for (size_t i = 0; i < event->word_count; i++)
		memcpy(report->image + word_size * (i + 1), &event->words[i], word_size);
	if (event->byte_count > 0)
		memcpy(report->image + word_size * 2, event->bytes, event->byte_count);
	report->entry = (struct template_event){.image = report->image,
						.size = word_size * (1 + event->word_count) + event->byte_count,
						.hook = event->hook,
						.subhook = event->subhook,
						.is_32 = event->is_32,
						.is_generic = event->is_generic,
						.cpu = event->cpu,
						.tid = event->tid,
						.pid = (uint32_t)info->pid,
						.time_ns = event->time_ns > 0 ? (uint64_t)event->time_ns : 0,
						.log_offset = event->offset,
						.log_file = exp_user_file(event->trace),
						.program = info->program,
						.line = report->lines + 1};
}

static int is_duplicate(struct report *report)
{
	const struct template_event *entry = &report->entry, *before = &report->previous.entry;

	if (!report->options->removes_duplicates)
		return 0;
	if (before->size == entry->size && before->tid == entry->tid && before->pid == entry->pid && before->is_32 == entry->is_32 &&
	    memcmp(report->previous.image, report->image, entry->size) == 0)
		return 1;
	report->previous.entry = *entry;
	memcpy(report->previous.image, report->image, entry->size);
	return 0;
}

/* ---- text ---- */

/* "TRACE ON channel 0", for events of the recorder itself. */
static void put_switch(struct report *report, const struct exp_user_event *event)
{
	const char *names = experiment_setting(report->experiments[event->process], "user_names", "");
	char text[NAME_TEXT];
	size_t len;

	for (unsigned trace = 1; trace < event->trace; trace++) {
		names += strcspn(names, ",");
		names += *names == ',';
	}
	if (event->trace > 0)
		snprintf(text, sizeof(text), "TRACE %s component %.*s", event->hook == HOOK_ON ? "ON" : "OFF", (int)strcspn(names, ","), names);
	else
		snprintf(text, sizeof(text), "TRACE %s channel %llu", event->hook == HOOK_ON ? "ON" : "OFF",
			 (unsigned long long)event->words[0]);
	len = strlen(text);
	for (size_t i = 0; i < len; i++)
		if (text[i] < ' ' || text[i] > '~')
			text[i] = '.';
	trcrpt_line_put(&report->undefined, text, len);
}

/* Make the text of the event. Returns 0 if there is nothing to be printed. */
static int make_text(struct report *report, const struct exp_user_event *event, struct trcrpt_event *out)
{
	const struct template *template = template_find(report->set, event->hook);
	enum template_outcome outcome = TEMPLATE_UNKNOWN;

	report->undefined.len = 0;
	out->level = TEMPLATE_APPL;
	if (report->options->is_raw)
		template = NULL;
	if (template != NULL)
		outcome = template_format(report->run, template, &report->entry, &out->text, &out->len);
	if (template != NULL && outcome == TEMPLATE_UNKNOWN) {
		template = template_find(report->set, HOOK_DEFAULT);
		if (template != NULL)
			outcome = template_format(report->run, template, &report->entry, &out->text, &out->len);
	}
	report->is_stopped = outcome == TEMPLATE_STOPPED;
	if (outcome == TEMPLATE_SKIPPED)
		return 0;
	if (outcome != TEMPLATE_UNKNOWN) {
		out->level = template_head(template)->level;
		return 1;
	}
	if (report->options->is_raw) {
		trcrpt_line_raw(&report->undefined, &report->entry);
	} else if (event->hook == HOOK_ON || event->hook == HOOK_OFF) {
		put_switch(report, event);
		out->level = TEMPLATE_KERN;
	} else {
		trcrpt_line_undefined(&report->undefined, &report->entry);
	}
	out->text = report->undefined.text;
	out->len = report->undefined.len;
	return 1;
}

static void put_headings(struct report *report)
{
	report->line.len = 0;
	trcrpt_line_headings(&report->line, report->options);
	trcrpt_line_put(&report->line, "\n\n", 2);
	fwrite(report->line.text, 1, report->line.len, report->out);
}

static void put_text_event(struct report *report, const struct trcrpt_event *at)
{
	report->line.len = 0;
	if (report->options->page_size && report->reported && report->reported % report->options->page_size == 0) {
		fputc('\n', report->out);
		put_headings(report);
		report->line.len = 0;
	}
	trcrpt_line_event(&report->line, report->options, at);
	fwrite_unlocked(report->line.text, 1, report->line.len, report->out);
	for (const char *newline = at->text; newline && (newline = memchr(newline, '\n', (size_t)(at->text + at->len - newline))) != NULL; newline++)
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

static struct print_table *begin_table(void)
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

static void put_row(struct report *report, const struct trcrpt_event *at)
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
static void put_json(struct report *report, const struct trcrpt_event *at)
{
	char *words = words_text(at->entry);
	char id[5];

	template_hook_text(at->event->hook, id);
	fprintf(report->out, "%s\n  {\"id\": \"%s\", \"subhook\": %u, \"elapsed_s\": %.9f, \"delta_ms\": %.6f, \"pid\": %lld, \"tid\": %u, \"cpu\": %u, "
		"\"channel\": %u, \"words\": \"%s\", \"text\": ",
		report->reported ? "," : "", id, at->event->subhook, (double)at->event->time_ns * 1e-9, (double)at->delta_ns * 1e-6,
		(long long)at->process->pid, at->event->tid, at->event->cpu, at->event->channel, words);
	print_json_string(report->out, at->text, at->len);
	fputc('}', report->out);
	free(words);
}

/* ---- one event ---- */

static int visit(void *context, const struct exp_user_event *event)
{
	struct report *report = context;
	struct trcrpt_event at = {.event = event, .entry = &report->entry, .process = report->infos[event->process], .text = ""};

	if (!trcrpt_select(report->options, event, at.process, report->infos[0]->start_real_ns))
		return 0;
	report->event = event;
	make_entry(report, event);
	if (is_duplicate(report)) {
		report->removed++;
		return 0;
	}
	at.delta_ns = event->time_ns - report->last_ns;
	if (!make_text(report, event, &at))
		return 0;
	if (report->table != NULL)
		put_row(report, &at);
	else if (report->options->is_json)
		put_json(report, &at);
	else
		put_text_event(report, &at);
	report->last_ns = event->time_ns;
	report->reported++;
	if (report->histogram != NULL)
		report->histogram[event->hook]++;
	return report->is_stopped || ferror(report->out);
}

/* ---- around the events ---- */

static void put_preface(struct report *report)
{
	const struct exp_info *info = report->infos[0];
	time_t start = (time_t)(info->start_real_ns / 1000000000);
	struct tm date;
	char text[64] = "";

	if (localtime_r(&start, &date) != NULL)
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

/* The beginning and the end of the recording are events like those that trcon and trcoff make. */
static void put_bound(struct report *report, unsigned hook, int64_t time_ns)
{
	const struct exp_user_event event = {.hook = (uint16_t)hook, .time_ns = time_ns, .word_count = 1, .tid = (uint32_t)report->infos[0]->pid};

	if (!report->is_stopped)
		visit(report, &event);
}

static int64_t end_of(const struct report *report)
{
	double end_s = 0;

	for (size_t i = 0; i < report->count; i++)
		if (report->infos[i]->duration_s > end_s)
			end_s = report->infos[i]->duration_s;
	return llrint(end_s * 1e9) > report->last_ns ? llrint(end_s * 1e9) : report->last_ns;
}

static void put_loss(struct report *report, const char *form, uint64_t count)
{
	if (count == 0)
		return;
	if (report->table != NULL)
		print_note(report->session, form, (unsigned long long)count);
	else if (!report->options->is_json) {
		fputs("# ", report->out);
		fprintf(report->out, form, (unsigned long long)count);
		fputc('\n', report->out);
	}
}

struct losses {
	uint64_t lost, overwritten, truncated, full;
};

static struct losses find_losses(const struct report *report)
{
	struct losses sum = {0};

	for (size_t i = 0; i < report->count; i++) {
		const struct exp_info *info = report->infos[i];

		sum.lost += experiment_counter(report->experiments[i], "lost_usertrace", 0);
		sum.overwritten += experiment_counter(report->experiments[i], "user_overwritten", 0);
		sum.truncated += experiment_counter(report->experiments[i], "user_truncated", 0);
		for (size_t k = 0; k < info->event_count; k++)
			for (size_t m = 0; strcmp(info->events[k].kind, "loss") == 0 && m < info->events[k].attribute_count; m++)
				sum.full += strcmp(info->events[k].attributes[m].name, "reason") == 0 &&
					    strcmp(info->events[k].attributes[m].value, "full") == 0;
	}
	return sum;
}

static void put_losses(struct report *report)
{
	struct losses sum = find_losses(report);

	put_loss(report, "%llu traces ended because they were full", sum.full);
	put_loss(report, "%llu events were lost", sum.lost);
	put_loss(report, "%llu events gave their place to newer ones", sum.overwritten);
	put_loss(report, "%llu generic events were cut to 4096 bytes", sum.truncated);
	put_loss(report, "%llu duplicates were removed", report->removed);
	if (report->options->is_json)
		fprintf(report->out, "\n], \"full\": %llu, \"lost\": %llu, \"overwritten\": %llu, \"truncated\": %llu}\n",
			(unsigned long long)sum.full, (unsigned long long)sum.lost, (unsigned long long)sum.overwritten,
			(unsigned long long)sum.truncated);
}

static void put_histogram(struct report *report)
{
	if (report->histogram == NULL || report->options->is_json || report->table != NULL)
		return;
	fputs("\nID         COUNT  LABEL\n\n", report->out);
	for (unsigned hook = 0; hook < HOOKS; hook++) {
		const struct template *template = template_find(report->set, (uint16_t)hook);
		char id[5];

		if (report->histogram[hook] == 0)
			continue;
		template_hook_text((uint16_t)hook, id);
		fprintf(report->out, "%-4s  %10llu  ", id, (unsigned long long)report->histogram[hook]);
		if (template != NULL)
			text_put_bytes(report->out, template_head(template)->label, template_head(template)->label_len);
		fputc('\n', report->out);
	}
}

static void put_begin(struct report *report)
{
	if (report->options->is_json) {
		fputs("{\"command\": \"trcrpt\", \"experiment\": ", report->out);
		print_json_string(report->out, report->infos[0]->path, strlen(report->infos[0]->path));
		fputs(", \"events\": [", report->out);
	} else if (report->table == NULL && !report->options->without_headings) {
		put_preface(report);
		if (report->options->filename)
			fprintf(report->out, "File: %s\n\n", exp_user_file(0));
		put_headings(report);
	}
}

/* The report of the experiments of one founder. */
static void put_report(struct report *report)
{
	int rc;

	put_begin(report);
	put_bound(report, HOOK_ON, 0);
	rc = report->is_stopped ? 0 : exp_user_events(report->experiments, report->count, visit, report);
	if (rc == -ENOMEM)
		session_fail(report->session, EXIT_TROUBLE, "out of memory");
	if (report->infos[0]->status != EXP_RUNNING)
		put_bound(report, HOOK_OFF, end_of(report));
	put_losses(report);
	put_histogram(report);
	for (size_t i = 0; i < report->count; i++)
		if (report->infos[i]->damaged && report->session->status < EXIT_TROUBLE)
			report->session->status = EXIT_TROUBLE;
}

/* ---- experiments ---- */

static unsigned founder_of(const struct session_experiment *at)
{
	return at->founder ? at->founder : at->id;
}

/* Take the selected experiments with the founder of `first` that stand from there on. */
static void take_family(struct report *report, const struct session_experiment *first)
{
	report->count = 0;
	for (const struct session_experiment *at = first; at != NULL; at = session_next(report->session, at)) {
		if (founder_of(at) != founder_of(first))
			continue;
		report->experiments[report->count] = at->experiment;
		report->infos[report->count++] = at->info;
	}
}

static int is_first_of_family(const struct session *session, const struct session_experiment *at)
{
	for (const struct session_experiment *other = session_next(session, NULL); other != at; other = session_next(session, other))
		if (founder_of(other) == founder_of(at))
			return 0;
	return 1;
}

static void run_families(struct report *report)
{
	struct session *session = report->session;

	for (const struct session_experiment *at = session_next(session, NULL); at != NULL; at = session_next(session, at)) {
		if (!is_first_of_family(session, at))
			continue;
		take_family(report, at);
		report->last_ns = 0;
		report->reported = report->removed = 0;
		report->is_stopped = 0;
		put_report(report);
	}
}

void trcrpt_run(struct session *session, const struct trcrpt_options *options)
{
	struct report *report = memory_take(1, sizeof(*report));
	const struct template_context context = {.program_of = program_of, .name_of = name_of, .context = report};
	struct template_set *set = trcrpt_templates(session, options);

	*report = (struct report){.session = session, .options = options, .set = set, .out = session->out};
	if (set != NULL) {
		report->run = template_run_create(set, &context);
		report->experiments = memory_take(session->count + 1, sizeof(*report->experiments));
		report->infos = memory_take(session->count + 1, sizeof(*report->infos));
		if (options->histogram)
			report->histogram = memory_take(HOOKS, sizeof(*report->histogram));
		if (print_is_data(session))
			report->table = begin_table();
		if (report->run != NULL)
			run_families(report);
		if (report->table != NULL)
			print_table_end(session, report->table, session->limit);
	}
	template_run_destroy(report->run);
	template_set_destroy(set);
	free(report->experiments);
	free(report->infos);
	free(report->histogram);
	free(report->line.text);
	free(report->undefined.text);
	free(report);
}

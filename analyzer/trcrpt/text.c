/* text.c: from a recorded event to its entry, as templates see it, and to its text. */
#include "analyzer/trcrpt/report.h"

#include "analyzer/base/text.h"

#include <string.h>

enum { HOOK_DEFAULT = 0x0080, NAME_TEXT = 256 };

/* ---- what templates may ask ---- */

static const char *program_of(void *context, uint32_t pid)
{
	const struct trcrpt_report *report = context;

	for (size_t i = 0; i < report->family.count; i++)
		if (report->infos[i]->pid == (int64_t)pid)
			return report->infos[i]->program;
	return NULL;
}

/* A function is told with its offset, a variable too. */
static size_t name_of(void *context, uint64_t address, char *out, size_t size)
{
	const struct trcrpt_report *report = context;
	const struct experiment *experiment = report->family.experiments[report->event->process];
	const struct sym_frame *frames;
	const char *name = NULL, *object = NULL;
	uint64_t offset = 0;
	int count = experiment_object_at(experiment, address, 0)
	                    ? symbols_frames(report->dataset->symbols, experiment, address, 0, 1,
	                                     &frames)
	                    : 0;

	if (count > 0 && !frames[count - 1].function->unresolved) {
		name = frames[count - 1].function->name;
		offset = frames[count - 1].address - frames[count - 1].function->address;
	} else if (symbols_variable(report->dataset->symbols, experiment, address, 0, &name,
	                            &object, &offset) != 0) {
		return 0;
	}
	if (!name)
		return 0;
	return (size_t)snprintf(out, size, offset ? "%s+0x%llx" : "%s", name,
	                        (unsigned long long)offset);
}

const struct template_context trcrpt_asked = {.program_of = program_of, .name_of = name_of};

/* ---- entries ---- */

static void put_big_endian(uint8_t *to, uint64_t number, size_t size)
{
	for (size_t i = 0; i < size; i++)
		to[i] = (uint8_t)(number >> 8 * (size - 1 - i));
}

/* The hook word of 64 bits: flags, length, id, sub-id; of 32: id, type, sub-id or length. */
static void put_hook_word(uint8_t *bytes, const struct exp_user_event *event)
{
	unsigned data = event->is_generic ? 8 + event->byte_count : 8u * event->word_count;
	unsigned type = event->is_generic ? 8 : event->word_count > 1 ? 0xe : 9 + event->word_count;

	if (event->is_32) {
		put_big_endian(bytes,
		               (uint64_t)(event->hook & 0xfff0u) << 16 | (uint64_t)type << 16 |
		                       (event->is_generic ? event->byte_count : event->subhook),
		               4);
		return;
	}
	put_big_endian(bytes,
	               (uint64_t)(event->is_generic ? 0xc000 : 0x8000) << 48 |
	                       (uint64_t)(data + 16) << 32 | (uint64_t)event->hook << 16 |
	                       event->subhook,
	               8);
}

void trcrpt_make_entry(struct trcrpt_report *report, const struct exp_user_event *event)
{
	const struct exp_info *info = report->infos[event->process];
	size_t word_size = event->is_32 ? 4 : 8;

	put_hook_word(report->bytes, event);
	for (size_t i = 0; i < event->word_count; i++)
		memcpy(report->bytes + word_size * (i + 1), &event->words[i], word_size);
	if (event->byte_count > 0)
		memcpy(report->bytes + word_size * 2, event->bytes, event->byte_count);
	report->entry = (struct template_event){
		.bytes = report->bytes,
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

/* ---- text ---- */

/* "TRACE ON channel 0", for events of the recorder itself. */
static void put_switch(struct trcrpt_report *report, const struct exp_user_event *event)
{
	const char *names = experiment_setting(report->family.experiments[event->process],
	                                       "user_names", "");
	char text[NAME_TEXT];
	size_t len;

	for (unsigned trace = 1; trace < event->trace; trace++) {
		names += strcspn(names, ",");
		names += *names == ',';
	}
	if (event->trace > 0)
		snprintf(text, sizeof(text), "TRACE %s component %.*s",
		         event->hook == TRCRPT_HOOK_ON ? "ON" : "OFF", (int)strcspn(names, ","),
		         names);
	else
		snprintf(text, sizeof(text), "TRACE %s channel %llu",
		         event->hook == TRCRPT_HOOK_ON ? "ON" : "OFF",
		         (unsigned long long)event->words[0]);
	len = strlen(text);
	for (size_t i = 0; i < len; i++)
		if (text[i] < ' ' || text[i] > '~')
			text[i] = '.';
	trcrpt_line_put(&report->undefined, text, len);
}

int trcrpt_make_text(struct trcrpt_report *report, const struct exp_user_event *event,
                     struct trcrpt_event *out)
{
	const struct template *template = template_find(report->set, event->hook);
	enum template_outcome outcome = TEMPLATE_UNKNOWN;

	report->undefined.len = 0;
	out->level = TEMPLATE_APPL;
	if (report->options->is_raw)
		template = NULL;
	if (template)
		outcome = template_format(report->run, template, &report->entry, &out->text,
		                          &out->len);
	if (template && outcome == TEMPLATE_UNKNOWN) {
		template = template_find(report->set, HOOK_DEFAULT);
		if (template)
			outcome = template_format(report->run, template, &report->entry, &out->text,
			                          &out->len);
	}
	report->is_stopped = outcome == TEMPLATE_STOPPED;
	if (outcome == TEMPLATE_SKIPPED)
		return 0;
	if (outcome != TEMPLATE_UNKNOWN) {
		out->level = template_header(template)->level;
		return 1;
	}
	if (report->options->is_raw) {
		trcrpt_line_raw(&report->undefined, &report->entry);
	} else if (event->hook == TRCRPT_HOOK_ON || event->hook == TRCRPT_HOOK_OFF) {
		put_switch(report, event);
		out->level = TEMPLATE_KERN;
	} else {
		trcrpt_line_undefined(&report->undefined, &report->entry);
	}
	out->text = report->undefined.text;
	out->len = report->undefined.len;
	return 1;
}

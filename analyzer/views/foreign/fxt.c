/* fxt.c: a file of the Fuchsia trace format, record by record, checked. */
#include "analyzer/views/view.h"

#include "experiment/fxt/fxt.h"
#include "experiment/fxt/fxt_nesting.h"
#include "analyzer/base/memory.h"
#include "analyzer/print/print.h"
#include "analyzer/base/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct dump {
	struct sink sink;
	struct exp_fxt *fxt;
	struct fxt_nesting *nesting;
	uint64_t records;
	uint8_t shown[FXT_RECORDS]; /* set of the fields that are shown, since no part does */
};

static void put_double(struct sink *sink, uint64_t bits)
{
	char text[40];
	double value;

	memcpy(&value, &bits, sizeof(value));
	sink_put(sink, text, (size_t)snprintf(text, sizeof(text), "%.17g", value));
}

static void put_bytes(struct sink *sink, const char *bytes, uint64_t size)
{
	for (uint64_t i = 0; i < size; i++)
		sink_hex(sink, (unsigned char)bytes[i], 2);
}

static void put_address(struct sink *sink, uint64_t address)
{
	sink_put(sink, "0x", 2);
	sink_hex(sink, address, 1);
}

static void put_argument(struct sink *sink, const struct exp_fxt_argument *argument)
{
	sink_byte(sink, ' ');
	sink_quoted(sink, argument->name, argument->name_size);
	sink_put(sink, ": ", 2);
	sink_text(sink, fxt_argument_title(argument->type));
	sink_byte(sink, ' ');
	switch (argument->type) {
	case FXT_ARGUMENT_NONE:
		break;
	case FXT_ARGUMENT_INT32:
	case FXT_ARGUMENT_INT64:
		sink_signed(sink, (int64_t)argument->value);
		break;
	case FXT_ARGUMENT_UINT32:
	case FXT_ARGUMENT_UINT64:
	case FXT_ARGUMENT_KOID:
		sink_decimal(sink, argument->value);
		break;
	case FXT_ARGUMENT_BOOL:
		sink_text(sink, argument->value ? "true" : "false");
		break;
	case FXT_ARGUMENT_DOUBLE:
		put_double(sink, argument->value);
		break;
	case FXT_ARGUMENT_POINTER:
		put_address(sink, argument->value);
		break;
	case FXT_ARGUMENT_STRING:
		sink_quoted(sink, argument->text, argument->value);
		break;
	case FXT_ARGUMENT_BLOB:
		put_bytes(sink, argument->text, argument->value);
		break;
	}
}

static void put_words(struct sink *sink, const uint64_t *words, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		sink_byte(sink, ' ');
		put_address(sink, words[i]);
	}
}

/* A payload that can be the frames of a sample is shown as such. */
static void put_payload(struct sink *sink, const struct exp_fxt_value *value)
{
	sink_decimal(sink, value->number);
	if (!value->words)
		sink_text(sink, " bytes (not shown)");
	else if (value->number % sizeof(uint64_t) == 0)
		put_words(sink, value->words, value->word_count);
	else {
		sink_byte(sink, ' ');
		put_bytes(sink, (const char *)value->words, value->number);
	}
}

static void put_value(struct dump *dump, const struct fxt_part *part,
                      const struct exp_fxt_value *value)
{
	struct sink *sink = &dump->sink;
	struct exp_fxt_value arguments = *value;
	struct exp_fxt_argument argument;

	switch (part->kind) {
	case FXT_PART_STRING:
	case FXT_PART_TEXT:
		sink_quoted(sink, value->text, value->number);
		break;
	case FXT_PART_BYTES:
		put_bytes(sink, value->text, value->number);
		break;
	case FXT_PART_THREAD:
		sink_decimal(sink, value->process);
		sink_byte(sink, '/');
		sink_decimal(sink, value->thread);
		break;
	case FXT_PART_PROCESS:
		sink_decimal(sink, value->process);
		break;
	case FXT_PART_ARGUMENTS:
		sink_decimal(sink, value->number);
		while (exp_fxt_argument(dump->fxt, &arguments, &argument))
			put_argument(sink, &argument);
		break;
	case FXT_PART_PCS:
		sink_decimal(sink, value->number);
		put_words(sink, value->words, value->number);
		break;
	case FXT_PART_ADDRESS:
		put_address(sink, value->number);
		break;
	case FXT_PART_KIND:
	case FXT_PART_TIME:
	case FXT_PART_NUMBER:
		sink_decimal(sink, value->number);
		break;
	case FXT_PART_PAYLOAD:
		put_payload(sink, value);
		break;
	}
}

/* The parts hold what these fields say. */
static int is_field_of_part(const struct fxt_record *type, const struct fxt_field *field)
{
	for (const struct fxt_part *part = type->parts; part->name; part++)
		if (part->width != 0 && part->kind != FXT_PART_KIND &&
		    strcmp(part->name, field->name) == 0)
			return 1;
	return 0;
}

static void choose_fields(struct dump *dump)
{
	for (unsigned kind = 0; kind < FXT_RECORDS; kind++)
		for (unsigned i = 0; fxt_records[kind].fields[i].name; i++)
			if (!is_field_of_part(&fxt_records[kind], &fxt_records[kind].fields[i]))
				dump->shown[kind] |= (uint8_t)(1u << i);
}

static void put_field(struct sink *sink, const struct exp_fxt_record *record,
                      const struct fxt_field *field)
{
	uint64_t value = fxt_field_value(record->words, field->word, field->low, field->width);
	const char *word = NULL;

	if (record->kind == FXT_event)
		word = fxt_event_title((unsigned)value);
	else if (strcmp(field->name, "state") == 0)
		word = fxt_state_title((unsigned)value);
	sink_byte(sink, ' ');
	sink_text(sink, field->name);
	sink_byte(sink, ' ');
	if (word)
		sink_text(sink, word);
	else
		sink_decimal(sink, value);
}

static const char *part_name(const struct exp_fxt_record *record, const struct fxt_part *part)
{
	return part->kind == FXT_PART_KIND
	               ? fxt_event_word((unsigned)EXP_FXT_FIELD(record, event, kind))
	               : part->name;
}

static void put_record(struct dump *dump, const struct exp_fxt_record *record)
{
	const struct fxt_record *type = &fxt_records[record->kind];
	struct sink *sink = &dump->sink;

	sink_hex(sink, record->offset, 8);
	sink_byte(sink, ' ');
	sink_text(sink, type->title);
	for (unsigned i = 0, shown = dump->shown[record->kind]; shown != 0; i++, shown >>= 1)
		if (shown & 1)
			put_field(sink, record, &type->fields[i]);
	for (int i = 0; type->parts[i].name; i++) {
		const char *name = part_name(record, &type->parts[i]);

		if (!name ||
		    (type->parts[i].kind == FXT_PART_ARGUMENTS && record->values[i].number == 0))
			continue;
		sink_byte(sink, ' ');
		sink_text(sink, name);
		sink_byte(sink, ' ');
		put_value(dump, &type->parts[i], &record->values[i]);
	}
	if (record->extra > 0) {
		sink_text(sink, " further words ");
		sink_decimal(sink, record->extra);
	}
	sink_byte(sink, '\n');
}

/* Returns 0 at the end, or -errno; *fault then says what is wrong with the record at *offset, if
 * the reader cannot. */
static int put_all(struct dump *dump, const char **fault, uint64_t *offset)
{
	const struct exp_fxt_record *record;
	int rc;

	while ((rc = exp_fxt_next(dump->fxt, &record)) > 0) {
		put_record(dump, record);
		*offset = record->offset;
		rc = fxt_nesting_take(dump->nesting, dump->fxt, record, fault);
		if (rc != 0)
			return rc;
		dump->records++;
	}
	*offset = exp_fxt_bytes(dump->fxt);
	if (rc == 0 && exp_fxt_has_magic(dump->fxt) && exp_fxt_unused(dump->fxt) > 0)
		*fault = "a record of 0 words";
	else if (rc == 0 && fxt_nesting_open(dump->nesting) > 0)
		*fault = "the file ends, and durations are still open";
	else if (rc == 0 && dump->records == 0 &&
	         exp_fxt_unused(dump->fxt) == 0) /* a region of zeros is that of an idle CPU */
		*fault = "no record";
	return *fault ? -EBADMSG : rc;
}

static void put_end(struct dump *dump)
{
	struct sink *sink = &dump->sink;

	sink_text(sink, exp_fxt_has_magic(dump->fxt)
	                        ? "# valid: "
	                        : "# valid, a region without the magic number: ");
	sink_decimal(sink, dump->records);
	sink_text(sink, " records, ");
	sink_decimal(sink, exp_fxt_bytes(dump->fxt));
	sink_text(sink, " bytes");
	if (exp_fxt_unused(dump->fxt) > 0) {
		sink_text(sink, ", ");
		sink_decimal(sink, exp_fxt_unused(dump->fxt));
		sink_text(sink, " bytes unused");
	}
	sink_byte(sink, '\n');
}

static void dump_file(struct output *output, const char *path, int fd)
{
	struct dump *dump = memory_take(1, sizeof(*dump));
	const char *fault = NULL;
	uint64_t offset = 0;
	int rc = -ENOMEM;

	dump->sink.out = print_sink(output);
	choose_fields(dump);
	dump->fxt = exp_fxt_open(fd);
	dump->nesting = fxt_nesting_create();
	if (dump->fxt && dump->nesting)
		rc = put_all(dump, &fault, &offset);
	if (rc == 0)
		put_end(dump);
	sink_flush(&dump->sink);
	if (rc == -EBADMSG && fault)
		output_fail(output, EXIT_TROUBLE, "fxt_dump: %s: offset %llu: %s", path,
		            (unsigned long long)offset, fault);
	else if (rc == -EBADMSG)
		output_fail(output, EXIT_TROUBLE, "fxt_dump: %s: %s", path,
		            exp_fxt_fault(dump->fxt));
	else if (rc != 0)
		output_fail(output, EXIT_TROUBLE, "fxt_dump: %s: %s", path, strerror(-rc));
	fxt_nesting_destroy(dump->nesting);
	exp_fxt_close(dump->fxt);
	free(dump);
}

void view_fxt_dump(const struct dataset *dataset, const struct choices *choices,
                   struct output *output, const struct command_argument *argument)
{
	int fd = strcmp(argument->text, "-") == 0 ? STDIN_FILENO
	                                          : open(argument->text, O_RDONLY | O_CLOEXEC);

	(void)dataset;
	(void)choices;
	if (fd < 0) {
		output_fail(output, EXIT_TROUBLE, "fxt_dump: %s: %s", argument->text,
		            strerror(errno));
		return;
	}
	dump_file(output, argument->text, fd);
	if (fd != STDIN_FILENO)
		close(fd);
}

/* fxt_parts.c: takes an FXT record apart as format/fxt.def says, and checks every part. See fxt.h.
 * See doc/decisions/30-fxt.md. */
#include "experiment/fxt/fxt_internal.h"

#include <errno.h>
#include <string.h>

/* The rest of a record. */
struct cursor {
	struct exp_fxt *fxt;
	const uint64_t *words;
	uint64_t at, held; /* read; in the chunk */
	uint64_t size;     /* of the record */
};

static int is_short(const struct cursor *cursor)
{
	return fxt_fault(cursor->fxt, "its parts take more words than it has");
}

/* The bytes behind text[size] in its last word are zero. */
static int is_padded(const char *text, uint64_t size)
{
	static const char zeros[7];

	return memcmp(text + size, zeros, fxt_words(size) * 8 - size) == 0;
}

static int take_word(struct cursor *cursor, uint64_t *out)
{
	if (cursor->at == cursor->held)
		return is_short(cursor);
	*out = cursor->words[cursor->at++];
	return 0;
}

static int take_bytes(struct cursor *cursor, uint64_t size, const char **out)
{
	if (fxt_words(size) > cursor->held - cursor->at)
		return is_short(cursor);
	*out = (const char *)(cursor->words + cursor->at);
	if (!is_padded(*out, size))
		return fxt_fault(cursor->fxt, "padding is not zero");
	cursor->at += fxt_words(size);
	return 0;
}

/* What a string ref stands for. */
static int take_string(struct cursor *cursor, uint64_t ref, const char **text, uint64_t *size)
{
	const struct fxt_text *known;

	*size = 0;
	*text = "";
	if (ref == 0)
		return 0;
	if (ref & FXT_STRING_INLINE) {
		*size = ref & ~(uint64_t)FXT_STRING_INLINE;
		if (*size > FXT_STRING_MAX)
			return fxt_fault(cursor->fxt, "a string is longer than 32000 bytes");
		return take_bytes(cursor, *size, text);
	}
	known = fxt_tables_text(cursor->fxt, (unsigned)ref);
	if (!known)
		return fxt_fault(cursor->fxt, "a string is not in the table");
	*text = known->bytes;
	*size = known->size;
	return 0;
}

static int take_thread(struct cursor *cursor, uint64_t ref, int is_process,
                       struct exp_fxt_value *out)
{
	const struct fxt_thread_ids *known;
	int rc;

	if (ref == 0) {
		rc = take_word(cursor, &out->process);
		return rc != 0 || is_process ? rc : take_word(cursor, &out->thread);
	}
	known = fxt_tables_thread(cursor->fxt, (unsigned)ref);
	if (!known)
		return fxt_fault(cursor->fxt, "a thread is not in the table");
	out->process = known->process;
	out->thread = known->thread;
	return 0;
}

/* Bits of an argument's header that its type leaves zero, and its words without texts. */
static const struct {
	uint64_t unused;
	uint8_t words;
} argument_forms[] = {
	[FXT_ARGUMENT_NONE] = {UINT64_C(0xffffffff) << 32, 1},
	[FXT_ARGUMENT_INT32] = {0, 1},
	[FXT_ARGUMENT_UINT32] = {0, 1},
	[FXT_ARGUMENT_INT64] = {UINT64_C(0xffffffff) << 32, 2},
	[FXT_ARGUMENT_UINT64] = {UINT64_C(0xffffffff) << 32, 2},
	[FXT_ARGUMENT_DOUBLE] = {UINT64_C(0xffffffff) << 32, 2},
	[FXT_ARGUMENT_STRING] = {UINT64_C(0xffff) << 48, 1},
	[FXT_ARGUMENT_POINTER] = {UINT64_C(0xffffffff) << 32, 2},
	[FXT_ARGUMENT_KOID] = {UINT64_C(0xffffffff) << 32, 2},
	[FXT_ARGUMENT_BOOL] = {UINT64_C(0x7fffffff) << 33, 1},
	[FXT_ARGUMENT_BLOB] = {0, 1},
};

/* The value of an argument behind its name. */
static int take_value(struct cursor *cursor, uint64_t header, struct exp_fxt_argument *out)
{
	switch (out->type) {
	case FXT_ARGUMENT_NONE:
		return 0;
	case FXT_ARGUMENT_INT32:
		out->value = (uint64_t)(int64_t)(int32_t)(header >> 32);
		return 0;
	case FXT_ARGUMENT_UINT32:
	case FXT_ARGUMENT_BOOL:
		out->value = header >> 32;
		return 0;
	case FXT_ARGUMENT_INT64:
	case FXT_ARGUMENT_UINT64:
	case FXT_ARGUMENT_DOUBLE:
	case FXT_ARGUMENT_POINTER:
	case FXT_ARGUMENT_KOID:
		return take_word(cursor, &out->value);
	case FXT_ARGUMENT_STRING:
		return take_string(cursor, header >> 32 & 0xffff, &out->text, &out->value);
	case FXT_ARGUMENT_BLOB:
		out->value = header >> 32;
		return take_bytes(cursor, out->value, &out->text);
	}
	return 0;
}

static int take_argument(struct cursor *cursor, struct exp_fxt_argument *out)
{
	struct cursor inner = *cursor;
	uint64_t header = 0, size;
	int rc = take_word(&inner, &header);

	if (rc != 0)
		return rc;
	size = header >> 4 & 0xfff;
	if ((header & 15) > FXT_ARGUMENT_BLOB)
		return fxt_fault(cursor->fxt, "an argument of no known type");
	*out = (struct exp_fxt_argument){.type = (enum fxt_argument_type)(header & 15)};
	if (size < argument_forms[out->type].words || size > cursor->held - cursor->at)
		return fxt_fault(cursor->fxt, "the size of an argument is wrong");
	if (header & argument_forms[out->type].unused)
		return fxt_fault(cursor->fxt, "a reserved bit of an argument is set");
	inner.held = cursor->at + size;
	rc = take_string(&inner, header >> 16 & 0xffff, &out->name, &out->name_size);
	if (rc == 0)
		rc = take_value(&inner, header, out);
	cursor->at += size;
	return rc;
}

static int take_arguments(struct cursor *cursor, uint64_t count, struct exp_fxt_value *out)
{
	struct exp_fxt_argument argument;
	uint64_t begin = cursor->at;
	int rc = 0;

	out->number = count;
	out->words = cursor->words + begin;
	for (uint64_t i = 0; i < count && rc == 0; i++)
		rc = take_argument(cursor, &argument);
	out->word_count = cursor->at - begin;
	return rc;
}

int exp_fxt_argument(const struct exp_fxt *fxt, struct exp_fxt_value *value,
                     struct exp_fxt_argument *out)
{
	/* All were checked before, so that no fault is found. */
	struct cursor cursor = {(struct exp_fxt *)fxt, value->words, 0, value->word_count,
	                        value->word_count};

	if (value->number == 0 || take_argument(&cursor, out) != 0)
		return 0;
	value->words += cursor.at;
	value->word_count -= cursor.at;
	value->number--;
	return 1;
}

/* Its size, and as many bytes, of which not all may be in the chunk. */
static int take_payload(struct cursor *cursor, struct exp_fxt_value *out)
{
	uint64_t words;
	int rc = take_word(cursor, &out->number);

	if (rc != 0)
		return rc;
	if (out->number > (cursor->size - cursor->at) * 8)
		return is_short(cursor);
	words = fxt_words(out->number);
	if (words > cursor->held - cursor->at) {
		out->words = NULL;
		out->word_count = words;
		cursor->at = cursor->held;
		return 0;
	}
	out->words = cursor->words + cursor->at;
	out->word_count = words;
	cursor->at += words;
	return is_padded((const char *)out->words, out->number)
	               ? 0
	               : fxt_fault(cursor->fxt, "padding is not zero");
}

static int take_pcs(struct cursor *cursor, uint64_t count, struct exp_fxt_value *out)
{
	if (count > cursor->held - cursor->at)
		return is_short(cursor);
	out->number = out->word_count = count;
	out->words = cursor->words + cursor->at;
	cursor->at += count;
	return 0;
}

static int take_part(struct cursor *cursor, const struct fxt_part *part, struct exp_fxt_value *out)
{
	uint64_t field = part->width == 0 ? 0
	                                  : fxt_field_value(cursor->words, part->word, part->low,
	                                                    part->width);

	switch (part->kind) {
	case FXT_PART_STRING:
		return take_string(cursor, field, &out->text, &out->number);
	case FXT_PART_THREAD:
	case FXT_PART_PROCESS:
		return take_thread(cursor, field, part->kind == FXT_PART_PROCESS, out);
	case FXT_PART_TEXT:
	case FXT_PART_BYTES:
		out->number = field;
		return take_bytes(cursor, field, &out->text);
	case FXT_PART_ARGUMENTS:
		return take_arguments(cursor, field, out);
	case FXT_PART_PCS:
		return take_pcs(cursor, field, out);
	case FXT_PART_KIND:
		return !fxt_event_word((unsigned)field) ? 0 : take_word(cursor, &out->number);
	case FXT_PART_TIME:
	case FXT_PART_NUMBER:
	case FXT_PART_ADDRESS:
		return take_word(cursor, &out->number);
	case FXT_PART_PAYLOAD:
		return take_payload(cursor, out);
	}
	return 0;
}

static int has_numbers_only(const struct exp_fxt *fxt, struct exp_fxt_value value)
{
	struct exp_fxt_argument argument;

	while (exp_fxt_argument(fxt, &value, &argument))
		if (argument.type < FXT_ARGUMENT_INT32 || argument.type > FXT_ARGUMENT_DOUBLE)
			return 0;
	return 1;
}

static int check_event(struct exp_fxt *fxt)
{
	const struct exp_fxt_record *record = &fxt->record;
	unsigned kind = (unsigned)EXP_FXT_FIELD(record, event, kind);

	if (!fxt_event_title(kind))
		return fxt_fault(fxt, "an event of no known kind");
	if (kind == FXT_EVENT_COMPLETE &&
	    record->values[FXT_AT(event, kind)].number < record->values[FXT_AT(event, time)].number)
		return fxt_fault(fxt, "it ends before it begins");
	if (kind == FXT_EVENT_COUNTER &&
	    !has_numbers_only(fxt, record->values[FXT_AT(event, arguments)]))
		return fxt_fault(fxt, "a counter's value is no number");
	return 0;
}

/* What a record says about those that follow, and what the table cannot say of it. Returns 0,
 * -EBADMSG or -ENOMEM. */
static int apply(struct exp_fxt *fxt)
{
	const struct exp_fxt_record *record = &fxt->record;
	const struct exp_fxt_value *values = record->values;
	unsigned index;

	switch (record->kind) {
	case FXT_magic:
		if (record->offset != 0)
			return fxt_fault(fxt, "not at the beginning of the file");
		return record->words[0] == FXT_MAGIC ? 0 : fxt_fault(fxt, "another number");
	case FXT_provider:
		return fxt_tables_add_provider(fxt, (uint32_t)EXP_FXT_FIELD(record, provider, id));
	case FXT_section:
		return fxt_tables_select_provider(fxt,
		                                  (uint32_t)EXP_FXT_FIELD(record, section, id));
	case FXT_provider_event:
		if (!fxt_tables_knows_provider(fxt,
		                               (uint32_t)EXP_FXT_FIELD(record, provider_event, id)))
			return fxt_fault(fxt, "no provider of this id");
		return EXP_FXT_FIELD(record, provider_event, event) == FXT_PROVIDER_BUFFER_FULL
		               ? 0
		               : fxt_fault(fxt, "an event of no known kind");
	case FXT_initialization:
		if (values[0].number == 0)
			return fxt_fault(fxt, "no ticks in a second");
		fxt->providers[fxt->provider].hz = values[0].number;
		return 0;
	case FXT_string:
		index = (unsigned)EXP_FXT_FIELD(record, string, index);
		if (index == 0 || values[0].number > FXT_STRING_MAX)
			return fxt_fault(fxt, index == 0 ? "index 0"
			                                 : "a string is longer than 32000 bytes");
		return fxt_tables_put_text(fxt, index, values[0].text, values[0].number);
	case FXT_thread:
		index = (unsigned)EXP_FXT_FIELD(record, thread, index);
		return index == 0 ? fxt_fault(fxt, "index 0")
		                  : fxt_tables_put_thread(fxt, index, values[0].number,
		                                          values[1].number);
	case FXT_event:
		return check_event(fxt);
	default:
		return 0;
	}
}

int fxt_parts_decode(struct exp_fxt *fxt, uint64_t held)
{
	struct exp_fxt_record *record = &fxt->record;
	const struct fxt_record *type = &fxt_records[record->kind];
	int is_two = fxt_used[1][record->kind] != 0;
	struct cursor cursor = {fxt, record->words, is_two ? 2 : 1, held, record->size};
	int rc = 0;

	if (held < cursor.at)
		return is_short(&cursor);
	if ((record->words[0] & ~fxt_used[0][record->kind]) ||
	    (is_two && (record->words[1] & ~fxt_used[1][record->kind])))
		return fxt_fault(fxt, "a reserved bit is set");
	for (int i = 0; type->parts[i].name && rc == 0; i++) {
		record->values[i] = (struct exp_fxt_value){.number = 0};
		rc = take_part(&cursor, &type->parts[i], &record->values[i]);
	}
	if (rc != 0)
		return rc;
	record->extra = cursor.at < held ? record->size - cursor.at : 0;
	return apply(fxt);
}

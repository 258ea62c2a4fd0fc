/* trace_fxt.c: a trace as a file of the Fuchsia trace format. Of the format, what its readers
 * (Perfetto, the tools of Fuchsia) have in common is used: names stand in the table of strings as
 * long as that has room, threads are written out, numbers of arguments are 64 bits. See trace.h.
 * See doc/decisions/30-fxt.md. */
#include "analyzer/export/trace.h"

#include <string.h>

enum {
	PROVIDER = 1,
	INLINE_MAX = 1024, /* bytes of a name for which the table has no room */
	INLINE_WORDS = INLINE_MAX / 8,
	EVENT_WORDS_MAX = 5 + 2 * INLINE_WORDS + TRACE_ARGUMENTS_MAX * (2 + 2 * INLINE_WORDS)
};
_Static_assert((int)EVENT_WORDS_MAX <= (int)FXT_RECORD_WORDS_MAX, "an event fits into a record");

static void put(struct trace *trace, const uint64_t *words, size_t count)
{
	sink_put(&trace->sink, words, count * sizeof(*words));
}

static void begin(struct trace *trace)
{
	uint64_t words[FXT_FILE_HEAD_WORDS];

	put(trace, words, fxt_put_file_header(words, PROVIDER, "xer", 3, 1000000000));
}

static void end(struct trace *trace)
{
	(void)trace;
}

/* Names are numbered from 0, strings of the table from 1. */
static int is_in_table(uint64_t number)
{
	return number < FXT_STRING_INDEX_MAX;
}

static void name(struct trace *trace, uint32_t number)
{
	uint64_t words[1 + FXT_STRING_MAX / sizeof(uint64_t)];

	if (is_in_table(number))
		put(trace, words,
		    fxt_put_string(words, (uint16_t)(number + 1), trace->names[number].text,
		                   trace->names[number].size));
}

static uint32_t inline_size(const struct trace *trace, uint64_t number)
{
	return trace->names[number].size < INLINE_MAX ? trace->names[number].size : INLINE_MAX;
}

static uint16_t ref(const struct trace *trace, uint64_t number)
{
	uint32_t size;

	if (is_in_table(number))
		return (uint16_t)(number + 1);
	size = inline_size(trace, number);
	return (uint16_t)(size == 0 ? 0 : FXT_STRING_INLINE | size);
}

/* The text of a ref, if it is not in the table. Returns its words. */
static size_t put_inline(const struct trace *trace, uint64_t *out, uint64_t number)
{
	return is_in_table(number)
	               ? 0
	               : fxt_put_bytes(out, trace->names[number].text, inline_size(trace, number));
}

/* A kernel object and its name, without its size. Returns its words. */
static size_t put_object(const struct trace *trace, uint64_t *words, unsigned object, uint64_t id,
                         uint32_t number)
{
	words[0] = FXT_HEAD(kernel_object, 0) | FXT_BITS(kernel_object, object, object) |
	           FXT_BITS(kernel_object, name, ref(trace, number));
	words[1] = id;
	return 2 + put_inline(trace, words + 2, number);
}

/* A record of a sample has no place for the CPU time that it stands for: the process tells that of
 * all. */
static void process(struct trace *trace, uint64_t id, uint32_t number,
                    const struct exp_quality *quality)
{
	uint64_t words[2 + INLINE_WORDS + 4];
	size_t count = put_object(trace, words, FXT_OBJECT_PROCESS, id, number);

	if (quality->samples > 0) {
		words[0] |= FXT_BITS(kernel_object, arguments, 2);
		count += fxt_put_number(words + count, FXT_ARGUMENT_UINT64,
		                        ref(trace, TRACE_WORD_SAMPLES), quality->samples);
		count += fxt_put_number(words + count, FXT_ARGUMENT_UINT64,
		                        ref(trace, TRACE_WORD_SAMPLED_NS), quality->sampled_ns);
	}
	fxt_end(words, count);
	put(trace, words, count);
}

static void thread(struct trace *trace, uint64_t id, uint64_t tid, uint32_t number)
{
	uint64_t words[4 + INLINE_WORDS];
	size_t count = put_object(trace, words, FXT_OBJECT_THREAD, tid, number);

	words[0] |= FXT_BITS(kernel_object, arguments, 1);
	count += fxt_put_number(words + count, FXT_ARGUMENT_KOID, ref(trace, TRACE_WORD_PROCESS),
	                        id);
	fxt_end(words, count);
	put(trace, words, count);
}

static uint8_t digit(char character)
{
	return (uint8_t)(character <= '9' ? character - '0' : (character | 32) - 'a' + 10);
}

/* Build ids are hexadecimal digits; anything else is none. Returns its bytes. */
static size_t read_build_id(const char *text, uint8_t *out)
{
	size_t digits = strspn(text, "0123456789abcdefABCDEF");

	if (text[digits] != '\0' || digits % 2 != 0 || digits > 2 * FXT_NAME_MAX)
		return 0;
	for (size_t i = 0; i < digits / 2; i++)
		out[i] = (uint8_t)(digit(text[2 * i]) << 4 | digit(text[2 * i + 1]));
	return digits / 2;
}

/* Both records stand for the whole process, which is named by its first thread. */
static void object(struct trace *trace, uint64_t ns, uint64_t id, uint16_t number,
                   const struct exp_object *at)
{
	uint8_t build_id[FXT_NAME_MAX];
	const struct fxt_module module = {.id = number,
	                                  .name = at->path,
	                                  .name_size = strlen(at->path),
	                                  .build_id = build_id,
	                                  .build_id_size = read_build_id(at->build_id, build_id)};
	const struct fxt_mapping mapping = {.module = number,
	                                    .flags = 5,
	                                    .start = at->start,
	                                    .size = at->end - at->start,
	                                    .address = at->start - at->bias};
	uint64_t words[4 + 2 * ((FXT_NAME_MAX + 7) / 8)];

	put(trace, words, fxt_put_module(words, ns, id, id, &module));
	put(trace, words, fxt_put_mapping(words, ns, id, id, &mapping));
}

/* The names of arguments are words, which stand in the table. */
static size_t put_argument(const struct trace *trace, uint64_t *out,
                           const struct trace_argument *argument)
{
	uint16_t key = ref(trace, argument->name);

	switch (argument->type) {
	case TRACE_NUMBER:
		return fxt_put_number(out, FXT_ARGUMENT_UINT64, key, argument->value);
	case TRACE_ADDRESS:
		return fxt_put_number(out, FXT_ARGUMENT_POINTER, key, argument->value);
	case TRACE_NAME:
		if (is_in_table(argument->value))
			return fxt_put_string_ref(out, key, ref(trace, argument->value));
		return fxt_put_text(out, key, trace->names[argument->value].text,
		                    inline_size(trace, argument->value));
	}
	return 0;
}

static void event(struct trace *trace, const struct trace_event *at)
{
	const struct fxt_event header = {.kind = at->kind,
	                                 .arguments = at->argument_count,
	                                 .category = ref(trace, at->category),
	                                 .name = ref(trace, at->name),
	                                 .ticks = at->begin_ns,
	                                 .process = at->process,
	                                 .tid = at->tid};
	uint64_t words[EVENT_WORDS_MAX];
	size_t count = fxt_put_event(words, &header);

	count += put_inline(trace, words + count, at->category);
	count += put_inline(trace, words + count, at->name);
	for (unsigned i = 0; i < at->argument_count; i++)
		count += put_argument(trace, words + count, &at->arguments[i]);
	if (at->kind == FXT_EVENT_COMPLETE)
		words[count++] = at->end_ns;
	if (at->kind == FXT_EVENT_COUNTER)
		words[count++] = 0;
	fxt_end(words, count);
	put(trace, words, count);
}

static void sample(struct trace *trace, uint64_t ns, uint64_t id, uint64_t tid, const uint64_t *pcs,
                   size_t count)
{
	uint64_t words[FXT_SAMPLE_HEAD_WORDS + FXT_SAMPLE_PCS_MAX];

	put(trace, words, fxt_put_sample(words, ns, id, tid, pcs, count));
}

void export_fxt(struct export_job *job)
{
	static const struct trace_format format = {0,      begin,  end,   name,  process,
	                                           thread, object, event, sample};

	trace_export(job, &format);
}

/* trace_names.c: owns the names of an exported trace: every one once. See trace.h. */
#include "analyzer/export/trace.h"

#include "analyzer/base/memory.h"
#include "analyzer/model/name.h"

#include <stdlib.h>
#include <string.h>

static const char *const words[] = {
#define WORD(name, text) text,
	TRACE_WORDS
#undef WORD
};

struct key {
	const struct trace *trace;
	const char *text;
	size_t size;
};

/* Items of the table are numbers + 1. */
static int is_same(const void *item, const void *context)
{
	const struct key *key = context;
	const struct trace_name *name = &key->trace->names[(uintptr_t)item - 1];

	return name->size == key->size && memcmp(name->text, key->text, key->size) == 0;
}

uint32_t trace_name_bytes(struct trace *trace, const char *text, size_t size)
{
	const struct key key = {trace, text, size < FXT_STRING_MAX ? size : FXT_STRING_MAX};
	uint64_t hash = EXP_HASH_START;
	uintptr_t item;

	for (size_t i = 0; i < key.size; i++)
		hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
	item = (uintptr_t)exp_hash_find(&trace->by_text, hash, is_same, &key);
	if (item != 0)
		return (uint32_t)(item - 1);
	trace->names = memory_grow(trace->names, trace->name_count, &trace->name_capacity,
	                           sizeof(*trace->names));
	trace->names[trace->name_count] = (struct trace_name){.text = memory_text(text, key.size),
	                                                      .size = (uint32_t)key.size};
	item = ++trace->name_count;
	if (exp_hash_add(&trace->by_text, hash, (void *)item) != 0)
		memory_fail();
	trace->format->name(trace, (uint32_t)(item - 1));
	return (uint32_t)(item - 1);
}

uint32_t trace_name(struct trace *trace, const char *text)
{
	return !text ? TRACE_WORD_UNKNOWN : trace_name_bytes(trace, text, strlen(text));
}

uint32_t trace_name_function(struct trace *trace, const struct sym_function *function)
{
	char *name;

	if (function->index >= trace->function_count) {
		size_t count = function->index * 2 + 64;

		trace->functions = memory_resize(trace->functions, count,
		                                 sizeof(*trace->functions));
		memset(trace->functions + trace->function_count, 0,
		       (count - trace->function_count) * sizeof(*trace->functions));
		trace->function_count = count;
	}
	if (trace->functions[function->index] == 0) {
		name = name_function(trace->job->choices, function);
		trace->functions[function->index] = trace_name(trace, name) + 1;
		free(name);
	}
	return trace->functions[function->index] - 1;
}

void trace_names_begin(struct trace *trace)
{
	for (size_t i = 0; i < TRACE_WORD_COUNT; i++)
		trace_name(trace, words[i]);
}

void trace_names_fini(struct trace *trace)
{
	for (size_t i = 0; i < trace->name_count; i++) {
		free(trace->names[i].text);
		free(trace->names[i].form);
	}
	free(trace->names);
	free(trace->functions);
	exp_hash_fini(&trace->by_text);
}

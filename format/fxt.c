/* fxt.c: writes records of the Fuchsia trace format. See fxt.h. Nothing here may be called with
 * more than a record can hold, but for texts, which are cut. */
#include "format/fxt.h"

#include <string.h>

size_t fxt_put_bytes(uint64_t *out, const void *bytes, size_t size)
{
	size_t words = fxt_words(size);

	if (words == 0)
		return 0;
	out[words - 1] = 0;
	memcpy(out, bytes, size);
	return words;
}

/* The header of an argument of so many words. */
static uint64_t argument(enum fxt_argument_type type, size_t words, uint16_t name)
{
	return (uint64_t)type | (uint64_t)words << 4 | (uint64_t)name << 16;
}

size_t fxt_put_number(uint64_t *out, enum fxt_argument_type type, uint16_t name, uint64_t value)
{
	out[0] = argument(type, 2, name);
	out[1] = value;
	return 2;
}

size_t fxt_put_string_ref(uint64_t *out, uint16_t name, uint16_t ref)
{
	out[0] = argument(FXT_ARGUMENT_STRING, 1, name) | (uint64_t)ref << 32;
	return 1;
}

size_t fxt_put_text(uint64_t *out, uint16_t name, const char *text, size_t size)
{
	size_t words = 1 + fxt_put_bytes(out + 1, text, size);

	out[0] = argument(FXT_ARGUMENT_STRING, words, name);
	if (size > 0)
		out[0] |= (uint64_t)(FXT_STRING_INLINE | size) << 32;
	return words;
}

size_t fxt_put_magic(uint64_t *out)
{
	out[0] = FXT_MAGIC;
	return 1;
}

size_t fxt_put_initialization(uint64_t *out, uint64_t ticks_per_second)
{
	out[0] = FXT_HEAD(initialization, 2);
	out[1] = ticks_per_second;
	return 2;
}

size_t fxt_put_section(uint64_t *out, uint32_t provider)
{
	out[0] = FXT_HEAD(section, 1) | FXT_BITS(section, id, provider);
	return 1;
}

size_t fxt_put_provider_event(uint64_t *out, uint32_t provider, unsigned event)
{
	out[0] = FXT_HEAD(provider_event, 1) | FXT_BITS(provider_event, id, provider) |
	         FXT_BITS(provider_event, event, event);
	return 1;
}

size_t fxt_put_thread(uint64_t *out, uint8_t index, uint64_t process, uint64_t thread)
{
	out[0] = FXT_HEAD(thread, 3) | FXT_BITS(thread, index, index);
	out[1] = process;
	out[2] = thread;
	return 3;
}

static size_t cut(size_t size, size_t max)
{
	return size < max ? size : max;
}

size_t fxt_put_provider(uint64_t *out, uint32_t id, const char *name, size_t size)
{
	size_t words;

	size = cut(size, FXT_NAME_MAX);
	words = 1 + fxt_put_bytes(out + 1, name, size);
	out[0] = FXT_HEAD(provider, words) | FXT_BITS(provider, id, id) |
	         FXT_BITS(provider, name, size);
	return words;
}

size_t fxt_put_file_header(uint64_t *out, uint32_t provider, const char *name, size_t size,
                           uint64_t ticks_per_second)
{
	size_t words = fxt_put_magic(out);

	words += fxt_put_provider(out + words, provider, name, size);
	return words + fxt_put_initialization(out + words, ticks_per_second);
}

size_t fxt_put_string(uint64_t *out, uint16_t index, const char *text, size_t size)
{
	size_t words;

	size = cut(size, FXT_STRING_MAX);
	words = 1 + fxt_put_bytes(out + 1, text, size);
	out[0] = FXT_HEAD(string, words) | FXT_BITS(string, index, index) |
	         FXT_BITS(string, text, size);
	return words;
}

size_t fxt_put_process_name(uint64_t *out, uint64_t process, uint16_t name)
{
	out[0] = FXT_HEAD(kernel_object, 2) | FXT_BITS(kernel_object, object, FXT_OBJECT_PROCESS) |
	         FXT_BITS(kernel_object, name, name);
	out[1] = process;
	return 2;
}

size_t fxt_put_thread_name(uint64_t *out, uint64_t process, uint64_t thread, uint16_t name,
                           uint16_t process_name)
{
	out[0] = FXT_HEAD(kernel_object, 4) | FXT_BITS(kernel_object, object, FXT_OBJECT_THREAD) |
	         FXT_BITS(kernel_object, name, name) | FXT_BITS(kernel_object, arguments, 1);
	out[1] = thread;
	return 2 + fxt_put_number(out + 2, FXT_ARGUMENT_KOID, process_name, process);
}

size_t fxt_put_sample(uint64_t *out, uint64_t ticks, uint64_t process, uint64_t thread,
                      const uint64_t *pcs, size_t count)
{
	size_t words = FXT_SAMPLE_HEAD_WORDS + count;

	out[0] = FXT_HEAD(large_blob_event, words);
	out[1] = 0;
	out[2] = ticks;
	out[3] = process;
	out[4] = thread;
	out[5] = count * sizeof(*pcs);
	memcpy(out + FXT_SAMPLE_HEAD_WORDS, pcs, count * sizeof(*pcs));
	return words;
}

size_t fxt_put_system_sample(uint64_t *out, uint64_t ticks, uint64_t process, uint64_t thread,
                             const uint64_t *pcs, size_t count)
{
	size_t words = FXT_SAMPLE_HEAD_WORDS + FXT_SYSTEM_WORDS + count;

	fxt_put_sample(out, ticks, process, thread, pcs, 0);
	out[0] = FXT_HEAD(large_blob_event, words);
	out[1] = FXT_BITS(large_blob_event, arguments, 1);
	out[5] = argument(FXT_ARGUMENT_BOOL, FXT_SYSTEM_WORDS,
	                  FXT_STRING_INLINE | strlen(FXT_IN_KERNEL)) |
	         UINT64_C(1) << 32;
	fxt_put_bytes(out + 6, FXT_IN_KERNEL, strlen(FXT_IN_KERNEL));
	out[7] = count * sizeof(*pcs);
	memcpy(out + FXT_SAMPLE_HEAD_WORDS + FXT_SYSTEM_WORDS, pcs, count * sizeof(*pcs));
	return words;
}

size_t fxt_put_module(uint64_t *out, uint64_t ticks, uint64_t process, uint64_t thread,
                      const struct fxt_module *module)
{
	size_t name_size = cut(module->name_size, FXT_NAME_MAX),
	       build_id_size = cut(module->build_id_size, FXT_NAME_MAX);
	size_t words = 4;

	words += fxt_put_bytes(out + words, module->name, name_size);
	words += fxt_put_bytes(out + words, module->build_id, build_id_size);
	out[0] = FXT_HEAD(module, words) | FXT_BITS(module, id, module->id) |
	         FXT_BITS(module, name, name_size) | FXT_BITS(module, build_id, build_id_size);
	out[1] = ticks;
	out[2] = process;
	out[3] = thread;
	return words;
}

size_t fxt_put_mapping(uint64_t *out, uint64_t ticks, uint64_t process, uint64_t thread,
                       const struct fxt_mapping *mapping)
{
	out[0] = FXT_HEAD(mmap, 7) | FXT_BITS(mmap, module, mapping->module) |
	         FXT_BITS(mmap, flags, mapping->flags);
	out[1] = ticks;
	out[2] = process;
	out[3] = thread;
	out[4] = mapping->start;
	out[5] = mapping->size;
	out[6] = mapping->address;
	return 7;
}

size_t fxt_put_event(uint64_t *out, const struct fxt_event *event)
{
	out[0] = FXT_HEAD(event, 0) | FXT_BITS(event, kind, event->kind) |
	         FXT_BITS(event, arguments, event->arguments) |
	         FXT_BITS(event, thread, event->thread) |
	         FXT_BITS(event, category, event->category) | FXT_BITS(event, name, event->name);
	out[1] = event->ticks;
	if (event->thread != 0)
		return 2;
	out[2] = event->process;
	out[3] = event->tid;
	return 4;
}

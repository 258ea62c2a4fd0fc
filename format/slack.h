/* slack.h: memory that was taken for what may come. With the address sanitizer, an access to it is
 * a fault, as one behind an allocation is; else a loop that goes one too far would read it unseen.
 * Nothing is done without the sanitizer. See doc/decisions/72-tests-that-can-fail.md. */
#ifndef XER_FORMAT_SLACK_H
#define XER_FORMAT_SLACK_H

#include <stddef.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>

/* Between two pieces of one block. */
enum { SLACK_GAP = 16 };

/* Nothing of these bytes is used yet. */
static inline void slack_close(const void *at, size_t size)
{
	__asan_poison_memory_region(at, size);
}

/* They are used from now on. */
static inline void slack_open(const void *at, size_t size)
{
	__asan_unpoison_memory_region(at, size);
}
#else
enum { SLACK_GAP = 0 };

static inline void slack_close(const void *at, size_t size)
{
	(void)at;
	(void)size;
}

static inline void slack_open(const void *at, size_t size)
{
	(void)at;
	(void)size;
}
#endif

/* An array has room for capacity things of `size` bytes, of which the first count + 1 are used.
 * is_new: it has just grown. */
static inline void slack_of_array(const void *array, size_t count, size_t capacity, size_t size,
                                  int is_new)
{
	const char *bytes = array;

	slack_open(bytes + count * size, size);
	if (is_new)
		slack_close(bytes + (count + 1) * size, (capacity - count - 1) * size);
}

#endif

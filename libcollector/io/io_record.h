/* io_record.h: the frame of all wrappers of input and output, and the record of a call.
 *
 * While nothing is traced, a wrapper jumps to the real function. Otherwise it jumps to its traced
 * twin, so that the caller of the twin is the program. The twin makes the real call and then
 * records it. Nothing is held during the real call: it may block, be a cancellation point, or never
 * return. errno needs no care: what comes after the call does not change it. */
#ifndef XER_COLLECTOR_IO_RECORD_H
#define XER_COLLECTOR_IO_RECORD_H

#include "libcollector/hook/hook.h"
#include "libcollector/thread/scope.h"

#include <errno.h>

enum { IO_NO_FD = -1 };

/* What was called. */
struct io_call {
	uint64_t start; /* event time of the request */
	enum fmt_io_func func;
	int fd;        /* negative: none */
	int error;     /* errno if the call failed, else 0 */
	uint32_t file; /* if is_closed: the file of fd, or 0; otherwise fd or path is looked up */
	int is_closed;
	int64_t bytes;    /* read or written; negative: none */
	const char *path; /* used without a descriptor, if not NULL; read only if the call has read
	                     it too */
};

static inline int io_is_on(void)
{
	return (int)col_on(SOURCE_IO);
}

/* The headers declare that some pointers are not NULL; programs still pass NULL, and get an error
 * or an answer. */
#define MAY_BE_NULL(pointer) __asm__("" : "+r"(pointer))

/* The call has ended: record it. */
void io_record(const struct io_call *call, struct caller caller);

/* A function and its wrapper. `before` and `after` are statements around the real call, whose
 * result is `got`; the rest initializes the io_call. */
#define IO_WRAP_AROUND(type, name, parameters, arguments, before, after, ...) \
	IO_WRAP_THEN(type, name, parameters, arguments, before, after, (void)0, __VA_ARGS__)

/* The same with a statement behind the record. */
#define IO_WRAP_THEN(type, name, parameters, arguments, before, after, then, ...) \
	static __attribute__((noinline)) type name##_traced parameters \
	{ \
		uint64_t start = col_ticks(); \
		type got; \
		before; \
		got = REAL(name) arguments; \
		after; \
		io_record(&(struct io_call){.start = start, __VA_ARGS__}, CALLER); \
		then; \
		return got; \
	} \
	EXPORT type name parameters \
	{ \
		if (likely(!io_is_on()) && likely(hook_real.name != NULL)) \
			return hook_real.name arguments; \
		return name##_traced arguments; \
	}

/* What was written to one descriptor was read from another one, in no time of its own. */
#define IO_COPIED(from) \
	if (got >= 0) \
	io_record(&(struct io_call){.start = col_ticks(), \
	                            IO_FUNC(COPIED), \
	                            .fd = (from), \
	                            .bytes = (int64_t)got}, \
	          CALLER)

#define IO_WRAP(type, name, parameters, arguments, ...) \
	IO_WRAP_AROUND(type, name, parameters, arguments, (void)0, (void)0, __VA_ARGS__)

/* What usual results mean. */
#define IO_FUNC(name) .func = FMT_io_func_##name
#define IO_ERRNO .error = got < 0 ? errno : 0
/* A number of bytes, -1 for an error. */
#define IO_BYTES(name, descriptor) \
	IO_FUNC(name), .fd = (descriptor), .bytes = (int64_t)got, IO_ERRNO
/* 0 or more, -1 for an error. */
#define IO_DONE(name, descriptor) IO_FUNC(name), .fd = (descriptor), IO_ERRNO
/* The same of a path. */
#define IO_PATH(name, of) IO_FUNC(name), .fd = IO_NO_FD, .path = (of), IO_ERRNO

/* What functions with a directory and a path have worked on: the descriptor, if there was no path.
 * Only for a call that succeeded is it certain that the path could be read. */
static inline int io_descriptor_at(int directory, const char *path, int64_t result)
{
	MAY_BE_NULL(path);
	return result >= 0 && (!path || !*path) ? directory : IO_NO_FD;
}

/* Functions that have such parameters. */
#define IO_AT(func) \
	IO_FUNC(func), .fd = io_descriptor_at(directory, path, got), .path = path, IO_ERRNO

#endif

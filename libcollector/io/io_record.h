/* io_record.h: the frame of all wrappers of input and output, and the record of a call.
 *
 * While nothing is traced, a wrapper jumps to the real function. Otherwise it jumps to its traced
 * twin, so that the caller of the twin is the program. The twin makes the real call and then
 * records it. Nothing is held during the real call: it may block, be a cancellation point, or never
 * return. errno needs no care: what comes after the call does not change it. */
#ifndef XER_COLLECTOR_IO_RECORD_H
#define XER_COLLECTOR_IO_RECORD_H

#include "libcollector/hook/hook.h"
#include "libcollector/wall/wall.h"

#include <errno.h>
#include <sys/socket.h>

enum { IO_NO_FD = -1 };

/* What was called. */
struct io_call {
	struct wall_start start;
	enum fmt_io_func func;
	int fd;        /* negative: none */
	int error;     /* errno if the call failed, else 0 */
	uint32_t file; /* if is_closed: the file of fd, or 0; otherwise fd or path is looked up */
	int is_closed;
	int64_t bytes;    /* read or written; negative: none */
	const char *path; /* used without a descriptor, if not NULL; read only if the call has read
	                     it too */
};

/* Are calls recorded (-i), or those of them that wait (-w)? */
static inline int io_is_on(void)
{
	return (int)(col_on(SOURCE_IO) | col_on(SOURCE_WALL));
}

/* The headers declare that some pointers are not NULL; programs still pass NULL, and get an error
 * or an answer. */
#define MAY_BE_NULL(pointer) __asm__("" : "+r"(pointer))

/* A call that may wait for the descriptor begins. */
struct wall_start io_begin(enum fmt_io_func func, int fd, struct caller caller);

/* The call has ended: record it. */
void io_record(const struct io_call *call, struct caller caller);

/* The bytes of `count` messages; -1 if none was moved, as count is negative. */
int64_t io_bytes_of(const struct mmsghdr *messages, int count);

/* The file of a descriptor, as io_file_of; and what a call that waits for it waits for. Outside of
 * scopes. */
uint64_t io_file_now(int fd);
enum fmt_wall_state io_state_of(int fd);

/* A pair of sockets has been made. Outside of scopes. */
void io_name_pair(const int fds[2]);

/* Whether a wrapper records: files may define it for some of theirs, in terms of the parameters. */
#define IO_WANTED io_is_on()

/* A function and its wrapper. `before` and `after` are statements around the real call, whose
 * result is `got`; the rest initializes the io_call. */
#define IO_WRAP_AROUND(type, name, parameters, arguments, before, after, ...) \
	IO_WRAP_THEN(type, name, parameters, arguments, before, after, (void)0, __VA_ARGS__)

/* The same with a statement behind the record. */
#define IO_WRAP_THEN(type, name, parameters, arguments, before, after, then, ...) \
	IO_WRAP_FROM(type, name, parameters, arguments, wall_now(), before, after, then, \
	             __VA_ARGS__)

/* The same of a call that begins with that wall_start. */
#define IO_WRAP_FROM(type, name, parameters, arguments, begin, before, after, then, ...) \
	static __attribute__((noinline)) type name##_traced parameters \
	{ \
		struct wall_start start = (begin); \
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
		if (likely(!IO_WANTED) && likely(hook_real.name != NULL)) \
			return hook_real.name arguments; \
		return name##_traced arguments; \
	}

/* What was written to one descriptor was read from another one, in no time of its own. */
#define IO_COPIED(from) \
	if (got >= 0) \
	io_record(&(struct io_call){.start = wall_now(), \
	                            IO_FUNC(COPIED), \
	                            .fd = (from), \
	                            .bytes = (int64_t)got}, \
	          CALLER)

#define IO_WRAP(type, name, parameters, arguments, ...) \
	IO_WRAP_AROUND(type, name, parameters, arguments, (void)0, (void)0, __VA_ARGS__)

/* A call that moves bytes, and waits for the descriptor until it can. */
#define IO_WAIT(type, name, parameters, arguments, func, descriptor) \
	IO_WRAP_FROM(type, name, parameters, arguments, \
	             io_begin(FMT_io_func_##func, descriptor, CALLER), (void)0, (void)0, (void)0, \
	             IO_BYTES(func, descriptor))

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

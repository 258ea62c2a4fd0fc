/* io_stdio.c: wrappers of the streams of the C library.
 *
 * Bytes are those that the program reads and writes. What the library then reads and writes for a
 * stream does not go through the wrappers of read and write, so nothing counts twice. Functions
 * with "..." call those with a va_list. */

/* Some of the functions must not be defined inline by stdio.h. */
#define __NO_INLINE__ 1

#include "libcollector/io/io_files.h"
#include "libcollector/io/io_record.h"

/* clang-format off */

/* Read without the lock of the stream: it does not change while a program may use it. */
static inline int fd_of(const FILE *stream)
{
	MAY_BE_NULL(stream);
	return stream ? stream->_fileno : IO_NO_FD;
}

/* Why a call could read less of a stream than it was asked to: the error, or 0 at the end of the
 * file. There may be no stream: a call that is to read nothing, or has no place to put it, does not
 * look at it. */
static inline int error_of(const FILE *stream)
{
	int error = errno;

	MAY_BE_NULL(stream);
	return stream && stream->_flags & _IO_ERR_SEEN ? error : 0;
}

/* ---- streams come and go ---- */

#define OPENED(func, opened_path) \
	IO_FUNC(func), .fd = fd_of(got), .path = (opened_path), .error = got ? 0 : errno

#define FOPEN(name) \
	IO_WRAP_AROUND(FILE *, name, (const char *path, const char *mode), (path, mode), (void)0, \
	               io_file_forget(fd_of(got)), OPENED(FOPEN, path))
FOPEN(fopen)
FOPEN(fopen64)

#define FREOPEN(name) \
	IO_WRAP_AROUND(FILE *, name, (const char *path, const char *mode, FILE *stream), (path, mode, stream), \
	               int fd = fd_of(stream); io_file_forget(fd), io_file_forget(fd); io_file_forget(fd_of(got)), \
	               OPENED(FOPEN, path))
FREOPEN(freopen)
FREOPEN(freopen64)

IO_WRAP(FILE *, fdopen, (int fd, const char *mode), (fd, mode), OPENED(FOPEN, NULL))

IO_WRAP_AROUND(int, fclose, (FILE *stream), (stream), int fd = fd_of(stream);
               uint32_t file = io_file_known(fd); io_file_forget(fd), io_file_forget(fd), IO_DONE(FCLOSE, fd),
               .file = file, .is_closed = 1)

/* No input or output, like popen: it waits for a process. */
EXPORT int pclose(FILE *stream)
{
	const struct wall_call call = {.state = FMT_wall_state_CHILD,
	                               .func = FMT_wait_func_PCLOSE};
	struct wall_start start = {0};
	int fd = fd_of(stream), status;

	if (wall_is_on())
		start = wall_begin(&call, CALLER);
	io_file_forget(fd);
	status = REAL(pclose)(stream);
	io_file_forget(fd);
	wall_end(&call, &start, CALLER);
	return status;
}

IO_WRAP(int, fflush, (FILE *stream), (stream), IO_DONE(FFLUSH, fd_of(stream)))

/* ---- reading ---- */

/* Make items of more than one byte items of one: only so does the library say how many bytes of the
 * last one there were. It multiplies, and divides, in the same way. Returns the size that items had. */
static inline size_t split_items(size_t *size, size_t *count)
{
	size_t item = *size, bytes;

	if (item < 2 || __builtin_mul_overflow(item, *count, &bytes))
		return 1;
	*size = 1;
	*count = bytes;
	return item;
}

/* For `before` and `after` of a wrapper: the result is in items again. */
#define SPLIT_ITEMS size_t bytes; size_t item = split_items(&size, &count)
#define JOIN_ITEMS bytes = got * size; count /= item; got /= item

/* Items of no size are none, which is no error. */
#define READ_ITEMS .fd = fd_of(stream), .bytes = (int64_t)bytes, .error = got < count && size ? error_of(stream) : 0

/* A call begins that reads. It waits for the descriptor only if nothing is in the buffer. */
static inline int is_empty(const FILE *stream)
{
	MAY_BE_NULL(stream);
	return stream && stream->_IO_read_ptr >= stream->_IO_read_end;
}

static inline __attribute__((always_inline)) struct wall_start begin_read(enum fmt_io_func func, const FILE *stream,
                                                                          struct caller caller)
{
	return is_empty(stream) ? io_begin(func, fd_of(stream), caller) : wall_now();
}

#define IO_READ(type, name, parameters, arguments, func, from, before, after, ...) \
	IO_WRAP_FROM(type, name, parameters, arguments, begin_read(FMT_io_func_##func, from, CALLER), before, after, (void)0, \
	             IO_FUNC(func), __VA_ARGS__)

#define FREAD(name) \
	IO_READ(size_t, name, (void *to, size_t size, size_t count, FILE *stream), (to, size, count, stream), FREAD, stream, \
	        SPLIT_ITEMS, JOIN_ITEMS, READ_ITEMS)
FREAD(fread)
#undef fread_unlocked
FREAD(fread_unlocked)

#define FREAD_CHK(name) \
	IO_READ(size_t, name, (void *to, size_t room, size_t size, size_t count, FILE *stream), (to, room, size, count, stream), \
	        FREAD, stream, SPLIT_ITEMS, JOIN_ITEMS, READ_ITEMS)
FREAD_CHK(__fread_chk)
FREAD_CHK(__fread_unlocked_chk)

#define READ_LINE \
	FGETS, stream, (void)0, (void)0, .fd = fd_of(stream), .bytes = got ? (int64_t)strlen(got) : -1, \
		.error = got ? 0 : error_of(stream)
/* With its arguments expanded. */
#define IO_READ_ALL(...) IO_READ(__VA_ARGS__)

#define FGETS(name) IO_READ_ALL(char *, name, (char *to, int size, FILE *stream), (to, size, stream), READ_LINE)
FGETS(fgets)
FGETS(fgets_unlocked)

#define FGETS_CHK(name) \
	IO_READ_ALL(char *, name, (char *to, size_t room, int size, FILE *stream), (to, room, size, stream), READ_LINE)
FGETS_CHK(__fgets_chk)
FGETS_CHK(__fgets_unlocked_chk)

#define READ_TEXT FGETS, stream, (void)0, (void)0, .fd = fd_of(stream), .bytes = got, .error = got < 0 ? error_of(stream) : 0

IO_READ_ALL(ssize_t, getline, (char **line, size_t *size, FILE *stream), (line, size, stream), READ_TEXT)

/* In optimized programs, stdio.h replaces getline by the other one of these. */
#define GETDELIM(name) \
	IO_READ_ALL(ssize_t, name, (char **line, size_t *size, int end, FILE *stream), (line, size, end, stream), READ_TEXT)
GETDELIM(getdelim)
GETDELIM(__getdelim)

/* One character is mostly in the buffer, or fits into it: then it is not even asked whether that was
 * a wait. */
#undef IO_WANTED
#define IO_WANTED (col_on(SOURCE_IO) || (wall_is_on() && is_empty(STREAM)))
#define READ_CHARACTER(from) \
	FREAD, from, (void)0, (void)0, .fd = fd_of(from), .bytes = got != EOF, .error = got == EOF ? error_of(from) : 0
#define STREAM stream
IO_READ_ALL(int, fgetc, (FILE *stream), (stream), READ_CHARACTER(stream))
#undef getc
IO_READ_ALL(int, getc, (FILE *stream), (stream), READ_CHARACTER(stream))
#undef STREAM
#define STREAM stdin
IO_READ_ALL(int, getchar, (void), (), READ_CHARACTER(stdin))
#undef STREAM
#undef IO_WANTED
#define IO_WANTED io_is_on()

/* ---- writing ---- */

#define FWRITE(name) \
	IO_WRAP_AROUND(size_t, name, (const void *from, size_t size, size_t count, FILE *stream), \
	               (from, size, count, stream), SPLIT_ITEMS, JOIN_ITEMS, IO_FUNC(FWRITE), .fd = fd_of(stream), \
	               .bytes = (int64_t)bytes, .error = got < count && size ? errno : 0)
FWRITE(fwrite)
#undef fwrite_unlocked
FWRITE(fwrite_unlocked)

#define WRITTEN(func, to, size) IO_DONE(func, fd_of(to)), .bytes = got < 0 ? -1 : (int64_t)(size)

#define FPUTS(name) \
	IO_WRAP(int, name, (const char *text, FILE *stream), (text, stream), WRITTEN(FPUTS, stream, strlen(text)))
FPUTS(fputs)
FPUTS(fputs_unlocked)
IO_WRAP(int, puts, (const char *text), (text), WRITTEN(FPUTS, stdout, strlen(text) + 1))

static inline int is_full(const FILE *stream)
{
	MAY_BE_NULL(stream);
	return stream && stream->_IO_write_ptr >= stream->_IO_write_end;
}

#undef IO_WANTED
#define IO_WANTED (col_on(SOURCE_IO) || (wall_is_on() && is_full(STREAM)))
#define STREAM stream
#define FPUTC(name) IO_WRAP(int, name, (int character, FILE *stream), (character, stream), WRITTEN(FPUTS, stream, 1))
FPUTC(fputc)
#undef putc
FPUTC(putc)
#undef STREAM
#define STREAM stdout
IO_WRAP(int, putchar, (int character), (character), WRITTEN(FPUTS, stdout, 1))
#undef IO_WANTED
#define IO_WANTED io_is_on()

/* ---- formatted writing ---- */

IO_WRAP(int, vprintf, (const char *format, va_list values), (format, values), WRITTEN(PRINTF, stdout, got))
IO_WRAP(int, vfprintf, (FILE *stream, const char *format, va_list values), (stream, format, values),
        WRITTEN(PRINTF, stream, got))
IO_WRAP(int, vdprintf, (int fd, const char *format, va_list values), (fd, format, values), IO_BYTES(PRINTF, fd))
IO_WRAP(int, __vprintf_chk, (int flag, const char *format, va_list values), (flag, format, values),
        WRITTEN(PRINTF, stdout, got))
IO_WRAP(int, __vfprintf_chk, (FILE *stream, int flag, const char *format, va_list values),
        (stream, flag, format, values), WRITTEN(PRINTF, stream, got))
IO_WRAP(int, __vdprintf_chk, (int fd, int flag, const char *format, va_list values), (fd, flag, format, values),
        IO_BYTES(PRINTF, fd))

/* `name`, which calls `basis` with a va_list. It has a stack frame, so it records its own
 * caller. */
#define PRINTF(name, parameters, basis, arguments, ...) \
	EXPORT int name parameters \
	{ \
		struct wall_start start = io_is_on() ? wall_now() : (struct wall_start){0}; \
		va_list values; \
		int got; \
\
		va_start(values, format); \
		got = REAL(basis) arguments; \
		va_end(values); \
		if (unlikely(start.before)) \
			io_record(&(struct io_call){.start = start, __VA_ARGS__}, CALLER); \
		return got; \
	}

PRINTF(printf, (const char *format, ...), vprintf, (format, values), WRITTEN(PRINTF, stdout, got))
PRINTF(fprintf, (FILE *stream, const char *format, ...), vfprintf, (stream, format, values), WRITTEN(PRINTF, stream, got))
PRINTF(dprintf, (int fd, const char *format, ...), vdprintf, (fd, format, values), IO_BYTES(PRINTF, fd))
PRINTF(__printf_chk, (int flag, const char *format, ...), __vprintf_chk, (flag, format, values),
       WRITTEN(PRINTF, stdout, got))
PRINTF(__fprintf_chk, (FILE *stream, int flag, const char *format, ...), __vfprintf_chk, (stream, flag, format, values),
       WRITTEN(PRINTF, stream, got))
PRINTF(__dprintf_chk, (int fd, int flag, const char *format, ...), __vdprintf_chk, (fd, flag, format, values),
       IO_BYTES(PRINTF, fd))

/* blocking.c: wrappers of functions that block, for wall-clock time (-w). They are the rows of
 * blocking.def, and some that need more than a row. Functions that wait for other threads are in
 * sync.c, those of input and output in io/, those that wait for a child in process/reaped.c.
 * See doc/decisions/86-wall-clock.md. */
#include "libcollector/events/blocking.h"

#include "libcollector/hook/hook.h"
#include "libcollector/io/io_epoll.h"
#include "libcollector/io/io_files.h"
#include "libcollector/io/io_record.h"
#include "libcollector/thread/signals.h"
#include "libcollector/wall/wall.h"

#include <errno.h>
#include <stdarg.h>

static inline int is_on(void)
{
	return wall_is_on();
}

/* ---- what is ready: epoll tells the program what it has registered a descriptor with */

EXPORT int epoll_ctl(int fd, int operation, int target, struct epoll_event *event)
{
	int result = REAL(epoll_ctl)(fd, operation, target, event);

	if (!is_on() || result != 0)
		return result;
	if (operation == EPOLL_CTL_DEL)
		io_epoll_forget(target);
	else
		io_epoll_put(fd, target, event->data.u64);
	return result;
}

/* How the functions return an error, as an errno value. */
#define ERROR_OF_NONE(result) 0
#define ERROR_OF_ERROR(result) ((int)(result))
#define ERROR_OF_ERRNO(result) ((result) < 0 ? errno : 0)

#define FILE_OF(fd) io_file_now(fd)
/* System V queues are numbered from 0. */
#define QUEUE_OF(queue) ((queue) >= 0 ? (uint64_t)(queue) + 1 : 0)

#define CALL(name, in) \
	.state = FMT_wall_state_##in, .family = FMT_wait_family_CALL, .func = FMT_wait_func_##name

int blocking_polled(const struct pollfd *fds, nfds_t count)
{
	for (nfds_t i = 0; i < count; i++)
		if (fds[i].revents != 0)
			return fds[i].fd;
	return IO_NO_FD;
}

/* A program may pass its limit of descriptors as `count`, which the kernel cuts, with sets of the
 * usual size. */
static int first_of(const fd_set *set, int count)
{
	enum { BITS = 8 * sizeof(unsigned long) };
	const unsigned long *words = (const unsigned long *)set;

	if (count > FD_SETSIZE)
		count = FD_SETSIZE;
	for (int i = 0; set && i < count; i += BITS)
		if (words[i / BITS] != 0) {
			int fd = i + __builtin_ctzl(words[i / BITS]);

			return fd < count ? fd : IO_NO_FD;
		}
	return IO_NO_FD;
}

int blocking_selected(int count, const fd_set *in, const fd_set *out)
{
	int fd = first_of(in, count);

	return fd >= 0 ? fd : first_of(out, count);
}

#define BLOCK(type, name, function, in, how, parameters, arguments, blocks, waited_for) \
	static __attribute__((noinline)) type name##_traced parameters \
	{ \
		struct wall_call call = {CALL(function, in), .object = (waited_for)}; \
		struct wall_start start = (blocks) ? wall_begin(&call, CALLER) : wall_now(); \
		type result = REAL(name) arguments; \
\
		call.error = ERROR_OF_##how(result); \
		wall_end(&call, &start, CALLER); \
		return result; \
	} \
	EXPORT type name parameters \
	{ \
		PASS_ON(name, arguments); \
		return name##_traced arguments; \
	}

/* A call that has waited for so long is worth a look which descriptor it was, and what that is. */
#define READY(name, function, parameters, arguments, blocks, first) \
	static __attribute__((noinline)) int name##_traced parameters \
	{ \
		struct wall_call call = {CALL(function, POLL)}; \
		struct wall_start start = (blocks) ? wall_begin(&call, CALLER) : wall_now(); \
		int result = REAL(name) arguments; \
\
		call.error = ERROR_OF_ERRNO(result); \
		if (result > 0 && !wall_is_short(&start, col_ticks())) { \
			call.object = FILE_OF(first); \
			call.ready = (uint32_t)result; \
		} \
		wall_end(&call, &start, CALLER); \
		return result; \
	} \
	EXPORT int name parameters \
	{ \
		PASS_ON(name, arguments); \
		return name##_traced arguments; \
	}

#include "libcollector/events/blocking.def"

static __attribute__((noinline)) void sync_traced(void)
{
	struct wall_call call = {CALL(SYNC, FILE)};
	struct wall_start start = wall_begin(&call, CALLER);

	REAL(sync)();
	wall_end(&call, &start, CALLER);
}

EXPORT void sync(void)
{
	if (likely(!is_on()) && likely(hook_real.sync != NULL))
		hook_real.sync();
	else
		sync_traced();
}

/* ---- signals: ours are not among those that the program waits for */

#define SIGNALS(name, function, how, parameters, arguments) \
	EXPORT int name parameters \
	{ \
		const struct wall_call call = {CALL(function, SIGNAL)}; \
		struct wall_start start = {0}; \
		struct wall_call ended = call; \
		sigset_t copy; \
		int result; \
\
		if (is_on()) \
			start = wall_begin(&call, CALLER); \
		set = signals_without_ours(set, &copy); \
		result = REAL(name) arguments; \
		ended.error = ERROR_OF_##how(result); \
		wall_end(&ended, &start, CALLER); \
		return result; \
	}

SIGNALS(sigwait, SIGWAIT, ERROR, (const sigset_t *set, int *signal), (set, signal))
SIGNALS(sigwaitinfo, SIGWAITINFO, ERRNO, (const sigset_t *set, siginfo_t *info), (set, info))
SIGNALS(sigtimedwait, SIGTIMEDWAIT, ERRNO,
        (const sigset_t *set, siginfo_t *info, const struct timespec *timeout),
        (set, info, timeout))

/* ---- message queues: their descriptors come and go by functions of their own, and keep their name
 * meanwhile */

EXPORT mqd_t mq_open(const char *name, int flags, ...)
{
	va_list values;
	mode_t mode;
	struct mq_attr *attributes;
	mqd_t queue;

	va_start(values, flags);
	mode = va_arg(values, mode_t);
	attributes = va_arg(values, struct mq_attr *);
	va_end(values);
	queue = REAL(mq_open)(name, flags, mode, attributes);
	if (is_on())
		io_file_forget(queue);
	return queue;
}

/* Of programs that are compiled with _FORTIFY_SOURCE. */
EXPORT mqd_t __mq_open_2(const char *name, int flags)
{
	mqd_t queue = REAL(__mq_open_2)(name, flags);

	if (is_on())
		io_file_forget(queue);
	return queue;
}

/* Before, since another thread may get the number at once; and after, as nobody may keep the name
 * of a queue that is closed. */
EXPORT int mq_close(mqd_t queue)
{
	int result;

	if (is_on())
		io_file_forget(queue);
	result = REAL(mq_close)(queue);
	if (is_on())
		io_file_forget(queue);
	return result;
}

/* ---- functions with an argument of any type, which a command tells */

int blocking_is_lock(int command)
{
	return command == F_SETLKW || command == F_OFD_SETLKW;
}

#define FCNTL(name) \
	static __attribute__((noinline)) int name##_traced(int fd, int command, void *argument) \
	{ \
		struct wall_call call = {CALL(FCNTL, LOCK), .object = FILE_OF(fd)}; \
		struct wall_start start = wall_begin(&call, CALLER); \
		int result = REAL(name)(fd, command, argument); \
\
		call.error = ERROR_OF_ERRNO(result); \
		wall_end(&call, &start, CALLER); \
		return result; \
	} \
	EXPORT int name(int fd, int command, ...) \
	{ \
		va_list values; \
		void *argument; \
\
		va_start(values, command); \
		argument = va_arg(values, void *); \
		va_end(values); \
		return is_on() && blocking_is_lock(command) ? name##_traced(fd, command, argument) \
		                                            : REAL(name)(fd, command, argument); \
	}

FCNTL(fcntl)
FCNTL(fcntl64)

static __attribute__((noinline)) int ioctl_traced(int fd, unsigned long command, void *argument)
{
	struct wall_start start = wall_now();
	int result = REAL(ioctl)(fd, command, argument);
	struct wall_call call = {CALL(IOCTL, OTHER), .error = ERROR_OF_ERRNO(result)};

	if (wall_is_due(&start, FMT_wall_state_FILE, col_ticks())) {
		call.state = io_state_of(fd);
		call.object = FILE_OF(fd);
		wall_end(&call, &start, CALLER);
	}
	return result;
}

EXPORT int ioctl(int fd, unsigned long command, ...)
{
	va_list values;
	void *argument;

	va_start(values, command);
	argument = va_arg(values, void *);
	va_end(values);
	return is_on() ? ioctl_traced(fd, command, argument) : REAL(ioctl)(fd, command, argument);
}

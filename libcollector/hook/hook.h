/* hook.h: the next definitions of the functions that the recorder wraps.
 *
 * Symbols are found by dlsym(RTLD_NEXT), so other preloaded libraries and allocators stay in the
 * chain. Allocations of the look-up itself come from a small pool, whose blocks are never freed. */
#ifndef XER_COLLECTOR_HOOK_H
#define XER_COLLECTOR_HOOK_H

#include "libcollector/base/collector.h"
#include "libcollector/hook/pool.h"

#include <aio.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <mqueue.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <termios.h>
#include <threads.h>
#include <unistd.h>
#include <utime.h>
#include <wordexp.h>

/* C knows no operators of C++. */
#define NEW(name, parameters, arguments, alignment) void *name parameters;
#define DELETE(name, parameters, arguments) void name parameters;
#include "libcollector/hook/operators.def"

#define HOOK(name)
#define HOOK_OLD(name, of, version)
#define HOOK_DECLARE(type, name, parameters) type name parameters;
#include "libcollector/hook/hook.def"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored \
	"-Wdeprecated-declarations" /* sigset: programs use it all the same */
struct hook_table {
#define HOOK(name) __typeof__(name) *name;
#define HOOK_OLD(name, of, version) __typeof__(of) *name;
#include "libcollector/hook/hook.def"
#define NEW(name, parameters, arguments, alignment) __typeof__(name) *name;
#define DELETE(name, parameters, arguments) __typeof__(name) *name;
#include "libcollector/hook/operators.def"
};
#pragma GCC diagnostic pop

/* After the definition of a wrapper: it is version `version` of the function `of`; with @@, the
 * default version. The wrapper's own name is not exported. */
#define HOOK_VERSION(name, of, version) __asm__(".symver " #name ", " #of version ", remove")

extern struct hook_table hook_real __attribute__((visibility("hidden")));

/* Find all of them. Any context; the first call does the work. */
void hook_resolve(void);

/* The library was loaded into a running process, and comes before nothing: look up the functions as
 * the program does. Normal context. */
void hook_search_all(void);

/* The same, unless it was done before; for functions that may not exist. */
static inline void hook_resolve_once(void)
{
	if (!hook_real.malloc)
		hook_resolve();
}

/* The next definition of a wrapped function. */
#define REAL(name) \
	(*(likely(hook_real.name != NULL) ? hook_real.name : (hook_resolve(), hook_real.name)))

/* In a wrapper: while its kind of data is off, as is_on() of the file says, jump to the real
 * function. */
#define PASS_ON(name, arguments) \
	do { \
		if (likely(!is_on()) && likely(hook_real.name != NULL)) \
			return hook_real.name arguments; \
	} while (0)

#endif

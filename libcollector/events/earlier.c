/* earlier.c: look at threads that are in a wait already. See earlier.h. */
#include "libcollector/events/earlier.h"

#include "libcollector/events/sync_wait.h"
#include "libcollector/io/io_files.h"
#include "libcollector/io/io_record.h"
#include "libcollector/thread/memo.h"
#include "libcollector/thread/thread_state.h"
#include "libcollector/unwind/walk_other.h"
#include "libcollector/write/log.h"

#include "format/attach.h"

#include <linux/futex.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/wait.h>

enum { LOOKS_MS = 200 /* of all threads, while the program may have to wait */ };
enum { SLIGHTLY_NS = 100000, ARGUMENTS = 6 };

/* One look at a time. */
static atomic_uint is_busy;
static const struct attach_call *borrowed;

/* What a thread is in. */
struct look {
	struct attach_call call;
	int is_whole; /* call.fp is the thread's, too */
	int memory;   /* /proc/self/mem, through which what may be gone is read */
};

void earlier_borrow(const struct attach_call *call)
{
	borrowed = call;
}

void earlier_thread_begin(struct col_thread *thread)
{
	thread->earlier = (struct earlier_wait){.cpu_ns = 0};
}

/* ---- what the kernel tells of a thread */

static char *put_number(char *to, uint32_t value)
{
	if (value >= 10)
		to = put_number(to, value / 10);
	*to = (char)('0' + value % 10);
	return to + 1;
}

/* The next number of a line, decimal, or with 0x; and what comes after it. */
static const char *next_number(const char *text, uint64_t *value)
{
	unsigned base = 10, digit;

	while (*text == ' ')
		text++;
	if (text[0] == '0' && text[1] == 'x') {
		base = 16;
		text += 2;
	}
	for (*value = 0;; text++) {
		digit = (unsigned)(*text >= 'a' ? *text - 'a' + 10 : *text - '0');
		if (*text < '0' || digit >= base)
			return text;
		*value = *value * base + digit;
	}
}

/* "NUMBER ARGUMENT... SP PC", "-1 SP PC" outside of calls, or "running". */
static int parse(const char *text, struct attach_call *call)
{
	uint64_t number = 0;
	int is_call = *text != '-';

	if (*text == 'r')
		return -1;
	text = next_number(text + !is_call, &number);
	call->number = is_call ? (int64_t)number : -1;
	for (int i = 0; is_call && i < ARGUMENTS; i++)
		text = next_number(text, &call->argument[i]);
	text = next_number(text, &call->sp);
	next_number(text, &call->pc);
	return call->pc ? 0 : -1;
}

/* Read a file of the thread in /proc: text[size], ended by a zero. Returns 0 or -1. */
static int read_file(uint32_t tid, const char *name, char *text, size_t size)
{
	char path[64] = "/proc/self/task/";
	long fd, got;

	strcpy(put_number(path + strlen(path), tid), name);
	fd = sys_openat(AT_FDCWD, path, O_RDONLY, 0);
	if (fd < 0)
		return -1;
	got = sys_pread((int)fd, text, size - 1, 0);
	sys_close((int)fd);
	if (got <= 0)
		return -1;
	text[got] = '\0';
	return 0;
}

/* What the thread is in, if it is blocked. Returns 0, or -1: it is not, or the kernel does not say.
 */
static int find_call(const struct col_thread *thread, const struct col_thread *self,
                     struct attach_call *call)
{
	char text[256];

	*call = (struct attach_call){.number = -1};
	if (thread != self)
		return read_file(atomic_load(&thread->tid), "/syscall", text, sizeof(text)) < 0
		               ? -1
		               : parse(text, call);
	if (!borrowed || borrowed->number < 0)
		return -1;
	*call = *borrowed;
	return 0;
}

/* It may never have a sample, and is known by its waits alone. */
static void tell_name(const struct col_thread *thread, struct col_thread *self)
{
	uint32_t tid = atomic_load(&thread->tid);
	char name[17] = "";

	if (read_file(tid, "/comm", name, sizeof(name)) < 0)
		return;
	name[strlen(name) - 1] = '\0'; /* the end of the line */
	thread_tell_of(self, COL_NORMAL, tid, name);
}

static uint64_t cpu_of(const struct col_thread *thread)
{
	return sys_clock_ns(sys_thread_clock(atomic_load(&thread->tid)));
}

/* ---- what it waits for */

/* The thread that has the lock, as the C library keeps it there; 0: unknown. Its memory may be gone
 * by now. In locks that are no mutexes, any number may be there. */
static uint32_t owner_of(const struct look *look, uint64_t lock)
{
	uint32_t owner = 0;

	if (sys_pread(look->memory, &owner, sizeof(owner),
	              lock + offsetof(pthread_mutex_t, __data.__owner)) != sizeof(owner))
		return 0;
	return thread_find(owner) ? owner : 0;
}

/* The C library's locks wait for a word to be no longer 2; who joins a thread waits for its number
 * to go away, which the kernel clears. */
static void describe_futex(const struct look *look, struct fmt_wait_earlier *wait)
{
	enum { CONTENDED = 2 };
	const struct attach_call *call = &look->call;
	int operation = (int)call->argument[1];
	uint32_t value = (uint32_t)call->argument[2];
	uint64_t word = call->argument[0];

	wait->family = FMT_wait_family_SYNC;
	wait->state = FMT_wall_state_COND;
	wait->func = FMT_sync_func_FUTEX_WAIT;
	switch (operation & FUTEX_CMD_MASK) {
	case FUTEX_LOCK_PI:
		wait->state = FMT_wall_state_LOCK;
		break;
	case FUTEX_WAIT:
		if (value == CONTENDED)
			wait->state = FMT_wall_state_LOCK;
		break;
	}
	if (wait->state == FMT_wall_state_LOCK) {
		wait->func = FMT_sync_func_MUTEX_LOCK;
		wait->owner = owner_of(look, word);
	} else if (!(operation & FUTEX_PRIVATE_FLAG) && thread_find(value)) {
		wait->func = FMT_sync_func_JOIN;
		wait->owner = value;
		word = 0;
	}
	fmt_u48_put(&wait->object, word);
}

/* In a scope of `self`. */
static void describe_call(const struct look *look, int64_t number, struct col_thread *self,
                          struct fmt_wait_earlier *wait)
{
	const struct attach_call *call = &look->call;

	switch (number) {
#define CALL(name, function, in, of) \
	case SYS_##name: \
		wait->func = FMT_wait_func_##function; \
		wait->state = FMT_wall_state_##in; \
		fmt_u48_put(&wait->object, of); \
		break;
#define ON_FILE(name, function, which) \
	case SYS_##name: \
		wait->family = FMT_wait_family_IO; \
		wait->func = FMT_io_func_##function; \
		wait->state = (uint8_t)io_state_of((int)call->argument[which]); \
		fmt_u48_put(&wait->object, \
		            io_file_of(self, (int)call->argument[which], col_ticks())); \
		break;
#include "libcollector/events/earlier.def"
	case SYS_futex:
		describe_futex(look, wait);
		break;
	case SYS_semop:
	case SYS_semtimedop:
		wait->family = FMT_wait_family_SYNC;
		wait->func = FMT_sync_func_SEMOP;
		wait->state = FMT_wall_state_COND;
		break;
	default:
		wait->func = FMT_wait_func_SYSTEM_CALL;
		wait->state = FMT_wall_state_OTHER;
		break;
	}
}

/* The code before a call, which may be gone by now, has its number. */
static int64_t number_by_code(const struct look *look)
{
	uint8_t code[ARCH_CALL_CODE];

	return sys_pread(look->memory, code, sizeof(code), look->call.pc - sizeof(code)) ==
	                       sizeof(code)
	               ? arch_call_of(code)
	               : SYS_restart_syscall;
}

static void describe(const struct look *look, struct col_thread *self,
                     struct fmt_wait_earlier *wait)
{
	int64_t number = look->call.number;

	*wait = (struct fmt_wait_earlier){.kind = FMT_KIND_wait_earlier,
	                                  .family = FMT_wait_family_CALL};
	if (number < 0) {
		wait->func = FMT_wait_func_PAGE_FAULT;
		wait->state = FMT_wall_state_FAULT;
		return;
	}
	if (number == SYS_restart_syscall) /* it goes on after a stop or a signal */
		number = number_by_code(look);
	describe_call(look, number, self, wait);
}

/* ---- looks */

static void put(struct col_thread *writer, enum col_context context,
                const struct fmt_wait_earlier *wait)
{
	col_slot_write(&writer->slot[context][FMT_STREAM_WALLTRACE], FMT_STREAM_WALLTRACE,
	               atomic_load(&writer->tid), wait, sizeof(*wait), col_ticks());
}

static uint32_t stack_of_other(struct col_thread *self, const struct look *look)
{
	struct walk_other place = {.pc = look->call.pc,
	                           .sp = look->call.sp,
	                           .bp = look->is_whole ? look->call.fp : 0,
	                           .memory = look->memory};

	return memo_enter(self) ? walk_other_stack(memo_of(self, COL_NORMAL)->machine, &place) : 0;
}

/* The first look at a thread, in a scope of `self`. */
static void look_at(struct col_thread *thread, struct col_thread *self, struct look *look)
{
	struct fmt_wait_earlier wait;

	if (find_call(thread, self, &look->call) < 0)
		return;
	look->is_whole = thread == self;
	if (borrowed && thread != self)
		tell_name(thread, self);
	describe(look, self, &wait);
	wait.tid = atomic_load(&thread->tid);
	wait.stack = stack_of_other(self, look);
	wait.since = col_ticks();
	thread->earlier = (struct earlier_wait){.wait = wait,
	                                        .sp = look->call.sp,
	                                        .pc = look->call.pc,
	                                        .cpu_ns = look->is_whole ? 0 : cpu_of(thread)};
	put(self, COL_NORMAL, &wait);
}

/* Threads whose waits are recorded already have a record of one that they are in. */
static int is_due(const struct col_thread *thread)
{
	return atomic_load(&thread->tid) && !thread->wall.open;
}

static void look_at_all(struct col_thread *self)
{
	uint64_t end = col_ticks() + col.descriptor.clock_hz / 1000 * LOOKS_MS;
	struct look look = {.memory = (int)sys_openat(AT_FDCWD, "/proc/self/mem", O_RDONLY, 0)};

	for (struct col_thread *thread = thread_first(); thread; thread = thread->next) {
		if (!is_due(thread))
			continue;
		if (col_ticks() > end) {
			col_log_warning(
				"there are so many threads that what some of them waited for when the recording began is not known");
			break;
		}
		look_at(thread, self, &look);
	}
	if (look.memory >= 0)
		sys_close(look.memory);
}

/* A program that begins is alone, and in no wait. */
void earlier_start(void)
{
	struct col_thread *self;

	if (atomic_exchange(&is_busy, 1))
		return;
	self = borrowed || thread_first()->next ? scope_enter() : NULL;
	if (self) {
		look_at_all(self);
		scope_leave(self);
	}
	atomic_store(&is_busy, 0);
}

/* The second look: is the thread where it was, and has it used no CPU time? */
static int lasts(const struct col_thread *thread, const struct attach_call *call)
{
	const struct earlier_wait *earlier = &thread->earlier;

	return call->sp == earlier->sp && call->pc == earlier->pc &&
	       (!earlier->cpu_ns || cpu_of(thread) - earlier->cpu_ns < SLIGHTLY_NS);
}

void earlier_thread_account(struct col_thread *thread, struct col_thread *writer,
                            enum col_context context)
{
	struct attach_call call;

	if (!thread->earlier.wait.since || !wall_is_on())
		return;
	if (find_call(thread, writer, &call) == 0 && lasts(thread, &call))
		put(writer, context, &thread->earlier.wait);
	thread->earlier.wait.since = 0;
}

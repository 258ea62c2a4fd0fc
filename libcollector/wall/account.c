/* account.c: write the CPU time of threads. See account.h, and "threads" in wall.h.
 * See doc/decisions/86-wall-clock.md. */
#include "libcollector/wall/account.h"

#include "libcollector/wall/wall.h"

#include <limits.h>

enum { SPAN_MS = 10, WAITS_A_MS = 1, WORK_SHARE = 100, GAP_MS = 100 };

static uint64_t cpu_of(const struct col_thread *thread)
{
	return sys_clock_ns(sys_thread_clock(atomic_load(&thread->tid)));
}

/* ---- time without a CPU, which the kernel counts: in ns, the second number of a line */

static char *put_number(char *to, uint32_t value)
{
	if (value >= 10)
		to = put_number(to, value / 10);
	*to = (char)('0' + value % 10);
	return to + 1;
}

static uint64_t second_number(const char *text)
{
	uint64_t value = 0;

	while (*text && *text != ' ')
		text++;
	for (text += *text == ' '; *text >= '0' && *text <= '9'; text++)
		value = value * 10 + (uint64_t)(*text - '0');
	return value;
}

/* UINT64_MAX: the kernel does not say. */
static uint64_t queue_of(const struct col_thread *thread)
{
	char path[64] = "/proc/self/task/", text[64];
	char *end = put_number(path + strlen(path), atomic_load(&thread->tid));
	long fd, got;

	strcpy(end, "/schedstat");
	fd = sys_openat(AT_FDCWD, path, O_RDONLY, 0);
	if (fd < 0)
		return UINT64_MAX;
	got = sys_pread((int)fd, text, sizeof(text) - 1, 0);
	sys_close((int)fd);
	if (got <= 0)
		return UINT64_MAX;
	text[got] = '\0';
	return second_number(text);
}

/* ---- accounts */

/* The time without a CPU since the thread began. To ask for it is expensive: it is done only if,
 * since the last account, more than a little time was neither CPU time nor a wait. */
static uint64_t queue_since(const struct col_thread *thread, uint64_t cpu_ns, uint64_t now)
{
	enum { LITTLE_NS = 100000, LITTLE = 100 };
	const struct wall_thread *wall = &thread->wall;
	uint64_t all_ns = col_ns_of(now - wall->accounted);
	uint64_t known_ns = cpu_ns - wall->accounted_ns +
	                    col_ns_of(wall->waited - wall->accounted_waited);
	uint64_t queue;

	if (all_ns < known_ns + LITTLE_NS + all_ns / LITTLE)
		return UINT64_MAX;
	queue = queue_of(thread);
	return queue >= wall->earlier_queue_ns && queue != UINT64_MAX
	               ? queue - wall->earlier_queue_ns
	               : queue;
}

static void put(struct col_thread *thread, struct col_thread *writer, enum col_context context,
                enum fmt_account_reason reason)
{
	struct wall_thread *wall = &thread->wall;
	/* Another thread may set it: the time that is told is behind it. */
	uint64_t begin = __atomic_load_n(&wall->begin, __ATOMIC_ACQUIRE), now = col_ticks();
	uint64_t cpu_ns = cpu_of(thread);
	struct fmt_account record __attribute__((aligned(8))) = {
		.kind = FMT_KIND_account,
		.reason = (uint8_t)reason,
		.tid = atomic_load(&thread->tid),
		.begin = begin,
	};

	if (!begin || begin > now)
		return;
	cpu_ns = cpu_ns > wall->earlier_ns ? cpu_ns - wall->earlier_ns : 0;
	record.cpu_ns = cpu_ns;
	record.queue_ns = queue_since(thread, cpu_ns, now);
	col_slot_write(&writer->slot[context][FMT_STREAM_WALLTRACE], FMT_STREAM_WALLTRACE,
	               atomic_load(&writer->tid), &record, sizeof(record), now);
	if (reason != FMT_account_reason_SPAN) /* the thread itself may be at work */
		return;
	wall->accounted = now;
	wall->accounted_ns = cpu_ns;
	wall->accounted_waited = wall->waited;
	wall->count = 0;
	wall->works = 0;
}

/* What earlier images of the process have recorded is not this one's. */
static uint64_t earlier_of(uint32_t tid)
{
	return tid == (uint32_t)col.pid ? col.descriptor.step.thread_ns : 0;
}

void account_begin(struct col_thread *thread)
{
	uint64_t cpu_ns = cpu_of(thread), earlier_ns = earlier_of(atomic_load(&thread->tid));

	thread->wall.earlier_ns = earlier_ns < cpu_ns ? earlier_ns : cpu_ns;
	if (earlier_ns)
		thread->wall.earlier_queue_ns = queue_of(thread);
	thread->wall.begin = col_ticks() - col_ticks_of(cpu_ns - thread->wall.earlier_ns);
	thread->wall.accounted = thread->wall.last = thread->wall.begin;
}

static int uses_cpu(enum fmt_wall_state state)
{
	switch (state) {
	case FMT_wall_state_FILE:
	case FMT_wall_state_PIPE:
	case FMT_wall_state_SOCKET:
	case FMT_wall_state_TERMINAL:
	case FMT_wall_state_OTHER:
		return 1;
	default:
		return 0;
	}
}

/* May the waits since the last account hold CPU time that is worth knowing? Or was the time before
 * this one perhaps spent in something that nobody sees? */
static int is_due(const struct wall_thread *wall, uint64_t before, uint64_t after)
{
	uint64_t ms = col.descriptor.clock_hz / 1000, span = after - wall->accounted;

	if (span < SPAN_MS * ms)
		return 0;
	return wall->count * ms / WAITS_A_MS > span || wall->works > span / WORK_SHARE ||
	       before - wall->last > GAP_MS * ms;
}

void account_wait(struct col_thread *thread, enum fmt_wall_state state, uint64_t wait,
                  uint64_t before, uint64_t after)
{
	struct wall_thread *wall = &thread->wall;

	wall->count++;
	if (uses_cpu(state))
		wall->works += wait;
	if (unlikely(is_due(wall, before, after)))
		put(thread, thread, COL_NORMAL, FMT_account_reason_SPAN);
	wall->last = after;
}

void wall_thread_account(struct col_thread *thread, struct col_thread *writer,
                         enum col_context context)
{
	int is_end = thread == writer && thread->exit_rounds >= PTHREAD_DESTRUCTOR_ITERATIONS;

	if (wall_is_on())
		put(thread, writer, context,
		    is_end ? FMT_account_reason_END : FMT_account_reason_STOP);
}

void wall_thread_pass(struct col_thread *thread)
{
	if (!col.descriptor.wall)
		return;
	thread->wall.begin = thread->wall.accounted = thread->wall.last = col_ticks();
	thread->wall.earlier_ns = cpu_of(thread);
	thread->wall.accounted_ns = 0;
	thread->wall.accounted_waited = thread->wall.waited;
	thread->wall.earlier_queue_ns = queue_of(thread);
}

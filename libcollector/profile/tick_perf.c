/* tick_perf.c: open perf events that count CPU time and send SIGTRAP. See tick_perf.h.
 * See doc/decisions/85-clock.md. */
#include "libcollector/profile/tick_perf.h"

#include "libcollector/base/collector.h"
#include "libcollector/base/file.h"
#include "libcollector/base/kernel.h"
#include "libcollector/profile/tick_possible.h"

#include "format/clockevent.h"

#include <errno.h>
#include <sys/ioctl.h>

#ifndef TRAP_PERF
#define TRAP_PERF 6
#endif

enum {
	FIRST_NS = 1000000,      /* the first sample of a process comes within this time */
	LEAST_FRACTION = 16,     /* of a period, that the first one has */
	VARIED_MIN_NS = 2000000, /* to vary a period costs 10 us, too much for shorter ones */
	MANY_DESCRIPTORS = 1024, /* enough to give some to young threads */
	ELDERS_MAX = 1 << 14
};

/* What the kernel hands to our handler with the signal. */
static const uint64_t of_all = 0x786572636c6f636b, of_first = 0x7865726669727374,
		      of_young = 0x786572796f756e67;

/* The descriptor of an event, and the kernel's number of it: the program may have closed the
 * descriptor and given its number to something else. */
struct event {
	int fd; /* -1: not open */
	uint64_t id;
};

/* `all` is the one that threads inherit. `first` belongs to the opening thread alone. It gives the
 * process a first sample soon, and then stays there, switched off: as long as a thread has an event
 * that is not inherited, the kernel does not regard the contexts of the threads that it creates as
 * clones of its own. */
static struct event all = {.fd = -1}, first = {.fd = -1};

/* Those of threads that have had no sample yet. A place is its owner's until the event is closed,
 * and only who puts LEAVING there closes it. A signal, or another thread that replaces all events,
 * can come at any instruction of that, and may know a number whose place is another thread's by
 * now. */
enum { NOBODY = 0, LEAVING = UINT32_MAX };
static struct young {
	atomic_uint owner; /* the number of the thread, or one of the above */
	struct event event;
} young[TICK_PERF_YOUNG];

/* Those of threads that are older than `all`. Their numbers follow those of young threads. */
static struct event *elders; /* NULL: none was needed yet */
static atomic_uint elder_count;
static unsigned elder_most;

static uint64_t period;                 /* on average */
static uint64_t present;                /* of `all` in the opening thread */
static uint64_t began;                  /* that one, in CPU time of the thread */
static uint32_t opener;                 /* the number of that thread */
static atomic_int is_open, is_for_self; /* is_for_self: `present` is not for threads to inherit */
static atomic_int is_running;
static int is_away; /* the opening thread is */
static int is_user_only, is_everywhere, has_sampled, has_many;

/* ---- one event */

/* Of thread `tid`, 0: the calling one. */
static int open_event(struct event *event, uint32_t tid, uint64_t period_ns, uint64_t tag,
                      int with_kernel)
{
	struct perf_event_attr attr = CLOCKEVENT(period_ns, .inherit = tag == of_all,
	                                         .inherit_thread = tag == of_all,
	                                         .exclude_kernel = !with_kernel, .sig_data = tag);
	long fd = SYS5(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		fd = col_file_move_up((int)fd);
	if (fd < 0)
		return (int)fd;
	event->fd = (int)fd;
	return (int)SYS3(SYS_ioctl, fd, PERF_EVENT_IOC_ID, &event->id);
}

/* Any other file answers with an error; so may a filter of system calls, which nobody can see
 * through. */
static int is_ours(const struct event *event)
{
	uint64_t id = 0;
	long error = event->fd < 0 ? -EBADF : SYS3(SYS_ioctl, event->fd, PERF_EVENT_IOC_ID, &id);

	if (error < 0)
		return error == -EPERM || error == -EACCES || error == -ENOSYS;
	return id == event->id;
}

static void tell(const struct event *event, unsigned long request, uint64_t *value)
{
	if (is_ours(event))
		SYS3(SYS_ioctl, event->fd, request, value);
}

static void go(struct event *event)
{
	tell(event, PERF_EVENT_IOC_ENABLE, NULL);
}

/* For one signal. A first period may be shorter than the handling of the signal takes; if the
 * kernel went on, a thread that is about to close its event would never get to it (kernels
 * before 6.1 go on, ten microseconds at least apart). */
static void go_once(struct event *event)
{
	if (is_ours(event))
		SYS3(SYS_ioctl, event->fd, PERF_EVENT_IOC_REFRESH, 1);
}

static void stop(struct event *event)
{
	tell(event, PERF_EVENT_IOC_DISABLE, NULL);
}

static void close_event(struct event *event)
{
	if (is_ours(event))
		sys_close(event->fd);
	event->fd = -1;
}

static void tell_elders(void (*what)(struct event *event))
{
	unsigned count = atomic_load(&elder_count);

	for (unsigned i = 0; i < count && i < elder_most; i++)
		what(&elders[i]);
}

static uint64_t lasting_period(void)
{
	return period - period / 10 + col_any_of(period / 5);
}

/* ---- that of all, and the first one */

/* The first period of a thread. */
static uint64_t any_beginning(void)
{
	uint64_t least = period / LEAST_FRACTION;

	return least + col_any_of(period - least);
}

static int open_both(int with_kernel)
{
	int error;

	present = any_beginning();
	error = open_event(&all, 0, present, of_all, with_kernel);
	if (error == 0)
		error = open_event(&first, 0, col_any_of(period < FIRST_NS ? period : FIRST_NS),
		                   of_first, with_kernel);
	if (error < 0) {
		close_event(&all);
		close_event(&first);
	}
	return error;
}

static unsigned elders_allowed(void)
{
	uint64_t part = tick_descriptors() / TICK_PERF_PART;

	return part < ELDERS_MAX ? (unsigned)part : ELDERS_MAX;
}

int tick_perf_open(uint64_t period_ns, int with_kernel, int is_alone)
{
	int error;

	period = period_ns;
	is_everywhere = is_alone || kernel_sees_one_thread();
	is_user_only = !with_kernel;
	error = open_both(with_kernel);
	if ((error == -EACCES || error == -EPERM) && with_kernel) {
		is_user_only = 1;
		error = open_both(0);
	}
	if (error < 0)
		return error;
	opener = sys_tid();
	has_sampled = 0;
	has_many = tick_descriptors() >= MANY_DESCRIPTORS;
	if (!is_everywhere && !elders)
		elders = sys_mmap_anonymous(ELDERS_MAX * sizeof(*elders));
	elder_most = elders ? elders_allowed() : 0;
	atomic_store(&is_for_self, 1);
	atomic_store(&is_open, 1);
	return 0;
}

static void leave(struct young *place, uint32_t owner)
{
	if (owner == NOBODY || owner == LEAVING ||
	    !atomic_compare_exchange_strong(&place->owner, &owner, LEAVING))
		return;
	close_event(&place->event);
	atomic_store(&place->owner, NOBODY);
}

void tick_perf_close(void)
{
	if (!atomic_exchange(&is_open, 0))
		return;
	for (int i = 0; i < TICK_PERF_YOUNG; i++)
		leave(&young[i], atomic_load(&young[i].owner));
	tell_elders(close_event);
	atomic_store(&elder_count, 0);
	elder_most = 0;
	atomic_store(&is_running, 0);
	is_away = 0;
	close_event(&all);
	close_event(&first);
}

void tick_perf_forget(void)
{
	for (int i = 0; i < TICK_PERF_YOUNG; i++)
		if (atomic_load(&young[i].owner) == LEAVING)
			atomic_store(&young[i].owner, opener);
	tick_perf_close();
}

/* ---- those of single threads */

static int take(struct young *place, uint32_t tid)
{
	unsigned owner = NOBODY;

	return atomic_load_explicit(&place->owner, memory_order_relaxed) == NOBODY &&
	       atomic_compare_exchange_strong(&place->owner, &owner, tid);
}

unsigned tick_perf_add(uint32_t tid, uint64_t within_ns)
{
	for (unsigned i = 0; has_many && i < TICK_PERF_YOUNG; i++) {
		if (!take(&young[i], tid))
			continue;
		young[i].event.fd = -1;
		if (open_event(&young[i].event, 0, col_any_of(within_ns), of_young,
		               !is_user_only) == 0)
			return i + 1;
		leave(&young[i], tid);
		return 0;
	}
	return 0;
}

void tick_perf_begin(unsigned number)
{
	if (number)
		go_once(&young[number - 1].event);
}

void tick_perf_drop(unsigned number, uint32_t tid)
{
	if (number - 1 < TICK_PERF_YOUNG)
		leave(&young[number - 1], tid);
}

unsigned tick_perf_add_for(uint32_t tid)
{
	unsigned number = elder_most ? atomic_fetch_add(&elder_count, 1) : 0;

	if (number >= elder_most)
		return 0;
	elders[number].fd = -1;
	if (open_event(&elders[number], tid, any_beginning(), of_all, !is_user_only) < 0) {
		close_event(&elders[number]);
		return 0;
	}
	if (atomic_load(&is_running))
		go(&elders[number]);
	return TICK_PERF_YOUNG + 1 + number;
}

void tick_perf_serve(unsigned number, uint32_t tid)
{
	uint64_t next = lasting_period();

	if (number > TICK_PERF_YOUNG)
		tell(&elders[number - TICK_PERF_YOUNG - 1], PERF_EVENT_IOC_PERIOD, &next);
	else
		tick_perf_drop(number, tid);
}

void tick_perf_cover(void)
{
	is_everywhere = 1;
}

/* ---- what there is */

int tick_perf_is_open(void)
{
	return atomic_load_explicit(&is_open, memory_order_relaxed);
}

int tick_perf_is_user_only(void)
{
	return tick_perf_is_open() && is_user_only;
}

int tick_perf_is_everywhere(void)
{
	return tick_perf_is_open() && is_everywhere;
}

int tick_perf_is_intact(void)
{
	return is_ours(&all) && is_ours(&first);
}

int tick_perf_is_opener(uint32_t tid)
{
	return tick_perf_is_open() && tid == opener;
}

/* ---- periods and samples */

/* `all` begins a new period, in the opening thread alone. */
static void begin_period(uint64_t ns)
{
	began = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	present = ns;
	tell(&all, PERF_EVENT_IOC_PERIOD, &ns);
}

/* Different ones, or threads that begin together would be seen together. */
void tick_perf_settle(void)
{
	if (tick_perf_is_open() && unlikely(atomic_exchange(&is_for_self, 0)))
		begin_period(lasting_period());
}

/* A sample of `all` in the opening thread. A new period begins here, not where the last one was
 * over: what the signal took until now is taken off the new one. */
static void vary(void)
{
	uint64_t next, since;

	if (period < VARIED_MIN_NS) {
		if (unlikely(atomic_exchange(&is_for_self, 0)))
			begin_period(period);
		return;
	}
	next = period / 2 + col_any_of(period);
	since = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID) - began;
	atomic_store(&is_for_self, 1);
	if (since > present && since - present < next / 2)
		next -= since - present;
	begin_period(next);
}

/* In the kernel's struct siginfo, our tag stands behind the address; glibc 2.36 does not know it.
 */
enum tick_perf_trap tick_perf_look(const siginfo_t *info, uint32_t tid, uint64_t *period_ns)
{
	const struct {
		uint64_t data;
		uint32_t type, flags;
	} *trap = (const void *)((const char *)&info->si_addr + sizeof(info->si_addr));

	if (info->si_code != TRAP_PERF ||
	    (trap->data != of_all && trap->data != of_first && trap->data != of_young))
		return TICK_PERF_FOREIGN;
	*period_ns = tid == opener ? present : period;
	if (trap->data == of_first) {
		has_sampled = 1;
		stop(&first);
	} else if (tid == opener) {
		vary();
	}
	return trap->flags & 1 ? TICK_PERF_LATE : TICK_PERF_DUE; /* TRAP_PERF_FLAG_ASYNC */
}

void tick_perf_part(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.disabled = 1,
	};
	long fd = SYS5(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		sys_close((int)fd);
}

void tick_perf_depart(void)
{
	static const struct timespec at_once;
	sys_sigset trap = SYS_SIGBIT(SIGTRAP);

	if (!tick_perf_is_open())
		return;
	atomic_store(&is_running, 0);
	stop(&all);
	stop(&first);
	tell_elders(stop);
	for (int i = 0; i < TICK_PERF_YOUNG; i++)
		if (atomic_load(&young[i].owner) != NOBODY)
			stop(&young[i].event);
	/* One that is pending because it is blocked. */
	SYS4(SYS_rt_sigtimedwait, &trap, NULL, &at_once, sizeof(trap));
}

void tick_perf_run(void)
{
	if (!tick_perf_is_open())
		return;
	began = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	atomic_store(&is_running, 1);
	tell_elders(go);
	if (is_away)
		return;
	go(&all);
	if (!has_sampled)
		go_once(&first);
}

void tick_perf_leave(void)
{
	is_away = 1;
}

void tick_perf_return(void)
{
	is_away = 0;
	if (atomic_load(&is_running))
		tick_perf_run();
}

int tick_perf_is_away(void)
{
	return is_away;
}

/* buserror.c: install a handler before the program's handler of SIGBUS. See buserror.h.
 * See doc/decisions/03-sigbus.md. */
#include "libcollector/thread/buserror.h"

#include "libcollector/hook/hook.h"
#include "libcollector/thread/altstack.h"
#include "libcollector/thread/lostpages.h"
#include "libcollector/thread/signals.h"

enum {
	FRONTS = BUSERROR_FRONTS,
	ENTRY_SIZE = BUSERROR_ENTRY_SIZE,
	CHANGED = SA_SIGINFO | SA_RESETHAND |
	          SYS_RESTORER /* flags that the kernel does not have as the program has */
};
/* By itself, as the flags make an unsigned type of theirs. */
enum { TRIES = 4 };

enum state { EMPTY, FILLING, FULL };

/* What the program has installed. A full entry never changes, since handlers in progress read
 * it. */
static struct front {
	atomic_uint state;
	signals_handler *handler; /* never SIG_IGN */
	unsigned long flags;      /* of CHANGED */
} fronts[FRONTS];

/* What has been added to masks: our signals may be given back before the action is. */
static _Atomic sys_sigset added;

static signals_handler *entry_of(unsigned number)
{
	return (signals_handler *)(uintptr_t)(buserror_entries + (size_t)number * ENTRY_SIZE);
}

static int is_default(signals_handler *handler)
{
	return (uintptr_t)handler == (uintptr_t)SIG_DFL;
}

static int is_ignored(signals_handler *handler)
{
	return (uintptr_t)handler == (uintptr_t)SIG_IGN;
}

/* What the program has installed, if `handler` is one of ours; else NULL. */
static const struct front *front_of(signals_handler *handler)
{
	uintptr_t place = (uintptr_t)handler - (uintptr_t)buserror_entries;

	return place < sizeof(buserror_entries) ? &fronts[place / ENTRY_SIZE] : NULL;
}

static int fill(struct front *front, signals_handler *handler, unsigned long flags)
{
	unsigned empty = EMPTY;

	if (!atomic_compare_exchange_strong(&front->state, &empty, FILLING))
		return 0;
	front->handler = handler;
	front->flags = flags;
	atomic_store_explicit(&front->state, FULL, memory_order_release);
	return 1;
}

static int is_for(struct front *front, signals_handler *handler, unsigned long flags)
{
	return atomic_load_explicit(&front->state, memory_order_acquire) == FULL &&
	       front->handler == handler && front->flags == flags;
}

/* The entry for what the program has installed, or NULL: there are no more entries. */
static signals_handler *entry_for(signals_handler *handler, unsigned long flags)
{
	flags &= CHANGED;
	for (unsigned i = 0; i < FRONTS; i++)
		if (is_for(&fronts[i], handler, flags))
			return entry_of(i);
	for (unsigned i = 0; i < FRONTS; i++)
		if (fill(&fronts[i], handler, flags))
			return entry_of(i);
	return NULL;
}

/* ---- in the handler, whose stack the program may have made just large enough: so what is rarely
 * done has frames of its own */

/* The interrupted code is a part of ours in which no code of the program may run: no other mask has
 * the two signals that libc keeps for itself, without this one. */
static int is_kept_out(const ucontext_t *context)
{
	const sys_sigset never = SYS_SIGBIT(SIGKILL) | SYS_SIGBIT(SIGSTOP) | SYS_SIGBIT(SIGBUS);
	sys_sigset mask;

	memcpy(&mask, &context->uc_sigmask, sizeof(mask));
	return (mask | never) == ~(sys_sigset)0;
}

/* Make the signal come again: when this handler returns, if `blocked` is 0, or when the interrupted
 * code unblocks it. */
static __attribute__((noinline)) void put_off(siginfo_t *info, ucontext_t *context, int blocked)
{
	sys_sigset bus = SYS_SIGBIT(SIGBUS), mask;
	int pid = sys_getpid(), tid = sys_gettid();

	sys_sigmask(SIG_BLOCK, &bus, NULL);
	memcpy(&mask, &context->uc_sigmask, sizeof(mask));
	mask = blocked ? mask | bus : mask & ~bus;
	memcpy(&context->uc_sigmask, &mask, sizeof(mask));
	if (SYS4(SYS_rt_tgsigqueueinfo, pid, tid, SIGBUS, info) < 0)
		SYS3(SYS_tgkill, pid, tid, SIGBUS);
}

/* The signal kills the program, as it has asked. A fault comes again then, too. */
static __attribute__((noinline)) void end(siginfo_t *info, ucontext_t *context)
{
	struct sys_sigaction none = {.flags = 0};

	sys_sigaction(SIGBUS, &none, NULL);
	put_off(info, context, 0);
}

/* The handler after entry `number` is to be called once. If two threads get here at once, one of
 * them finds the default. */
static __attribute__((noinline)) signals_handler *take_once(unsigned number)
{
	struct front *front = &fronts[number];
	signals_handler *ours = entry_of(number);
	struct sys_sigaction now, reset;

	sys_sigaction(SIGBUS, NULL, &now);
	if (now.handler == ours) {
		reset = now;
		reset.handler = entry_for(NULL, front->flags);
		sys_sigaction(SIGBUS, &reset, &now);
		if (now.handler == ours)
			return front->handler;
		sys_sigaction(SIGBUS, &now, NULL);
	}
	/* What the program has installed in the meantime is for later signals. */
	return front_of(now.handler) && is_default(front_of(now.handler)->handler) ? NULL
	                                                                           : front->handler;
}

/* Our signals wait until the entry is done (put_ours); the program's handler runs with ticks, but
 * for those that were blocked before, and on a stack without space for them. */
static __attribute__((noinline)) void let_ours_in(const ucontext_t *context)
{
	sys_sigset ours = signals_ours(), blocked;

	memcpy(&blocked, &context->uc_sigmask, sizeof(blocked));
	ours &= ~blocked;
	if (ours && !altstack_is_small())
		sys_sigmask(SIG_UNBLOCK, &ours, NULL);
}

static signals_handler *buserror_decide(int signal, siginfo_t *info, void *context, unsigned number)
{
	signals_handler *handler = fronts[number].handler;

	(void)signal;
	if (info->si_code > 0 && lostpages_replace((uintptr_t)info->si_addr, context))
		return NULL;
	if (is_kept_out(context)) {
		put_off(info, context, 1);
		return NULL;
	}
	if (fronts[number].flags & SA_RESETHAND && !is_default(handler))
		handler = take_once(number);
	if (is_default(handler))
		end(info, context);
	else
		let_ours_in(context);
	return handler;
}

/* ---- outside of it */

/* Replace what the kernel has by what `make` makes of it, if that returns 1. Another thread may
 * change it at the same time: then that is replaced. */
static void exchange(int (*make)(const struct sys_sigaction *now, struct sys_sigaction *other))
{
	struct sys_sigaction now, other, before;

	if (sys_sigaction(SIGBUS, NULL, &now) < 0)
		return;
	for (int tries = 0; tries < TRIES && make(&now, &other); tries++) {
		if (sys_sigaction(SIGBUS, &other, &before) < 0 || before.handler == now.handler)
			return;
		now = before;
	}
}

/* A tick on top of the entry would find SIGBUS blocked, and the next lost page would kill the
 * program: so our signals wait. */
static int put_ours(const struct sys_sigaction *now, struct sys_sigaction *other)
{
	if (is_ignored(now->handler) ||
	    (front_of(now->handler) && (now->mask | signals_ours()) == now->mask))
		return 0;
	*other = *now;
	other->mask |= signals_ours();
	atomic_fetch_or(&added, signals_ours());
	if (front_of(now->handler))
		return 1;
	other->handler = entry_for(now->handler, now->flags);
	other->flags = (now->flags & ~(unsigned long)CHANGED) | SA_SIGINFO | SYS_RESTORER;
	if (!(now->flags & SYS_RESTORER))
		other->restorer = arch_signal_return;
	return other->handler != NULL;
}

static int put_programs(const struct sys_sigaction *now, struct sys_sigaction *other)
{
	const struct front *front = front_of(now->handler);

	if (!front)
		return 0;
	*other = *now;
	other->handler = front->handler;
	other->flags = (now->flags & ~(unsigned long)CHANGED) | front->flags;
	other->mask &= ~atomic_load(&added);
	return 1;
}

/* The old action may be ours, even in a process that is not recorded; the new one is the
 * program's. */
static void changed(struct sigaction *old)
{
	if (old)
		buserror_unmask(old);
	if (col_is_recording())
		buserror_stand();
}

/* A handler of the program that the kernel calls directly must be kept out like any other. */
void buserror_stand(void)
{
	struct sys_sigaction now = {.handler = NULL};

	buserror_decider = buserror_decide;
	signals_watch_sigbus(changed);
	exchange(put_ours);
	sys_sigaction(SIGBUS, NULL, &now);
	if (front_of(now.handler) || is_ignored(now.handler))
		sys_kept_out &= ~SYS_SIGBIT(SIGBUS);
	else
		sys_kept_out |= SYS_SIGBIT(SIGBUS);
}

void buserror_give_back(void)
{
	sys_kept_out = ~(sys_sigset)0;
	exchange(put_programs);
}

void buserror_unmask(struct sigaction *now)
{
	const struct front *front = front_of(now->sa_sigaction);

	if (!front)
		return;
	now->sa_sigaction = front->handler;
	now->sa_flags = (int)(((unsigned)now->sa_flags & ~(unsigned)CHANGED) |
	                      (unsigned)front->flags);
}

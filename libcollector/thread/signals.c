/* signals.c: keep the tick signal for the recorder, and the program's signals for the program. See
 * signals.h.
 * See doc/decisions/02-tick-signal.md. */
#include "libcollector/thread/signals.h"

#include "libcollector/thread/altstack.h"
#include "libcollector/hook/hook.h"
#include "libcollector/thread/thread_state.h"

#include <errno.h>

enum { OWNED_MAX = 4 };

/* A signal of the recorder. */
static struct owned {
	int signal; /* 0: none yet */
	signals_handler *handler;
	struct sigaction program;   /* what the program has installed for it, in its view */
	atomic_uint program_blocks; /* it has asked to block it, perhaps with all others */
} owned[OWNED_MAX];

static sys_sigset owned_set;
static _Atomic(signals_watcher *) sigbus_watcher;

/* Those of our signals that the program has blocked in this thread, in its view. (A jump out of a
 * handler, and the return from one, restore only the kernel's mask: then this is the last request
 * of the program.) */
static __thread sys_sigset believed;

/* The C library's set has more signals than there are; the kernel's set is its beginning. */
static sys_sigset kernel_set(const sigset_t *set)
{
	sys_sigset value;

	memcpy(&value, set, sizeof(value));
	return value;
}

static void set_kernel_set(sigset_t *set, sys_sigset value)
{
	memcpy(set, &value, sizeof(value));
}

static struct sigaction of_kernel(const struct sys_sigaction *action)
{
	struct sigaction same = {.sa_flags = (int)(action->flags & ~(unsigned long)SYS_RESTORER)};

	same.sa_sigaction = action->handler;
	set_kernel_set(&same.sa_mask, action->mask);
	return same;
}

static struct owned *find_owned(int signal)
{
	for (int i = 0; i < OWNED_MAX; i++)
		if (owned[i].signal == signal)
			return &owned[i];
	return NULL;
}

/* Our handler runs on alternate stacks if the program's own handler of the same signal does: then
 * the program may have stacks without space for a signal frame, right beside other data, as Go has.
 * Returns 0 or -errno. */
static int set_action(int signal, const struct owned *ours)
{
	struct sys_sigaction action = {
		.handler = ours->handler,
		.flags = SA_SIGINFO | SA_RESTART | SYS_RESTORER |
	                 ((unsigned)ours->program.sa_flags & SA_ONSTACK),
		.restorer = arch_signal_return,
		.mask = sys_kept_out,
	};

	return (int)sys_sigaction(signal, &action, NULL);
}

static void sigbus_changed(struct sigaction *old)
{
	signals_watcher *watcher = atomic_load_explicit(&sigbus_watcher, memory_order_acquire);

	if (watcher)
		watcher(old);
}

int signals_install(int signal, signals_handler *handler)
{
	struct sys_sigaction old = {.handler = NULL};
	struct owned *ours = find_owned(signal);
	int error;

	if (!ours)
		ours = find_owned(0);
	if (!ours)
		return -ENOSPC;
	error = (int)sys_sigaction(signal, NULL, &old);
	if (error < 0)
		return error;
	if (old.handler != handler) /* a running program may have one of its own */
		ours->program = of_kernel(&old);
	ours->handler = handler;
	error = set_action(signal, ours);
	if (error < 0)
		return error;
	ours->signal = signal;
	if (owned_set & SYS_SIGBIT(signal))
		return 0;
	owned_set |= SYS_SIGBIT(signal);
	sigbus_changed(NULL); /* its entry blocks our signals */
	return 0;
}

void signals_keep(int signal)
{
	struct sys_sigaction now = {.handler = NULL};
	const struct owned *ours = find_owned(signal);

	if (ours && sys_sigaction(signal, NULL, &now) == 0 && !now.handler)
		set_action(signal, ours);
}

/* Let go of signals that were sent to us and wait: the program would die of them. One that the
 * program blocks does nothing, and may be its own. */
static void drop_pending(const struct owned *ours)
{
	const struct sys_sigaction ignored = {.handler = (signals_handler *)(uintptr_t)SIG_IGN};

	if (ours->program.sa_handler == SIG_DFL && !atomic_load(&ours->program_blocks))
		sys_sigaction(ours->signal, &ignored, NULL);
}

void signals_give_back(int kept)
{
	for (int i = 0; i < OWNED_MAX; i++) {
		struct owned *ours = &owned[i];

		if (ours->signal == 0 || ((ours->signal == kept || ours->signal == SIGTRAP) &&
		                          ours->program.sa_handler == SIG_DFL))
			continue;
		drop_pending(ours);
		REAL(sigaction)(ours->signal, &ours->program, NULL);
		owned_set &= ~SYS_SIGBIT(ours->signal);
		ours->signal = 0;
	}
}

int signals_is_ours(const siginfo_t *info)
{
	return thread_is_state(info->si_value.sival_ptr);
}

/* The effect of the signal on a program without a handler for it: the signal kills it. */
static void default_action(int signal)
{
	struct sys_sigaction action = {.handler = NULL};
	sys_sigset set = SYS_SIGBIT(signal);

	sys_sigaction(signal, &action, NULL);
	if (SYS3(SYS_tgkill, sys_getpid(), sys_gettid(), signal) < 0)
		SYS2(SYS_kill, sys_getpid(), signal);
	sys_sigmask(SIG_UNBLOCK, &set, NULL);
}

int signals_tell_program(int signal, siginfo_t *info, void *context)
{
	struct owned *ours = find_owned(signal);
	struct sigaction program;

	if (!ours || ours->program.sa_handler == SIG_DFL || ours->program.sa_handler == SIG_IGN)
		return 0;
	program = ours->program;
	if (program.sa_flags & SA_RESETHAND)
		ours->program.sa_handler = SIG_DFL;
	if (program.sa_flags & SA_SIGINFO)
		program.sa_sigaction(signal, info, context);
	else
		program.sa_handler(signal);
	return 1;
}

void signals_forward(int signal, siginfo_t *info, void *context)
{
	struct owned *ours = find_owned(signal);
	/* A breakpoint instruction cannot be ignored or blocked. */
	int is_forced = signal == SIGTRAP && info->si_code > 0;

	if (!signals_tell_program(signal, info, context) && ours &&
	    (is_forced ||
	     (ours->program.sa_handler == SIG_DFL && !atomic_load(&ours->program_blocks))))
		default_action(signal);
}

/* ---- the program's view ---- */

/* A child of vfork works in its parent's memory: what it changes for itself must not change the
 * parent's view. */
static int is_sharer(void)
{
	return sys_getpid() != col.pid;
}

/* The program asks to block a signal of ours. */
static void note_block(struct owned *ours)
{
	if (!atomic_load_explicit(&ours->program_blocks, memory_order_relaxed) && !is_sharer())
		atomic_store_explicit(&ours->program_blocks, 1, memory_order_relaxed);
}

int signals_depart(sys_sigset *mask)
{
	const struct sys_sigaction ignored = {.handler = (signals_handler *)(uintptr_t)SIG_IGN};

	if (!col_is_recording() || is_sharer()) /* a program that uses vfork restores in the child
	                                         * what it had blocked */
		return 0;
	for (int i = 0; i < OWNED_MAX; i++)
		if (owned[i].signal && owned[i].program.sa_handler == SIG_IGN)
			sys_sigaction(owned[i].signal, &ignored, NULL);
	sys_sigmask(SIG_BLOCK, &believed, mask);
	return 1;
}

void signals_stay(const sys_sigset *mask)
{
	for (int i = 0; i < OWNED_MAX; i++)
		if (owned[i].signal)
			set_action(owned[i].signal, &owned[i]);
	sys_sigmask(SIG_SETMASK, mask, NULL);
}

/* A copy of `set` without our signals; set may be NULL. The kernel looks at no more than is copied.
 */
static const sigset_t *without_ours(const sigset_t *set, sigset_t *copy)
{
	if (!set || !col_is_recording())
		return set;
	*copy = (sigset_t){{0}};
	set_kernel_set(copy, kernel_set(set) & ~owned_set);
	for (int i = 0; i < OWNED_MAX; i++)
		if (owned[i].signal && kernel_set(set) & SYS_SIGBIT(owned[i].signal))
			note_block(&owned[i]);
	return copy;
}

/* The C library hands the pointer to the kernel, which refuses it if it leads nowhere. */
const sigset_t *signals_without_ours(const sigset_t *set, sigset_t *copy)
{
	return sys_is_readable(set, sizeof(sys_sigset)) ? without_ours(set, copy) : set;
}

sys_sigset signals_believed(void)
{
	return believed;
}

void signals_believe(sys_sigset blocked)
{
	believed = blocked;
}

sys_sigset signals_ours(void)
{
	return owned_set;
}

sys_sigset signals_of_ticks(void)
{
	return (SYS_SIGBIT(TICK_SIGNAL) | SYS_SIGBIT(SIGTRAP)) & owned_set;
}

sys_sigset signals_of_ours(const sigset_t *set)
{
	return kernel_set(set) & owned_set;
}

/* The set for the kernel in place of the program's `set`: our signals stay blocked on a stack
 * without space for them, which is `shielded` (altstack.h), and nowhere else. */
static const sigset_t *real_set(int how, const sigset_t *set, int shielded, sigset_t *copy)
{
	if (how == SIG_UNBLOCK && !shielded)
		return set;
	set = without_ours(set, copy);
	if (how == SIG_SETMASK && shielded)
		set_kernel_set(copy, kernel_set(copy) | owned_set);
	return set;
}

/* Change the mask by `real`, which returns 0 on success; for our signals, only the program's view
 * is changed. */
static int change_mask(int (*real)(int, const sigset_t *, sigset_t *), int how, const sigset_t *set,
                       sigset_t *old)
{
	sigset_t copy;
	sys_sigset before = believed;
	sys_sigset asked, after = before;
	int error, shielded;

	if (!col_is_recording())
		return real(how, set, old);
	shielded = set && altstack_is_small();
	asked = set ? signals_of_ours(set) : 0; /* `old` may be the same set */
	error = real(how, real_set(how, set, shielded, &copy), old);
	if (error != 0)
		return error;
	if (set && altstack_expected() &&
	    !shielded) /* a jump out of a handler may have left our signals blocked */
		sys_sigmask(SIG_UNBLOCK, &owned_set, NULL);
	if (set && how == SIG_SETMASK)
		after = asked;
	else if (set)
		after = how == SIG_UNBLOCK ? before & ~asked : before | asked;
	if (after != before && !is_sharer())
		believed = after;
	if (old)
		set_kernel_set(old, (kernel_set(old) & ~owned_set) | before);
	return 0;
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	return change_mask(REAL(sigprocmask), how, set, old);
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	return change_mask(REAL(pthread_sigmask), how, set, old);
}

EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
	sigset_t copy;

	return REAL(signalfd)(fd, signals_without_ours(set, &copy), flags);
}

static void exchange_program_action(struct owned *ours, const struct sigaction *action,
                                    struct sigaction *old)
{
	struct sigaction before = ours->program;

	if (action && !is_sharer()) {
		ours->program = *action;
		if ((before.sa_flags ^ action->sa_flags) & SA_ONSTACK)
			set_action(ours->signal, ours);
	}
	if (old)
		*old = before;
}

/* What a handler that runs on alternate stacks must block. */
static sys_sigset shield_of(unsigned long flags)
{
	return flags & SA_ONSTACK && altstack_expected() ? owned_set : 0;
}

/* Another thread may install a handler at the same time: then that one counts, and is shielded in
 * turn. */
static void shield_handler(int signal)
{
	struct sys_sigaction now, shielded;

	sys_sigaction(signal, NULL, &now);
	for (int tries = 0; tries < 4; tries++) {
		if ((now.mask | shield_of(now.flags)) == now.mask)
			return;
		shielded = now;
		shielded.mask |= owned_set;
		if (sys_sigaction(signal, &shielded, &now) < 0 || now.handler == shielded.handler)
			return;
	}
}

void signals_shield_handlers(void)
{
	for (int signal = 1; signal <= 64; signal++)
		if (!find_owned(signal) && signal != SIGKILL && signal != SIGSTOP)
			shield_handler(signal);
}

void signals_watch_sigbus(signals_watcher *watcher)
{
	atomic_store_explicit(&sigbus_watcher, watcher, memory_order_release);
}

static int change_action(int signal, const struct sigaction *action, struct sigaction *old)
{
	int error = REAL(sigaction)(signal, action, old);

	if (unlikely(signal == SIGBUS) && error == 0)
		sigbus_changed(old);
	return error;
}

EXPORT int sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
	struct owned *ours = signal > 0 ? find_owned(signal) : NULL;
	struct sigaction copy;
	int error;

	if (!col_is_recording())
		return change_action(signal, action, old);
	if (ours) {
		exchange_program_action(ours, action, old);
		return 0;
	}
	if (action) {
		copy = *action;
		set_kernel_set(&copy.sa_mask, (kernel_set(&copy.sa_mask) & ~owned_set) |
		                                      shield_of((unsigned)action->sa_flags));
	}
	error = change_action(signal, action ? &copy : NULL, old);
	if (error == 0 && old)
		set_kernel_set(&old->sa_mask, kernel_set(&old->sa_mask) & ~owned_set);
	return error;
}

static struct sys_sigaction for_kernel(const struct sigaction *action)
{
	return (struct sys_sigaction){.handler = action->sa_sigaction,
	                              .flags = (unsigned)action->sa_flags,
	                              .mask = kernel_set(&action->sa_mask)};
}

/* What is exchanged by a call that the program makes itself. Returns 0: it is not for us. */
static int exchange_action(int signal, const struct sigaction *action, struct sigaction *old)
{
	struct owned *ours = signal > 0 && col_is_recording() ? find_owned(signal) : NULL;

	if (ours)
		exchange_program_action(ours, action, old);
	else if (signal != SIGBUS || !atomic_load(&sigbus_watcher))
		return 0;
	else
		change_action(signal, action, old);
	return 1;
}

int signals_action_by_call(int signal, const void *action, void *old, unsigned long size)
{
	struct sys_sigaction given;
	struct sigaction wanted, before;

	if (size != sizeof(sys_sigset) || (action && !sys_is_readable(action, sizeof(given))))
		return 0;
	if (action) {
		memcpy(&given, action, sizeof(given));
		wanted = of_kernel(&given);
	}
	if (!exchange_action(signal, action ? &wanted : NULL, &before))
		return 0;
	/* The kernel, too, first sets the action and then stores the former one. It tells whether
	 * that may be stored there, by what it stores itself. */
	if (old && sys_sigaction(signal, NULL, old) < 0)
		return -EFAULT;
	if (old) {
		given = for_kernel(&before);
		memcpy(old, &given, sizeof(given));
	}
	return 1;
}

/* The former handler of `number`, as a function of an older interface returns it. */
static __sighandler_t former(int number, __sighandler_t handler)
{
	struct sigaction old = {.sa_handler = handler};

	if (number == SIGBUS)
		sigbus_changed(&old);
	return old.sa_handler;
}

/* The signal, if it is one of ours, and the call is not one that must fail. */
static struct owned *ours_of(int number, __sighandler_t handler)
{
	return number > 0 && handler != SIG_ERR && col_is_recording() ? find_owned(number) : NULL;
}

static __sighandler_t exchange_handler(struct owned *ours, __sighandler_t handler, int flags)
{
	struct sigaction action = {.sa_flags = flags}, old;

	action.sa_handler = handler;
	exchange_program_action(ours, &action, &old);
	return old.sa_handler;
}

/* With the flags that sigaction would have for it. */
#define OLD_SIGNAL(name, flags) \
	EXPORT __sighandler_t name(int number, __sighandler_t handler) \
	{ \
		struct owned *ours = ours_of(number, handler); \
\
		return ours ? exchange_handler(ours, handler, flags) \
		            : former(number, REAL(name)(number, handler)); \
	}
OLD_SIGNAL(signal, SA_RESTART)
OLD_SIGNAL(bsd_signal, SA_RESTART)
OLD_SIGNAL(ssignal, SA_RESTART)
OLD_SIGNAL(sysv_signal, (int)(SA_RESETHAND | SA_NODEFER))
OLD_SIGNAL(__sysv_signal, (int)(SA_RESETHAND | SA_NODEFER))

/* It changes the mask too, and returns it. */
EXPORT __sighandler_t sigset(int number, __sighandler_t handler)
{
	struct owned *ours = ours_of(number, handler);
	__sighandler_t old;
	sigset_t set;

	if (!ours)
		return former(number, REAL(sigset)(number, handler));
	old = handler == SIG_HOLD ? ours->program.sa_handler : exchange_handler(ours, handler, 0);
	sigemptyset(&set);
	sigaddset(&set, number);
	sigprocmask(handler == SIG_HOLD ? SIG_BLOCK : SIG_UNBLOCK, &set, &set);
	return sigismember(&set, number) ? SIG_HOLD : old;
}

/* signals_mask.c: which signals the program blocks, in its view and in truth: ours stay unblocked.
 * See signals.h. */
#include "libcollector/thread/signals_part.h"

#include "libcollector/hook/hook.h"
#include "libcollector/thread/altstack.h"

/* Those of our signals that the program has blocked in this thread, in its view. (A jump out of a
 * handler, and the return from one, restore only the kernel's mask: then this is the last request
 * of the program.) */
static __thread sys_sigset believed;

/* The program asks to block a signal of ours. */
static void note_block(struct signals_owned *ours)
{
	if (!atomic_load_explicit(&ours->program_blocks, memory_order_relaxed) &&
	    !signals_is_sharer())
		atomic_store_explicit(&ours->program_blocks, 1, memory_order_relaxed);
}

int signals_depart(sys_sigset *mask)
{
	const struct sys_sigaction ignored = {.handler = (signals_handler *)(uintptr_t)SIG_IGN};

	if (!col_is_recording() || signals_is_sharer()) /* a program that uses vfork restores in the
	                                                 * child what it had blocked */
		return 0;
	for (int i = 0; i < SIGNALS_OWNED_MAX; i++)
		if (signals_owned[i].signal && signals_owned[i].program.sa_handler == SIG_IGN)
			sys_sigaction(signals_owned[i].signal, &ignored, NULL);
	sys_sigmask(SIG_BLOCK, &believed, mask);
	return 1;
}

void signals_stay(const sys_sigset *mask)
{
	for (int i = 0; i < SIGNALS_OWNED_MAX; i++)
		if (signals_owned[i].signal)
			signals_set_action(signals_owned[i].signal, &signals_owned[i]);
	sys_sigmask(SIG_SETMASK, mask, NULL);
}

/* A copy of `set` without our signals; set may be NULL. The kernel looks at no more than is copied.
 */
static const sigset_t *without_ours(const sigset_t *set, sigset_t *copy)
{
	if (!set || !col_is_recording())
		return set;
	*copy = (sigset_t){{0}};
	signals_set_kernel_set(copy, signals_kernel_set(set) & ~signals_owned_set);
	for (int i = 0; i < SIGNALS_OWNED_MAX; i++)
		if (signals_owned[i].signal &&
		    signals_kernel_set(set) & SYS_SIGBIT(signals_owned[i].signal))
			note_block(&signals_owned[i]);
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

sys_sigset signals_of_ours(const sigset_t *set)
{
	return signals_kernel_set(set) & signals_owned_set;
}

/* The set for the kernel in place of the program's `set`: our signals stay blocked on a stack
 * without space for them, which is `shielded` (altstack.h), and nowhere else. */
static const sigset_t *real_set(int how, const sigset_t *set, int shielded, sigset_t *copy)
{
	if (how == SIG_UNBLOCK && !shielded)
		return set;
	set = without_ours(set, copy);
	if (how == SIG_SETMASK && shielded)
		signals_set_kernel_set(copy, signals_kernel_set(copy) | signals_owned_set);
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
		sys_sigmask(SIG_UNBLOCK, &signals_owned_set, NULL);
	if (set && how == SIG_SETMASK)
		after = asked;
	else if (set)
		after = how == SIG_UNBLOCK ? before & ~asked : before | asked;
	if (after != before && !signals_is_sharer())
		believed = after;
	if (old)
		signals_set_kernel_set(old,
		                       (signals_kernel_set(old) & ~signals_owned_set) | before);
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

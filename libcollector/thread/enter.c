/* enter.c: enter the recorder from a function that the program calls. See enter.h. */
#include "libcollector/thread/enter.h"

int enter_begin(struct col_thread *self)
{
	atomic_store_explicit(&self->in_handler, 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	return col_is_recording();
}

void enter_end(struct col_thread *self)
{
	atomic_store_explicit(&self->in_handler, 0, memory_order_release);
}

struct col_thread *enter_recorder(sys_sigset *old)
{
	struct col_thread *self;

	if (!process_is_recorded())
		return NULL;
	sys_block_signals(old);
	self = thread_current();
	if (self && enter_begin(self))
		return self;
	if (self)
		enter_end(self);
	sys_sigmask(SIG_SETMASK, old, NULL);
	return NULL;
}

void enter_leave(const sys_sigset *old)
{
	enter_end(col_self);
	sys_sigmask(SIG_SETMASK, old, NULL);
}

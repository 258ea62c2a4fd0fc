/* call.c: calls in the target. See call.h. */
#include "attach/call.h"

#include "attach/frame.h"
#include "attach/memory.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* The area: a page of code, then the control block, arguments, the frame, and the stack, which
 * grows down from the end. */
enum {
	PAGE = 4096,
	AREA_SIZE = 320 * 1024,
	CONTROL_AT = PAGE,
	ARGUMENTS_AT = CONTROL_AT + 256,
	ARGUMENTS_SIZE = 64 * 1024,
	FRAME_AT = 2 * PAGE + ARGUMENTS_SIZE,
	STACK_TOP = AREA_SIZE - 256,
	RED_ZONE = 128,
	POLL_US = 200,
	BACK_AFTER_MS = 500, /* should nobody look after the thread: then it goes back by itself */
	DIRECTION_AND_TRAP = 0x500, /* eflags */
	MXCSR_AT = 24,
	MXCSR_DEFAULT = 0x1f80,
};

/* Faults are the program's own doing and reach us at once; all other signals wait. */
#define SIGNAL_BIT(signal) ((uint64_t)1 << ((signal)-1))
#define BLOCKED \
	(~(SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGBUS) | SIGNAL_BIT(SIGILL) | SIGNAL_BIT(SIGFPE) | \
	   SIGNAL_BIT(SIGTRAP)))

struct control {
	uint64_t done;
	uint64_t result;
	struct timespec wait;
	uint64_t frame;
};

/* rax: function, rdi and rsi: arguments, rbx: control block. A function that has ended says so,
 * waits to be fetched, and goes back. */
static const unsigned char stub[] = {
	0xff, 0xd0,                               /* call *%rax */
	0x48, 0x89, 0x43, 0x08,                   /* mov %rax,8(%rbx) */
	0x48, 0xc7, 0x03, 0x01, 0x00, 0x00, 0x00, /* movq $1,(%rbx) */
	0x31, 0xff, /* xor %edi,%edi: ppoll(NULL, 0, &wait, NULL, 8), which leaves no state in the
                       kernel */
	0x31, 0xf6, /* xor %esi,%esi */
	0x48, 0x8d, 0x53, 0x10,             /* lea 16(%rbx),%rdx */
	0x45, 0x31, 0xd2,                   /* xor %r10d,%r10d */
	0x41, 0xb8, 0x08, 0x00, 0x00, 0x00, /* mov $8,%r8d */
	0xb8, 0x0f, 0x01, 0x00, 0x00,       /* mov $SYS_ppoll,%eax */
	0x0f, 0x05,                         /* syscall */
	0x48, 0x8b, 0x63, 0x20,             /* mov 32(%rbx),%rsp */
	0xb8, 0x0f, 0x00, 0x00, 0x00,       /* mov $SYS_rt_sigreturn,%eax */
	0x0f, 0x05,                         /* syscall */
};
_Static_assert(SYS_ppoll == 0x10f && SYS_rt_sigreturn == 0xf, "the stub has these numbers");
_Static_assert(offsetof(struct control, wait) == 16 && offsetof(struct control, frame) == 32,
               "the stub has these offsets");

static int put_frame(const struct call_place *place, uint64_t address)
{
	static unsigned char bytes[FRAME_MAX];
	size_t size = frame_build(&place->state, address, bytes);

	return memory_write(address, bytes, size);
}

/* One system call of the target. Signals are blocked only when the way back is laid, for it ends
 * with their mask. */
static int system_call(struct call_place *place, long number, uint64_t a, uint64_t b, uint64_t c,
                       uint64_t d, int64_t *result)
{
	struct user_regs_struct regs = place->state.regs;
	int error;

	regs.orig_rax = (unsigned long long)-1;
	regs.rax = (unsigned long long)number;
	regs.rdi = a;
	regs.rsi = b;
	regs.rdx = c;
	regs.r10 = d;
	regs.r8 = (unsigned long long)-1;
	regs.r9 = 0;
	regs.rip = place->syscall_at;
	regs.rsp = place->frame_at - sizeof(place->return_at);
	regs.eflags &= ~(unsigned long long)DIRECTION_AND_TRAP;
	error = thread_regs_set(place->thread, &regs);
	if (error == 0)
		error = thread_mask_set(place->thread, BLOCKED);
	return error < 0 ? error : thread_syscall(place->thread, &regs, result);
}

static int find_places(struct call_place *place, struct objects *objects)
{
	static const unsigned char call_and_return[] = {0x0f, 0x05, 0xc3};
	static const unsigned char signal_return[] = {0x48, 0xc7, 0xc0, 0x0f, 0x00,
	                                              0x00, 0x00, 0x0f, 0x05}; /* __restore_rt */

	place->syscall_at = objects_find_code(objects, call_and_return, sizeof(call_and_return));
	place->return_at = objects_find_code(objects, signal_return, sizeof(signal_return));
	return place->syscall_at && place->return_at ? 0 : -ENOTSUP;
}

/* Behind what the thread uses of its stack: the address of the signal return, and the frame. */
static int lay_way_back(struct call_place *place)
{
	uint64_t at = (place->state.regs.rsp - RED_ZONE - FRAME_MAX) & ~(uint64_t)63;
	int error = put_frame(place, at);

	place->frame_at = at;
	return error < 0 ? error
	                 : memory_write(at - sizeof(place->return_at), &place->return_at,
	                                sizeof(place->return_at));
}

static int map_area(struct call_place *place)
{
	int64_t result;
	int error = system_call(place, SYS_mmap, 0, AREA_SIZE, PROT_READ | PROT_WRITE,
	                        MAP_PRIVATE | MAP_ANONYMOUS, &result);

	if (error < 0 || result < 0)
		return error < 0 ? error : (int)result;
	place->area = (uint64_t)result;
	error = system_call(place, SYS_mprotect, place->area, PAGE, PROT_READ | PROT_EXEC, 0,
	                    &result);
	if (error < 0 || result < 0)
		return error < 0 ? error : -EPERM;
	error = memory_write(place->area, stub, sizeof(stub));
	return error < 0 ? error : put_frame(place, place->area + FRAME_AT);
}

int call_begin(struct call_place *place, struct objects *objects, struct thread *thread)
{
	int error;

	*place = (struct call_place){.thread = thread};
	error = thread_save(thread, &place->state);
	if (error == 0)
		error = find_places(place, objects);
	if (error == 0)
		error = lay_way_back(place);
	if (error < 0)
		return error;
	error = map_area(place);
	if (error < 0)
		call_end(place);
	return error;
}

uint64_t call_put(struct call_place *place, size_t *used, const void *bytes, size_t len)
{
	uint64_t at = place->area + ARGUMENTS_AT + *used;

	if (len > ARGUMENTS_SIZE || *used > ARGUMENTS_SIZE - len ||
	    memory_write(at, bytes, len) < 0)
		return 0;
	*used += (len + 15) & ~(size_t)15;
	return at;
}

/* The thread has stopped by itself in the call. A fault is ours; other signals are such as the
 * function has let in. */
static int go_on(struct thread *thread)
{
	if (thread->is_event)
		return thread->stop_signal == SIGTRAP ? thread_continue(thread) : -EBUSY;
	if (!(BLOCKED & SIGNAL_BIT(thread->stop_signal)))
		return -EFAULT;
	return thread_pass_signal(thread);
}

/* Wait until the function has said that it has ended. */
static int wait_done(struct call_place *place, int timeout_ms)
{
	int64_t end = thread_now_ms() + timeout_ms;
	struct control control;
	int stopped;

	for (;;) {
		if (memory_read(place->area + CONTROL_AT, &control, sizeof(control)) < 0)
			return -ESRCH;
		if (control.done)
			return 0;
		stopped = thread_poll(place->thread);
		if (stopped < 0)
			return stopped;
		if (stopped > 0) {
			stopped = go_on(place->thread);
			if (stopped < 0)
				return stopped;
		}
		if (thread_now_ms() > end)
			return -ETIMEDOUT;
		thread_pause_us(POLL_US);
	}
}

static int start_function(struct call_place *place, uint64_t function, uint64_t first,
                          uint64_t second)
{
	struct control control = {.wait = {.tv_nsec = BACK_AFTER_MS * 1000000L},
	                          .frame = place->area + FRAME_AT};
	struct user_regs_struct regs = place->state.regs;
	struct thread_state calm = place->state;
	const uint32_t mxcsr = MXCSR_DEFAULT;
	int error = memory_write(place->area + CONTROL_AT, &control, sizeof(control));

	regs.orig_rax = (unsigned long long)-1;
	regs.rip = place->area;
	regs.rax = function;
	regs.rdi = first;
	regs.rsi = second;
	regs.rbx = place->area + CONTROL_AT;
	regs.rbp = 0;
	regs.rsp = place->area + STACK_TOP;
	regs.eflags &= ~(unsigned long long)DIRECTION_AND_TRAP;
	memcpy(calm.xstate + MXCSR_AT, &mxcsr, sizeof(mxcsr));
	if (error == 0)
		error = thread_regs_set(place->thread, &regs);
	if (error == 0)
		error = thread_xstate_set(place->thread, calm.xstate, calm.xstate_size);
	return error < 0 ? error : thread_continue(place->thread);
}

/* Stop the thread where it waits for that. If we were too slow, it has gone back by itself, and is
 * not to be moved. */
static int fetch(struct call_place *place)
{
	struct user_regs_struct regs;
	int error = thread_stop(place->thread);

	if (error == 0)
		error = thread_regs_get(place->thread, &regs);
	if (error == 0 && regs.rip - place->area >= PAGE) {
		thread_release(place->thread);
		return -ESTALE;
	}
	return error;
}

int call_function(struct call_place *place, uint64_t function, uint64_t first, uint64_t second,
                  int timeout_ms, uint64_t *result)
{
	struct control control;
	int error = start_function(place, function, first, second);

	if (error == 0)
		error = wait_done(place, timeout_ms);
	if (error < 0)
		return error;
	error = fetch(place);
	if (memory_read(place->area + CONTROL_AT, &control, sizeof(control)) == 0)
		*result = control.result;
	return error;
}

int call_end(struct call_place *place)
{
	int64_t result;

	if (place->area && place->thread->is_stopped)
		system_call(place, SYS_munmap, place->area, AREA_SIZE, 0, 0, &result);
	place->area = 0;
	return thread_restore(place->thread, &place->state);
}

/* call.c: calls in the target. See call.h. */
#include "attach/call.h"

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
	POLL_US = 200,
	BACK_AFTER_MS = 500, /* should nobody look after the thread: then it goes back by itself */
};

/* Faults are the program's own doing and reach us at once. All other signals wait; one of them is
 * SIGTRAP, which brings clock samples. */
#define SIGNAL_BIT(signal) ((uint64_t)1 << ((signal)-1))
#define BLOCKED \
	(~(SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGBUS) | SIGNAL_BIT(SIGILL) | SIGNAL_BIT(SIGFPE)))

static int put_frame(const struct call_place *place, uint64_t address)
{
	static unsigned char bytes[ARCH_FRAME_MAX];
	size_t size = arch_frame_build(&place->state, address, bytes);

	return memory_write(address, bytes, size);
}

/* One system call of the target. Signals are blocked only when the signal frame is in place, since
 * it restores their mask. */
static int system_call(struct call_place *place, long number, uint64_t a, uint64_t b, uint64_t c,
                       uint64_t d, int64_t *result)
{
	const struct arch_call call = {.code = place->call_at,
	                               .return_at = place->return_at,
	                               .frame = place->frame_at,
	                               .number = number,
	                               .argument = {a, b, c, d}};
	struct arch_registers registers = place->state.registers;
	int error;

	arch_enter_call(&registers, &call);
	error = arch_registers_set(place->thread->tid, &registers);
	if (error == 0)
		error = thread_mask_set(place->thread, BLOCKED);
	return error < 0 ? error : thread_syscall(place->thread, &registers, result);
}

static int find_places(struct call_place *place, struct objects *objects)
{
	place->call_at = objects_find_code(objects, arch_code_call.bytes, arch_code_call.size);
	place->return_at = objects_find_code(objects, arch_code_signal_return.bytes,
	                                     arch_code_signal_return.size);
	return place->call_at && place->return_at ? 0 : -ENOTSUP;
}

int call_is_possible(struct objects *objects)
{
	struct call_place place = {.area = 0};

	return find_places(&place, objects) == 0;
}

/* Behind what the thread uses of its stack: the address of the signal return, and the frame. */
static int lay_way_back(struct call_place *place)
{
	uint64_t at = (arch_sp(&place->state.registers) - ARCH_RED_ZONE - ARCH_FRAME_MAX) &
	              ~(uint64_t)(ARCH_FRAME_ALIGN - 1);
	int error = put_frame(place, at);

	place->frame_at = at;
	return error < 0
	               ? error
	               : memory_write(at - ARCH_RETURN_BYTES, &place->return_at, ARCH_RETURN_BYTES);
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
	error = memory_write(place->area, arch_code_stub.bytes, arch_code_stub.size);
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
	struct arch_control control;
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
	struct arch_control control = {.wait = {.tv_nsec = BACK_AFTER_MS * 1000000L},
	                               .frame = place->area + FRAME_AT};
	const struct arch_start start = {.code = place->area,
	                                 .function = function,
	                                 .first = first,
	                                 .second = second,
	                                 .control = place->area + CONTROL_AT,
	                                 .stack = place->area + STACK_TOP};
	struct arch_state calm = place->state;
	int error = memory_write(place->area + CONTROL_AT, &control, sizeof(control));

	arch_enter_function(&calm.registers, &start);
	arch_vector_calm(calm.vector);
	if (error == 0)
		error = arch_registers_set(place->thread->tid, &calm.registers);
	if (error == 0)
		error = arch_vector_set(place->thread->tid, calm.vector, calm.vector_size);
	return error < 0 ? error : thread_continue(place->thread);
}

/* Stop the thread where it waits for that. If we were too slow, it has gone back by itself, and is
 * not to be moved. */
static int fetch(struct call_place *place)
{
	struct arch_registers registers;
	int error = thread_stop(place->thread);

	if (error == 0)
		error = arch_registers_get(place->thread->tid, &registers);
	if (error == 0 && arch_pc(&registers) - place->area >= PAGE) {
		thread_release(place->thread);
		return -ESTALE;
	}
	return error;
}

int call_function(struct call_place *place, uint64_t function, uint64_t first, uint64_t second,
                  int timeout_ms, uint64_t *result)
{
	struct arch_control control;
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

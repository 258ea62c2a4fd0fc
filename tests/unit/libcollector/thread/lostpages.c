/* Tests of data files that lose pages while they are written. */
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/thread/buserror.h"
#include "libcollector/base/file.h"
#include "libcollector/thread/thread.h"
#include "libcollector/unwind/tree.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static struct col_thread *self;

static void begin(void)
{
	scratch_open();
	buserror_stand();
	self = thread_adopt_self();
	cr_assert(self != NULL);
}

static int write_event(enum col_context context)
{
	struct fmt_clock record = {.kind = FMT_KIND_clock, .cpu_ns = 16};

	return col_slot_write(&self->slot[context][FMT_STREAM_PROFILE], FMT_STREAM_PROFILE, 1,
	                      &record, sizeof(record), col_ticks());
}

static void cut(const char *name)
{
	char path[5000];

	snprintf(path, sizeof(path), "%s/%s", col.descriptor.directory, name);
	cr_assert(truncate(path, 0) == 0);
}

static int count_in_log(const char *what)
{
	size_t len;
	char *log = scratch_read("log.xml", &len);
	int count = 0;

	cr_assert(log != NULL);
	for (const char *at = log; (at = strstr(at, what)); at++)
		count++;
	free(log);
	return count;
}

/* There is memory until the extents end; then the stream has stopped. */
Test(lostpages, the_loss_is_noted_once_and_the_stream_stops, .init = begin, .fini = scratch_remove)
{
	cr_assert_eq(write_event(COL_NORMAL), 0);
	cr_assert_eq(write_event(COL_HANDLER), 0);
	cut("profile");
	cr_assert_eq(write_event(COL_NORMAL), 0);
	cr_assert_eq(write_event(COL_HANDLER), 0);
	cr_assert_eq(count_in_log("kind=\"loss\""), 1);
	cr_assert_eq(count_in_log("stream=\"profile\""), 1);
	for (int i = 0; i < 1000 && write_event(COL_NORMAL) == 0; i++)
		continue;
	cr_assert_eq(write_event(COL_NORMAL), -1);
	cr_assert_gt(atomic_load(&col.count.lost[FMT_STREAM_PROFILE]), 0);
}

/* As in the tick's handler, and wherever else all signals are blocked. */
Test(lostpages, also_where_all_signals_are_blocked, .init = begin, .fini = scratch_remove)
{
	const sys_sigset never = SYS_SIGBIT(SIGKILL) | SYS_SIGBIT(SIGSTOP);
	sys_sigset old, after;

	cr_assert_eq(write_event(COL_NORMAL), 0);
	cut("profile");
	sys_block_signals(&old);
	cr_assert_eq(write_event(COL_NORMAL), 0);
	sys_sigmask(SIG_SETMASK, &old, &after);
	cr_assert_eq(after | never, sys_kept_out);
	cr_assert_eq(count_in_log("kind=\"loss\""), 1);
}

Test(lostpages, what_a_handler_interrupts_goes_on, .init = begin, .fini = scratch_remove)
{
	struct col_slot *slot = &self->slot[COL_NORMAL][FMT_STREAM_PROFILE];
	struct fmt_clock record = {.kind = FMT_KIND_clock, .cpu_ns = 16};
	uint8_t *payload = col_slot_event(slot, FMT_STREAM_PROFILE, 1, sizeof(record), col_ticks());

	cr_assert(payload != NULL);
	cut("profile");
	fdr_payload_put(payload, (const uint8_t *)&record, sizeof(record));
	cr_assert_eq(memcmp(payload, &record, sizeof(record)), 0);
}

Test(lostpages, without_call_stacks_all_events_end, .init = begin, .fini = scratch_remove)
{
	uint32_t node = tree_node(0, 0x401000);

	scratch_host(NULL, 0);
	cr_assert_neq(node, 0);
	cut("frameinfo");
	tree_node(node, 0x402000);
	cr_assert_eq(count_in_log("stream=\"frameinfo\""), 1);
	cr_assert_eq(atomic_load(&col.events_stopped), 1);
	cr_assert_eq(tree_outside(node, 0x400000, 0x500000), node);
}

static void leaves(int signal)
{
	(void)signal;
	_exit(7);
}

static int end_of(void (*act)(void))
{
	pid_t child = vfork();
	int status;

	if (child == 0) {
		act();
		_exit(1);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static uint8_t *place;

static void writes_there(void)
{
	*(volatile uint8_t *)place = 1;
}

/* A file of the program may be mapped there then. */
Test(lostpages, an_extent_that_was_given_up_is_nobodys, .init = begin, .fini = scratch_remove)
{
	struct col_slot *slot = &self->slot[COL_NORMAL][FMT_STREAM_PROFILE];
	int fd = memfd_create("of the program", MFD_CLOEXEC);

	signal(SIGBUS, leaves);
	cr_assert_eq(write_event(COL_NORMAL), 0);
	place = slot->end - slot->size;
	col_slot_abandon(slot);
	col_streams_forget(); /* which takes further extents from the same memory */
	cr_assert(mmap(place, SYS_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
	          place);
	cr_assert_eq(end_of(writes_there), 7);
}

/* It shares the memory, but no slot belongs to it. */
static void writes_event(void)
{
	_exit(write_event(COL_NORMAL) == 0 ? 3 : 4);
}

Test(lostpages, a_child_of_vfork_goes_on_too, .init = begin, .fini = scratch_remove)
{
	cr_assert_eq(write_event(COL_NORMAL), 0);
	cut("profile");
	cr_assert_eq(end_of(writes_event), 3);
	cr_assert_eq(write_event(COL_NORMAL), 0);
}

static void writes_without_memory(void)
{
	struct rlimit none = {0, 0};

	setrlimit(RLIMIT_AS, &none);
	writes_event();
}

Test(lostpages, without_memory_it_is_the_programs, .init = begin, .fini = scratch_remove)
{
	signal(SIGBUS, SIG_DFL);
	cr_assert_eq(write_event(COL_NORMAL), 0);
	cut("profile");
	cr_assert_eq(end_of(writes_without_memory), -SIGBUS);
}

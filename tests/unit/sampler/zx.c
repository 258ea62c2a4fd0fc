/* The calls of <xer/sampler.h>: states, and errors in the order in which they are tested. */
#include "include/xer/sampler.h"
#include "sampler/session.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define is(call, status) cr_assert_eq(call, status, #call ": %d instead of " #status, (int)(call))

static zx_sampler_config_t config(void)
{
	return (zx_sampler_config_t){.period = 1000000,
	                             .buffer_size = 100000,
	                             .iobuffer_discipline = ZX_IOB_DISCIPLINE_NONE};
}

static zx_handle_t iob, me;

static zx_status_t create(zx_handle_t *out)
{
	zx_sampler_config_t wish = config();

	return zx_sampler_create(xer_debug_resource(), 0, &wish, sizeof(wish), out);
}

static void need_sampling(void)
{
	if (session_permission() < 0)
		cr_skip_test("this system lets nobody sample threads (perf_event_open)");
}

static void open_session(void)
{
	need_sampling();
	is(create(&iob), ZX_OK);
	is(xer_thread_handle((pid_t)syscall(SYS_gettid), &me), ZX_OK);
}

/* Between readings of the clock; kernel time may not be sampled by every user. */
static void work(void)
{
	for (volatile int i = 0; i < 10000; i++)
		continue;
}

static void burn(int ms)
{
	struct timespec now;
	int64_t end;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	end = now.tv_sec * 1000000000LL + now.tv_nsec + ms * 1000000LL;
	do {
		work();
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while (now.tv_sec * 1000000000LL + now.tv_nsec < end);
}

static xer_sampler_info_t info_of(zx_handle_t handle)
{
	xer_sampler_info_t info;

	is(zx_object_get_info(handle, XER_INFO_SAMPLER, &info, sizeof(info), NULL, NULL), ZX_OK);
	return info;
}

Test(zx, create_tests_the_resource_before_the_arguments_and_these_before_the_session)
{
	zx_sampler_config_t good = config(), bad = {0};
	zx_handle_t other;

	open_session();
	is(zx_sampler_create(0, 1, &bad, 0, &other), ZX_ERR_BAD_HANDLE);
	is(zx_sampler_create(iob, 1, &bad, 0, &other), ZX_ERR_WRONG_TYPE);
	is(zx_sampler_create(xer_debug_resource(), 1, &bad, 0, &other), ZX_ERR_INVALID_ARGS);
	is(zx_sampler_create(xer_debug_resource(), 0, &good, sizeof(good), &other),
	   ZX_ERR_ALREADY_EXISTS);
}

Test(zx, create_refuses_each_wrong_argument)
{
	static const struct {
		const char *what;
		uint64_t options;
		zx_sampler_config_t config;
		size_t size;
		zx_status_t status;
	} table[] = {
		{"options",
	         1,
	         {1000000, 4096, 0},
	         sizeof(zx_sampler_config_t),
	         ZX_ERR_INVALID_ARGS},
		{"a smaller config",
	         0,
	         {1000000, 4096, 0},
	         sizeof(zx_sampler_config_t) - 1,
	         ZX_ERR_INVALID_ARGS},
		{"a larger config",
	         0,
	         {1000000, 4096, 0},
	         sizeof(zx_sampler_config_t) + 1,
	         ZX_ERR_INVALID_ARGS},
		{"discipline",
	         0,
	         {1000000, 4096, 1},
	         sizeof(zx_sampler_config_t),
	         ZX_ERR_INVALID_ARGS},
		{"buffer too large",
	         0,
	         {1000000, ZX_SAMPLER_MAX_BUFFER_SIZE + 1, 0},
	         sizeof(zx_sampler_config_t),
	         ZX_ERR_INVALID_ARGS},
		{"no buffer", 0, {1000000, 0, 0}, sizeof(zx_sampler_config_t), ZX_ERR_INVALID_ARGS},
		{"period too short",
	         0,
	         {ZX_SAMPLER_MIN_PERIOD - 1, 4096, 0},
	         sizeof(zx_sampler_config_t),
	         ZX_ERR_INVALID_ARGS},
		{"negative period",
	         0,
	         {-1, 4096, 0},
	         sizeof(zx_sampler_config_t),
	         ZX_ERR_INVALID_ARGS},
		{"shortest period",
	         0,
	         {ZX_SAMPLER_MIN_PERIOD, 4096, 0},
	         sizeof(zx_sampler_config_t),
	         ZX_OK},
		{"largest buffer",
	         0,
	         {1000000, ZX_SAMPLER_MAX_BUFFER_SIZE, 0},
	         sizeof(zx_sampler_config_t),
	         ZX_OK},
	};

	need_sampling();
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		zx_sampler_config_t wish = table[i].config;
		zx_handle_t out = 77;

		cr_assert_eq(zx_sampler_create(xer_debug_resource(), table[i].options, &wish,
		                               table[i].size, &out),
		             table[i].status, "%s", table[i].what);
		cr_assert_eq(out != 77, table[i].status == ZX_OK,
		             "%s: the handle is written on success only", table[i].what);
		if (table[i].status == ZX_OK)
			is(zx_handle_close(out), ZX_OK);
	}
	is(zx_sampler_create(xer_debug_resource(), 0, NULL, sizeof(zx_sampler_config_t), &iob),
	   ZX_ERR_INVALID_ARGS);
}

Test(zx, start_and_stop_keep_their_states)
{
	open_session();
	is(zx_sampler_stop(iob), ZX_ERR_BAD_STATE);
	is(zx_sampler_start(iob), ZX_OK);
	is(zx_sampler_start(iob), ZX_ERR_BAD_STATE);
	is(zx_sampler_stop(iob), ZX_OK);
	is(zx_sampler_stop(iob), ZX_ERR_BAD_STATE);
	is(zx_sampler_start(iob), ZX_OK);
	is(zx_handle_close(iob), ZX_OK);
	is(zx_sampler_start(iob), ZX_ERR_BAD_HANDLE);
	is(create(&iob), ZX_OK);
	is(zx_sampler_start(iob), ZX_OK);
}

Test(zx, handles_are_tested_the_thread_first)
{
	zx_handle_t weak_thread, weak_iob;

	open_session();
	is(zx_sampler_attach(0, 0), ZX_ERR_BAD_HANDLE);
	is(zx_sampler_attach(0, iob), ZX_ERR_WRONG_TYPE);
	is(zx_handle_duplicate(me, ZX_RIGHT_INSPECT, &weak_thread), ZX_OK);
	is(zx_sampler_attach(0, weak_thread), ZX_ERR_ACCESS_DENIED);
	is(zx_sampler_attach(0, me), ZX_ERR_BAD_HANDLE);
	is(zx_sampler_attach(me, me), ZX_ERR_WRONG_TYPE);
	is(zx_handle_duplicate(iob, ZX_RIGHT_MAP | ZX_RIGHT_INSPECT, &weak_iob), ZX_OK);
	is(zx_sampler_attach(weak_iob, me), ZX_ERR_ACCESS_DENIED);
	is(zx_sampler_start(weak_iob), ZX_ERR_ACCESS_DENIED);
	is(zx_sampler_stop(weak_iob), ZX_ERR_ACCESS_DENIED);
	is(zx_sampler_start(xer_debug_resource()), ZX_ERR_WRONG_TYPE);
	is(zx_sampler_attach(iob, me), ZX_OK);
	is(zx_sampler_attach(iob, me), ZX_OK);
	cr_assert_eq(info_of(iob).threads, 1);
}

Test(zx, the_session_lives_as_long_as_its_last_handle)
{
	zx_handle_t second, other;

	open_session();
	is(zx_handle_duplicate(iob, ZX_RIGHT_SAME_RIGHTS, &second), ZX_OK);
	is(zx_handle_close(iob), ZX_OK);
	is(zx_handle_close(iob), ZX_ERR_BAD_HANDLE);
	is(create(&other), ZX_ERR_ALREADY_EXISTS);
	is(zx_sampler_start(second), ZX_OK);
	is(zx_handle_close(second), ZX_OK);
	is(create(&other), ZX_OK);
	is(zx_handle_close(ZX_HANDLE_INVALID), ZX_OK);
}

Test(zx, rights_cannot_grow)
{
	zx_handle_t weak, out;

	open_session();
	is(zx_handle_duplicate(iob, ZX_RIGHT_WRITE | ZX_RIGHT_READ, &out), ZX_ERR_INVALID_ARGS);
	is(zx_handle_duplicate(iob, ZX_RIGHT_INSPECT, &weak), ZX_OK);
	is(zx_handle_duplicate(weak, ZX_RIGHT_INSPECT, &out), ZX_ERR_ACCESS_DENIED);
	is(zx_handle_duplicate(0, ZX_RIGHT_SAME_RIGHTS, &out), ZX_ERR_BAD_HANDLE);
}

Test(zx, regions_are_as_many_as_cpus_and_whole_pages)
{
	zx_iob_region_info_t regions[256];
	zx_info_iob_t whole;
	size_t actual, all;

	open_session();
	is(zx_object_get_info(iob, ZX_INFO_IOB_REGIONS, NULL, 0, &actual, &all), ZX_OK);
	cr_assert_eq(actual, 0);
	cr_assert_eq(all, (size_t)sysconf(_SC_NPROCESSORS_ONLN));
	is(zx_object_get_info(iob, ZX_INFO_IOB_REGIONS, regions, sizeof(regions[0]), &actual, &all),
	   ZX_OK);
	cr_assert_eq(actual, 1);
	cr_assert_eq(regions[0].region.size, (100000 + zx_system_get_page_size() - 1) /
	                                             zx_system_get_page_size() *
	                                             zx_system_get_page_size());
	is(zx_object_get_info(iob, 9999, regions, sizeof(regions), &actual, &all),
	   ZX_ERR_NOT_SUPPORTED);
	is(zx_object_get_info(me, ZX_INFO_IOB_REGIONS, regions, sizeof(regions), &actual, &all),
	   ZX_ERR_WRONG_TYPE);
	is(zx_object_get_info(iob, XER_INFO_SAMPLER, regions, 1, &actual, &all),
	   ZX_ERR_BUFFER_TOO_SMALL);
	is(zx_object_get_info(iob, ZX_INFO_IOB, &whole, sizeof(whole), NULL, NULL), ZX_OK);
	cr_assert_eq(whole.region_count, (size_t)sysconf(_SC_NPROCESSORS_ONLN));
	cr_assert_eq(whole.options, 0);
	is(zx_object_get_info(iob, ZX_INFO_IOB, &whole, sizeof(whole) - 1, NULL, NULL),
	   ZX_ERR_BUFFER_TOO_SMALL);
}

/* Programs that were compiled with Fuchsia's numbers must find them. */
Test(zx, constants_are_fuchsias)
{
	cr_assert_eq(ZX_INFO_IOB, 34);
	cr_assert_eq(ZX_INFO_IOB_REGIONS, 35);
	cr_assert_eq(ZX_RIGHT_APPLY_PROFILE, 1u << 19);
	cr_assert_eq(ZX_RIGHT_INSPECT, 1u << 15);
	cr_assert_eq(ZX_RSRC_KIND_SYSTEM, 5);
	cr_assert_eq(ZX_RSRC_SYSTEM_DEBUG_BASE, 2);
	cr_assert_eq(ZX_SAMPLER_MIN_PERIOD, 10000);
	cr_assert_eq(ZX_IOB_DISCIPLINE_NONE, 0);
	cr_assert_eq(ZX_VM_MAP_RANGE, 1u << 10);
	cr_assert_eq(sizeof(zx_sampler_config_t), 24);
	cr_assert_eq(sizeof(zx_info_iob_t), 16);
}

Test(zx, mapping_checks_what_it_gets)
{
	size_t page = zx_system_get_page_size();
	zx_vaddr_t at = 0, again = 0;
	zx_handle_t vmar = zx_vmar_root_self();

	open_session();
	is(zx_vmar_map_iob(0, ZX_VM_PERM_READ, 0, iob, 0, 0, page, &at), ZX_ERR_BAD_HANDLE);
	is(zx_vmar_map_iob(iob, ZX_VM_PERM_READ, 0, iob, 0, 0, page, &at), ZX_ERR_WRONG_TYPE);
	is(zx_vmar_map_iob(vmar, ZX_VM_PERM_READ, 0, vmar, 0, 0, page, &at), ZX_ERR_WRONG_TYPE);
	is(zx_vmar_map_iob(vmar, ZX_VM_PERM_READ | 1u << 20, 0, iob, 0, 0, page, &at),
	   ZX_ERR_INVALID_ARGS);
	is(zx_vmar_map_iob(vmar, ZX_VM_PERM_READ, 0, iob, 0, 0, 0, &at), ZX_ERR_INVALID_ARGS);
	is(zx_vmar_map_iob(vmar, ZX_VM_PERM_READ, 0, iob, 0, 1, page, &at), ZX_ERR_INVALID_ARGS);
	is(zx_vmar_map_iob(vmar, ZX_VM_PERM_READ, page, iob, 0, 0, page, &at), ZX_ERR_INVALID_ARGS);
	is(zx_vmar_map_iob(vmar, ZX_VM_PERM_READ, 0, iob, 100000, 0, page, &at),
	   ZX_ERR_OUT_OF_RANGE);
	is(zx_vmar_map_iob(vmar, ZX_VM_PERM_READ, 0, iob, 0, 0, 1000 * page, &at),
	   ZX_ERR_OUT_OF_RANGE);
	is(zx_vmar_map_iob(vmar, ZX_VM_PERM_READ, 0, iob, 0, 1000 * page, page, &at),
	   ZX_ERR_OUT_OF_RANGE);
	is(zx_vmar_map_iob(vmar, ZX_VM_PERM_READ | ZX_VM_PERM_WRITE, 0, iob, 0, 0, page, &at),
	   ZX_ERR_ACCESS_DENIED);
	is(zx_vmar_map_iob(vmar, ZX_VM_PERM_READ, 0, iob, 0, page, page, &at), ZX_OK);
	is(zx_vmar_map_iob(vmar, ZX_VM_PERM_READ | ZX_VM_SPECIFIC, at, iob, 0, 0, page, &again),
	   ZX_ERR_ALREADY_EXISTS);
	is(zx_vmar_map_iob(vmar, ZX_VM_PERM_READ | ZX_VM_SPECIFIC_OVERWRITE, at, iob, 0, 0, page,
	                   &again),
	   ZX_OK);
	cr_assert_eq(again, at);
	is(zx_handle_close(iob), ZX_OK);
	cr_assert_eq(*(volatile uint64_t *)at, 0, "a mapping outlives the session");
}

Test(zx, threads_are_found_or_not)
{
	zx_handle_t out;

	need_sampling();
	is(xer_thread_handle(0, &out), ZX_ERR_INVALID_ARGS);
	is(xer_thread_handle(1 << 30, &out), ZX_ERR_NOT_FOUND);
	is(xer_thread_handle(getpid(), NULL), ZX_ERR_INVALID_ARGS);
}

Test(zx, a_thread_that_has_ended_is_not_attached)
{
	zx_handle_t thread;
	pid_t child;

	open_session();
	child = fork();
	if (child == 0) {
		pause();
		_exit(0);
	}
	is(xer_thread_handle(child, &thread), ZX_OK);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	is(zx_sampler_attach(iob, thread), ZX_ERR_BAD_STATE);
	cr_assert_eq(info_of(iob).threads, 0);
}

Test(zx, only_attached_threads_are_sampled_and_nothing_after_stop)
{
	xer_sampler_info_t before, after;

	open_session();
	is(zx_sampler_start(iob), ZX_OK);
	burn(30);
	is(zx_sampler_stop(iob), ZX_OK);
	cr_assert_eq(info_of(iob).samples, 0, "not attached");
	is(zx_sampler_start(iob), ZX_OK);
	is(zx_sampler_attach(iob, me), ZX_OK);
	burn(100);
	is(zx_sampler_stop(iob), ZX_OK);
	before = info_of(iob);
	cr_assert(before.samples + before.bad_stacks >= 80 &&
	                  before.samples + before.bad_stacks <= 130,
	          "%d samples and %d bad in 100 ms", (int)before.samples, (int)before.bad_stacks);
	burn(30);
	after = info_of(iob);
	cr_assert_eq(after.samples + after.bad_stacks, before.samples + before.bad_stacks);
	is(zx_sampler_start(iob), ZX_OK);
	burn(50);
	is(zx_sampler_stop(iob), ZX_OK);
	after = info_of(iob);
	cr_assert_gt(after.samples + after.bad_stacks, before.samples + before.bad_stacks,
	             "starting again goes on");
}

Test(zx, a_full_region_ends_and_the_rest_is_counted)
{
	zx_sampler_config_t wish = {.period = 20000, .buffer_size = 1, .iobuffer_discipline = 0};
	uint64_t page = zx_system_get_page_size();
	xer_sampler_info_t info;

	need_sampling();
	is(zx_sampler_create(xer_debug_resource(), 0, &wish, sizeof(wish), &iob), ZX_OK);
	is(xer_thread_handle((pid_t)syscall(SYS_gettid), &me), ZX_OK);
	is(zx_sampler_attach(iob, me), ZX_OK);
	is(zx_sampler_start(iob), ZX_OK);
	burn(100);
	is(zx_sampler_stop(iob), ZX_OK);
	info = info_of(iob);
	if (info.samples + info.no_room == 0 && info.bad_stacks > 0)
		cr_skip_test(
			"all stacks go astray where the code that calls this has no frame pointers");
	cr_assert_gt(info.no_room, 0);
	cr_assert_leq(info.samples * 7 * 8, page * (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
}

Test(zx, a_forked_child_has_no_session_and_may_make_its_own)
{
	int status;
	pid_t child;

	open_session();
	is(zx_sampler_attach(iob, me), ZX_OK);
	is(zx_sampler_start(iob), ZX_OK);
	child = fork();
	if (child == 0) {
		zx_handle_t own;
		int right = zx_sampler_stop(iob) == ZX_ERR_BAD_STATE && create(&own) == ZX_OK &&
		            zx_sampler_start(iob) == ZX_ERR_BAD_HANDLE &&
		            zx_sampler_start(own) == ZX_OK && zx_handle_close(iob) == ZX_OK &&
		            zx_sampler_stop(own) == ZX_OK;

		_exit(right ? 0 : 1);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0);
	is(zx_sampler_stop(iob), ZX_OK);
}

Test(zx, a_limit_on_file_sizes_is_an_error_and_no_signal)
{
	need_sampling();
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, 4096});
	is(create(&iob), ZX_ERR_NO_MEMORY);
}

/* libc sends all threads a signal that cannot be blocked when one of them changes its group. */
Test(zx, a_signal_of_libc_s_does_not_end_the_sampling)
{
	xer_sampler_info_t before, after;

	open_session();
	is(zx_sampler_attach(iob, me), ZX_OK);
	is(zx_sampler_start(iob), ZX_OK);
	cr_assert_eq(setresgid((gid_t)-1, (gid_t)-1, (gid_t)-1), 0);
	burn(200);
	before = after = info_of(iob);
	for (int i = 0;
	     i < 50 && after.samples + after.bad_stacks == before.samples + before.bad_stacks;
	     i++) {
		burn(20);
		after = info_of(iob);
	}
	cr_assert_gt(after.samples + after.bad_stacks, before.samples + before.bad_stacks);
	is(zx_sampler_stop(iob), ZX_OK);
}

static void *end_in_a_call(void *ignored)
{
	(void)ignored;
	pthread_cancel(pthread_self());
	zx_sampler_stop(iob);
	return NULL;
}

Test(zx, a_thread_that_is_cancelled_in_a_call_holds_nobody_up, .timeout = 60)
{
	pthread_t thread;

	open_session();
	is(zx_sampler_start(iob), ZX_OK);
	cr_assert_eq(pthread_create(&thread, NULL, end_in_a_call, NULL), 0);
	cr_assert_eq(pthread_join(thread, NULL), 0);
	is(zx_sampler_stop(iob), ZX_ERR_BAD_STATE);
}

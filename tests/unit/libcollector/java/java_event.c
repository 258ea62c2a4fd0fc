/* What a made-up JVM (machine.h) reports while it runs, in the event files. */
#include "libcollector/java/java_event.h"
#include "libcollector/java/java_api.h"
#include "tests/unit/libcollector/java/machine.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"
#include "libcollector/base/host.h"
#include "libcollector/events/sync.h"

#include "include/collectorAPI.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct made_class object = {"Ljava/lang/Object;", NULL}, array = {"[[J", NULL},
			       mute = {NULL, NULL}, api = {"Lcollector/CollectorAPI;", NULL};
static const struct made_object lock = {&object, 0x1234}, other = {&array, -1};

static void setup(void)
{
	scratch_open();
	made_open();
	atomic_store(&col.switches->on[SOURCE_SYNC], SYNC_JAVA);
	atomic_store(&col.switches->on[SOURCE_HEAP], HEAP_ON);
}

static void done(void)
{
	cr_assert_eq(made.texts, 0, "all is given back");
	cr_assert_eq(made.references, 0);
	scratch_remove();
}

TestSuite(java_event, .init = setup, .fini = done);

#define ANY(thing) ((void *)(uintptr_t)(thing))

static void prepare(const struct made_class *class)
{
	java_event_class(&made_jvmti, &made_env, NULL, ANY(class));
}

Test(java_event, classes_are_written_once_with_their_numbers)
{
	prepare(&object);
	prepare(&array);
	prepare(&object);
	prepare(&mute);
	cr_assert_eq(scratch_count("map.xml", " <class id=\"1\" name=\"java/lang/Object\" time=\""),
	             1);
	cr_assert_eq(scratch_count("map.xml", " <class id=\"2\" name=\"[[J\" time=\""), 1);
	cr_assert_eq(scratch_count("map.xml", "<class "), 2);
	java_event_forget();
	prepare(&array);
	cr_assert_eq(scratch_count("map.xml", " <class id=\"1\" name=\"[[J\" time=\""), 1);
	atomic_store(&col.switches->recording, 0);
	prepare(&object);
	cr_assert_eq(scratch_count("map.xml", "<class "), 3);
}

Test(java_event, names_of_classes_lose_their_ends_and_are_cut)
{
	static const char *const odd[] = {"L;", "LA;", "Lopen", "close;"};
	char text[1100], wanted[1100];
	struct made_class class = {text, NULL};

	for (int i = 0; i < 4; i++) {
		strcpy(text, odd[i]);
		prepare(&class);
	}
	cr_assert_eq(scratch_count("map.xml", "id=\"1\" name=\"L;\""), 1);
	cr_assert_eq(scratch_count("map.xml", "id=\"2\" name=\"A\""), 1);
	cr_assert_eq(scratch_count("map.xml", "id=\"3\" name=\"Lopen\""), 1);
	cr_assert_eq(scratch_count("map.xml", "id=\"4\" name=\"close;\""), 1);
	memset(text, 'n', 600);
	memcpy(text + 600, "", 1);
	prepare(&class);
	snprintf(wanted, sizeof(wanted), "id=\"5\" name=\"%s\"", text);
	cr_assert_eq(scratch_count("map.xml", wanted), 1);
	memset(text, 'm', 1000);
	text[1000] = '\0';
	prepare(&class);
	snprintf(wanted, sizeof(wanted), "id=\"6\" name=\"%.800s\"", text);
	cr_assert_eq(scratch_count("map.xml", wanted), 1);
}

Test(java_event, many_classes_have_numbers_of_their_own)
{
	char text[64];
	struct made_class class = {text, NULL};

	for (int turn = 0; turn < 2; turn++)
		for (int i = 0; i < 3000; i++) {
			snprintf(text, sizeof(text), "Ldemo/Class%d;", i);
			prepare(&class);
		}
	cr_assert_eq(scratch_count("map.xml", "<class "), 3000);
	cr_assert_eq(scratch_count("map.xml", "id=\"3000\" name=\"demo/Class2999\""), 1);
}

Test(java_event, what_is_there_already_is_written_at_the_start)
{
	struct fmt_java_thread name;

	made.loaded[0] = &array;
	made.loaded[1] = &object;
	made.loaded_count = 2;
	made.thread_name = "main";
	java_event_open(&made_jvmti, &made_env);
	cr_assert_eq(scratch_count("map.xml", " <class id=\"1\" name=\"[[J\""), 1);
	cr_assert_eq(scratch_count("map.xml", " <class id=\"2\" name=\"java/lang/Object\""), 1);
	cr_assert_eq(made.frames, 0, "opened and closed");
	cr_assert_eq(scratch_records("overview", FMT_KIND_java_thread, &name, sizeof(name), 1), 1);
	made.refuses_frame = 1;
	java_event_open(&made_jvmti, &made_env);
	cr_assert_eq(made.exceptions_cleared, 1);
	cr_assert_eq(made.frames, 0);
	cr_assert_eq(scratch_records("overview", FMT_KIND_java_thread, &name, sizeof(name), 1), 1);
}

Test(java_event, threads_have_names)
{
	struct {
		struct fmt_java_thread record;
		char name[256];
	} thread[3];
	char name[300];

	made.thread_name = "worker-1";
	java_event_thread(&made_jvmti, &made_env, NULL);
	cr_assert_eq(scratch_records("overview", FMT_KIND_java_thread, thread,
	                             sizeof(thread[0].record) + 16, 1),
	             1);
	cr_assert_eq(thread[0].record.tid, (uint32_t)gettid());
	cr_assert_eq(thread[0].record.name_size, 8);
	cr_assert_eq(memcmp(thread[0].name, "worker-1\0\0\0\0\0\0\0\0", 16), 0);
	memset(name, 'x', sizeof(name));
	name[299] = '\0';
	made.thread_name = name;
	java_event_thread(&made_jvmti, &made_env, NULL);
	cr_assert_eq(scratch_records("overview", FMT_KIND_java_thread, thread,
	                             sizeof(thread[0].record) + 240, 1),
	             1, "that of 240 bytes");
	cr_assert_eq(thread[0].record.name_size, 240);
	cr_assert_eq(memcmp(thread[0].name, name, 240), 0);
	made.thread_name = NULL;
	java_event_thread(&made_jvmti, &made_env, NULL);
	made.thread_name = "lost";
	atomic_store(&col.switches->recording, 0);
	java_event_thread(&made_jvmti, &made_env, NULL);
	cr_assert_eq(scratch_records("overview", FMT_KIND_java_thread, thread, 16, 1), 2);
}

/* ---- monitors */

static void enter(const struct made_object *what)
{
	java_event_enter(&made_jvmti, &made_env, NULL, ANY(what));
}

static void entered(const struct made_object *what)
{
	java_event_entered(&made_jvmti, &made_env, NULL, ANY(what));
}

static int read_waits(struct fmt_sync *waits, int most)
{
	return scratch_records("synctrace", FMT_KIND_sync, waits, sizeof(*waits), most);
}

Test(java_event, waits_for_monitors_have_the_class_and_the_hash_of_the_object)
{
	struct fmt_sync waits[4];
	uint64_t begin;

	enter(&lock);
	begin = col_ticks();
	while (col_ticks() < begin + 1000000)
		continue;
	entered(&lock);
	java_event_wait(&made_jvmti, &made_env, NULL, ANY(&other), 0);
	java_event_waited(&made_jvmti, &made_env, NULL, ANY(&other), 0);
	cr_assert_eq(read_waits(waits, 4), 2);
	cr_assert_eq(waits[0].func, FMT_sync_func_MONITOR_ENTER);
	cr_assert_eq(fmt_u48_get(&waits[0].object), ((uint64_t)1 << 32 | 0x1234));
	cr_assert_geq(fmt_u48_get(&waits[0].wait), 1000000);
	cr_assert_neq(waits[0].stack, 0);
	cr_assert_eq(waits[1].func, FMT_sync_func_MONITOR_WAIT);
	cr_assert_eq(fmt_u48_get(&waits[1].object), ((uint64_t)2 << 32 | 0xffffffff));
	cr_assert_lt(fmt_u48_get(&waits[1].wait), col_ticks() - begin);
	cr_assert_eq(thread_current()->events[SOURCE_SYNC], 2);
}

Test(java_event, a_wait_that_did_not_begin_does_not_end)
{
	struct fmt_sync waits[4];

	entered(&lock);
	java_event_wait(&made_jvmti, &made_env, NULL, ANY(&lock), 0);
	entered(&lock);
	cr_assert_eq(read_waits(waits, 4), 0);
	java_event_waited(&made_jvmti, &made_env, NULL, ANY(&lock), 1);
	java_event_waited(&made_jvmti, &made_env, NULL, ANY(&lock), 1);
	cr_assert_eq(read_waits(waits, 4), 1);
	/* A thread may wait for the monitor in which it was waiting. */
	java_event_wait(&made_jvmti, &made_env, NULL, ANY(&lock), 0);
	enter(&lock);
	entered(&lock);
	java_event_waited(&made_jvmti, &made_env, NULL, ANY(&lock), 0);
	cr_assert_eq(read_waits(waits, 4), 3);
	cr_assert_eq(waits[1].func, FMT_sync_func_MONITOR_ENTER);
	cr_assert_eq(waits[2].func, FMT_sync_func_MONITOR_WAIT);
}

Test(java_event, waits_are_recorded_only_if_java_is_traced)
{
	struct fmt_sync waits[4];

	atomic_store(&col.switches->on[SOURCE_SYNC], SYNC_NATIVE);
	enter(&lock);
	entered(&lock);
	atomic_store(&col.switches->on[SOURCE_SYNC], SYNC_JAVA | SYNC_NATIVE);
	enter(&lock);
	atomic_store(&col.switches->recording, 0);
	entered(&lock);
	cr_assert_eq(read_waits(waits, 4), 0);
}

/* ---- objects and collections */

Test(java_event, sampled_objects_have_their_class_and_size)
{
	struct fmt_java_alloc records[4];

	java_event_alloc(&made_jvmti, &made_env, NULL, ANY(&lock), ANY(&object), 24);
	java_event_alloc(&made_jvmti, &made_env, NULL, ANY(&other), ANY(&array), (int64_t)5 << 32);
	atomic_store(&col.switches->on[SOURCE_HEAP], HEAP_FREES);
	java_event_alloc(&made_jvmti, &made_env, NULL, ANY(&lock), ANY(&object), 24);
	atomic_store(&col.switches->on[SOURCE_HEAP], HEAP_ON);
	atomic_store(&col.switches->recording, 0);
	java_event_alloc(&made_jvmti, &made_env, NULL, ANY(&lock), ANY(&object), 24);
	cr_assert_eq(
		scratch_records("heaptrace", FMT_KIND_java_alloc, records, sizeof(records[0]), 4),
		2);
	cr_assert_eq(records[0].class, 1);
	cr_assert_eq(records[0].size, 24);
	cr_assert_eq(records[0].interval, 524288);
	cr_assert_neq(records[0].stack, 0);
	cr_assert_eq(records[1].class, 2);
	cr_assert_eq(records[1].size, (uint64_t)5 << 32);
}

Test(java_event, collections_are_numbered_and_last)
{
	struct fmt_java_gc records[4];
	uint64_t begin;

	java_event_gc_finish(&made_jvmti);
	java_event_gc_start(&made_jvmti);
	begin = col_ticks();
	while (col_ticks() < begin + 1000000)
		continue;
	java_event_gc_finish(&made_jvmti);
	java_event_gc_start(&made_jvmti);
	java_event_gc_finish(&made_jvmti);
	cr_assert_eq(scratch_records("overview", FMT_KIND_java_gc, records, sizeof(records[0]), 4),
	             2, "what has not begun has not ended");
	cr_assert_eq(records[0].number, 1);
	cr_assert_geq(records[0].duration, 1000000);
	cr_assert_eq(records[1].number, 2);
	cr_assert_lt(records[1].duration, col_ticks() - begin);
}

/* ---- control of the recording by the program */

static char calls[100];

static void sample(const char *name)
{
	strcat(strcat(calls, "sample "), name ? name : "-");
}

static void pause_all(void)
{
	strcat(calls, " pause");
}

static void resume_all(void)
{
	strcat(calls, " resume");
}

static void terminate_all(void)
{
	strcat(calls, " terminate");
}

Test(java_event, the_class_of_the_api_gets_its_methods)
{
	static const struct xer_collector_table table = {.size = sizeof(table),
	                                                 .sample = sample,
	                                                 .pause = pause_all,
	                                                 .resume = resume_all,
	                                                 .terminate = terminate_all};
	struct col_host host = *col_host;

	host.api = &table;
	col_host = &host;
	prepare(&object);
	cr_assert_null(made.natives);
	prepare(&api);
	cr_assert_eq(made.native_count, 4);
	cr_assert_str_eq(made.natives[0].name, "sample0");
	cr_assert_str_eq(made.natives[0].signature, "(Ljava/lang/String;)V");
	for (int i = 1; i < 4; i++) {
		static const char *const names[] = {"", "pause0", "resume0", "terminate0"};

		cr_assert_str_eq(made.natives[i].name, names[i]);
		cr_assert_str_eq(made.natives[i].signature, "()V");
	}
	((void (*)(struct java_env *, void *, const char *))made.natives[0].function)(&made_env,
	                                                                              NULL, "name");
	for (int i = 1; i < 4; i++)
		((void (*)(struct java_env *, void *))made.natives[i].function)(&made_env, NULL);
	((void (*)(struct java_env *, void *, const char *))made.natives[0].function)(&made_env,
	                                                                              NULL, NULL);
	cr_assert_str_eq(calls, "sample name pause resume terminatesample -");
	cr_assert_eq(made.exceptions_cleared, 0);
	made.refuses_natives = 1;
	prepare(&api);
	cr_assert_eq(made.exceptions_cleared, 1, "another class of that name");
}

/* How the recorder gets into a JVM when that is created (tests/programs/late/jvm.c). */
#include "libcollector/java/java_agent.h"
#include "libcollector/java/java_vm.h"
#include "tests/programs/late/jvm.h"
#include "tests/unit/libcollector/java/machine.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"
#include "libcollector/unwind/walk_step.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <string.h>

typedef int create_function(struct java_machine **machine, struct java_env **env, void *arguments);
create_function JNI_CreateJavaVM;

static void *libjvm;
static struct jvm *jvm;
static int created;

static int create(struct java_machine **machine, struct java_env **env, void *arguments)
{
	created++;
	*machine = &made_machine;
	*env = &made_env;
	return arguments ? -4 : 0;
}

static void setup(void)
{
	scratch_open();
	made_open();
	libjvm = scratch_load("jvm.so", RTLD_NOW | RTLD_LOCAL);
	jvm = dlsym(libjvm, "jvm");
	jvm->create = create;
	jvm->low = (const char *)0x10000;
	jvm->high = (const char *)0x20000;
	col.descriptor.java = 1;
	java_load();
}

TestSuite(java_agent, .init = setup, .fini = scratch_remove);

/* As the java launcher does. */
static int make(void *arguments)
{
	create_function *find = (create_function *)(uintptr_t)dlsym(libjvm, "JNI_CreateJavaVM");
	struct java_machine *machine = NULL;
	struct java_env *env = NULL;
	int result = find(&machine, &env, arguments);

	cr_assert_eq(machine, &made_machine);
	cr_assert_eq(env, &made_env);
	return result;
}

static int is_capable(int number)
{
	return made.capabilities.bits[number / 32] >> number % 32 & 1;
}

Test(java_agent, a_machine_tells_of_all_that_is_recorded)
{
	static const int events[] = {52, 56, 68, 69, 70, 73, 74, 75, 76, 81, 82};
	int enabled = 0;

	cr_assert_eq(make(NULL), 0);
	cr_assert_eq(created, 1);
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		cr_assert_eq(made.is_enabled[events[i]], 1, "%d", events[i]);
		cr_assert_not_null(made.callbacks[events[i] - 50], "%d", events[i]);
	}
	for (int i = 50; i <= 88; i++)
		enabled += made.is_enabled[i];
	cr_assert_eq(enabled, 11, "no other ones");
	cr_assert_eq(made.callbacks_size, 39 * 8);
	cr_assert(is_capable(11) && is_capable(12) && is_capable(27) && is_capable(28) &&
	          is_capable(31));
	cr_assert(!is_capable(43), "no heap is traced");
	cr_assert_eq(made.sampling_interval, 0);
	cr_assert_eq(made.generated_count, 2);
	cr_assert(made.generated[0] == 70 && made.generated[1] == 68);
	cr_assert_eq(made.is_disposed, 0);
	cr_assert_eq(scratch_count("log.xml", "kind=\"warning\""), 0);
}

Test(java_agent, objects_are_sampled_if_the_heap_is_traced)
{
	col.descriptor.heap = 1;
	make(NULL);
	cr_assert(is_capable(43));
	cr_assert_eq(made.is_enabled[86], 1);
	cr_assert_eq(made.sampling_interval, 512 * 1024);
}

Test(java_agent, what_the_machine_cannot_do_is_not_asked_for)
{
	made.possible.bits[0] = ~(1u << 12);
	make(NULL);
	cr_assert(is_capable(11) && !is_capable(12) && is_capable(27));
}

Test(java_agent, its_frames_are_walked_by_its_tables)
{
	make(NULL);
	cr_assert_eq(*walk_machine.low, 0x10000);
	cr_assert_eq(*walk_machine.high, 0x20000);
	cr_assert_not_null(walk_machine.step);
}

Test(java_agent, a_machine_that_is_not_made_is_none)
{
	cr_assert_eq(make(&created), -4);
	cr_assert_eq(created, 1);
	cr_assert_null(made.callbacks);
}

Test(java_agent, a_machine_without_tables_is_recorded_without_frames)
{
	jvm->fields[1].field = "_renamed"; /* CodeCache::_heaps */
	make(NULL);
	cr_assert_null(walk_machine.low);
	cr_assert_eq(scratch_count("log.xml",
	                           "text=\"Java is not recorded: frames cannot be walked, "
	                           "since libjvm does not describe CodeCache::_heaps\""),
	             1);
	cr_assert_not_null(made.callbacks);
}

Test(java_agent, a_machine_without_jvmti_is_not_recorded)
{
	made.has_jvmti = 0;
	cr_assert_eq(make(NULL), 0);
	cr_assert_eq(scratch_count("log.xml", "Java is not recorded: the machine has no JVMTI\""),
	             1);
	cr_assert_null(made.callbacks);
}

Test(java_agent, a_machine_that_refuses_is_left_alone)
{
	made.refuses_capabilities = 1;
	cr_assert_eq(make(NULL), 0);
	cr_assert_eq(
		scratch_count("log.xml", "Java is not recorded: JVMTI refuses AddCapabilities\""),
		1);
	cr_assert_eq(made.is_disposed, 1);
	cr_assert_null(made.callbacks);
}

Test(java_agent, it_stays_outside_where_java_is_not_recorded)
{
	col.descriptor.java = 0;
	make(NULL);
	cr_assert_null(made.callbacks);
	col.descriptor.java = 1;
	atomic_store(&col.switches->recording, 0);
	make(NULL);
	cr_assert_null(made.callbacks);
	cr_assert_eq(created, 2);
	atomic_store(&col.switches->recording, 1);
	cr_assert_null(dlsym(libjvm, "JNI_CreateJavaVMs"), "another name");
	make(NULL);
	cr_assert_not_null(made.callbacks);
}

static int told(void)
{
	java_open();
	return (int)scratch_count("log.xml", "Java is not recorded: its machine was there before");
}

Test(java_agent, a_machine_that_was_made_before_is_told_one_that_was_only_looked_up_is_not)
{
	create_function *find;
	struct java_machine *machine;
	struct java_env *env;

	atomic_store(&col.switches->recording, 0);
	find = (create_function *)(uintptr_t)dlsym(libjvm, "JNI_CreateJavaVM");
	cr_assert_not_null(find);
	atomic_store(&col.switches->recording, 1);
	cr_assert_eq(told(), 0, "nobody made one");
	atomic_store(&col.switches->recording, 0);
	cr_assert_eq(find(&machine, &env, &created), -4);
	atomic_store(&col.switches->recording, 1);
	cr_assert_eq(told(), 0, "it could not be made");
	atomic_store(&col.switches->recording, 0);
	cr_assert_eq(find(&machine, &env, NULL), 0);
	atomic_store(&col.switches->recording, 1);
	cr_assert_eq(told(), 1);
}

Test(java_agent, a_machine_that_was_looked_up_before_is_recorded_if_it_is_made_later)
{
	create_function *find;
	struct java_machine *machine;
	struct java_env *env;

	atomic_store(&col.switches->recording, 0);
	find = (create_function *)(uintptr_t)dlsym(libjvm, "JNI_CreateJavaVM");
	atomic_store(&col.switches->recording, 1);
	cr_assert_eq(find(&machine, &env, NULL), 0);
	cr_assert_not_null(made.callbacks);
	cr_assert_eq(told(), 0);
}

Test(java_agent, of_a_program_that_is_linked_to_it_too)
{
	struct java_machine *machine = NULL;
	struct java_env *env = NULL;

	atomic_store(&col.switches->recording, 0);
	cr_assert_eq(JNI_CreateJavaVM(&machine, &env, NULL), 0);
	cr_assert_null(made.callbacks);
	atomic_store(&col.switches->recording, 1);
	cr_assert_eq(told(), 1);
}

Test(java_agent, a_program_that_is_linked_to_the_machine_meets_it_too)
{
	struct java_machine *machine = NULL;
	struct java_env *env = NULL;

	col.descriptor.java = 0;
	cr_assert_eq(JNI_CreateJavaVM(&machine, &env, NULL), 0);
	cr_assert_null(made.callbacks);
	col.descriptor.java = 1;
	cr_assert_eq(JNI_CreateJavaVM(&machine, &env, NULL), 0);
	cr_assert_eq(machine, &made_machine);
	cr_assert_not_null(made.callbacks);
	made.callbacks = NULL;
	cr_assert_eq(JNI_CreateJavaVM(&machine, &env, NULL), 0);
	cr_assert_null(made.callbacks, "once");
	cr_assert_eq(created, 3);
}

Test(java_agent, a_program_without_a_machine_gets_an_error)
{
	struct java_machine *machine;
	struct java_env *env;

	dlclose(libjvm);
	cr_assert_eq(JNI_CreateJavaVM(&machine, &env, NULL), -1);
}

Test(java_agent, a_thread_begins_without_a_wait)
{
	struct col_thread thread = {.java_waits = 3};

	java_thread_begin(&thread);
	cr_assert_eq(thread.java_waits, 0);
}

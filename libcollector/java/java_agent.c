/* java_agent.c: enter a Java machine when it is created. See java_agent.h.
 *
 * The launcher (libjli), or the program itself, finds JNI_CreateJavaVM by dlsym. It gets a function
 * of ours, which calls the real one and then becomes a tool (JVMTI) in the machine. A program that
 * is linked to libjvm gets it too, by the order of objects. Options for an agent, in
 * JAVA_TOOL_OPTIONS or on the command line, would be visible: the machine prints the variable on
 * stderr, and shows the program its arguments.
 * Before the machine is created, its tables are read (java_vm.h), so that its very first frames can
 * be walked.
 * See doc/decisions/40-java-entry.md. */
#include "libcollector/java/java_agent.h"

#include "libcollector/base/collector.h"
#include "libcollector/java/java_batch.h"
#include "libcollector/java/java_code.h"
#include "libcollector/java/java_event.h"
#include "libcollector/java/java_method.h"
#include "libcollector/java/java_vm.h"
#include "libcollector/java/jvmti.h"
#include "libcollector/write/log.h"
#include "libcollector/hook/got.h"
#include "libcollector/hook/next.h"
#include "libcollector/hook/dlsym.h"
#include "libcollector/hook/visible.h"
#include "libcollector/java/java_walk.h"
#include "libcollector/unwind/walk_step.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

enum { EVENTS = JVMTI_EVENT_LAST - JVMTI_EVENT_FIRST + 1, EXPLICIT = 2, JAVA_ERROR = -1 };

typedef int create_function(struct java_machine **machine, struct java_env **env, void *arguments);

static void *libjvm; /* the handle that the launcher has */
static create_function *real_create;
static int is_missed; /* a machine was created while nothing was recorded */

/* ---- what goes wrong ---- */

/* Only a user who has asked for Java gets a message at once, in one line. */
static void cannot(const char *what, const char *why)
{
	static int is_told;
	char buffer[256];
	struct xml_text text = XML_TEXT(buffer);

	xml_put(&text, "xcollect: Java is not recorded: ");
	xml_put(&text, what);
	xml_put(&text, why);
	col_log_warning(buffer + sizeof("xcollect: ") - 1);
	xml_put(&text, "\n");
	if (col.descriptor.java == EXPLICIT && !is_told++)
		SYS3(SYS_write, STDERR_FILENO, buffer, text.len);
}

/* ---- events ---- */

#define ON(event, function) [JVMTI_EVENT_##event - JVMTI_EVENT_FIRST] = (java_function)function
static const java_function callbacks[EVENTS] = {
	ON(THREAD_START, java_event_thread),
	ON(CLASS_PREPARE, java_event_class),
	ON(COMPILED_METHOD_LOAD, java_code_compiled),
	ON(COMPILED_METHOD_UNLOAD, java_code_unloaded),
	ON(DYNAMIC_CODE_GENERATED, java_code_generated),
	ON(MONITOR_WAIT, java_event_wait),
	ON(MONITOR_WAITED, java_event_waited),
	ON(MONITOR_CONTENDED_ENTER, java_event_enter),
	ON(MONITOR_CONTENDED_ENTERED, java_event_entered),
	ON(GARBAGE_COLLECTION_START, java_event_gc_start),
	ON(GARBAGE_COLLECTION_FINISH, java_event_gc_finish),
	ON(SAMPLED_OBJECT_ALLOC, java_event_alloc),
};
#undef ON

static void put_capability(struct jvmti_capabilities *set, enum jvmti_capability capability,
                           const struct jvmti_capabilities *possible)
{
	set->bits[capability / 32] |= possible->bits[capability / 32] & 1u << capability % 32;
}

/* Returns what has failed, or NULL. */
static const char *begin(struct jvmti *env, struct java_env *java)
{
	static const enum jvmti_capability wanted[] = {
		JVMTI_CAN_GET_SOURCE_FILE_NAME, JVMTI_CAN_GET_LINE_NUMBERS,
		JVMTI_CAN_COMPILED_METHOD_LOAD, JVMTI_CAN_MONITOR, JVMTI_CAN_GARBAGE_COLLECTION};
	struct jvmti_capabilities possible, set = {{0}};

	if (jvmti_get_potential_capabilities(env, &possible) != 0)
		return "GetPotentialCapabilities";
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		put_capability(&set, wanted[i], &possible);
	if (col.descriptor.heap)
		put_capability(&set, JVMTI_CAN_SAMPLED_ALLOC, &possible);
	if (jvmti_add_capabilities(env, &set) != 0)
		return "AddCapabilities";
	if (jvmti_set_event_callbacks(env, callbacks, sizeof(callbacks)) != 0)
		return "SetEventCallbacks";
	/* What the machine cannot report is missing; the rest is recorded. */
	for (int i = 0; i < EVENTS; i++)
		if (callbacks[i] && (JVMTI_EVENT_FIRST + i != JVMTI_EVENT_SAMPLED_OBJECT_ALLOC ||
		                     col.descriptor.heap))
			jvmti_set_event_notification_mode(env, JVMTI_ENABLE, JVMTI_EVENT_FIRST + i,
			                                  NULL);
	if (col.descriptor.heap)
		jvmti_set_heap_sampling_interval(env, JAVA_EVENT_ALLOC_INTERVAL);
	java_batch_begin();
	java_event_open(env, java);
	jvmti_generate_events(env, JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
	java_batch_end();
	jvmti_generate_events(env, JVMTI_EVENT_COMPILED_METHOD_LOAD);
	return NULL;
}

static void open_agent(struct java_machine *machine, struct java_env *java)
{
	int (*get_env)(struct java_machine *, void **, int32_t) = (int (*)(
		struct java_machine *, void **, int32_t))machine->functions[JAVA_MACHINE_GET_ENV];
	void *env = NULL;
	const char *failed;

	java_code_open(machine);
	if (get_env(machine, &env, JVMTI_VERSION_1_2) != 0 || !env) {
		cannot("the machine has no JVMTI", "");
		return;
	}
	failed = begin(env, java);
	if (failed) {
		cannot("JVMTI refuses ", failed);
		jvmti_dispose_environment(env);
	}
}

/* ---- the way in ---- */

static int create(struct java_machine **machine, struct java_env **env, void *arguments)
{
	const char *missing = col_is_recording() ? java_vm_open(libjvm) : NULL;
	int result;

	if (!missing && java_vm.low) { /* a handler asks for `low` first */
		walk_machine.high = (const uint64_t *)java_vm.high;
		walk_machine.step = java_walk_step;
		__atomic_store_n(&walk_machine.low, (const uint64_t *)java_vm.low,
		                 __ATOMIC_RELEASE);
	}
	if (missing)
		cannot("frames cannot be walked, since libjvm does not describe ", missing);
	result = real_create(machine, env, arguments);
	if (result == 0 && col_is_recording())
		open_agent(*machine, *env);
	else if (result == 0)
		is_missed = 1;
	return result;
}

static void *java_find(void *handle, const char *name)
{
	void *found;

	if (strcmp(name, "JNI_CreateJavaVM") != 0 || !col.descriptor.java)
		return NULL;
	found = dlsym(handle, name);
	if (!found)
		return NULL;
	libjvm = handle;
	real_create = (create_function *)(uintptr_t)found;
	return (void *)(uintptr_t)&create;
}

/* A program that is linked to libjvm is bound to this one. */
EXPORT create_function JNI_CreateJavaVM;
EXPORT int JNI_CreateJavaVM(struct java_machine **machine, struct java_env **env, void *arguments)
{
	create_function *next = (create_function *)next_definition("JNI_CreateJavaVM",
	                                                           __builtin_return_address(0));
	Dl_info info;

	if (!next)
		return JAVA_ERROR;
	if (!col.descriptor.java || libjvm || !dladdr((void *)(uintptr_t)next, &info))
		return next(machine, env, arguments);
	libjvm = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (!libjvm)
		return next(machine, env, arguments);
	real_create = next;
	return create(machine, env, arguments);
}

void java_load(void)
{
	visible_ask(java_find);
}

static int is_libjvm(struct dl_phdr_info *info, size_t size, void *context)
{
	const char *slash = !info->dlpi_name ? NULL : strrchr(info->dlpi_name, '/');

	(void)size;
	(void)context;
	return slash && strcmp(slash, "/libjvm.so") == 0;
}

void java_open(void)
{
	/* If we attached to the process, nobody asked us for the function. Whoever only asks for it
	 * has no machine. */
	if (is_missed || (!libjvm && !got_is_preloaded() && dl_iterate_phdr(is_libjvm, NULL)))
		col_log_warning(
			"Java is not recorded: its machine was there before the recording began; methods are JIT code without names");
}

void java_thread_begin(struct col_thread *thread)
{
	thread->java_waits = 0;
}

void java_forget(void)
{
	if (!libjvm) /* tables that were never touched are not touched in each child either */
		return;
	java_code_forget();
	java_event_forget();
	java_method_forget();
	java_batch_forget();
}

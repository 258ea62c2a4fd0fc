/* machine.c: see machine.h. */
#include "tests/unit/libcollector/java/machine.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

struct made made;

static java_function tool[160], native[240], of_machine[8];

struct java_machine made_machine = {of_machine};
struct jvmti made_jvmti = {tool};
struct java_env made_env = {native};

static char *give(const char *text)
{
	made.texts++;
	return strdup(text);
}

static int deallocate(struct jvmti *env, void *memory)
{
	(void)env;
	made.texts--;
	free(memory);
	return 0;
}

static int get_class_signature(struct jvmti *env, const struct made_class *class, char **signature,
                               char **generic)
{
	(void)env;
	cr_assert_null(generic);
	if (!class->signature)
		return 21;
	*signature = give(class->signature);
	return 0;
}

static int get_source_file_name(struct jvmti *env, const struct made_class *class, char **name)
{
	(void)env;
	if (!class->source)
		return 101;
	*name = give(class->source);
	return 0;
}

static int get_method_name(struct jvmti *env, const struct made_method *method, char **name,
                           char **signature, char **generic)
{
	(void)env;
	cr_assert_null(generic);
	if (!method->name)
		return 23;
	*name = give(method->name);
	*signature = give(method->signature);
	return 0;
}

static int get_method_class(struct jvmti *env, const struct made_method *method,
                            const struct made_class **class)
{
	(void)env;
	made.references++;
	*class = method->class;
	return 0;
}

static int get_lines(struct jvmti *env, const struct made_method *method, int32_t *count,
                     struct jvmti_line **lines)
{
	(void)env;
	if (method->line_count < 0)
		return 101;
	made.texts++;
	*lines = malloc(sizeof(method->lines));
	memcpy(*lines, method->lines, sizeof(method->lines));
	*count = method->line_count;
	return 0;
}

static int get_loaded_classes(struct jvmti *env, int32_t *count, void ***classes)
{
	(void)env;
	made.texts++;
	*classes = malloc(sizeof(made.loaded));
	memcpy(*classes, made.loaded, sizeof(made.loaded));
	*count = made.loaded_count;
	return 0;
}

static int get_thread_info(struct jvmti *env, void *thread, struct jvmti_thread_info *out)
{
	(void)env;
	(void)thread;
	if (!made.thread_name)
		return 10;
	out->name = give(made.thread_name);
	return 0;
}

static int get_hash(struct jvmti *env, const struct made_object *object, int32_t *hash)
{
	(void)env;
	*hash = object->hash;
	return 0;
}

static int get_capabilities(struct jvmti *env, struct jvmti_capabilities *out)
{
	(void)env;
	*out = made.possible;
	return 0;
}

static int add_capabilities(struct jvmti *env, const struct jvmti_capabilities *capabilities)
{
	(void)env;
	made.capabilities = *capabilities;
	return made.refuses_capabilities ? 98 : 0;
}

static int set_callbacks(struct jvmti *env, const void *callbacks, int32_t size)
{
	(void)env;
	made.callbacks = callbacks;
	made.callbacks_size = size;
	return 0;
}

static int set_notification(struct jvmti *env, int mode, int event, void *thread)
{
	(void)env;
	cr_assert_eq(mode, 1);
	cr_assert_null(thread);
	cr_assert(event >= JVMTI_EVENT_FIRST && event <= JVMTI_EVENT_LAST);
	made.is_enabled[event]++;
	return 0;
}

static int generate_events(struct jvmti *env, int event)
{
	(void)env;
	made.generated[made.generated_count++] = event;
	return 0;
}

static int set_interval(struct jvmti *env, int32_t bytes)
{
	(void)env;
	made.sampling_interval = bytes;
	return 0;
}

static int dispose(struct jvmti *env)
{
	(void)env;
	made.is_disposed = 1;
	return 0;
}

/* ---- JNI */

static void delete_reference(struct java_env *env, void *reference)
{
	(void)env;
	cr_assert_not_null(reference);
	made.references--;
}

static const struct made_class *get_class(struct java_env *env, const struct made_object *object)
{
	(void)env;
	made.references += object->class != NULL;
	return object->class;
}

static int push_frame(struct java_env *env, int32_t capacity)
{
	(void)env;
	cr_assert_gt(capacity, 0);
	made.frames += !made.refuses_frame;
	return made.refuses_frame ? -1 : 0;
}

static void *pop_frame(struct java_env *env, void *result)
{
	(void)env;
	(void)result;
	made.frames--;
	return NULL;
}

static void clear_exception(struct java_env *env)
{
	(void)env;
	made.exceptions_cleared++;
}

static const char *get_string(struct java_env *env, void *string, void *is_copy)
{
	(void)env;
	cr_assert_null(is_copy);
	return give(string);
}

static void release_string(struct java_env *env, void *string, const char *text)
{
	(void)env;
	(void)string;
	made.texts--;
	free((char *)(uintptr_t)text);
}

static int register_natives(struct java_env *env, void *class, const struct java_native *methods,
                            int32_t count)
{
	(void)env;
	cr_assert_not_null(class);
	made.natives = methods;
	made.native_count = count;
	return made.refuses_natives ? -1 : 0;
}

static int get_env(struct java_machine *machine, void **env, int32_t version)
{
	cr_assert_eq(machine, &made_machine);
	*env = version == 0x00010006   ? (void *)&made_env
	       : version == 0x30010200 ? (void *)&made_jvmti
	                               : NULL;
	return *env && (*env != (void *)&made_jvmti || made.has_jvmti) ? 0 : -3;
}

/* By the numbers that the specifications give them. */
void made_open(void)
{
	made = (struct made){.has_jvmti = 1};
	memset(&made.possible, 0xff, sizeof(made.possible));
	of_machine[6] = (java_function)get_env;
	tool[2 - 1] = (java_function)set_notification;
	tool[9 - 1] = (java_function)get_thread_info;
	tool[47 - 1] = (java_function)deallocate;
	tool[48 - 1] = (java_function)get_class_signature;
	tool[50 - 1] = (java_function)get_source_file_name;
	tool[58 - 1] = (java_function)get_hash;
	tool[64 - 1] = (java_function)get_method_name;
	tool[65 - 1] = (java_function)get_method_class;
	tool[70 - 1] = (java_function)get_lines;
	tool[78 - 1] = (java_function)get_loaded_classes;
	tool[122 - 1] = (java_function)set_callbacks;
	tool[123 - 1] = (java_function)generate_events;
	tool[127 - 1] = (java_function)dispose;
	tool[140 - 1] = (java_function)get_capabilities;
	tool[142 - 1] = (java_function)add_capabilities;
	tool[156 - 1] = (java_function)set_interval;
	native[17] = (java_function)clear_exception;
	native[19] = (java_function)push_frame;
	native[20] = (java_function)pop_frame;
	native[23] = (java_function)delete_reference;
	native[31] = (java_function)get_class;
	native[169] = (java_function)get_string;
	native[170] = (java_function)release_string;
	native[215] = (java_function)register_natives;
}

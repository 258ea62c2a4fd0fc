/* jvmti.h: the parts of the Java machine's tool interface (JVMTI) and of JNI that we use, declared
 * from their public specifications, so that building needs no JDK. Function tables, events and
 * structures are binary interfaces that do not change.
 * See doc/decisions/40-java-entry.md. */
#ifndef XER_COLLECTOR_JVMTI_H
#define XER_COLLECTOR_JVMTI_H

#include <stdint.h>

/* Environments begin with a pointer to a table of functions. */
typedef void (*java_function)(void);

struct jvmti {
	const java_function *functions; /* number n is the n-th */
};

struct java_machine { /* JavaVM */
	const java_function *functions;
};

struct java_env { /* JNIEnv */
	const java_function *functions;
};

enum { JVMTI_VERSION_1_2 = 0x30010200, JVMTI_ENABLE = 1 };
enum { JAVA_MACHINE_GET_ENV = 6 };
enum {
	JAVA_ENV_EXCEPTION_CLEAR = 17,
	JAVA_ENV_PUSH_LOCAL_FRAME = 19,
	JAVA_ENV_POP_LOCAL_FRAME = 20,
	JAVA_ENV_DELETE_LOCAL_REF = 23,
	JAVA_ENV_GET_OBJECT_CLASS = 31,
	JAVA_ENV_GET_STRING = 169,
	JAVA_ENV_RELEASE_STRING = 170,
	JAVA_ENV_REGISTER_NATIVES = 215
};

/* A native method to be registered. */
struct java_native {
	const char *name, *signature;
	java_function function;
};

/* Bits, by their numbers. */
struct jvmti_capabilities {
	uint32_t bits[4];
};

enum jvmti_capability {
	JVMTI_CAN_GET_SOURCE_FILE_NAME = 11,
	JVMTI_CAN_GET_LINE_NUMBERS = 12,
	JVMTI_CAN_COMPILED_METHOD_LOAD = 27,
	JVMTI_CAN_MONITOR = 28,
	JVMTI_CAN_GARBAGE_COLLECTION = 31,
	JVMTI_CAN_SAMPLED_ALLOC = 43
};

enum jvmti_event {
	JVMTI_EVENT_FIRST = 50,
	JVMTI_EVENT_THREAD_START = 52,
	JVMTI_EVENT_CLASS_PREPARE = 56,
	JVMTI_EVENT_COMPILED_METHOD_LOAD = 68,
	JVMTI_EVENT_COMPILED_METHOD_UNLOAD = 69,
	JVMTI_EVENT_DYNAMIC_CODE_GENERATED = 70,
	JVMTI_EVENT_MONITOR_WAIT = 73,
	JVMTI_EVENT_MONITOR_WAITED = 74,
	JVMTI_EVENT_MONITOR_CONTENDED_ENTER = 75,
	JVMTI_EVENT_MONITOR_CONTENDED_ENTERED = 76,
	JVMTI_EVENT_GARBAGE_COLLECTION_START = 81,
	JVMTI_EVENT_GARBAGE_COLLECTION_FINISH = 82,
	JVMTI_EVENT_SAMPLED_OBJECT_ALLOC = 86,
	JVMTI_EVENT_LAST = 88
};

struct jvmti_line {
	int64_t bci;
	int32_t line;
};

struct jvmti_thread_info {
	char *name;
	int32_t priority;
	uint8_t is_daemon;
	void *group, *class_loader;
};

/* What HotSpot adds to CompiledMethodLoad: a list of records; those of this kind say which calls
 * were inlined. */
enum { JVMTI_RECORD_INLINE = 2 };

struct jvmti_record {
	int32_t kind, major, minor;
	const struct jvmti_record *next;
};

struct jvmti_place {
	const void *pc;
	int32_t count;
	void **methods; /* methods[count], innermost first */
	const int32_t *bcis;
};

struct jvmti_inline_record {
	struct jvmti_record header;
	int32_t count;
	const struct jvmti_place *places;
};

static inline void java_delete_local_ref(struct java_env *env, void *reference)
{
	((void (*)(struct java_env *, void *))env->functions[JAVA_ENV_DELETE_LOCAL_REF])(env,
	                                                                                 reference);
}

/* Local references created between these two are released together. Returns 0, or else an exception
 * is pending. */
static inline int java_push_local_frame(struct java_env *env, int32_t capacity)
{
	return ((int (*)(struct java_env *, int32_t))env->functions[JAVA_ENV_PUSH_LOCAL_FRAME])(
		env, capacity);
}

static inline void java_pop_local_frame(struct java_env *env)
{
	((void *(*)(struct java_env *, void *))env->functions[JAVA_ENV_POP_LOCAL_FRAME])(env,
	                                                                                 (void *)0);
}

static inline void *java_get_object_class(struct java_env *env, void *object)
{
	return ((void *(*)(struct java_env *, void *))env->functions[JAVA_ENV_GET_OBJECT_CLASS])(
		env, object);
}

static inline void java_clear_exception(struct java_env *env)
{
	((void (*)(struct java_env *))env->functions[JAVA_ENV_EXCEPTION_CLEAR])(env);
}

/* UTF-8, as Java has it; to be released. */
static inline const char *java_get_string(struct java_env *env, void *string)
{
	return ((const char *(*)(struct java_env *, void *,
	                         void *))env->functions[JAVA_ENV_GET_STRING])(env, string,
	                                                                      (void *)0);
}

static inline void java_release_string(struct java_env *env, void *string, const char *text)
{
	((void (*)(struct java_env *, void *,
	           const char *))env->functions[JAVA_ENV_RELEASE_STRING])(env, string, text);
}

static inline int java_register_natives(struct java_env *env, void *class,
                                        const struct java_native *methods, int32_t count)
{
	return ((int (*)(struct java_env *, void *, const struct java_native *,
	                 int32_t))env->functions[JAVA_ENV_REGISTER_NATIVES])(env, class, methods,
	                                                                     count);
}

#define FUNCTION(number, name, parameters, arguments) \
	static inline int jvmti_##name parameters \
	{ \
		return ((int(*) parameters)env->functions[(number)-1])arguments; \
	}
#include "libcollector/java/jvmti.def"

#endif

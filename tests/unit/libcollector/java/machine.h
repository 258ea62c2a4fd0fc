/* machine.h: a made-up JVM as JVMTI and JNI show it. Its classes, methods, threads and objects are
 * the structures below; whoever gets memory or references from it must give them back. */
#ifndef XER_TESTS_JAVA_MACHINE_H
#define XER_TESTS_JAVA_MACHINE_H

#include "libcollector/java/jvmti.h"

struct made_class {
	const char *signature, *source; /* NULL: not reported */
};

struct made_method {
	const struct made_class *class;
	const char *name, *signature;
	struct jvmti_line lines[8];
	int32_t line_count; /* -1: not reported */
};

struct made_object {
	const struct made_class *class;
	int32_t hash;
};

/* The JVM, the environment of tools, and that of native code. */
extern struct java_machine made_machine;
extern struct jvmti made_jvmti;
extern struct java_env made_env;

/* What the JVM was asked for, and how it answers. */
struct made {
	int texts;      /* given out and not freed */
	int references; /* to classes, the same */
	int has_jvmti, refuses_capabilities, refuses_frame;
	int exceptions_cleared, frames;
	const struct made_class *loaded[8];
	int32_t loaded_count;
	const char *thread_name;
	struct jvmti_capabilities possible, capabilities;
	const java_function *callbacks;
	int32_t callbacks_size;
	uint8_t is_enabled[JVMTI_EVENT_LAST + 1];
	int32_t sampling_interval;
	int generated[4], generated_count; /* events */
	int is_disposed;
	const struct java_native *natives;
	int32_t native_count;
	int refuses_natives;
	const char *string;
};
extern struct made made;

/* Sets all functions; call it before everything else. */
void made_open(void);

#endif

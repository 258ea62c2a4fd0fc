/* java_code.h: what the Java machine compiles, written to map.xml and dyntext. */
#ifndef XER_COLLECTOR_JAVA_CODE_H
#define XER_COLLECTOR_JAVA_CODE_H

#include "libcollector/java/jvmti.h"

/* Callbacks of JVMTI. */
void java_code_compiled(struct jvmti *env, void *method, int32_t size, const void *code,
                        int32_t count, const void *locations, const void *records);
void java_code_unloaded(struct jvmti *env, void *method, const void *code);
void java_code_generated(struct jvmti *env, const char *name, const void *code, int32_t size);

/* At the start: how to get at JNI, which is needed to release references. */
void java_code_open(struct java_machine *machine);

/* In a forked child: no method has been written. */
void java_code_forget(void);

#endif

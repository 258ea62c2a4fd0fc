/* java_event.h: what the Java machine reports while it runs: classes, threads, monitors, garbage
 * collections. */
#ifndef XER_COLLECTOR_JAVA_EVENT_H
#define XER_COLLECTOR_JAVA_EVENT_H

#include "libcollector/java/jvmti.h"

/* Mean number of bytes of objects between two samples. */
enum { JAVA_EVENT_ALLOC_INTERVAL = 512 * 1024 };

/* Write the classes that are there already. */
void java_event_open(struct jvmti *env, struct java_env *java);

/* In a forked child: no class has been written. */
void java_event_forget(void);

/* Callbacks of JVMTI. */
void java_event_class(struct jvmti *env, struct java_env *java, void *thread, void *class);
void java_event_thread(struct jvmti *env, struct java_env *java, void *thread);
void java_event_enter(struct jvmti *env, struct java_env *java, void *thread, void *object);
void java_event_entered(struct jvmti *env, struct java_env *java, void *thread, void *object);
void java_event_wait(struct jvmti *env, struct java_env *java, void *thread, void *object,
                     int64_t timeout_ms);
void java_event_waited(struct jvmti *env, struct java_env *java, void *thread, void *object,
                       uint8_t is_timed_out);
void java_event_alloc(struct jvmti *env, struct java_env *java, void *thread, void *object,
                      void *class, int64_t size);
void java_event_gc_start(struct jvmti *env);
void java_event_gc_finish(struct jvmti *env);

#endif

/* java_agent.h: the recording of a Java machine. */
#ifndef XER_COLLECTOR_JAVA_AGENT_H
#define XER_COLLECTOR_JAVA_AGENT_H

#include "libcollector/thread/thread.h"

/* The library is initialized: from now on a program, the launcher of Java most often, that looks
 * for JNI_CreateJavaVM in libjvm by dlsym gets a function that records the machine which it makes.
 */
void java_load(void);

/* The thread begins: it waits for no monitor. */
void java_thread_begin(struct col_thread *thread);

/* In a forked child, and before another recording of a process: nothing of the machine has been
 * written. */
void java_forget(void);

#endif

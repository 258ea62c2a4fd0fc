/* java_agent.h: the recording of a Java machine. */
#ifndef XER_COLLECTOR_JAVA_AGENT_H
#define XER_COLLECTOR_JAVA_AGENT_H

#include "libcollector/thread/thread.h"

/* The library is initialized: from now on, a program (mostly the launcher of Java) that looks up
 * JNI_CreateJavaVM in libjvm by dlsym gets a function that records the machine which it creates. */
void java_load(void);

/* A recording begins: a machine that is there already cannot be entered any more, and that is said.
 */
void java_open(void);

/* The thread begins: it does not wait for a monitor. */
void java_thread_begin(struct col_thread *thread);

/* In a forked child, and before another recording of a process: nothing about the machine was
 * written yet. */
void java_forget(void);

#endif

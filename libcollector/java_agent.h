/* java_agent.h: the recording of a Java machine. */
#ifndef XER_COLLECTOR_JAVA_AGENT_H
#define XER_COLLECTOR_JAVA_AGENT_H

/* If the program is a launcher of Java, see to it that the machine which it makes is recorded. Normal context, at the start. */
void java_open(void);

/* In a forked child: nothing of the machine has been written. */
void java_forget(void);

#endif

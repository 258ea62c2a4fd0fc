/* usertrace.h: user events: what a program records of its own through sys/trchkid.h. */
#ifndef XER_COLLECTOR_USERTRACE_H
#define XER_COLLECTOR_USERTRACE_H

/* Begin to record, as the descriptor says. Before this, the functions do nothing. */
void usertrace_start(void);

/* Record no more. Signal-safe. */
void usertrace_stop(void);

/* Another recording begins: with its own plan. */
void usertrace_again(void);

#endif

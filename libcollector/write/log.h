/* log.h: log.xml and map.xml while the program runs: elements are appended by any thread, in any
 * context.
 *
 * One thread at a time writes a file. A thread that finds it busy puts a short element into a ring
 * that the writer empties, or waits a moment with a long one; elements that do not fit are counted.
 * The file is well-formed at every instant (format/xml.h). All functions are signal-safe. */
#ifndef XER_COLLECTOR_LOG_H
#define XER_COLLECTOR_LOG_H

#include "format/xml.h"

#include <stdint.h>

enum col_xml { COL_LOG, COL_MAP, COL_XMLS };

/* Open a file and find its end; on log.xml, take the lock that shows that the process lives.
 * Returns 0 or -errno. Signal-safe. */
int col_xml_open(enum col_xml file);

/* Take the lock again if the program has closed our descriptor, which released it. Signal-safe. */
void col_log_keep_alive(void);

/* Before the first thread is created: give the files numbers that no other thread replaces, if
 * there are some (file.h). Signal-safe. */
void col_log_expect_threads(void);

/* Release the lock: nothing more will be written. Signal-safe. */
void col_log_let_go(void);

/* Is the file gone, and with it the experiment? Normal context. */
int col_log_is_deleted(void);

/* In a forked child: close without writing, and be as before col_log_open, even if a thread was
 * writing. */
void col_log_forget(void);

/* Append an element, its newline included. Returns 0 or -errno when it was not written. */
int col_xml_append(enum col_xml file, const struct xml_text *element);

/* Memory in which to build a long element, COL_TEXT_SIZE bytes; NULL if all are in use. Release it,
 * the last one first: the thread has all signals blocked until then. */
enum { COL_TEXT_SIZE = 8192 };
char *col_text_borrow(void);
void col_text_return(char *text);

/* Begin `<event kind="..." time="now"`; the caller adds attributes and ends with col_event_end. */
void col_event_begin(struct xml_text *text, const char *kind);
void col_event_end(struct xml_text *text);

/* <event kind="loss" stream= errno=>, with reason= instead of errno=, and <event kind="warning"
 * text=>. */
void col_log_loss(const char *stream, int error);
void col_log_loss_reason(const char *stream, const char *reason);
void col_log_warning(const char *message);

#endif

/* java_batch.h: what the Java machine tells of at once is written at once: elements of map.xml, and
 * the bytes in dyntext that they refer to. A machine has some hundreds of stubs and classes when it
 * begins, and a compiled method comes with those that are inlined in it. */
#ifndef XER_COLLECTOR_JAVA_BATCH_H
#define XER_COLLECTOR_JAVA_BATCH_H

#include "format/xml.h"

/* Longer names go alone. */
enum { JAVA_BATCH_NAME_MAX = 500 };

/* Between these two, the calling thread's elements wait for each other, unless another thread's do.
 * Who is between them already may begin again, and then ends it. Normal context. */
void java_batch_begin(void);
void java_batch_end(void);

/* Where to append an element whose names have `size` bytes together; NULL: this one is to be
 * written by itself. Normal context. */
struct xml_text *java_batch(size_t size);

/* What dynamic_write does (dynamic.h), for elements that java_batch has a place for: the bytes are
 * copied, and written with them. */
int java_batch_bytes(const void *first, uint64_t first_size, const void *second,
                     uint64_t second_size, uint64_t *at);

/* In a forked child: nothing waits. */
void java_batch_forget(void);

#endif

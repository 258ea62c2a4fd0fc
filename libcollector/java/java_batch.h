/* java_batch.h: what the Java machine reports at once is written at once: elements of map.xml, and
 * the bytes in dyntext that they refer to. At its start a machine has some hundreds of stubs and
 * classes, and a compiled method comes with those that are inlined in it. */
#ifndef XER_COLLECTOR_JAVA_BATCH_H
#define XER_COLLECTOR_JAVA_BATCH_H

#include "format/xml.h"

/* Longer names are written separately. */
enum { JAVA_BATCH_NAME_MAX = 500 };

/* Between these two calls, elements of the calling thread are collected, unless another thread does
 * so already. The calls may be nested: the inner end writes the elements. Normal context. */
void java_batch_begin(void);
void java_batch_end(void);

/* Where to append an element whose names have `size` bytes together; NULL: write this one
 * separately. Normal context. */
struct xml_text *java_batch(size_t size);

/* Like dynamic_write (dynamic.h), for elements that java_batch has a place for: the bytes are
 * copied, and written with the elements. */
int java_batch_bytes(const void *first, uint64_t first_size, const void *second,
                     uint64_t second_size, uint64_t *at);

/* In a forked child: nothing is collected. */
void java_batch_forget(void);

#endif

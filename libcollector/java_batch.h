/* java_batch.h: elements of map.xml that are written together, as a machine has some hundreds of stubs and classes when it begins. */
#ifndef XER_COLLECTOR_JAVA_BATCH_H
#define XER_COLLECTOR_JAVA_BATCH_H

#include "format/xml.h"

/* Longer names go alone. */
enum { JAVA_BATCH_NAME_MAX = 100 };

/* Between these two, the calling thread's elements wait for each other. Normal context. */
void java_batch_begin(void);
void java_batch_end(void);

/* Where to append an element with a name of `size` bytes; NULL: this one is to be written by itself. */
struct xml_text *java_batch(size_t size);

#endif

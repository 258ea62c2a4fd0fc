/* source.h: the table of the sources of events. What is done with it is in base/source.h. */
#ifndef XER_COLLECTOR_SOURCE_H
#define XER_COLLECTOR_SOURCE_H

#include "format/descriptor.h"

/* Let there be sources. Once, before anything is recorded. */
void source_table_give(void);

/* Clear the settings of sources that this library has not. */
void source_drop_lacking(struct descriptor *descriptor);

#endif

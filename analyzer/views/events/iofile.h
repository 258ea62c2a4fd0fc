/* iofile.h: what files are called in reports. */
#ifndef XER_ANALYZER_VIEWS_EVENTS_IOFILE_H
#define XER_ANALYZER_VIEWS_EVENTS_IOFILE_H

#include "analyzer/data/dataset.h"

/* "pipe", "TCP socket"; of a plain file, its file system; NULL: unknown. */
const char *io_file_type(const struct exp_io_file *file);

#endif

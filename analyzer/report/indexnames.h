/* indexnames.h: what the rows of index objects are called. */
#ifndef XER_ANALYZER_REPORT_INDEXNAMES_H
#define XER_ANALYZER_REPORT_INDEXNAMES_H

#include "analyzer/model/choices.h"
#include "analyzer/data/indexobj.h"

/* What a row is called. The caller frees. */
char *index_row_name(const struct dataset *dataset, const struct choices *choices,
                     const struct index_type *type, const struct index_rows *rows,
                     const struct index_row *row);

/* What rows are called that are one in a comparison: without what differs from run to run, such as
 * process ids. The caller frees. */
char *index_row_compared_name(const struct dataset *dataset, const struct choices *choices,
                              const struct index_type *type, const struct index_rows *rows,
                              const struct index_row *row);

#endif

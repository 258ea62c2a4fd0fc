/* objectrows.h: the values of load objects in the columns of a comparison.
 *
 * Objects are matched by the last component of their paths, the programs of the groups under
 * whatever names, as functions are. */
#ifndef XER_ANALYZER_VIEWS_PROFILE_OBJECTROWS_H
#define XER_ANALYZER_VIEWS_PROFILE_OBJECTROWS_H

#include "analyzer/data/dataset.h"
#include "analyzer/model/fold.h"

/* Row 0 is <Total>. What is in no object, such as <Unknown>, is a row by its name. */
struct object_rows {
	const char **names; /* names[count]; borrowed */
	size_t count, name_capacity;
	struct fold **folds; /* folds[column_count]: by row */
	size_t column_count;
};

/* Destroy with object_rows_destroy before the tables of the dataset are forgotten. */
struct object_rows *object_rows_create(const struct dataset *dataset);

/* NULL: nothing is done. */
void object_rows_destroy(struct object_rows *rows);

#endif

/* listing.h: source lines and instructions in their order, with metrics beside them and comments
 * between. */
#ifndef XER_ANALYZER_TABLE_LISTING_H
#define XER_ANALYZER_TABLE_LISTING_H

#include "analyzer/model/choices.h"
#include "analyzer/print/output.h"
#include "analyzer/table/table.h"

/* Add a line of text without values; takes `text`. kind: for programs. */
struct table_row *listing_add(struct table *table, const char *kind, char *text);

/* Mark the lines with a value of at least `threshold` percent of the greatest one of a shown
 * metric. */
void listing_mark_hot(struct table *table, const struct metric_list *metrics, unsigned threshold);

/* A fact above the listing: "Source File: /a/b.c". Text may be NULL: nothing is printed. */
void listing_fact(struct output *output, const char *what, const char *text);

/* Such facts about an object: its path, and where it was found if that is another. */
void listing_object(struct output *output, const char *what, const struct sym_object *object);

#endif

/* listing.h: source lines and instructions in their order, with metrics beside them and comments
 * between. */
#ifndef XER_ANALYZER_TABLE_LISTING_H
#define XER_ANALYZER_TABLE_LISTING_H

#include "analyzer/data/session.h"
#include "analyzer/table/table.h"

/* Classes of comments, and two more things that disassembly can show. */
enum comment_class {
#define COMMENT(id, word, there, meaning) COMMENT_BIT_##id,
#include "analyzer/table/comment.def"
	COMMENT_CLASSES
};
#define COMMENT_SET(id) (1u << COMMENT_BIT_##id)
#define COMMENT_BASIC COMMENT_SET(INLINE)
#define COMMENT_SOURCE (1u << COMMENT_CLASSES) /* disassembly: with source lines */
#define COMMENT_HEX \
	(1u << (COMMENT_CLASSES + 1)) /* disassembly: with the bytes of instructions \
	                               */

enum {
	LISTING_THRESHOLD = 75,
	LISTING_WHOLE = -1, /* of context: all lines */
	LISTING_AUTO = -2   /* all lines of short files, LISTING_AROUND around data of others */
};
enum { LISTING_AROUND = 10, LISTING_SHORT = 500, LISTING_CONTEXT_MAX = 1000000 };

/* What a session begins with. */
void listing_set_defaults(struct session_listing *listing);

/* Read a list of classes joined by ':'; words may be cut short. `disasm`: hex, nohex, src and nosrc
 * are known too. Returns 0 and *out, and *absent: the first class that no debug information has,
 * NULL if none; or -EINVAL with the word in *bad and its length in *bad_len. *threshold changes
 * where the list has t=NUMBER. */
int comment_parse(const char *spec, int disasm, unsigned *out, unsigned *threshold,
                  const char **absent, const char **bad, size_t *bad_len);

/* Add a line of text without values; takes `text`. kind: for programs. */
struct table_row *listing_add(struct table *table, const char *kind, char *text);

/* Mark the lines with a value of at least `threshold` percent of the greatest one of a shown
 * metric. */
void listing_mark_hot(struct table *table, const struct metric_list *metrics, unsigned threshold);

/* A fact above the listing: "Source File: /a/b.c". Text may be NULL: nothing is printed. */
void listing_fact(struct session *session, const char *what, const char *text);

/* Such facts about an object: its path, and where it was found if that is another. */
void listing_object(struct session *session, const char *what, const struct sym_object *object);

#endif

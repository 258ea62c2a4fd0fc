/* choices.h: what the user has chosen: what tables show, and how. Views only read it; the commands
 * that change it are in views/settings. */
#ifndef XER_ANALYZER_MODEL_CHOICES_H
#define XER_ANALYZER_MODEL_CHOICES_H

#include "analyzer/model/fragment.h"
#include "analyzer/model/metric_list.h"
#include <stddef.h>

struct defaults;

enum name_form { NAME_LONG, NAME_SHORT, NAME_MANGLED };

/* How instructions are written. */
enum assembly { ASSEMBLY_ATT, ASSEMBLY_INTEL };

enum {
	LISTING_THRESHOLD = 75,
	LISTING_WHOLE = -1, /* of context: all lines */
	LISTING_AUTO = -2   /* all lines of short files, LISTING_AROUND around data of others */
};
enum { LISTING_AROUND = 10, LISTING_SHORT = 500, LISTING_CONTEXT_MAX = 1000000 };

/* What listings of source and instructions show. */
struct listing_choices {
	unsigned source_threshold,
		disasm_threshold; /* percent of the greatest value: from there on a line is hot */
	unsigned source_comments, disasm_comments; /* sets of enum comment_class */
	int context; /* lines around those with data; LISTING_WHOLE, LISTING_AUTO */
	enum assembly assembly;
};

struct choices {
	struct metric_list metrics;
	struct metric_sort sort;
	struct fragment fragment; /* of csingle and what follows it */
	size_t limit;             /* rows of a table, 0: all */
	struct listing_choices listing;
	enum name_form name_form;
	int with_soname;
	int folded_by_pid;         /* folded stacks begin with the program and the process id */
	struct defaults *defaults; /* what rc files have chosen */
};

/* The choices at the start of xer_print, and their end. */
void choices_init(struct choices *choices);
void choices_fini(struct choices *choices);

#endif

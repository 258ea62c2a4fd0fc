/* xmlread.h: walk an XML file of an experiment, without trusting its content. */
#ifndef XER_EXPERIMENT_BASE_XMLREAD_H
#define XER_EXPERIMENT_BASE_XMLREAD_H

#include "experiment/base/internal.h"
#include "experiment/experiment.h"

enum { EXP_XML_DEPTH = 8, EXP_XML_ATTRIBUTES = 64, EXP_XML_ELEMENTS = 1 << 24 };

/* One element as its start tag is met, decoded; everything lives in the arena. */
struct exp_element {
	const char *name;
	int depth; /* 0: the root */
	const struct exp_pair *attributes;
	size_t attribute_count;
	const char *text; /* content of elements without children that the walk was asked for, else
	                     NULL */
};

struct exp_xml_walk {
	const char *root;         /* name that the root must have */
	const char *text_element; /* name of the elements whose text is wanted, NULL: none */
	/* Called for every element in order of the file. Returns 0, or another value to end the
	 * walk. */
	int (*element)(void *context, const struct exp_element *element);
	void *context;
	struct exp_arena *arena;
	char fault[128]; /* what was wrong, with the offset */
};

/* Walk the open regular file. Returns 0; -EBADMSG with `fault` set if it is not well-formed or
 * not to be trusted (the elements before the fault were delivered); -EINVAL with `fault` set if
 * it is no such file at all (wrong root); -ENODATA if it is empty; or what `element` returned. */
int exp_xml_read(int fd, struct exp_xml_walk *walk);

/* Value of an attribute or `fallback`. */
const char *exp_element_get(const struct exp_element *element, const char *name,
                            const char *fallback);

/* Number of an attribute: decimal, -decimal or 0xhex; `fallback` if missing or malformed. */
uint64_t exp_element_number(const struct exp_element *element, const char *name, uint64_t fallback);

/* Number in text, all of it. Returns 0 or -EINVAL. */
int exp_number_parse(const char *text, uint64_t *out);

#endif

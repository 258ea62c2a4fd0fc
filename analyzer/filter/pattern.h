/* pattern.h: do the functions of a call stack match? Each stack is looked at once. */
#ifndef XER_ANALYZER_FILTER_PATTERN_H
#define XER_ANALYZER_FILTER_PATTERN_H

#include "analyzer/filter/expression.h"
#include "analyzer/filter/filter.h"

/* State of a pattern for the stacks of one experiment. */
struct pattern {
	const struct expression_pattern *wanted;
	const struct filter_place *place;
	struct exp_nodes nodes;
	unsigned char *is_parent; /* of the nodes of place->whole */
	enum frames_mode mode;    /* which frames are looked at */
	uint64_t *states;         /* by node, see pattern.c */
	uint64_t
		*masks; /* by function: the positions that it can fill; UINT64_MAX: not known yet */
	size_t mask_count;
	uint64_t recorder, jvm, unknown; /* masks of <Recorder>, <JVM-System> and <Unknown> */
};

void pattern_init(struct pattern *pattern, const struct expression_pattern *wanted,
                  const struct filter_place *place);
void pattern_fini(struct pattern *pattern);

/* These are the stacks from now on. Returns 0 or -ENOMEM. */
int pattern_begin(struct pattern *pattern, const struct exp_nodes *nodes);

/* Does a stack match? EXP_NO_INDEX is that of <Unknown>. */
int pattern_matches(struct pattern *pattern, uint32_t node);

#endif

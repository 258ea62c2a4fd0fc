/* totals.h: what kind the totals of call-stack nodes are: the TOTAL rows of format/datakind.def. */
#ifndef XER_EXPERIMENT_BASE_TOTALS_H
#define XER_EXPERIMENT_BASE_TOTALS_H

#include "experiment/experiment.h"

#include <stddef.h>
#include <stdint.h>

enum exp_role { EXP_ROLE_EVENTS, EXP_ROLE_PATHS, EXP_ROLE_SUM, EXP_ROLE_MOST };

struct exp_total {
	uint16_t data; /* enum exp_data */
	uint8_t role;  /* enum exp_role */
};

extern const struct exp_total exp_totals[EXP_METRICS];

/* Those that count events with stacks: exp_event_totals[exp_event_total_count]. */
extern const uint8_t exp_event_totals[];
extern const size_t exp_event_total_count;

#endif

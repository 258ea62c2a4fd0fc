/* totals.c: the table of the totals of call-stack nodes. See totals.h. */
#include "experiment/base/totals.h"

const struct exp_total exp_totals[EXP_METRICS] = {
#define TOTAL(id, kind, role, meaning) {EXP_DATA_##kind, EXP_ROLE_##role},
#include "format/datakind.def"
};

#define IF_EVENTS(id) EXP_##id,
#define IF_PATHS(id)
#define IF_SUM(id)
#define IF_MOST(id)
const uint8_t exp_event_totals[] = {
#define TOTAL(id, kind, role, meaning) IF_##role(id)
#include "format/datakind.def"
};
const size_t exp_event_total_count = sizeof(exp_event_totals);

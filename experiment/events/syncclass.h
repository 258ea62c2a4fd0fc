/* syncclass.h: which functions wait for what. */
#ifndef XER_EXPERIMENT_EVENTS_SYNCCLASS_H
#define XER_EXPERIMENT_EVENTS_SYNCCLASS_H

#include "experiment/data.h"

/* What a function (enum fmt_sync_func) waits for, or makes. */
enum exp_sync_class exp_sync_class_of(unsigned func);

#endif

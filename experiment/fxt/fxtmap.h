/* fxtmap.h: what code is mapped where, by the profiler's records of an FXT file. */
#ifndef XER_EXPERIMENT_FXT_FXTMAP_H
#define XER_EXPERIMENT_FXT_FXTMAP_H

#include "experiment/base/addressmap.h"
#include "experiment/base/internal.h"
#include "experiment/fxt/fxt.h"
#include "experiment/table/index.h"

struct exp_fxtmap_module {
	const char *name, *build_id;
};

/* All zeros but `experiment`: empty. */
struct exp_fxtmap {
	struct experiment *experiment; /* whose arena and warnings are used */
	struct exp_fxtmap_module *modules;
	size_t module_count, module_capacity;
	struct exp_index by_module; /* number of the process << 16 | id -> module */
	struct exp_map_object
		*objects; /* of it, the caller may take the objects and set this to NULL */
	size_t object_count, object_capacity;
};

/* Take note of a module or mapping record of a process; others are ignored.
 *   process      its number
 *   from, to     the generations of the address map that an object is of
 * Returns 0 or -ENOMEM. */
int exp_fxtmap_take(struct exp_fxtmap *map, const struct exp_fxt_record *record, uint32_t process,
                    uint32_t from, uint32_t to);
void exp_fxtmap_fini(struct exp_fxtmap *map);

/* The process that a module or mapping record is of; 0 for others. */
uint64_t exp_fxtmap_process(const struct exp_fxt_record *record);

#endif

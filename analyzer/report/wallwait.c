/* wallwait.c: see wallwait.h. */
#include "analyzer/report/wallwait.h"

#include "format/record.h"

const char *wait_func_name(unsigned family, unsigned func)
{
	const char *enumeration = fmt_enum_name("wait_family", family);
	const char *name = enumeration ? fmt_enum_name(enumeration, func) : NULL;

	return name ? name : "unknown function";
}

/* How a fact has them. */
static unsigned family_of(const struct exp_fact *fact)
{
	return fact->type >> 8;
}

const char *wall_wait_name(const struct exp_fact *fact)
{
	return wait_func_name(family_of(fact), fact->type & 255);
}

int wall_wait_is_io(const struct exp_fact *fact)
{
	return family_of(fact) == FMT_wait_family_IO;
}

int wall_wait_is_event(const struct exp_data_set *set, const struct exp_fact *fact)
{
	if (fact->waits != 1)
		return 0;
	switch (family_of(fact)) {
	case FMT_wait_family_SYNC:
		return !(set->have & EXP_DATA_SYNC);
	case FMT_wait_family_IO:
		return !(set->have & EXP_DATA_IO);
	default:
		return 1;
	}
}

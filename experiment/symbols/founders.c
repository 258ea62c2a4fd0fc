/* founders.c: the archives of all open experiments. A load object may be archived in one of them
 * and be met first in another one. */
#include "experiment/base/internal.h"
#include "experiment/symbols/code.h"
#include "experiment/symbols/symbols_internal.h"

#include <errno.h>

int symbols_remember(struct symbols *symbols, const struct experiment *experiment)
{
	if (exp_array_reserve(&symbols->founders, &symbols->founder_capacity,
	                      symbols->founder_count, sizeof(*symbols->founders)) != 0)
		return -ENOMEM;
	symbols->founders[symbols->founder_count++] = experiment;
	return 0;
}

void exp_sym_forget_founder(struct symbols *symbols, const struct experiment *experiment)
{
	size_t kept = 0;

	for (size_t i = 0; i < symbols->founder_count; i++)
		if (symbols->founders[i] != experiment)
			symbols->founders[kept++] = symbols->founders[i];
	symbols->founder_count = kept;
}

int exp_sym_find_elsewhere(const struct symbols *symbols, const struct sym_object *object,
                           const struct experiment **founder, struct exp_object_file *out)
{
	/* Without a build-id nothing says that a file of the same name is the same. */
	for (size_t i = 0; object->build_id[0] != '\0' && i < symbols->founder_count; i++) {
		struct exp_object_file file;

		if (exp_object_find_archived(symbols->founders[i], object->path, object->build_id,
		                             &file) != 0)
			continue;
		*founder = symbols->founders[i];
		*out = file;
		return 0;
	}
	return -ENOENT;
}

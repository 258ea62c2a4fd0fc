/* settings.c: the settings and counters of log.xml, by their names. */
#include "experiment/base/internal.h"
#include "experiment/base/xmlread.h"

#include <string.h>

const struct exp_info *experiment_info(const struct experiment *experiment)
{
	return &experiment->info;
}

static const char *find_pair(const struct exp_pair *pairs, size_t count, const char *name)
{
	for (size_t i = count; i > 0; i--)
		if (strcmp(pairs[i - 1].name, name) == 0)
			return pairs[i - 1].value;
	return NULL;
}

const char *experiment_setting(const struct experiment *experiment, const char *name,
                               const char *fallback)
{
	const char *value = find_pair(experiment->info.settings, experiment->info.setting_count,
	                              name);

	return !value ? fallback : value;
}

uint64_t experiment_counter(const struct experiment *experiment, const char *name,
                            uint64_t fallback)
{
	const char *value = find_pair(experiment->info.counters, experiment->info.counter_count,
	                              name);
	uint64_t number;

	return value && exp_number_parse(value, &number) == 0 ? number : fallback;
}

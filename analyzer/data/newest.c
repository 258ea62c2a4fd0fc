/* newest.c: see newest.h. */
#include "analyzer/data/newest.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t setting(const struct dataset_experiment *at, const char *name)
{
	return strtoull(experiment_setting(at->experiment, name, "0"), NULL, 10);
}

/* "newest 64 MiB", "last 5 min", or both. */
static void put_asked(const struct dataset_experiment *at, char *text, size_t size)
{
	double mib = (double)setting(at, "keep_bytes") / (1 << 20);
	double s = (double)setting(at, "keep_ms") / 1e3;
	int len = 0;

	text[0] = '\0';
	if (mib > 0)
		len = snprintf(text, size, "newest %.10g MiB", mib);
	if (s > 0)
		snprintf(text + len, size - (size_t)len, "%slast %.10g s",
		         len > 0 ? " of the " : "", s);
}

int newest_text(const struct dataset_experiment *at, char *text, size_t size)
{
	const struct exp_info *info = at->info;
	char asked[128];

	if (!info->is_kept)
		return 0;
	put_asked(at, asked, sizeof(asked));
	if (info->kept_dropped == 0)
		snprintf(text, size, "the %s: nothing was dropped", asked);
	else
		snprintf(text, size, "the %s: all from %.3f s on; %.1f MiB before were dropped",
		         asked, info->kept_from_s, (double)info->kept_dropped / (1 << 20));
	return 1;
}

void newest_put(const struct dataset *dataset, const struct output *output)
{
	char text[256];

	for (size_t i = 0; i < dataset->count; i++) {
		const struct dataset_experiment *at = &dataset->experiments[i];

		if ((i > 0 && at->info->lineage[0] != '\0') || at->info->kept_dropped == 0 ||
		    !newest_text(at, text, sizeof(text)))
			continue;
		fprintf(output->out, "# kept: %s%s\n", text,
		        dataset->have & EXP_DATA_HEAP ? "; blocks allocated before are not seen"
		                                      : "");
	}
}

uint64_t newest_from_ns(const struct dataset *dataset)
{
	return dataset->count == 0 ? 0
	                           : (uint64_t)(dataset->experiments[0].info->kept_from_s * 1e9);
}

const struct exp_usage *newest_usage(const struct dataset_experiment *at)
{
	const struct exp_data_set *data = at->whole;

	for (size_t i = 0; i < data->usage_count; i++)
		if (data->usage[i].time_s >= at->info->kept_from_s)
			return &data->usage[i];
	return NULL;
}

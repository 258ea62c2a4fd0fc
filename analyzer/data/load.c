/* load.c: reads the data of the experiments when they are first asked for. */

#include "analyzer/base/terminal.h"
#include "analyzer/data/filters.h"
#include "analyzer/model/datakind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int is_on(const struct experiment *experiment, const char *setting)
{
	const char *value = experiment_setting(experiment, setting, "0");

	return strcmp(value, "0") != 0 && strcmp(value, "off") != 0 && value[0] != '\0';
}

const char *dataset_cause(int status)
{
	switch (status) {
	case -ENOMEM:
		return "out of memory";
	case -ESTALE:
		return "the file was cut while it was read";
	default:
		return strerror(-status);
	}
}

void dataset_load(const struct dataset *dataset, struct output *output)
{
	for (size_t i = 0; i < dataset->count; i++) {
		struct dataset_experiment *at = &dataset->experiments[i];
		int status;

		if (at->whole)
			continue;
		progress_begin("reading %s (%zu of %zu)", at->info->path, i + 1, dataset->count);
		status = experiment_load(at->experiment, &at->whole);
		progress_end();
		if (status < 0) {
			output_say(output, "%s: %s", at->info->path, dataset_cause(status));
			exit(EXIT_TROUBLE);
		}
		if (at->info->damaged && output->status < EXIT_TROUBLE)
			output->status = EXIT_TROUBLE;
		at->data = at->whole;
		filters_change(dataset->filters);
	}
	filters_apply(dataset, output);
}

unsigned dataset_data_of(const struct dataset_experiment *at)
{
	unsigned have = at->whole->have;

	for (unsigned kind = 0; kind < FMT_DATAKINDS; kind++)
		if (datakinds[kind].setting && is_on(at->experiment, datakinds[kind].setting))
			have |= 1u << kind;
	return have;
}

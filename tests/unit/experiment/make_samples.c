/* make_samples.c: see make_samples.h. */
#include "tests/unit/experiment/make_samples.h"

#include "format/fxt.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

size_t maker_sampler(struct maker *maker, const char *elements, const char *provider,
                     uint64_t *words)
{
	char path[256];
	size_t count;

	maker_create(maker);
	maker_log(maker, elements);
	snprintf(path, sizeof(path), "%s/sampler", maker->path);
	assert(mkdir(path, 0755) == 0);
	count = fxt_put_magic(words);
	count += fxt_put_provider(words + count, 1, provider, strlen(provider));
	return count + fxt_put_initialization(words + count, MAKER_HZ);
}

const struct exp_data_set *maker_load(struct maker *maker, struct experiment **experiment)
{
	const struct exp_data_set *set = NULL;
	struct exp_cause cause;

	assert(maker_open(maker, experiment, &cause) == 0 &&
	       experiment_load(*experiment, &set) == 0);
	return set;
}

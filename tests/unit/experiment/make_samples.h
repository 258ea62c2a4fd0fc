/* make_samples.h: synthetic experiments with a sampler, and its files. */
#ifndef XER_TESTS_UNIT_EXPERIMENT_MAKE_SAMPLES_H
#define XER_TESTS_UNIT_EXPERIMENT_MAKE_SAMPLES_H

#include "tests/unit/experiment/make_experiment.h"

enum { PID = 42, MONO = 1000000 }; /* of the experiment; CLOCK_MONOTONIC at its start, in ns */

/* Elements of log.xml. */
#define SETTING "<setting name=\"sampler_ns\" value=\"250000\"/>\n"
#define CLOCK \
	"<clock source=\"tsc\" hz=\"1000000000\" ticks=\"1000000000\" raw_ns=\"5000000000\" real_ns=\"1700000000000000000\" mono_ns=\"1000000\"/>\n"
#define EXIT "<event kind=\"exit\" time=\"11000000000\" code=\"0\" cpu_ns=\"1000000\"/>\n"
#define EXEC "<event kind=\"exec\" time=\"1000000100\" path=\"/bin/other\" lineage=\"_x1\"/>\n"

/* Make an experiment with these elements that has the sampler's directory, and begin one of its
 * files. Returns how many words[] that takes. */
size_t maker_sampler(struct maker *maker, const char *elements, const char *provider,
                     uint64_t *words);

/* Open the experiment and load it. The loaded data live as long as the experiment. */
const struct exp_data_set *maker_load(struct maker *maker, struct experiment **experiment);

#endif

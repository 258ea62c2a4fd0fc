/* frames.c: prints what libexperiment finds for the addresses of recorded stacks, to compare it
 * with other tools. For each address: object, address, and the frames, innermost first, as
 * function@file:line, separated by tabs. Usage: frames EXPERIMENT.er */
#include "experiment/experiment.h"

#include <stdio.h>

int main(int argc, char **argv)
{
	struct exp_reporter reporter = {.warn = NULL};
	struct exp_cause cause;
	struct experiment *experiment;
	const struct exp_data_set *set;
	struct symbols *symbols = symbols_create();

	if (argc != 2 || !symbols ||
	    experiment_open(argv[1], &reporter, &experiment, &cause) != 0 ||
	    experiment_load(experiment, &set) != 0)
		return 1;
	for (size_t i = 0; i < set->nodes.count; i++) {
		const struct exp_object *object = experiment_object_at(experiment, set->nodes.pc[i],
		                                                       set->nodes.generation[i]);
		const struct sym_frame *frames;
		int count;

		if (!object || object->path[0] != '/')
			continue;
		count = symbols_frames(symbols, experiment, set->nodes.pc[i],
		                       set->nodes.generation[i], 0, &frames);
		if (count < 1)
			continue;
		printf("%s\t%llx", frames[0].function->object->path,
		       (unsigned long long)frames[0].address);
		for (int j = 0; j < count; j++)
			printf("\t%s@%s:%u", frames[j].function->mangled,
			       !frames[j].file ? "??" : frames[j].file, frames[j].line);
		putchar('\n');
	}
	symbols_destroy(symbols);
	experiment_close(experiment);
	return 0;
}

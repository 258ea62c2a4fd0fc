/* xraylogs.c: what the commands that print foreign logs share: the logs, their records, and the
 * names of their functions. */
#include "analyzer/views/foreign/xraylogs.h"

#include "analyzer/base/memory.h"

#include <stdlib.h>

void xraylogs_each(const struct xraylog *log,
                   int (*record)(void *context, const struct xraylog_record *record), void *context)
{
	int status = xraylog_each(log, record, context);

	if (status == 0)
		return;
	fprintf(stderr, "xer_print: %s\n", dataset_cause(status));
	exit(EXIT_TROUBLE);
}

void xraylogs_put(const struct dataset *dataset, struct output *output, const char *command,
                  void (*put)(FILE *out, const struct xraylogs_source *source))
{
	const struct dataset_experiment *at = NULL;
	int found = 0;

	while ((at = dataset_next(dataset, at))) {
		const struct xraylogs_source source = {experiment_foreign(at->experiment),
		                                       at->experiment, dataset->symbols};

		if (!source.log)
			continue;
		put(output->out, &source);
		found = 1;
	}
	if (!found)
		output_fail(output, EXIT_TROUBLE,
		            "%s: no XRay log is open (of an experiment, name its file functrace)",
		            command);
}

const struct sym_function *xraylogs_function(const struct xraylogs_source *source, uint32_t id)
{
	const struct sym_frame *frames;
	int is_mapped, count;
	uint64_t address = experiment_foreign_address(source->experiment, id, &is_mapped);

	if (!is_mapped)
		return NULL;
	count = symbols_frames(source->symbols, source->experiment, address, 0, 1, &frames);
	if (count < 0)
		memory_fail();
	return count < 1 || frames[count - 1].function->unresolved ? NULL
	                                                           : frames[count - 1].function;
}

const char *xraylogs_name(const struct xraylogs_source *source, uint32_t id, const char *mark,
                          char *number)
{
	const struct sym_function *function = xraylogs_function(source, id);

	if (function)
		return function->name;
	snprintf(number, XRAYLOGS_NUMBER, "%s%u", mark, id);
	return number;
}

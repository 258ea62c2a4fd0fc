/* xray.c: the commands that convert foreign logs, and those for maps from the numbers of functions
 * to where they are. */
#include "analyzer/views/view.h"

#include "analyzer/base/outfile.h"
#include "analyzer/views/foreign/xrayforms.h"

#include <errno.h>
#include <string.h>

void view_convert(const struct dataset *dataset, const struct choices *choices,
                  struct output *output, const struct command_argument *argument)
{
	(void)choices;
	if (strcmp(argument->text, "yaml") == 0)
		xraylogs_put(dataset, output, "convert", xrayforms_put_yaml);
	else if (strcmp(argument->text, "trace_event") == 0)
		xraylogs_put(dataset, output, "convert", xrayforms_put_events);
	else
		output_fail(output, EXIT_USAGE, "convert: '%.64s' is neither yaml nor trace_event",
		            argument->text);
}

void view_instr_map(struct analysis *analysis, const struct command_argument *argument)
{
	if (analysis->dataset.count == 0)
		analysis->dataset.instr_map = argument->text;
	else if (!analysis->dataset.instr_map)
		output_fail(
			&analysis->output, EXIT_USAGE,
			"instr_map: logs are open already; give -instr_map when xer_print starts");
}

/* llvm-xray takes one entry of each function: where it begins. */
static void put_map(FILE *out, const struct exp_calls *calls)
{
	fputs("---\n", out);
	for (size_t i = 0; i < calls->function_count; i++) {
		const struct exp_call_function *call = &calls->functions[i];

		fprintf(out,
		        "- { id: %u, address: 0x%llX, function: 0x%llX, kind: function-enter, always-instrument: true, "
		        "function-name: '' }\n",
		        call->id, (unsigned long long)call->address,
		        (unsigned long long)call->address);
	}
	fputs("...\n", out);
}

void view_instr_map_out(const struct dataset *dataset, const struct choices *choices,
                        struct output *output, const struct command_argument *argument)
{
	const struct dataset_experiment *at = dataset_next(dataset, NULL);
	FILE *out = !at ? NULL : outfile_open(argument->text);

	(void)choices;
	if (!out) {
		output_fail(output, EXIT_TROUBLE, "instr_map_out: %s: %s", argument->text,
		            !at ? "no experiment is selected" : strerror(errno));
		return;
	}
	put_map(out, &at->data->calls);
	if (outfile_close(out, 1) != 0)
		output_fail(output, EXIT_TROUBLE, "instr_map_out: %s: cannot be written",
		            argument->text);
}

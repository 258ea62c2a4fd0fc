/* program.c: the program xer_trcrpt, and the command trcrpt of xer_print. */
#include "analyzer/trcrpt/trcrpt.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/outfile.h"
#include "analyzer/views/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
	"Usage: xer_trcrpt [option ...] EXPERIMENT...\n"
	"       xer_trcrpt -c [-t FILE] ...   check template files\n"
	"Print the user events of experiments by templates.\n\n"
	"  -t FILE   templates instead of the default ones; may be given several times\n"
	"  -d LIST   only these hooks: ID or ID:SUBID, hexadecimal, separated by commas\n"
	"  -k LIST   all hooks but these\n"
	"  -p LIST   only these processes: ids or names of programs\n"
	"  -x LIST   only these programs\n"
	"  -T LIST   only these threads\n"
	"  -C LIST   only these CPUs\n"
	"  -s DATE   only events from MMddhhmmssyy on\n"
	"  -e DATE   only events up to then\n"
	"  -o FILE   write to FILE\n"
	"  -h        no headings\n"
	"  -r        the data of events, not formatted\n"
	"  -j        list the ids and labels of the templates\n"
	"  -c        check the templates\n"
	"  -q        do not print what is wrong with them\n"
	"  -v        tell warnings\n"
	"  -update FILE   change the default templates, or those of -t, by an update file; FILE.undo takes that back\n"
	"  -m        accepted: the processes of a recording are always merged\n"
	"  -O NAME=VALUE,...   2line, ids, exec, pid, tid, cpuid, filename, removedups, hist, svc (on or off);\n"
	"            timestamp=0|1|2|3, pagesize=N, starttime=S, endtime=S\n"
	"  --json    events as JSON\n"
	"  --help, --version\n";

/* Check mode and listings need no experiment. */
static void run_templates(struct output *output, const struct trcrpt_options *options)
{
	struct template_set *set = trcrpt_templates(output, options);

	if (set && options->is_list)
		trcrpt_list(output, set);
	else if (set && !options->is_quiet)
		fprintf(output->out, "%zu template%s, no errors\n", template_set_count(set),
		        template_set_count(set) == 1 ? "" : "s");
	template_set_destroy(set);
}

/* Returns 0, or -1 after a message. */
static int open_output(struct output *output, const struct trcrpt_options *options)
{
	FILE *out = options->output ? outfile_open(options->output) : stdout;

	if (!out)
		output_fail(output, EXIT_TROUBLE, "%s: %s", options->output, strerror(errno));
	else
		output->out = out;
	return !out ? -1 : 0;
}

static void run_experiments(struct dataset *dataset, const struct choices *choices,
                            struct output *output, const struct trcrpt_options *options)
{
	if (options->paths.count == 0) {
		output_fail(output, EXIT_USAGE,
		            "no experiment named (xer_trcrpt --help shows the usage)");
		return;
	}
	for (size_t i = 0; i < options->paths.count; i++)
		if (dataset_open(dataset, choices, output, options->paths.words[i]) < 0)
			return;
	if (open_output(output, options) == 0)
		trcrpt_run(dataset, choices, output, options);
	memory_check();
}

static void run(struct dataset *dataset, const struct choices *choices, struct output *output,
                const struct trcrpt_options *options)
{
	if (!options->update && !options->is_check && !options->is_list)
		run_experiments(dataset, choices, output, options);
	else if (open_output(output, options) != 0)
		return;
	else if (options->update)
		trcrpt_update(output, options);
	else
		run_templates(output, options);
}

static void finish(struct output *output)
{
	FILE *out = output->out;
	int failed = 0;

	if (out == stdout)
		failed = fflush(out) != 0 || ferror(out);
	else if (out)
		failed = outfile_close(out, 1) != 0;
	output->out = NULL;
	if (failed)
		output_fail(output, EXIT_TROUBLE, "cannot write the output");
}

int trcrpt_main(int argc, char **argv)
{
	struct trcrpt_options options;
	struct analysis analysis;
	char error[256];

	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-help") == 0)) {
		fputs(usage, stdout);
		return fflush(stdout) != 0 ? EXIT_TROUBLE : EXIT_OK;
	}
	if (argc > 1 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)) {
		puts("xer_trcrpt " XER_VERSION);
		return fflush(stdout) != 0 ? EXIT_TROUBLE : EXIT_OK;
	}
	analysis_init(&analysis);
	analysis.output.program = "xer_trcrpt";
	if (trcrpt_options_parse(&options, argv + 1, argc > 0 ? (size_t)argc - 1 : 0, error,
	                         sizeof(error)) != 0)
		output_fail(&analysis.output, EXIT_USAGE,
		            "%s (xer_trcrpt --help shows the options)", error);
	else
		run(&analysis.dataset, &analysis.choices, &analysis.output, &options);
	finish(&analysis.output);
	trcrpt_options_fini(&options);
	analysis_fini(&analysis);
	return analysis.output.status;
}

/* ---- the command ---- */

/* Split a text into words at blanks; quotes keep blanks. Returns the number of words, which point
 * into `text`; there is room for as many as it has characters. */
static size_t split(char *text, char **words)
{
	size_t count = 0;

	for (char *at = text; *at != '\0';) {
		char quote = '\0';
		char *to;

		at += strspn(at, " \t");
		if (*at == '\0')
			break;
		words[count++] = to = at;
		for (; *at != '\0' && (quote != '\0' || (*at != ' ' && *at != '\t')); at++) {
			if (quote == '\0' && (*at == '"' || *at == '\''))
				quote = *at;
			else if (*at == quote)
				quote = '\0';
			else
				*to++ = *at;
		}
		at += *at != '\0';
		*to = '\0';
		count -= *words[count - 1] == '\0';
	}
	return count;
}

void view_trcrpt(const struct dataset *dataset, const struct choices *choices,
                 struct output *output, const struct command_argument *argument)
{
	char *text = memory_text(argument->text ? argument->text : "",
	                         argument->text ? strlen(argument->text) : 0);
	char **words = memory_take(strlen(text) + 1, sizeof(*words));
	struct trcrpt_options options;
	char error[256];

	if (trcrpt_options_parse(&options, words, split(text, words), error, sizeof(error)) != 0)
		output_fail(output, EXIT_USAGE, "trcrpt: %s", error);
	else if (options.paths.count || options.output || options.update)
		output_fail(
			output, EXIT_USAGE,
			"trcrpt: experiments, -o and -update belong to xer_trcrpt (outfile sets the file)");
	else if (options.is_check || options.is_list)
		run_templates(output, &options);
	else
		trcrpt_run(dataset, choices, output, &options);
	trcrpt_options_fini(&options);
	free(words);
	free(text);
}

/* code_settings.c: the commands that choose what listings show, and where their files are
 * looked for. */
#include "analyzer/views/view.h"
#include "analyzer/model/comment.h"

#include "experiment/symbols/paths.h"
#include "analyzer/table/listing.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Objects that could not be found may be there now. */
static void look_again(const struct dataset *dataset)
{
	if (symbols_retry(dataset->symbols))
		dataset_forget_tables(dataset);
}

static void put_paths(const struct dataset *dataset, struct output *output)
{
	const struct exp_paths *paths = symbols_paths(dataset->symbols);
	const char *from;

	fputs("Current search path: ", output->out);
	text_put(output->out, exp_paths_list(paths));
	fputc('\n', output->out);
	for (size_t i = 0; (from = exp_paths_map_from(paths, i)); i++) {
		fputs("Current path map: ", output->out);
		text_put(output->out, from);
		fputs(" -> ", output->out);
		text_put(output->out, exp_paths_map_to(paths, i));
		fputc('\n', output->out);
	}
}

void view_setpath(struct analysis *analysis, const struct command_argument *argument)
{
	if (argument->text &&
	    exp_paths_set(symbols_paths(analysis->dataset.symbols), argument->text) != 0)
		memory_fail();
	if (argument->text)
		look_again(&analysis->dataset);
	else
		put_paths(&analysis->dataset, &analysis->output);
}

void view_addpath(struct analysis *analysis, const struct command_argument *argument)
{
	if (exp_paths_add(symbols_paths(analysis->dataset.symbols), argument->text) != 0)
		memory_fail();
	look_again(&analysis->dataset);
}

void view_pathmap(struct analysis *analysis, const struct command_argument *argument)
{
	if (!argument->text) {
		put_paths(&analysis->dataset, &analysis->output);
		return;
	}
	if (exp_paths_map(symbols_paths(analysis->dataset.symbols), argument->text,
	                  argument->second) != 0)
		memory_fail();
	look_again(&analysis->dataset);
}

static void set_threshold(struct output *output, const char *command, const char *text,
                          unsigned *threshold)
{
	char *end, now[24];
	unsigned long value;

	if (!text) {
		snprintf(now, sizeof(now), "%u", *threshold);
		view_put_setting(output, command, now);
		return;
	}
	value = strtoul(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end != '\0' || value > 100)
		output_fail(output, EXIT_USAGE, "%s: '%s' is not a percentage from 0 to 100",
		            command, text);
	else
		*threshold = (unsigned)value;
}

void view_sthresh(struct analysis *analysis, const struct command_argument *argument)
{
	set_threshold(&analysis->output, "sthresh", argument->text,
	              &analysis->choices.listing.source_threshold);
}

void view_dthresh(struct analysis *analysis, const struct command_argument *argument)
{
	set_threshold(&analysis->output, "dthresh", argument->text,
	              &analysis->choices.listing.disasm_threshold);
}

static int set_comments(struct output *output, const char *command, const char *text, int disasm,
                        unsigned *set, unsigned *threshold)
{
	const char *absent, *bad = NULL;
	size_t len = 0;

	if (comment_parse(text, disasm, set, threshold, &absent, &bad, &len) != 0) {
		output_fail(
			output, EXIT_USAGE,
			"%s: '%.*s' is no class of comments (inline, version, cf, basic, all, none%s)",
			command, (int)len, bad, disasm ? ", src, nosrc, hex, nohex" : "");
		return -EINVAL;
	}
	if (absent)
		output_say(output,
		           "%s: GCC and clang leave no comments of class %s in debug information",
		           command, absent);
	return 0;
}

void view_scc(struct analysis *analysis, const struct command_argument *argument)
{
	set_comments(&analysis->output, "scc", argument->text, 0,
	             &analysis->choices.listing.source_comments,
	             &analysis->choices.listing.source_threshold);
}

void view_dcc(struct analysis *analysis, const struct command_argument *argument)
{
	set_comments(&analysis->output, "dcc", argument->text, 1,
	             &analysis->choices.listing.disasm_comments,
	             &analysis->choices.listing.disasm_threshold);
}

void view_cc(struct analysis *analysis, const struct command_argument *argument)
{
	struct listing_choices *listing = &analysis->choices.listing;
	unsigned set = listing->disasm_comments, threshold = listing->disasm_threshold;

	if (set_comments(&analysis->output, "cc", argument->text, 1, &set, &threshold) != 0)
		return;
	listing->disasm_comments = set;
	listing->source_comments = set & ~(COMMENT_SOURCE | COMMENT_HEX);
	if (threshold != listing->disasm_threshold)
		listing->source_threshold = listing->disasm_threshold = threshold;
}

void view_context(struct analysis *analysis, const struct command_argument *argument)
{
	const char *text = argument->text;
	char *end, now[24];
	unsigned long lines;

	if (!text) {
		snprintf(now, sizeof(now), "%d", analysis->choices.listing.context);
		view_put_setting(&analysis->output, "context",
		                 analysis->choices.listing.context == LISTING_WHOLE  ? "all"
		                 : analysis->choices.listing.context == LISTING_AUTO ? "auto"
		                                                                     : now);
		return;
	}
	lines = strtoul(text, &end, 10);
	if (strcasecmp(text, "all") == 0)
		analysis->choices.listing.context = LISTING_WHOLE;
	else if (strcasecmp(text, "auto") == 0)
		analysis->choices.listing.context = LISTING_AUTO;
	else if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && lines <= LISTING_CONTEXT_MAX)
		analysis->choices.listing.context = (int)lines;
	else
		output_fail(&analysis->output, EXIT_USAGE,
		            "context: '%s' is not a number of lines, all or auto", text);
}

void view_asmsyntax(struct analysis *analysis, const struct command_argument *argument)
{
	if (!argument->text)
		view_put_setting(&analysis->output, "asmsyntax",
		                 analysis->choices.listing.assembly == ASSEMBLY_ATT ? "att"
		                                                                    : "intel");
	else if (strcasecmp(argument->text, "att") == 0)
		analysis->choices.listing.assembly = ASSEMBLY_ATT;
	else if (strcasecmp(argument->text, "intel") == 0)
		analysis->choices.listing.assembly = ASSEMBLY_INTEL;
	else
		output_fail(&analysis->output, EXIT_USAGE, "asmsyntax: '%s' is not att or intel",
		            argument->text);
}

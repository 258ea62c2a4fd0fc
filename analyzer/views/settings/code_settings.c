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

void view_setpath(struct session *session, const struct command_argument *argument)
{
	if (argument->text &&
	    exp_paths_set(symbols_paths(session->dataset.symbols), argument->text) != 0)
		memory_fail();
	if (argument->text)
		look_again(&session->dataset);
	else
		put_paths(&session->dataset, &session->output);
}

void view_addpath(struct session *session, const struct command_argument *argument)
{
	if (exp_paths_add(symbols_paths(session->dataset.symbols), argument->text) != 0)
		memory_fail();
	look_again(&session->dataset);
}

void view_pathmap(struct session *session, const struct command_argument *argument)
{
	if (!argument->text) {
		put_paths(&session->dataset, &session->output);
		return;
	}
	if (exp_paths_map(symbols_paths(session->dataset.symbols), argument->text,
	                  argument->second) != 0)
		memory_fail();
	look_again(&session->dataset);
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

void view_sthresh(struct session *session, const struct command_argument *argument)
{
	set_threshold(&session->output, "sthresh", argument->text,
	              &session->choices.listing.source_threshold);
}

void view_dthresh(struct session *session, const struct command_argument *argument)
{
	set_threshold(&session->output, "dthresh", argument->text,
	              &session->choices.listing.disasm_threshold);
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

void view_scc(struct session *session, const struct command_argument *argument)
{
	set_comments(&session->output, "scc", argument->text, 0,
	             &session->choices.listing.source_comments,
	             &session->choices.listing.source_threshold);
}

void view_dcc(struct session *session, const struct command_argument *argument)
{
	set_comments(&session->output, "dcc", argument->text, 1,
	             &session->choices.listing.disasm_comments,
	             &session->choices.listing.disasm_threshold);
}

void view_cc(struct session *session, const struct command_argument *argument)
{
	struct listing_choices *listing = &session->choices.listing;
	unsigned set = listing->disasm_comments, threshold = listing->disasm_threshold;

	if (set_comments(&session->output, "cc", argument->text, 1, &set, &threshold) != 0)
		return;
	listing->disasm_comments = set;
	listing->source_comments = set & ~(COMMENT_SOURCE | COMMENT_HEX);
	if (threshold != listing->disasm_threshold)
		listing->source_threshold = listing->disasm_threshold = threshold;
}

void view_context(struct session *session, const struct command_argument *argument)
{
	const char *text = argument->text;
	char *end, now[24];
	unsigned long lines;

	if (!text) {
		snprintf(now, sizeof(now), "%d", session->choices.listing.context);
		view_put_setting(&session->output, "context",
		                 session->choices.listing.context == LISTING_WHOLE  ? "all"
		                 : session->choices.listing.context == LISTING_AUTO ? "auto"
		                                                                    : now);
		return;
	}
	lines = strtoul(text, &end, 10);
	if (strcasecmp(text, "all") == 0)
		session->choices.listing.context = LISTING_WHOLE;
	else if (strcasecmp(text, "auto") == 0)
		session->choices.listing.context = LISTING_AUTO;
	else if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && lines <= LISTING_CONTEXT_MAX)
		session->choices.listing.context = (int)lines;
	else
		output_fail(&session->output, EXIT_USAGE,
		            "context: '%s' is not a number of lines, all or auto", text);
}

void view_asmsyntax(struct session *session, const struct command_argument *argument)
{
	if (!argument->text)
		view_put_setting(&session->output, "asmsyntax",
		                 session->choices.listing.assembly == ASSEMBLY_ATT ? "att"
		                                                                   : "intel");
	else if (strcasecmp(argument->text, "att") == 0)
		session->choices.listing.assembly = ASSEMBLY_ATT;
	else if (strcasecmp(argument->text, "intel") == 0)
		session->choices.listing.assembly = ASSEMBLY_INTEL;
	else
		output_fail(&session->output, EXIT_USAGE, "asmsyntax: '%s' is not att or intel",
		            argument->text);
}

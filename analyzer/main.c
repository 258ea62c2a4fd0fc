/* main.c: xer_print: opens the experiments, then runs the commands from left to right. */
#include "analyzer/arguments.h"
#include "analyzer/command.h"
#include "analyzer/complete.h"
#include "analyzer/here.h"
#include "experiment/base/cutfile.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/outfile.h"
#include "analyzer/rc.h"
#include "analyzer/script.h"
#include "analyzer/base/text.h"
#include "analyzer/trcrpt/trcrpt.h"
#include "analyzer/views/view.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <unistd.h>

struct step {
	const struct command *command; /* NULL: interactive */
	struct command_argument argument;
};

/* What the command line asks for. */
struct plan {
	struct step *steps;
	size_t step_count;
	const char **paths;
	size_t path_count;
};

/* Under this name it lists programs and libraries, as er_src of Solaris Studio does. */
static int is_src(void)
{
	return strcmp(program_invocation_short_name, "xer_src") == 0;
}

static void put_usage(FILE *out)
{
	if (is_src()) {
		fputs("Usage: xer_src [-func | -source ITEM | -disasm ITEM | -COMMAND [ARGUMENT]] ... PROGRAM|LIBRARY...\n"
		      "List source and instructions of a program without an experiment. Without commands: its "
		      "functions.\nITEM is a function or a source file. The commands are those of xer_print:\n\n",
		      out);
		command_help(out);
		return;
	}
	fputs("Usage: xer_print [-script FILE | -COMMAND [ARGUMENT]] ... [-] EXPERIMENT...\n"
	      "Print what xcollect recorded. Without commands: interactive, or commands from "
	      "standard input.\n\n",
	      out);
	command_help(out);
}

/* Options of every program. Returns true if `word` was one such; as commands, help and version go
 * on, and so does help for the command that is named `next`. */
static int answer(const char *word, const char *next)
{
	if (strcmp(word, "-V") == 0 || strcmp(word, "--version") == 0) {
		printf("%s " XER_VERSION "\n", is_src() ? "xer_src" : "xer_print");
		return 1;
	}
	if (strcmp(word, "-h") == 0 ||
	    ((strcasecmp(word, "-help") == 0 || strcasecmp(word, "--help") == 0) && !next)) {
		put_usage(stdout);
		return 1;
	}
	return 0;
}

/* Returns the number of words taken, or -1 after a message. */
static int plan_command(struct analysis *analysis, struct plan *plan, char **words, int count)
{
	const char *name = words[0] + (words[0][1] == '-' ? 2 : 1);
	const struct command *command;
	struct command_argument argument = {.text = NULL};
	char error[512];
	int taken;

	if (strcmp(words[0], "-") == 0) {
		plan->steps[plan->step_count++].command = NULL;
		return 1;
	}
	command = command_find(name, error, sizeof(error));
	if (!command) {
		output_fail(&analysis->output, EXIT_USAGE, "%s", error);
		return -1;
	}
	taken = arguments_take(command, words + 1, count - 1, &argument);
	if (command->run == view_help && count > 1 &&
	    words[1][0] != '-') { /* no experiment: help needs none */
		argument.text = words[1];
		taken = 1;
	}
	if (taken < 0) {
		output_fail(&analysis->output, EXIT_USAGE, "-%s: needs %s", command->name,
		            command->argument_text);
		return -1;
	}
	plan->steps[plan->step_count].command = command;
	plan->steps[plan->step_count++].argument = argument;
	return taken + 1;
}

/* At a prompt, and after open_exp, experiments may be named later. */
static int needs_experiment(const struct plan *plan)
{
	for (size_t i = 0; i < plan->step_count; i++) {
		const struct command *command = plan->steps[i].command;

		if (!command || command->run == view_open_exp || command->run == view_add_exp)
			return 0;
		if (command->need > NEED_CONTROL)
			return 1;
	}
	return plan->step_count == 0 &&
	       (is_src() || !(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)));
}

static void ask_for_experiment(struct output *output)
{
	char latest[NAME_MAX + 1];
	size_t count = here_experiments(latest);

	if (count == 0)
		output_fail(output, EXIT_USAGE,
		            "no experiment named (xer_print -help shows the usage)");
	else
		output_fail(output, EXIT_USAGE,
		            "no experiment named; %s is %s: xer_print -overview %s",
		            count == 1 ? "the one here" : "the latest here", latest, latest);
}

/* Returns 0, or -1 after a message. */
static int make_plan(struct analysis *analysis, struct plan *plan, char **words, int count)
{
	plan->steps = memory_take((size_t)count + 1, sizeof(*plan->steps));
	plan->paths = memory_take((size_t)count + 1, sizeof(*plan->paths));
	for (int i = 0; i < count;) {
		int taken = 1;

		if (words[i][0] == '-')
			taken = plan_command(analysis, plan, words + i, count - i);
		else
			plan->paths[plan->path_count++] = words[i];
		if (taken < 0)
			return -1;
		i += taken;
	}
	if (plan->path_count > 0 || !needs_experiment(plan))
		return 0;
	if (is_src())
		output_fail(&analysis->output, EXIT_USAGE,
		            "no program named (xer_src -help shows the usage)");
	else
		ask_for_experiment(&analysis->output);
	return -1;
}

/* What checks compare with, where their results go and how strict they are may stand behind them.
 */
static int is_first(const struct command *command)
{
	return command && (command->run == view_base || command->run == view_junit ||
	                   command->run == view_strict);
}

/* Is standard output the file of an export? */
static int is_exported(const struct plan *plan)
{
	for (size_t i = 0; i < plan->step_count; i++)
		if (plan->steps[i].command && plan->steps[i].command->show == view_export &&
		    strcmp(plan->steps[i].argument.second, "-") == 0)
			return 1;
	return 0;
}

/* Returns 0, or -EINVAL if the command could not be run as asked. Then no further command is run,
 * so that its output is not misunderstood, such as a table after a filter with a mistake. */
static int run_step(struct analysis *analysis, const struct step *step)
{
	int before = analysis->output.status, after;

	if (!step->command) {
		script_interact(analysis, command_run_line, complete_line);
		return 0;
	}
	if (step->command->run == view_rc) /* that was read before everything else */
		return 0;
	analysis->output.status = EXIT_OK;
	command_run(analysis, step->command, &step->argument);
	after = analysis->output.status;
	analysis->output.status = output_worse(after, before);
	if (step->command->run == view_script) /* its lines are many */
		return 0;
	return after == EXIT_USAGE || (after == EXIT_TROUBLE && step->command->need == NEED_CONTROL)
	               ? -EINVAL
	               : 0;
}

/* Run the steps that come first, or the others, up to one that fails. */
static int run_steps(struct analysis *analysis, const struct plan *plan, int first)
{
	int rc = 0;

	for (size_t i = 0; i < plan->step_count && rc == 0 && !analysis->output.is_quit; i++)
		if (is_first(plan->steps[i].command) == first)
			rc = run_step(analysis, &plan->steps[i]);
	return rc;
}

/* The rc files that are named, or else the usual ones. */
static void read_settings(struct analysis *analysis, const struct plan *plan)
{
	int named = 0;

	for (size_t i = 0; i < plan->step_count; i++)
		if (plan->steps[i].command && plan->steps[i].command->run == view_rc) {
			view_rc(analysis, &plan->steps[i].argument);
			named = 1;
		}
	if (!named)
		rc_read_usual(analysis, command_run_line);
}

/* Do the commands need nothing of the events? To read them takes longer than all else. */
static int is_without_events(const struct plan *plan)
{
	int lists = 0;

	for (size_t i = 0; i < plan->step_count; i++) {
		const struct command *command = plan->steps[i].command;

		if (!command || command->run == view_script ||
		    (command->need != NEED_CONTROL && command->need != NEED_LIST))
			return 0;
		lists += command->need == NEED_LIST;
	}
	return lists > 0;
}

static void run_plan(struct analysis *analysis, const struct plan *plan)
{
	read_settings(analysis, plan);
	for (size_t i = 0; i < plan->step_count; i++)
		if (plan->steps[i].command && plan->steps[i].command->run == view_instr_map)
			view_instr_map(analysis, &plan->steps[i].argument);
	for (size_t i = 0; i < plan->path_count; i++)
		if (dataset_open(&analysis->dataset, &analysis->choices, &analysis->output,
		                 plan->paths[i]) < 0)
			return;
	if (!is_without_events(plan))
		analysis_set_defaults(analysis);
	analysis->output.exports = is_exported(plan);
	output_page(&analysis->output);
	if (plan->step_count == 0 && is_src())
		command_run(analysis, command_find("functions", NULL, 0),
		            &(struct command_argument){.text = NULL});
	else if (plan->step_count == 0)
		script_interact(analysis, command_run_line, complete_line);
	if (run_steps(analysis, plan, 1) == 0)
		run_steps(analysis, plan, 0);
}

/* Everything must have reached its file: a full disk is a failure too. */
static int close_output(FILE *out)
{
	return outfile_close(out, 1) != 0;
}

/* Each experiment that is named holds its directory open, and a group may have thousands. */
static void raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int main(int argc, char **argv)
{
	struct analysis analysis;
	struct plan plan = {.step_count = 0};

	signal(SIGPIPE, SIG_DFL);
	exp_cut_file_watch(program_invocation_short_name, outfile_take_all_back);
	raise_limit();
	if (argc > 0 && strcmp(text_base(argv[0]), "xer_trcrpt") == 0)
		return trcrpt_main(argc, argv);
	if (argc > 1 && answer(argv[1], argv[2]))
		return fflush(stdout) != 0 ? EXIT_TROUBLE : EXIT_OK;
	analysis_init(&analysis);
	if (is_src())
		analysis.output.program = "xer_src";
	if (make_plan(&analysis, &plan, argv + 1, argc - 1) == 0)
		run_plan(&analysis, &plan);
	print_finish(&analysis.output);
	output_end_page(&analysis.output);
	if (close_output(analysis.output.out)) {
		analysis.output.out = NULL;
		output_fail(&analysis.output, EXIT_TROUBLE, "cannot write the output");
	}
	free(plan.steps);
	free(plan.paths);
	analysis_fini(&analysis);
	return analysis.output.status;
}

/* questions.c: run what users ask of an experiment, in this process: the library first, then the
 * analyzer. */
#include "tests/fuzz/targets/target.h"

#include "analyzer/command.h"
#include "experiment/base/internal.h"
#include "experiment/events/usertrace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LISTED = 4 };

static const char *const questions[] = {
#define QUESTION(commands) commands,
#include "tests/fuzz/targets/questions.def"
#undef QUESTION
};
enum { QUESTIONS = sizeof(questions) / sizeof(questions[0]) };

unsigned fuzz_complaints, fuzz_asked = 1;

static void complain(void *context, const char *message)
{
	(void)context;
	FUZZ_ASSERT(message[0] != '\0');
	fuzz_complaints++;
}

static int visit(void *context, const struct exp_user_event *event)
{
	volatile uint8_t last;

	(void)context;
	if (event->byte_count > 0)
		last = event->bytes[event->byte_count - 1];
	(void)last;
	return 0;
}

static void ask_library(struct experiment *experiment)
{
	const struct exp_data_set *set;
	int rc = experiment_load(experiment, &set);

	if (rc == 0)
		for (size_t i = 0; i < set->nodes.count; i++) {
			FUZZ_ASSERT(set->nodes.parent[i] == UINT32_MAX || set->nodes.parent[i] < i);
			experiment_object_at(experiment, set->nodes.pc[i],
			                     set->nodes.generation[i]);
			experiment_function_at(experiment, set->nodes.pc[i],
			                       set->nodes.generation[i]);
		}
	exp_user_events(&experiment, 1, visit, NULL);
}

struct analysis *fuzz_analysis_open(const char *path)
{
	static struct analysis analysis;
	static FILE *null;

	if (!null)
		null = fopen("/dev/null", "we");
	FUZZ_ASSERT(null != NULL);
	analysis_init(&analysis);
	analysis.output.out = null;
	if (path && dataset_open(&analysis.dataset, &analysis.choices, &analysis.output, path) >= 0)
		analysis_set_defaults(&analysis);
	return &analysis;
}

void fuzz_analysis_close(struct analysis *analysis)
{
	analysis->output.out = stdout;
	analysis_fini(analysis);
}

void fuzz_analysis_run(struct analysis *analysis, const char *commands)
{
	char *text = strdup(commands), *rest = text, *line;

	FUZZ_ASSERT(text != NULL);
	while ((line = strsep(&rest, "\n")))
		command_run_line(analysis, line);
	free(text);
}

void fuzz_analysis_command(struct analysis *analysis, const char *name, const char *text)
{
	const struct command_argument argument = {.text = text, .number = 1};

	command_run(analysis, command_find(name, NULL, 0), &argument);
}

/* Source and instructions of the last functions:
 * the first ones are <Total> and the other
 * sums. */
static void ask_listings(struct analysis *analysis)
{
	size_t count = symbols_function_count(analysis->dataset.symbols);

	for (size_t i = count > LISTED ? count - LISTED : 0; i < count; i++) {
		fuzz_analysis_command(analysis, "csource",
		                      symbols_function(analysis->dataset.symbols, i)->name);
		fuzz_analysis_command(analysis, "disasm",
		                      symbols_function(analysis->dataset.symbols, i)->name);
	}
}

static void ask_analyzer(const char *path, const char *question)
{
	struct analysis *analysis = fuzz_analysis_open(path);

	if (analysis->dataset.count > 0)
		fuzz_analysis_run(analysis, question);
	if (analysis->dataset.symbols)
		ask_listings(analysis);
	fuzz_analysis_close(analysis);
}

void fuzz_read_experiment(const char *path, unsigned which)
{
	static const struct exp_reporter reporter = {.warn = complain};
	struct experiment *experiment;
	struct exp_cause cause = {""};

	if (experiment_open(path, &reporter, &experiment, &cause) != 0) {
		FUZZ_ASSERT(cause.text[0] != '\0');
		fuzz_complaints++;
		return;
	}
	ask_library(experiment);
	experiment_close(experiment);
	if (which % fuzz_asked == 0)
		ask_analyzer(path, questions[which / fuzz_asked % QUESTIONS]);
}

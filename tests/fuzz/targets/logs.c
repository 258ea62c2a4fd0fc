/* Files that are read as an experiment or as several, and files of other programs about functions
 * that they created. */
#include "tests/fuzz/targets/target.h"
#include "analyzer/views/analysis.h"

#include "experiment/jit/moments.h"
#include "experiment/fxt/fxt.h"
#include "experiment/base/internal.h"
#include "experiment/jit/jitfunctions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void fuzz_xraylog(const uint8_t *bytes, size_t size)
{
	fuzz_read_experiment(fuzz_path("input", bytes, size), fuzz_sum(bytes, size));
}

/* Lines of a group may name an experiment: sound.er. */
void fuzz_group(const uint8_t *bytes, size_t size)
{
	char link[128], *target = realpath("tests/golden/profile.er", NULL);

	snprintf(link, sizeof(link), "%s/sound.er", fuzz_directory());
	FUZZ_ASSERT(target && (symlink(target, link) == 0 || errno == EEXIST));
	free(target);
	fuzz_analysis_close(fuzz_analysis_open(fuzz_path("input.erg", bytes, size)));
}

/* The binary that names the functions of a log. */
void fuzz_instrmap(const uint8_t *bytes, size_t size)
{
	struct analysis *analysis = fuzz_analysis_open(NULL);

	analysis->dataset.instr_map = fuzz_path("program", bytes, size);
	if (dataset_open(&analysis->dataset, &analysis->choices, &analysis->output,
	                 "tests/golden/xray/v5.log") >= 0)
		fuzz_analysis_run(analysis, "calls\nobjects\ngraph\ninstr_map_out /dev/null");
	fuzz_analysis_close(analysis);
}

static void walk_fxt(struct exp_fxt *fxt)
{
	const struct exp_fxt_record *record;

	while (exp_fxt_next(fxt, &record) == 1)
		for (size_t i = 0; fxt_records[record->kind].parts[i].name; i++) {
			struct exp_fxt_value value = record->values[i];
			struct exp_fxt_argument argument;
			size_t count = 0;

			if (!value.words ||
			    fxt_records[record->kind].parts[i].kind != FXT_PART_ARGUMENTS)
				continue;
			while (exp_fxt_argument(fxt, &value, &argument))
				FUZZ_ASSERT(++count <= 15);
		}
}

static void dump_fxt(const char *path)
{
	struct analysis *analysis = fuzz_analysis_open(NULL);

	fuzz_analysis_command(analysis, "fxt_dump", path);
	fuzz_analysis_close(analysis);
}

void fuzz_fxt(const uint8_t *bytes, size_t size)
{
	struct exp_fxt *fxt = exp_fxt_open(fuzz_descriptor(bytes, size));

	walk_fxt(fxt);
	exp_fxt_close(fxt);
	dump_fxt(fuzz_path("input", bytes, size));
	fuzz_read_experiment(fuzz_path("input", bytes, size), fuzz_sum(bytes, size));
}

/* A jitdump file names its process: this one. */
enum { JITDUMP_PID = 20 };

static void read_made(const uint8_t *bytes, size_t size, int (*read)(struct exp_jit_reader *reader))
{
	struct experiment *experiment = fuzz_blank_experiment();
	struct exp_dynamic dynamic = {.experiment = experiment};
	struct exp_jit_reader reader = {.dynamic = &dynamic,
	                                .file = "input",
	                                .fd = fuzz_descriptor(bytes, size),
	                                .size = size};

	uint32_t pid = 0;

	if (size >= JITDUMP_PID + sizeof(pid))
		memcpy(&pid, bytes + JITDUMP_PID, sizeof(pid));
	experiment->info.pid = pid;
	FUZZ_ASSERT(read(&reader) == 0);
	FUZZ_ASSERT(exp_dynamic_finish(&dynamic) == 0);
	for (size_t i = 0; i < experiment->function_count && i < 100; i++)
		exp_function_then(experiment, experiment->functions[i].address,
		                  (struct exp_instant){i, 0});
	experiment_close(experiment);
}

void fuzz_perfmap(const uint8_t *bytes, size_t size)
{
	read_made(bytes, size, exp_perfmap_read);
}

void fuzz_jitdump(const uint8_t *bytes, size_t size)
{
	read_made(bytes, size, exp_jitdump_read);
}

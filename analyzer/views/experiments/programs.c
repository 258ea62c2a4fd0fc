/* programs.c: the processes by program: which one of a build, a script or a server takes the time.
 */
#include "analyzer/views/view.h"

#include "analyzer/print/print.h"
#include "analyzer/report/programs.h"
#include "analyzer/report/quality/quality.h"

#include <stdlib.h>

static void put_row(struct print_table *table, const struct program *program)
{
	print_number(table, program->processes);
	print_number(table, program->cpu_ns);
	print_real(table, program->wall_s);
	print_real(table, program->longest_s);
	print_number(table, program->failed);
	print_number(table, program->died);
	print_word(table, program->path);
}

void view_programs(const struct dataset *dataset, const struct choices *choices,
                   struct output *output, const struct command_argument *argument)
{
	struct print_table *table = print_table_begin("programs");
	struct program *programs;
	size_t count = programs_gather(dataset, 0, &programs);

	(void)argument;
	quality_put(dataset, output);
	print_describe(table, "Programs, and the processes that ran them", 0);
	print_column(table, PRINT_COUNT, "processes", "Processes");
	print_column(table, PRINT_NS, "cpu", "CPU\nsec.");
	print_column(table, PRINT_SECONDS, "wall", "Wall sec.,\nsum");
	print_column(table, PRINT_SECONDS, "longest", "Wall sec.,\nlongest");
	print_column(table, PRINT_COUNT, "failed", "Exit code\nnot 0");
	print_column(table, PRINT_COUNT, "died", "Died");
	print_column(table, PRINT_WORD, "program", "Program");
	for (size_t i = 0; i < count; i++)
		put_row(table, &programs[i]);
	print_table_end(output, table, choices->limit);
	free(programs);
}

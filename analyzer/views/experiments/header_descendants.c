/* header_descendants.c: the processes of a tree below its founder, in the header: a line for each,
 * or if they are many, for each program; and what went wrong in them, once for all that say the
 * same. */
#include "analyzer/views/experiments/header.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/report/programs.h"
#include "analyzer/report/report.h"
#include "format/lineage.h"

#include <stdlib.h>
#include <string.h>

/* So many lines are read; more are counted. */
enum { LINES = 60, TROUBLES = 20 };

static const struct dataset_experiment *next_of(const struct dataset *dataset,
                                                const struct dataset_experiment *founder,
                                                const struct dataset_experiment *at)
{
	while ((at = dataset_next(dataset, at)) && at->founder != founder->id)
		;
	return at;
}

static void put_process(FILE *out, const struct dataset_experiment *founder,
                        const struct dataset_experiment *at)
{
	const struct exp_info *info = at->info;
	double start_s = (double)(info->start_real_ns - founder->info->start_real_ns) * 1e-9;
	char text[64];

	fprintf(out, "%5u  %9lld  %9.3f  %9.3f  %9.3f  %-22s  ", at->id, (long long)info->pid,
	        start_s, info->duration_s, report_seconds(report_cpu_ns(at)),
	        report_status(at, text, sizeof(text)));
	fprintf(out, "%*s", 2 * ((int)lineage_depth(info->lineage) - 1), "");
	if (info->mpi_rank >= 0)
		fprintf(out, "rank %lld: ", (long long)info->mpi_rank);
	report_put_command_cut(out, info);
	fputc('\n', out);
}

static void put_processes(FILE *out, const struct dataset *dataset,
                          const struct dataset_experiment *founder)
{
	const struct dataset_experiment *at = NULL;

	fprintf(out, "%5s  %9s  %9s  %9s  %9s  %-22s  %s\n", "ID", "PID", "Start s", "Wall s",
	        "CPU s", "Status", "Command");
	while ((at = next_of(dataset, founder, at)))
		put_process(out, founder, at);
}

static void put_programs(FILE *out, const struct dataset *dataset,
                         const struct dataset_experiment *founder)
{
	struct program *programs;
	size_t count = programs_gather(dataset, founder->id, &programs);

	fprintf(out, "%9s  %10s  %10s  %s\n", "Processes", "CPU s", "Wall s", "Program");
	for (size_t i = 0; i < count && i < LINES; i++) {
		fprintf(out, "%9zu  %10.3f  %10.3f  ", programs[i].processes,
		        report_seconds(programs[i].cpu_ns), programs[i].wall_s);
		text_put(out, programs[i].path);
		fputc('\n', out);
	}
	if (count > LINES)
		fprintf(out, "and %zu more programs (programs lists them)\n", count - LINES);
	free(programs);
}

/* ---- warnings ---- */

struct trouble {
	char *text; /* without its time */
	size_t processes;
	unsigned id; /* of the first of them */
};

struct troubles {
	struct trouble *at; /* at[count] */
	size_t count, capacity;
};

/* "at 1.234 s: " differs from process to process. */
static const char *without_time(const char *line)
{
	size_t len;

	if (strncmp(line, "at ", 3) != 0)
		return line;
	len = 3 + strspn(line + 3, "0123456789.");
	return strncmp(line + len, " s: ", 4) == 0 ? line + len + 4 : line;
}

/* What a process has to say: lines that begin with two blanks. */
static void gather(struct troubles *troubles, const struct dataset *dataset,
                   const struct dataset_experiment *at)
{
	char *text = NULL, *rest = NULL;
	size_t size;
	FILE *stream = memory_stream(&text, &size);

	header_put_troubles(stream, dataset, at);
	memory_stream_end(stream, &text);
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		const char *told = without_time(line + strspn(line, " "));

		if (line[0] != ' ')
			continue;
		troubles->at = memory_grow(troubles->at, troubles->count, &troubles->capacity,
		                           sizeof(*troubles->at));
		troubles->at[troubles->count++] = (struct trouble){memory_text(told, strlen(told)),
		                                                   1, at->id};
	}
	free(text);
}

static int by_text(const void *left, const void *right)
{
	const struct trouble *a = left, *b = right;
	int order = strcmp(a->text, b->text);

	return order != 0 ? order : (a->id > b->id) - (a->id < b->id);
}

static int by_count(const void *left, const void *right)
{
	const struct trouble *a = left, *b = right;

	if (a->processes != b->processes)
		return a->processes < b->processes ? 1 : -1;
	return (a->id > b->id) - (a->id < b->id);
}

/* Make one of those that say the same; a process that says it twice counts once. */
static void merge(struct troubles *troubles)
{
	size_t kept = 0;
	unsigned last = 0;

	qsort(troubles->at, troubles->count, sizeof(*troubles->at), by_text);
	for (size_t i = 0; i < troubles->count; i++) {
		struct trouble *at = &troubles->at[i], *before = &troubles->at[kept - (kept > 0)];

		if (kept > 0 && strcmp(before->text, at->text) == 0) {
			before->processes += at->id != last;
			last = at->id;
			free(at->text);
			continue;
		}
		last = at->id;
		troubles->at[kept++] = *at;
	}
	troubles->count = kept;
	qsort(troubles->at, kept, sizeof(*troubles->at), by_count);
}

static void put_troubles(FILE *out, const struct troubles *troubles)
{
	for (size_t i = 0; i < troubles->count && i < TROUBLES; i++) {
		const struct trouble *at = &troubles->at[i];

		if (at->processes == 1)
			fprintf(out, "  process %u: %s\n", at->id, at->text);
		else
			fprintf(out, "  %zu processes, the first is %u: %s\n", at->processes,
			        at->id, at->text);
	}
	if (troubles->count > TROUBLES)
		fprintf(out, "  and %zu others (header all has them)\n",
		        troubles->count - TROUBLES);
}

void header_put_descendants(FILE *out, const struct dataset *dataset,
                            const struct dataset_experiment *founder)
{
	const struct dataset_experiment *at = NULL;
	struct troubles troubles = {.count = 0};
	size_t count = 0;

	while ((at = next_of(dataset, founder, at))) {
		count++;
		gather(&troubles, dataset, at);
	}
	if (count == 0)
		return;
	fprintf(out, "\nDescendants: %zu (header ID describes one, header all every one%s)\n",
	        count, count > LINES ? ", exp_list lists them" : "");
	if (count > LINES)
		put_programs(out, dataset, founder);
	else
		put_processes(out, dataset, founder);
	if (troubles.count > 0) {
		merge(&troubles);
		fputs("Warnings of descendants\n", out);
		put_troubles(out, &troubles);
	}
	for (size_t i = 0; i < troubles.count; i++)
		free(troubles.at[i].text);
	free(troubles.at);
}

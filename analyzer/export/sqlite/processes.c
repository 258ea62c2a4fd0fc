/* processes.c: experiments, processes, their threads, settings and usage: what is known without
 * reading events. See sqlite.h. */
#include "analyzer/export/sqlite/sqlite.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/report/axis.h"
#include "experiment/base/clock.h"

#include <stdlib.h>

static int64_t ns_of(double time_s)
{
	return exp_whole_signed(time_s * 1e9);
}

static void put_experiments(const struct sql *sql)
{
	const struct dataset *dataset = sql->job->dataset;

	for (size_t i = 0; i < dataset->group_count; i++) {
		struct cell *row = database_row(sql->database, SQL_EXPERIMENT);

		cell_count(&row[SQL_EXPERIMENT_id], i + 1);
		cell_foreign(&row[SQL_EXPERIMENT_path], dataset->groups[i].path);
	}
}

/* "./server -p 80". */
static char *command_of(const struct exp_info *info)
{
	char *command;
	size_t size;
	FILE *out = memory_stream(&command, &size);

	for (size_t i = 0; i < info->argc; i++) {
		fputs(i ? " " : "", out);
		text_put(out, info->argv[i]);
	}
	memory_stream_end(out, &command);
	return command;
}

static void put_identity(struct cell *row, const struct dataset_experiment *at)
{
	const struct exp_info *info = at->info;

	cell_integer(&row[SQL_PROCESS_id], at->id);
	cell_count(&row[SQL_PROCESS_experiment], at->group + 1);
	if (at->founder != 0)
		cell_integer(&row[SQL_PROCESS_founder], at->founder);
	cell_foreign(&row[SQL_PROCESS_path], info->path);
	cell_foreign(&row[SQL_PROCESS_lineage], info->lineage);
	cell_integer(&row[SQL_PROCESS_pid], info->pid);
	if (info->ppid > 0)
		cell_integer(&row[SQL_PROCESS_ppid], info->ppid);
	cell_foreign(&row[SQL_PROCESS_program], info->program);
	cell_take(&row[SQL_PROCESS_command], command_of(info));
	cell_foreign(&row[SQL_PROCESS_directory], info->cwd);
	cell_foreign(&row[SQL_PROCESS_host], info->host);
	if (info->cpus > 0)
		cell_count(&row[SQL_PROCESS_cpus], info->cpus);
	if (info->mpi_rank >= 0)
		cell_integer(&row[SQL_PROCESS_mpi_rank], info->mpi_rank);
}

static void put_life(const struct sql *sql, struct cell *row, const struct dataset_experiment *at)
{
	const struct exp_info *info = at->info;
	const struct exp_data_set *whole = at->whole;
	uint64_t cpu_ns = info->cpu_ns != 0 ? info->cpu_ns : whole->quality.cpu_ns;

	cell_integer(&row[SQL_PROCESS_start_wall_ns], info->start_real_ns);
	cell_integer(&row[SQL_PROCESS_start_ns], axis_offset_ns(sql->job->dataset, at));
	cell_integer(&row[SQL_PROCESS_duration_ns], ns_of(info->duration_s));
	if (cpu_ns != 0)
		cell_count(&row[SQL_PROCESS_cpu_ns], cpu_ns);
	if (info->exit_code >= 0)
		cell_integer(&row[SQL_PROCESS_exit_code], info->exit_code);
	if (at->killed_by != 0)
		cell_integer(&row[SQL_PROCESS_killed_by], at->killed_by);
	if (whole->heap.sampled_every != 0)
		cell_count(&row[SQL_PROCESS_heap_sampled_every], whole->heap.sampled_every);
	cell_count(&row[SQL_PROCESS_lost], whole->quality.lost);
}

static void put_settings(const struct sql *sql, const struct dataset_experiment *at)
{
	for (size_t i = 0; i < at->info->setting_count; i++) {
		struct cell *row = database_row(sql->database, SQL_SETTING);

		cell_integer(&row[SQL_SETTING_process], at->id);
		cell_foreign(&row[SQL_SETTING_name], at->info->settings[i].name);
		cell_foreign(&row[SQL_SETTING_value], at->info->settings[i].value);
	}
}

/* Number 0 has a row even if no event needs it. */
static void put_threads(struct sql *sql, struct sql_process *process)
{
	const struct exp_data_set *whole = process->at->whole;

	process->first_thread = ++sql->thread_count;
	sql->thread_count += (int64_t)whole->thread_count;
	for (size_t i = 0; i <= whole->thread_count; i++) {
		const struct exp_thread *thread = i > 0 ? &whole->threads[i - 1] : NULL;
		struct cell *row = database_row(sql->database, SQL_THREAD);

		cell_integer(&row[SQL_THREAD_id], process->first_thread + (int64_t)i);
		cell_integer(&row[SQL_THREAD_process], process->at->id);
		cell_count(&row[SQL_THREAD_number], i);
		if (!thread)
			continue;
		cell_integer(&row[SQL_THREAD_tid], thread->tid);
		cell_integer(&row[SQL_THREAD_start_ns], ns_of(thread->time_s));
		if (thread->name[0] != '\0')
			cell_foreign(&row[SQL_THREAD_name], thread->name);
	}
}

static void put_usage(const struct sql *sql, const struct dataset_experiment *at)
{
	for (size_t i = 0; i < at->whole->usage_count; i++) {
		const struct exp_usage *usage = &at->whole->usage[i];
		struct cell *row = database_row(sql->database, SQL_USAGE);

		cell_integer(&row[SQL_USAGE_process], at->id);
		cell_integer(&row[SQL_USAGE_time_ns], ns_of(usage->time_s));
		cell_foreign(&row[SQL_USAGE_label], usage->label);
		cell_count(&row[SQL_USAGE_user_ns], usage->user_ns);
		cell_count(&row[SQL_USAGE_system_ns], usage->system_ns);
		cell_count(&row[SQL_USAGE_resident_peak_kib], usage->maxrss_kib);
		cell_count(&row[SQL_USAGE_minor_faults], usage->minflt);
		cell_count(&row[SQL_USAGE_major_faults], usage->majflt);
		cell_count(&row[SQL_USAGE_voluntary_switches], usage->nvcsw);
		cell_count(&row[SQL_USAGE_involuntary_switches], usage->nivcsw);
	}
}

void sql_processes_put(struct sql *sql)
{
	put_experiments(sql);
	for (size_t i = 0; i < sql->process_count; i++) {
		const struct dataset_experiment *at = sql->processes[i].at;
		struct cell *row = database_row(sql->database, SQL_PROCESS);

		put_identity(row, at);
		put_life(sql, row, at);
		put_settings(sql, at);
		put_threads(sql, &sql->processes[i]);
		put_usage(sql, at);
	}
}

/* masks.c: let the tick signal into threads that block all signals. See masks.h. */
#include "attach/masks.h"

#include "attach/thread.h"

#include "format/attach.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t tick = (uint64_t)1 << (ATTACH_TICK_SIGNAL - 1);

static int blocks_tick(pid_t pid, pid_t tid)
{
	char path[64], line[256];
	uint64_t blocked = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)pid, (int)tid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, "SigBlk:", 7) == 0)
			blocked = strtoull(line + 7, NULL, 16);
	if (file)
		fclose(file);
	return (blocked & tick) != 0;
}

static void let_in(pid_t tid)
{
	struct thread thread;
	uint64_t mask;

	if (thread_seize(&thread, tid) < 0 || thread_stop(&thread) < 0)
		return;
	if (thread_mask_get(&thread, &mask) == 0)
		thread_mask_set(&thread, mask & ~tick);
	thread_release(&thread);
}

void masks_let_in(pid_t pid)
{
	struct dirent *entry;
	char path[40];
	DIR *directory;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	directory = opendir(path);
	while (directory && (entry = readdir(directory))) {
		pid_t tid = (pid_t)atoi(entry->d_name);

		if (tid > 0 && blocks_tick(pid, tid))
			let_in(tid);
	}
	if (directory)
		closedir(directory);
}

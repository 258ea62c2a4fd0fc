/* masks.c: let the signals of ticks into threads that block all signals. See masks.h. */
#include "attach/masks.h"

#include "attach/thread.h"

#include "format/attach.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Those of the recorder's timers and of its perf events. */
static const uint64_t ticks = (uint64_t)1 << (ATTACH_TICK_SIGNAL - 1) | (uint64_t)1
                                                                                << (SIGTRAP - 1);

/* Which of them the thread blocks, though the process has a handler for them. */
static uint64_t blocked_ticks(pid_t pid, pid_t tid)
{
	char path[64], line[256];
	uint64_t blocked = 0, caught = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)pid, (int)tid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, "SigBlk:", 7) == 0)
			blocked = strtoull(line + 7, NULL, 16);
		if (strncmp(line, "SigCgt:", 7) == 0)
			caught = strtoull(line + 7, NULL, 16);
	}
	if (file)
		fclose(file);
	return blocked & caught & ticks;
}

static void let_in(pid_t tid, uint64_t signals)
{
	struct thread thread;
	uint64_t mask;

	if (thread_seize(&thread, tid) < 0 || thread_stop(&thread) < 0)
		return;
	if (thread_mask_get(&thread, &mask) == 0)
		thread_mask_set(&thread, mask & ~signals);
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
		uint64_t signals = tid > 0 ? blocked_ticks(pid, tid) : 0;

		if (signals)
			let_in(tid, signals);
	}
	if (directory)
		closedir(directory);
}

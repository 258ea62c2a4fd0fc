/* members.c: see members.h. The kernel reports forks and ends of threads everywhere; a process has
 * ended when it has no threads. When a process with several of them executes a program, all others
 * end, which is reported, too. */
#include "perf/members.h"

#include <ctype.h>
#include <dirent.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUCKETS = 4096 };

struct member {
	struct member *next;
	pid_t pid;
	unsigned threads;
};

static struct member *buckets[BUCKETS];
static pid_t expected; /* 0: nobody */

static struct member **place_of(pid_t pid)
{
	struct member **at = &buckets[(unsigned)pid % BUCKETS];

	while (*at && (*at)->pid != pid)
		at = &(*at)->next;
	return at;
}

static struct member *add(pid_t pid)
{
	struct member **at = place_of(pid);

	if (!*at)
		*at = calloc(1, sizeof(**at));
	if (*at) {
		(*at)->pid = pid;
		(*at)->threads = 1;
	}
	return *at;
}

static void drop(struct member **at)
{
	struct member *member = *at;

	if (!member)
		return;
	*at = member->next;
	free(member);
}

static void drop_all(void)
{
	for (size_t i = 0; i < BUCKETS; i++)
		while (buckets[i])
			drop(&buckets[i]);
	expected = 0;
}

void members_expect(pid_t pid)
{
	drop_all();
	expected = pid;
}

static unsigned count_threads(pid_t pid)
{
	const struct dirent *entry;
	char path[48];
	unsigned count = 0;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks && (entry = readdir(tasks)) != NULL)
		count += isdigit((unsigned char)entry->d_name[0]) != 0;
	if (tasks)
		closedir(tasks);
	return count;
}

/* A thread that began just now is counted here and reported, too: then the process stays a member
 * after its end, until another one has its number. So it does where its end was lost. */
void members_begin(pid_t pid)
{
	struct member *member;

	drop_all();
	member = add(pid);
	if (member)
		member->threads = count_threads(pid);
}

/* ---- records */

static int take_fork(pid_t pid, pid_t parent)
{
	struct member *member;

	if (pid != parent) {
		if (*place_of(parent))
			return add(pid) != NULL;
		drop(place_of(pid)); /* the number of one whose end was lost is used again */
		return 0;
	}
	member = *place_of(pid);
	if (member)
		member->threads++;
	return member != NULL;
}

static int take_exit(pid_t pid)
{
	struct member **at = place_of(pid);

	if (pid == expected)
		expected = 0;
	if (!*at)
		return 0;
	if (--(*at)->threads == 0)
		drop(at);
	return 1;
}

int members_take(const struct ring_record *record)
{
	pid_t pid, parent;

	if (record->type == PERF_RECORD_LOST || record->count < 2)
		return 0;
	pid = (pid_t)(uint32_t)record->words[0];
	parent = (pid_t)(record->words[0] >> 32);
	if (record->type == PERF_RECORD_FORK)
		return take_fork(pid, parent);
	if (record->type == PERF_RECORD_EXIT)
		return take_exit(pid);
	/* Those outside of the PID namespace have the number 0. */
	if (record->type == PERF_RECORD_COMM && (record->misc & PERF_RECORD_MISC_COMM_EXEC) &&
	    expected != 0 && pid == expected) {
		expected = 0;
		add(pid);
	}
	return members_have(pid);
}

int members_have(pid_t pid)
{
	return *place_of(pid) != NULL;
}

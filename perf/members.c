/* members.c: see members.h. The kernel reports forks and ends of threads everywhere; a process has
 * ended when it has no threads. A program that is executed by a process with several of them takes
 * none away that is not reported, too: all others end. */
#include "perf/members.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BUCKETS = 4096 };

struct member {
	struct member *next;
	pid_t pid;
	unsigned threads; /* at least so many, if it is doubtful */
	int is_doubtful;  /* ends of its threads may have gone unnoticed */
};

static struct member *buckets[BUCKETS];
static size_t member_count;
static int any_doubtful;
static pid_t expected; /* 0: nobody */
static time_t asked;

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

	if (!*at) {
		*at = calloc(1, sizeof(**at));
		member_count += *at != NULL;
	}
	if (*at) {
		(*at)->pid = pid;
		(*at)->threads = 1;
		(*at)->is_doubtful = 0;
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
	member_count--;
}

static void drop_all(void)
{
	for (size_t i = 0; i < BUCKETS; i++)
		while (buckets[i])
			drop(&buckets[i]);
	any_doubtful = 0;
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

/* A thread that began just now is counted here and reported, too; so the number is doubtful. */
void members_begin(pid_t pid)
{
	struct member *member;

	drop_all();
	member = add(pid);
	if (!member)
		return;
	member->threads = count_threads(pid);
	member->is_doubtful = any_doubtful = 1;
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
	if (!(*at)->is_doubtful && --(*at)->threads == 0)
		drop(at);
	return 1;
}

static void doubt_all(void)
{
	for (size_t i = 0; i < BUCKETS; i++)
		for (struct member *member = buckets[i]; member; member = member->next)
			member->is_doubtful = 1;
	any_doubtful = 1;
}

int members_take(const struct ring_record *record)
{
	pid_t pid, parent;

	if (record->type == PERF_RECORD_LOST)
		doubt_all();
	if (record->type == PERF_RECORD_LOST || record->count < 2)
		return 0;
	pid = (pid_t)(uint32_t)record->words[0];
	parent = (pid_t)(record->words[0] >> 32);
	if (record->type == PERF_RECORD_FORK)
		return take_fork(pid, parent);
	if (record->type == PERF_RECORD_EXIT)
		return take_exit(pid);
	if (record->type == PERF_RECORD_COMM && (record->misc & PERF_RECORD_MISC_COMM_EXEC) &&
	    pid == expected) {
		expected = 0;
		add(pid);
	}
	return members_have(pid);
}

int members_have(pid_t pid)
{
	return *place_of(pid) != NULL;
}

/* ---- the end */

/* A process that nobody has waited for yet has ended, too; but its first thread may have ended
 * before others. */
static int has_ended(pid_t pid)
{
	char path[48], text[512];
	const char *behind;
	FILE *file;
	size_t len;

	if (kill(pid, 0) < 0 && errno == ESRCH)
		return 1;
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	len = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[len] = '\0';
	behind = strrchr(text, ')');
	return behind && behind[1] == ' ' && (behind[2] == 'Z' || behind[2] == 'X') &&
	       count_threads(pid) <= 1;
}

int members_are_gone(void)
{
	struct timespec now;

	if (member_count == 0)
		return expected == 0;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!any_doubtful || now.tv_sec == asked)
		return 0;
	asked = now.tv_sec;
	for (size_t i = 0; i < BUCKETS; i++)
		for (struct member **at = &buckets[i]; *at;) {
			if ((*at)->is_doubtful && has_ended((*at)->pid))
				drop(at);
			else
				at = &(*at)->next;
		}
	return member_count == 0 && expected == 0;
}

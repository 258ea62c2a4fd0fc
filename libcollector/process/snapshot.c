/* snapshot.c: see snapshot.h. All that happens in this process is that it makes a child: xcollect
 * copies from outside, while this thread waits and the others go on.
 * See doc/decisions/105-snapshots.md. */
#include "libcollector/process/snapshot.h"

#include "libcollector/base/collector.h"
#include "libcollector/process/helper.h"
#include "libcollector/profile/tick_possible.h"
#include "libcollector/write/log.h"

#include <errno.h>

enum { WORDS = 10, NUMBER = 24 };
enum { APART_S = 60, MOST = 10 };

/* What the helper reads until it has become xcollect, of one snapshot at a time. */
static atomic_uint busy;
static atomic_uint made_alone;          /* of those that nobody asks for at that moment */
static atomic_uint_fast64_t next_alone; /* ticks */
static char process[NUMBER], place[sizeof(col.descriptor.directory)],
	wanted[sizeof(col.descriptor.directory)], reason[SNAPSHOT_WHY];
static char *words[WORDS];

char *snapshot_put_number(char *out, uint64_t number)
{
	char digits[NUMBER];
	int count = 0;

	do
		digits[count++] = (char)('0' + number % 10);
	while ((number /= 10) > 0);
	while (count > 0)
		*out++ = digits[--count];
	*out = '\0';
	return out;
}

/* The directory that the experiment is in. */
static void find_place(void)
{
	char *slash;

	strcpy(place, col.descriptor.directory);
	slash = strrchr(place, '/');
	if (slash && slash != place)
		*slash = '\0';
	else
		strcpy(place, "/");
}

/* Returns 0, or -ENAMETOOLONG. */
static int put_words(const char *name, const char *why)
{
	size_t at = 0;

	snapshot_put_number(process, (uint64_t)col.pid);
	words[at++] = col.descriptor.collect;
	words[at++] = "--snapshot";
	words[at++] = process;
	words[at++] = "-A";
	words[at++] = col.descriptor.archive_mode[0] ? col.descriptor.archive_mode : "off";
	if (name) {
		if (strlen(name) >= sizeof(wanted))
			return -ENAMETOOLONG;
		strcpy(wanted, name);
		words[at++] = "-o";
		words[at++] = wanted;
	} else {
		find_place();
		words[at++] = "-d";
		words[at++] = place;
	}
	if (why) {
		strcpy(reason, why);
		words[at++] = "-C";
		words[at++] = reason;
	}
	words[at] = NULL;
	return 0;
}

static const char *reason_of(int status)
{
	switch (status) {
	case -ENAMETOOLONG:
		return "no snapshot was made: its name is too long";
	case -EBUSY:
		return "no snapshot was made: another one is being made";
	case -ENOENT:
		return "no snapshot was made: it is not known where xcollect is";
	case -EPERM:
		return "no snapshot was made: the program has filters of system calls; xcollect --snapshot makes one";
	case -ECHILD:
		return "no snapshot was made: xcollect would become a child of this process; xcollect --snapshot makes one";
	case -EXDEV:
		return "no snapshot was made: children are in another name space; xcollect --snapshot makes one";
	default:
		return status < 0 ? "no snapshot was made: no process could be made for it"
		                  : "no snapshot was made: xcollect --snapshot failed";
	}
}

static int run(const char *name, const char *why)
{
	const struct helper helper = {.argv = words, .is_left = why != NULL};
	int status;

	if (!col.descriptor.collect[0])
		return -ENOENT;
	/* Nobody has judged what they do to who makes a process. */
	if (tick_is_filtered())
		return -EPERM;
	if (atomic_exchange(&busy, 1))
		return -EBUSY;
	status = put_words(name, why);
	if (status == 0)
		status = helper_run(&helper);
	atomic_store(&busy, 0);
	return status;
}

/* why: it is made by a handler, which does not wait; NULL: it is not. */
static int take(const char *name, const char *why)
{
	int status = run(name, why);

	if (status == 0)
		return 0;
	col_log_warning(reason_of(status));
	return -1;
}

int snapshot_take(const char *name)
{
	return take(name, NULL);
}

void snapshot_begin(const char *why)
{
	sys_sigset old;

	sys_block_signals(&old); /* no handler jumps away */
	take(NULL, why);
	sys_sigmask(SIG_SETMASK, &old, NULL);
}

int snapshot_is_due(void)
{
	uint64_t now = col_ticks(), due = atomic_load(&next_alone);

	if (now < due || atomic_load(&made_alone) >= MOST ||
	    !atomic_compare_exchange_strong(&next_alone, &due,
	                                    now + APART_S * col.descriptor.clock_hz))
		return 0;
	atomic_fetch_add(&made_alone, 1);
	return 1;
}

void snapshot_after_crash(uint32_t pid, int signal)
{
	char why[SNAPSHOT_WHY], *at;

	if (!snapshot_is_due())
		return;
	at = stpcpy(why, "Process ");
	at = snapshot_put_number(at, pid);
	at = stpcpy(at, " was killed by signal ");
	snapshot_put_number(at, (uint64_t)signal);
	snapshot_begin(why);
}

void snapshot_forget(void)
{
	atomic_store(&busy, 0);
	atomic_store(&made_alone, 0);
	atomic_store(&next_alone, 0);
}

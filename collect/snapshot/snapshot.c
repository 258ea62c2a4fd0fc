/* snapshot.c: see snapshot.h.
 *
 * The copy is of one moment, which is taken before anything is copied: readers pass over later
 * events. All logs are copied first, as they are then, and that of the founder is put in its place
 * when all else is there; a directory without it is no experiment.
 * See doc/decisions/105-snapshots.md. */
#include "collect/snapshot/snapshot.h"

#include "collect/experiment/experiment.h"
#include "collect/experiment/remove.h"
#include "collect/record/attach.h"
#include "collect/snapshot/filecopy.h"
#include "collect/snapshot/recorded.h"
#include "collect/snapshot/snapshot_copy.h"
#include "collect/snapshot/snapshot_kept.h"

#include "format/layout.h"
#include "format/lineage.h"
#include "format/memstream.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 5 };
enum { DIRECTORY_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, NUMBER = 32 };

struct snapshot {
	const struct request *request;
	struct recorded source;
	struct experiment_directory target;
	struct snapshot_event event;
	char **names; /* of the directories of descendants */
	size_t name_count;
	char *log; /* of the founder */
	uint64_t log_len;
	uint64_t bytes;
	uint64_t kept_before,
		kept_from; /* event times: since when all was there, and is in the copy */
};

/* ---- what the founder's log says */

/* The value of an attribute behind `place`, which our own xcollect wrote; "" if it has none,
 * or if there is no log. */
static const char *value_of(const char *log, const char *place, const char *attribute, char *out)
{
	const char *at = log ? strstr(log, place) : NULL;
	size_t len;

	out[0] = '\0';
	at = at ? strstr(at, attribute) : NULL;
	if (!at)
		return out;
	at += strlen(attribute);
	len = strcspn(at, "\"");
	snprintf(out, NUMBER, "%.*s", len < NUMBER ? (int)len : 0, at);
	return out;
}

static uint64_t number_of(const char *log, const char *place, const char *attribute)
{
	char text[NUMBER];

	return strtoull(value_of(log, place, attribute, text), NULL, 10);
}

static uint64_t setting_of(const char *log, const char *name)
{
	char place[64];

	snprintf(place, sizeof(place), "<setting name=\"%s\"", name);
	return number_of(log, place, " value=\"");
}

static double seconds_of(const struct snapshot *snapshot)
{
	uint64_t start = number_of(snapshot->log, "<clock ", " ticks=\""),
		 hz = number_of(snapshot->log, "<clock ", " hz=\"");

	return hz == 0 || snapshot->event.ticks < start
	               ? 0
	               : (double)(snapshot->event.ticks - start) / (double)hz;
}

/* The moment, by the clock of the recording. */
static int take_moment(struct snapshot *snapshot, struct clock_source *clock)
{
	struct clock_moment now;
	char source[NUMBER], *log;
	size_t len;
	int status = filecopy_read(snapshot->source.founder, FMT_FILE_LOG, &log, &len);

	if (status < 0)
		return status;
	clock->is_tsc = strcmp(value_of(log, "<clock ", " source=\"", source), "tsc") == 0;
	free(log);
	clock_end(clock, &now);
	snapshot->event.ticks = now.ticks;
	snapshot->event.real_ns = now.real_ns;
	return 0;
}

/* ---- the tree */

static int add_name(struct snapshot *snapshot, const char *name)
{
	char **longer = realloc(snapshot->names, (snapshot->name_count + 1) * sizeof(*longer));

	if (!longer)
		return -ENOMEM;
	snapshot->names = longer;
	longer[snapshot->name_count] = strdup(name);
	if (!longer[snapshot->name_count])
		return -ENOMEM;
	snapshot->name_count++;
	return 0;
}

static int list_tree(struct snapshot *snapshot)
{
	int copy = openat(snapshot->source.founder, ".", DIRECTORY_FLAGS), status = 0;
	DIR *directory = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;

	if (!directory) {
		status = -errno;
		if (copy >= 0)
			close(copy);
		return status;
	}
	while (status == 0 && (entry = readdir(directory)) != NULL)
		if (lineage_is_experiment(entry->d_name))
			status = add_name(snapshot, entry->d_name);
	closedir(directory);
	return status;
}

/* For each descendant that is still there, with its open directories. Returns the first that is not
 * 0. */
static int each_descendant(struct snapshot *snapshot, int flags,
                           int (*visit)(struct snapshot *snapshot, int from, int to))
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < snapshot->name_count; i++) {
		const char *name = snapshot->names[i];
		int from = openat(snapshot->source.founder, name, DIRECTORY_FLAGS), to;

		if (from < 0)
			continue;
		if (flags & O_CREAT)
			mkdirat(snapshot->target.fd, name, FMT_DIRECTORY_MODE);
		to = openat(snapshot->target.fd, name, DIRECTORY_FLAGS);
		if (to >= 0) {
			status = visit(snapshot, from, to);
			close(to);
		} else if (flags & O_CREAT) {
			status = -errno;
		}
		close(from);
	}
	return status;
}

/* A process that is about to begin has no log yet: nothing of it is from before the moment. */
static int copy_log(struct snapshot *snapshot, int from, int to)
{
	struct experiment_directory target = {.fd = to};
	uint64_t len;
	char *text;
	int status = snapshot_log(from, &snapshot->event, &text, &len);

	if (status < 0)
		return status == -ENOENT || status == -EBADMSG ? 0 : status;
	snapshot->bytes += len;
	status = experiment_put_file(&target, FMT_FILE_LOG, text, (size_t)len);
	free(text);
	return status;
}

static int copy_files(struct snapshot *snapshot, int from, int to)
{
	if (faccessat(to, FMT_FILE_LOG, F_OK, 0) < 0)
		return 0;
	return snapshot_copy(from, to, &snapshot->bytes);
}

/* ---- all */

/* The notes of the experiment, those of -C, and what it is. */
static int put_notes(struct snapshot *snapshot)
{
	const struct request *request = snapshot->request;
	time_t moment = (time_t)(snapshot->event.real_ns / 1000000000);
	char date[64] = "?", *notes = NULL, *all = NULL;
	size_t len = 0, size;
	struct tm parts;
	FILE *out = memstream_open(&all, &size);
	int status;

	if (!out)
		return -ENOMEM;
	if (filecopy_read(snapshot->source.founder, FMT_FILE_NOTES, &notes, &len) == 0)
		fwrite(notes, 1, len, out);
	free(notes);
	for (size_t i = 0; i < request->comment_count; i++) {
		for (const char *at = request->comments[i]; *at; at++)
			fputc(*at == '\n' ? ' ' : *at, out);
		fputc('\n', out);
	}
	if (gmtime_r(&moment, &parts))
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S UTC", &parts);
	fprintf(out, "Snapshot of %s for process %d, %s\n", snapshot->event.of, snapshot->event.pid,
	        date);
	status = ferror(out) ? -ENOMEM : 0;
	if (fclose(out) != 0)
		status = -ENOMEM;
	if (status == 0)
		status = experiment_put_file(&snapshot->target, FMT_FILE_NOTES, all, size);
	free(all);
	return status;
}

static int is_kept(const struct snapshot *snapshot)
{
	return setting_of(snapshot->log, "keep_bytes") || setting_of(snapshot->log, "keep_ms");
}

static int copy_once(struct snapshot *snapshot, struct clock_source *clock)
{
	int founder = snapshot->source.founder, target = snapshot->target.fd;
	int status = list_tree(snapshot);

	snapshot->kept_from = 0;

	snapshot->kept_before = snapshot_kept_from(founder);
	if (status == 0)
		status = take_moment(snapshot, clock);
	if (status == 0)
		status = snapshot_log(founder, &snapshot->event, &snapshot->log,
		                      &snapshot->log_len);
	if (status == 0)
		status = each_descendant(snapshot, O_CREAT, copy_log);
	if (status == 0)
		status = snapshot_copy(founder, target, &snapshot->bytes);
	if (status == 0)
		status = each_descendant(snapshot, 0, copy_files);
	if (status == 0 && is_kept(snapshot))
		status = snapshot_kept_finish(founder, target,
		                              setting_of(snapshot->log, "keep_bytes"),
		                              snapshot->event.ticks, &snapshot->kept_from);
	return status;
}

/* Did more than half of what was kept go while it was copied? Then another time may be luckier: we
 * may have had to wait for a processor. */
static int has_lost_most(const struct snapshot *snapshot)
{
	return snapshot->kept_from > snapshot->kept_before / 2 + snapshot->event.ticks / 2;
}

static void forget_copy(struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->name_count; i++)
		free(snapshot->names[i]);
	free(snapshot->names);
	free(snapshot->log);
	snapshot->names = NULL;
	snapshot->log = NULL;
	snapshot->name_count = 0;
	snapshot->bytes = 0;
}

static int begin_again(struct snapshot *snapshot)
{
	int status = remove_contents(snapshot->target.fd);

	forget_copy(snapshot);
	if (status == 0 && mkdirat(snapshot->target.fd, FMT_DIR_ARCHIVES, FMT_DIRECTORY_MODE) < 0)
		status = -errno;
	return status;
}

static int copy_tree(struct snapshot *snapshot, struct clock_source *clock)
{
	int status = copy_once(snapshot, clock);

	for (int i = 1; status == 0 && i < TRIES && has_lost_most(snapshot); i++) {
		status = begin_again(snapshot);
		if (status == 0)
			status = copy_once(snapshot, clock);
	}
	if (status == 0)
		status = put_notes(snapshot);
	if (status == 0)
		status = experiment_put_file(&snapshot->target, FMT_FILE_LOG, snapshot->log,
		                             (size_t)snapshot->log_len);
	return status;
}

static void interrupt(int signal)
{
	(void)signal;
	snapshot_is_interrupted = 1;
}

/* A limit of file sizes is an error like others. */
static void catch_signals(void)
{
	const struct sigaction action = {.sa_handler = interrupt};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
}

static void say(const struct snapshot *snapshot)
{
	uint64_t bytes = snapshot->bytes + snapshot->log_len;

	if (snapshot->kept_from >= snapshot->event.ticks)
		fprintf(stderr,
		        "xcollect: warning: what is kept changes faster than it can be copied: the snapshot has no events; a larger --keep helps\n");
	fprintf(stderr,
	        "%s: process %d in %s as it was at %.3f s, %.1f MB. Read it: xer_print -overview %s\n",
	        snapshot->target.name, snapshot->event.pid, snapshot->event.of,
	        seconds_of(snapshot), (double)bytes / 1e6, snapshot->target.name);
}

static int fail(const struct snapshot *snapshot, int status, struct cause *cause)
{
	if (status == -EINTR)
		return cause_set(cause, CAUSE_FAILED, "interrupted: there is no snapshot");
	if (status == -ENOENT)
		return cause_set(cause, CAUSE_FAILED, "%s is no longer there", snapshot->event.of);
	return cause_set(cause, CAUSE_FAILED, "cannot copy %s to %s: %s", snapshot->event.of,
	                 snapshot->target.name, strerror(-status));
}

static void forget(struct snapshot *snapshot)
{
	forget_copy(snapshot);
	close(snapshot->source.founder);
}

int snapshot_make(const struct installation *installation, const struct request *request,
                  struct clock_source *clock, struct cause *cause)
{
	static struct snapshot snapshot;
	int status = recorded_find(request->snapshot, &snapshot.source, cause);

	if (status)
		return status;
	snapshot.request = request;
	snapshot.event.pid = (int)request->snapshot;
	snapshot.event.of = snapshot.source.path;
	status = experiment_create(request, &snapshot.target, cause);
	if (status == 0 && !request->dry_run) {
		catch_signals();
		status = copy_tree(&snapshot, clock);
		if (status < 0) {
			experiment_remove(&snapshot.target);
			status = fail(&snapshot, status, cause);
		} else {
			attach_archive(installation, request, snapshot.target.path, NULL);
			say(&snapshot);
			experiment_close(&snapshot.target);
		}
	} else if (status == 0) {
		printf("%s: a snapshot of %s\n", snapshot.target.name, snapshot.event.of);
	}
	forget(&snapshot);
	return status;
}

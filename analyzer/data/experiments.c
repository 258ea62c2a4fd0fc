/* experiments.c: which experiments the session has, and which of them views see: opening them with
 * their descendants, alone or by groups, dropping, selecting and reading them again. */
#include "analyzer/data/session.h"
#include "experiment/base/boot.h"

#include "experiment/archive/archive.h"
#include "experiment/symbols/code.h"
#include "experiment/open/group.h"
#include "experiment/xray/xraylog.h"
#include "analyzer/data/defaults.h"
#include "analyzer/data/filters.h"
#include "format/layout.h"
#include "analyzer/base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void warn(void *context, const char *message)
{
	session_say(context, "%s", message);
}

static void check_damage(struct session *session, const struct session_experiment *at)
{
	if (at->info->damaged && session->status < EXIT_TROUBLE)
		session->status = EXIT_TROUBLE;
}

/* Open one experiment that is not open yet. Returns it, or NULL after a message. */
/* Functions of foreign logs have the names of the program that the user has given. */
static void name_functions(struct session *session, struct experiment *experiment)
{
	int status = !session->instr_map ? 0 : experiment_instr_map(experiment, session->instr_map);

	if (status < 0)
		session_fail(session, EXIT_TROUBLE, "instr_map: %s: %s", session->instr_map,
		             status == -EBADMSG ? "it has no xray_instr_map" : strerror(-status));
}

/* `lineage`: NULL, or that of a descendant of the founder with this number, whose path it is. */
static struct session_experiment *open_new(struct session *session, const char *path,
                                           unsigned group, unsigned founder, const char *lineage)
{
	const struct exp_reporter reporter = {.warn = warn, .context = session};
	struct exp_cause cause = {.text = ""};
	struct session_experiment *slot;
	struct experiment *experiment;
	int status = !lineage ? experiment_open(path, &reporter, &experiment, &cause)
	                      : experiment_open_descendant(
					session_find(session, founder)->experiment, lineage,
					&reporter, &experiment, &cause);

	if (status < 0) {
		session_fail(session, EXIT_TROUBLE, "%s",
		             cause.text[0] ? cause.text : strerror(-status));
		return NULL;
	}
	name_functions(session, experiment);
	session->experiments = memory_grow(session->experiments, session->count, &session->capacity,
	                                   sizeof(*session->experiments));
	slot = &session->experiments[session->count++];
	*slot = (struct session_experiment){.experiment = experiment,
	                                    .info = experiment_info(experiment),
	                                    .id = ++session->last_id,
	                                    .group = group,
	                                    .is_selected = 1};
	check_damage(session, slot);
	return slot;
}

static int has_archive(const char *path)
{
	char *name = memory_format("%s/" FMT_DIR_ARCHIVES, path);
	DIR *directory = opendir(name);
	size_t count = 0;

	free(name);
	if (!directory)
		return 0;
	while (readdir(directory))
		count++;
	closedir(directory);
	return count > 2; /* more than . and .. */
}

/* What could not be archived shows in the list of objects. */
static void ignore(void *context, const char *message)
{
	(void)context;
	(void)message;
}

/* A process that was killed could not archive its objects at its end: do it now, while they are
 * there. Not for one that came from elsewhere: whoever made it would choose which of the user's
 * files are copied into it. */
static void archive_dead(struct session *session, const struct session_experiment *at)
{
	struct exp_archive_options options = {.what = EXP_ARCHIVE_ON, .reporter = {.warn = ignore}};
	struct exp_cause cause = {.text = ""};
	const char *what;

	if (at->info->status != EXP_DIED && at->info->status != EXP_EXECED)
		return;
	what = experiment_setting(at->experiment, "archive", "on");
	if (exp_archive_parse(what, &options.what) < 0 || options.what == EXP_ARCHIVE_OFF)
		return;
	if (!exp_is_of_this_boot(at->experiment)) {
		if (at->info->lineage[0] == '\0' && !has_archive(at->info->path))
			session_say(
				session,
				"%s: not archived: it was recorded on another machine, or before this one was started; xer_archive(1) archives it",
				at->info->path);
	} else if (access(at->info->path, W_OK) == 0) {
		if (experiment_archive(at->experiment, &options, &cause) < 0)
			session_say(session, "not archived: %s", cause.text);
	} else if (at->info->lineage[0] == '\0' && !has_archive(at->info->path)) {
		session_say(session, "%s: not archived: it cannot be written", at->info->path);
	}
}

static void drop(struct session *session, size_t index)
{
	filters_forget(&session->experiments[index]);
	symbols_forget(session->symbols, session->experiments[index].experiment);
	experiment_close(session->experiments[index].experiment);
	memmove(&session->experiments[index], &session->experiments[index + 1],
	        (session->count - index - 1) * sizeof(*session->experiments));
	session->count--;
}

/* Open the descendants of the experiment with this number that are not open yet. One that cannot be
 * read leaves the others readable. */
static void open_descendants(struct session *session, unsigned founder)
{
	const struct exp_info *info = session_find(session, founder)->info;
	unsigned group = session_find(session, founder)->group;

	for (size_t i = 0; i < info->descendant_count && defaults_may_open(session->defaults);
	     i++) {
		char *name = memory_format("%s/%s" FMT_EXPERIMENT_SUFFIX, info->path,
		                           info->descendants[i]);
		struct session_experiment *known = session_find_path(session, name);

		if (!known)
			known = open_new(session, name, group, founder, info->descendants[i]);
		if (known)
			known->founder = founder;
		if (known &&
		    !defaults_opens(session->defaults, known->info->lineage, known->info->program))
			drop(session, (size_t)(known - session->experiments));
		free(name);
	}
}

/* Returns 0, or a negative value after a message. */
static int open_tree(struct session *session, const char *path, unsigned group)
{
	size_t first = session->count;
	struct session_experiment *opened;

	if (session_find_path(session, path))
		return 0;
	opened = open_new(session, path, group, 0, NULL);
	if (!opened)
		return -EINVAL;
	open_descendants(session, opened->id);
	for (size_t i = first; i < session->count; i++)
		archive_dead(session, &session->experiments[i]);
	return 0;
}

struct members {
	struct session *session;
	unsigned group;
};

static int open_member(void *context, const char *path, unsigned line)
{
	struct members *members = context;
	const char *group = members->session->groups[members->group].path;

	if (open_tree(members->session, path, members->group) == 0)
		return 0;
	session_say(members->session, "%s: line %u: not opened", group, line);
	return -EINVAL;
}

static int open_group(struct session *session, const char *path, unsigned group)
{
	struct members members = {session, group};
	const struct exp_group_reader reader = {
		open_member, &members, {.warn = warn, .context = session}};
	struct exp_cause cause = {.text = ""};
	int status = experiment_group_read(path, &reader, &cause);

	if (status < 0)
		session_fail(session, EXIT_TROUBLE, "%s", cause.text);
	else if (status > 0)
		session_fail(session, EXIT_TROUBLE, "%s: %d of its lines could not be used", path,
		             status);
	return status < 0 ? status : 0;
}

int session_open(struct session *session, const char *path)
{
	size_t before = session->count;
	unsigned group = (unsigned)session->group_count;
	int status;

	session->groups = memory_grow(session->groups, session->group_count,
	                              &session->group_capacity, sizeof(*session->groups));
	session->groups[session->group_count++].path = memory_text(path, strlen(path));
	status = experiment_group_is(path) ? open_group(session, path, group)
	                                   : open_tree(session, path, group);
	if (session->count == before) /* nothing came of it: no group either */
		free(session->groups[--session->group_count].path);
	return status;
}

static int find_group(const struct session *session, const char *path)
{
	for (size_t i = 0; i < session->group_count; i++)
		if (strcmp(session->groups[i].path, path) == 0)
			return (int)i;
	return -1;
}

size_t session_drop(struct session *session, const char *path)
{
	const struct session_experiment *named = session_find_path(session, path);
	int group = experiment_group_is(path) ? find_group(session, path) : -1;
	unsigned id = !named ? 0 : named->id;
	size_t before = session->count;

	for (size_t i = session->count; i-- > 0;) {
		const struct session_experiment *at = &session->experiments[i];

		if ((id != 0 && (at->id == id || at->founder == id)) || (int)at->group == group)
			drop(session, i);
	}
	return before - session->count;
}

void session_drop_all(struct session *session)
{
	while (session->count > 0)
		drop(session, session->count - 1);
	while (session->group_count > 0)
		free(session->groups[--session->group_count].path);
	session->last_id = 0;
}

static void swap_experiments(struct session *a, struct session *b)
{
#define SWAP(field) \
	do { \
		__typeof__(a->field) kept = a->field; \
		a->field = b->field; \
		b->field = kept; \
	} while (0)
	SWAP(experiments);
	SWAP(count);
	SWAP(capacity);
	SWAP(groups);
	SWAP(group_count);
	SWAP(group_capacity);
	SWAP(last_id);
#undef SWAP
}

int session_open_alone(struct session *session, const char *path)
{
	struct session others = *session;
	int status;

	others.experiments = NULL;
	others.groups = NULL;
	others.count = others.capacity = others.group_count = others.group_capacity = 0;
	others.last_id = 0;
	swap_experiments(session, &others);
	status = session_open(session, path);
	/* What there is to drop: nothing, if the old ones stay. */
	if (session->count == 0)
		swap_experiments(session, &others);
	session_drop_all(&others);
	free(others.experiments);
	free(others.groups);
	return status;
}

/* Read one experiment again. Returns 0; if it cannot be opened any more, what was read stays. */
static int reopen(struct session *session, struct session_experiment *at)
{
	const struct exp_reporter reporter = {.warn = warn, .context = session};
	struct exp_cause cause = {.text = ""};
	struct experiment *experiment;
	int status = experiment_open(at->info->path, &reporter, &experiment, &cause);

	if (status < 0) {
		session_fail(session, EXIT_TROUBLE, "%s", cause.text);
		return status;
	}
	name_functions(session, experiment);
	filters_forget(at);
	symbols_forget(session->symbols, at->experiment);
	experiment_close(at->experiment);
	at->experiment = experiment;
	at->info = experiment_info(experiment);
	at->whole = NULL;
	at->data = NULL;
	check_damage(session, at);
	return 0;
}

/* A tree can grow while any process of it lives. */
static int is_growing(const struct session *session, const struct session_experiment *at)
{
	for (size_t i = 0; i < session->count; i++) {
		const struct session_experiment *other = &session->experiments[i];

		if (other->info->status == EXP_RUNNING &&
		    (other->id == at->id || other->founder == at->id))
			return 1;
	}
	return 0;
}

size_t session_reload(struct session *session)
{
	size_t read = 0, count = session->count;
	unsigned char *growing = memory_take(count, 1);

	for (size_t i = 0; i < count; i++)
		growing[i] = is_growing(session, &session->experiments[i]) != 0;
	for (size_t i = 0; i < count; i++)
		read += growing[i] && reopen(session, &session->experiments[i]) == 0;
	for (size_t i = 0; i < count; i++)
		if (growing[i])
			open_descendants(session, session->experiments[i].id);
	for (size_t i = 0; i < session->count; i++)
		if (!session->experiments[i].data)
			archive_dead(session, &session->experiments[i]);
	free(growing);
	return read;
}

/* session.c: opens the experiments, builds each table when it is first asked for, and says what is
 * wrong. */
#include "session.h"

#include "experiment/archive.h"
#include "format/layout.h"
#include "memory.h"
#include "text.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void say(struct session *session, const char *format, va_list arguments)
{
	char *text = NULL;

	if (vasprintf(&text, format, arguments) < 0)
		return;
	if (session->out != NULL)
		fflush(session->out);
	fputs("xer_print: ", stderr);
	text_put(stderr, text);
	fputc('\n', stderr);
	free(text);
}

void session_say(struct session *session, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(session, format, arguments);
	va_end(arguments);
}

void session_fail(struct session *session, int status, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(session, format, arguments);
	va_end(arguments);
	if (status > session->status)
		session->status = status;
}

static void warn(void *context, const char *message)
{
	session_say(context, "%s", message);
}

void session_init(struct session *session)
{
	*session = (struct session){.out = stdout, .symbols = symbols_create()};
	session->recorder = (struct sym_function){.name = "<Recorder>", .mangled = "<Recorder>"};
	if (session->symbols == NULL) {
		session_say(session, "out of memory");
		exit(EXIT_TROUBLE);
	}
}

static void forget_tables(struct session *session)
{
	for (size_t i = 0; i < TREE_MODES; i++) {
		tree_destroy(session->trees[i]);
		free(session->folds[i]);
		session->trees[i] = NULL;
		session->folds[i] = NULL;
	}
	fold_edges_destroy(session->edges);
	session->edges = NULL;
}

void session_set_expert(struct session *session, int is_expert)
{
	if (session->is_expert == is_expert)
		return;
	forget_tables(session);
	session->is_expert = is_expert;
}

void session_fini(struct session *session)
{
	forget_tables(session);
	symbols_destroy(session->symbols);
	for (size_t i = session->count; i-- > 0;)
		experiment_close(session->experiments[i].experiment);
	free(session->experiments);
}

static int is_open(const struct session *session, const char *path)
{
	char *wanted = realpath(path, NULL);
	int found = 0;

	for (size_t i = 0; i < session->count && wanted != NULL && !found; i++) {
		char *have = realpath(session->experiments[i].info->path, NULL);

		found = have != NULL && strcmp(have, wanted) == 0;
		free(have);
	}
	free(wanted);
	return found;
}

static int open_one(struct session *session, const char *path)
{
	const struct exp_reporter reporter = {.warn = warn, .context = session};
	struct exp_cause cause = {.text = ""};
	struct session_experiment *slot;
	struct experiment *experiment;
	int status;

	if (is_open(session, path))
		return 0;
	status = experiment_open(path, &reporter, &experiment, &cause);
	if (status < 0) {
		session_fail(session, EXIT_TROUBLE, "%s",
			     cause.text[0] ? cause.text : strerror(-status));
		return status;
	}
	session->experiments = memory_grow(session->experiments, session->count, &session->capacity,
					   sizeof(*session->experiments));
	slot = &session->experiments[session->count++];
	*slot = (struct session_experiment){.experiment = experiment,
					    .info = experiment_info(experiment)};
	if (slot->info->damaged)
		session->status = EXIT_TROUBLE;
	return 0;
}

static int has_archive(const char *path)
{
	char *name = memory_format("%s/" FMT_DIR_ARCHIVES, path);
	DIR *directory = opendir(name);
	size_t count = 0;

	free(name);
	if (directory == NULL)
		return 0;
	while (readdir(directory) != NULL)
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
 * there. */
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
	if (access(at->info->path, W_OK) == 0) {
		if (experiment_archive(at->experiment, &options, &cause) < 0)
			session_say(session, "not archived: %s", cause.text);
	} else if (at->info->lineage[0] == '\0' && !has_archive(at->info->path)) {
		session_say(session, "%s: not archived: it cannot be written", at->info->path);
	}
}

int session_open(struct session *session, const char *path)
{
	size_t founder = session->count;
	const struct exp_info *info;
	int status = open_one(session, path);

	if (status < 0 || session->count == founder)
		return status;
	info = session->experiments[founder].info;
	for (size_t i = 0; i < info->descendant_count; i++) {
		char *name = memory_format("%s/%s" FMT_EXPERIMENT_SUFFIX, info->path,
					   info->descendants[i]);

		/* A descendant that cannot be read leaves the others readable. */
		open_one(session, name);
		free(name);
	}
	for (size_t i = founder; i < session->count; i++)
		archive_dead(session, &session->experiments[i]);
	return 0;
}

static int is_on(const struct experiment *experiment, const char *setting)
{
	const char *value = experiment_setting(experiment, setting, "0");

	return strcmp(value, "0") != 0 && strcmp(value, "off") != 0 && value[0] != '\0';
}

void session_load(struct session *session)
{
	if (session->is_loaded)
		return;
	session->is_loaded = 1;
	for (size_t i = 0; i < session->count; i++) {
		struct session_experiment *at = &session->experiments[i];

		if (experiment_load(at->experiment, &at->data) < 0) {
			session_say(session, "%s: out of memory", at->info->path);
			exit(EXIT_TROUBLE);
		}
		if (at->info->damaged && session->status < EXIT_TROUBLE)
			session->status = EXIT_TROUBLE;
	}
}

unsigned session_data_of(const struct session_experiment *at)
{
	unsigned have = 0;

	if (at->data->have & EXP_DATA_PROFILE || is_on(at->experiment, "profile_us"))
		have |= METRIC_DATA_CLOCK;
	if (at->data->have & EXP_DATA_HEAP || is_on(at->experiment, "heap"))
		have |= METRIC_DATA_HEAP;
	if (at->data->have & EXP_DATA_SYNC || is_on(at->experiment, "sync"))
		have |= METRIC_DATA_SYNC;
	if (at->data->have & EXP_DATA_IO || is_on(at->experiment, "io"))
		have |= METRIC_DATA_IO;
	return have;
}

void session_set_defaults(struct session *session)
{
	session_load(session);
	for (size_t i = 0; i < session->count; i++)
		session->have |= session_data_of(&session->experiments[i]);
	metric_defaults(session->have, &session->metrics, &session->sort);
}

const struct tree *session_tree(struct session *session, enum tree_mode mode)
{
	struct tree *tree = session->trees[mode];

	if (tree != NULL)
		return tree;
	session_load(session);
	tree = tree_create(mode, symbols_total(session->symbols));
	for (size_t i = 0; i < session->count; i++) {
		const struct session_experiment *at = &session->experiments[i];

		if (tree_add_experiment(tree, session->symbols, at->experiment, at->data,
					session->is_expert ? NULL : &session->recorder) < 0) {
			session_say(session, "out of memory");
			exit(EXIT_TROUBLE);
		}
	}
	tree_finish(tree);
	session->trees[mode] = tree;
	return tree;
}

const struct fold_row *session_fold(struct session *session, enum tree_mode mode)
{
	if (session->folds[mode] == NULL)
		session->folds[mode] = fold_items(session_tree(session, mode));
	return session->folds[mode];
}

const struct fold_edges *session_edges(struct session *session)
{
	if (session->edges == NULL)
		session->edges = fold_edges_create(session_tree(session, TREE_FUNCTIONS));
	return session->edges;
}

/* sampled_names.c: the places in the tree of processes of the images of map.fxt. What the logs of
 * recorded processes say about their children comes first, so that an image has the lineage that
 * its parent meant; for parents without a recorder, the kernel has reported which process forked
 * which.
 * See doc/decisions/55-sampled-descendants.md. */
#include "experiment/base/xmlread.h"
#include "experiment/open/sampled.h"
#include "experiment/table/hash.h"
#include "experiment/table/index.h"
#include "format/lineage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NUMBER_MAX = 999999999, TRIES = 64 };

/* A process that has an experiment. */
struct log {
	uint64_t pid, start_ns;
	const char *lineage;
};

/* What it says about a child, or about a program. */
struct child {
	uint32_t log;
	uint64_t pid; /* 0: of itself */
	const char *lineage, *reason;
	int executes; /* the lineage is that of the first program that the child executes */
};

struct names {
	struct experiment *founder;
	struct exp_sampled *sampled;
	struct log *logs;
	size_t log_count, log_capacity;
	struct child *children;
	size_t child_count, child_capacity;
	int has_inner;
	struct exp_index of_child; /* log << 32 | pid -> child */
	struct exp_index taken;    /* hash of a lineage that is in use */
	struct exp_index passed;   /* and of those that it goes through */
	struct exp_index told;     /* hash of a lineage -> child with a reason */
};

static uint64_t hash(const char *text)
{
	return exp_hash_text(EXP_HASH_START, text);
}

/* Of a log, which may say anything. */
static int is_lineage(const char *text)
{
	return text[lineage_parse(text)] == '\0' && strlen(text) < LINEAGE_MAX &&
	       (text[0] == '_' || text[0] == '\0');
}

/* ---- logs */

static int on_element(void *context, const struct exp_element *element)
{
	struct names *names = context;
	struct log *log = &names->logs[names->log_count];
	const char *lineage = exp_element_get(element, "lineage", ""), *kind;
	struct child *child;

	if (element->depth != 1)
		return 0;
	if (strcmp(element->name, "process") == 0) {
		log->pid = exp_element_number(element, "pid", 0);
		log->lineage = lineage;
	} else if (strcmp(element->name, "clock") == 0) {
		log->start_ns = exp_element_number(element, "mono_ns", 0);
	}
	if (strcmp(element->name, "event") != 0 || lineage[0] == '\0' || !is_lineage(lineage))
		return 0;
	if (exp_array_reserve(&names->children, &names->child_capacity, names->child_count,
	                      sizeof(*child)) != 0)
		return -ENOMEM;
	kind = exp_element_get(element, "kind", "");
	child = &names->children[names->child_count++];
	*child = (struct child){.log = (uint32_t)names->log_count,
	                        .pid = exp_element_number(element, "pid", 0),
	                        .lineage = lineage,
	                        .reason = exp_element_get(element, "reason", NULL),
	                        .executes = strcmp(kind, "posix_spawn") == 0 ||
	                                    strcmp(kind, "unrecorded") == 0};
	return 0;
}

/* Damage is reported when the experiment itself is opened. */
static int read_log(struct names *names, const char *directory)
{
	struct exp_xml_walk walk = {.root = FMT_LOG_ROOT,
	                            .element = on_element,
	                            .context = names,
	                            .arena = &names->founder->arena};
	int at = openat(names->founder->directory, directory,
	                O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int fd = at < 0 ? -1 : exp_file_open(at, FMT_FILE_LOG), rc = 0;

	if (at >= 0)
		close(at);
	if (fd >= 0 && exp_array_reserve(&names->logs, &names->log_capacity, names->log_count,
	                                 sizeof(*names->logs)) != 0)
		rc = -ENOMEM;
	if (fd >= 0 && rc == 0) {
		names->logs[names->log_count] = (struct log){.lineage = ""};
		rc = exp_xml_read(fd, &walk);
		names->log_count++;
	}
	if (fd >= 0)
		close(fd);
	return rc == -ENOMEM ? rc : 0;
}

static int read_logs(struct names *names)
{
	const struct exp_info *info = &names->founder->info;
	int rc = read_log(names, ".");

	for (size_t i = 0; i < info->descendant_count && rc == 0; i++) {
		char directory[LINEAGE_MAX + sizeof(FMT_EXPERIMENT_SUFFIX)];

		if (strlen(info->descendants[i]) < LINEAGE_MAX)
			rc = read_log(names, strcat(strcpy(directory, info->descendants[i]),
			                            FMT_EXPERIMENT_SUFFIX));
	}
	return rc;
}

/* ---- tables */

static int has(const struct exp_index *set, const char *lineage)
{
	return exp_index_find(set, hash(lineage)) != EXP_INDEX_NONE;
}

static int add(struct exp_index *set, const char *lineage)
{
	return has(set, lineage) ? 0 : exp_index_add(set, hash(lineage), 0);
}

static int take(struct names *names, const char *lineage)
{
	char passed[LINEAGE_MAX];
	int rc = add(&names->taken, lineage);

	strcpy(passed, lineage);
	while (rc == 0 && passed[0] != '\0' && !has(&names->passed, passed)) {
		rc = add(&names->passed, passed);
		*strrchr(passed, '_') = '\0';
	}
	return rc;
}

static uint64_t key_of_child(uint32_t log, uint64_t pid)
{
	return (uint64_t)log << 32 | (uint32_t)pid;
}

/* If a pid was reused, the last child counts. */
static int index_children(struct names *names)
{
	int rc = 0;

	for (size_t i = names->child_count; i-- > 0 && rc == 0;) {
		const struct child *child = &names->children[i];
		uint64_t key = key_of_child(child->log, child->pid), lineage = hash(child->lineage);

		if (child->pid != 0 && exp_index_find(&names->of_child, key) == EXP_INDEX_NONE)
			rc = exp_index_add(&names->of_child, key, (uint32_t)i);
		if (rc == 0 && child->reason &&
		    exp_index_find(&names->told, lineage) == EXP_INDEX_NONE)
			rc = exp_index_add(&names->told, lineage, (uint32_t)i);
	}
	return rc;
}

/* The image of the founder: the first one that xcollect's process executes, or one that existed
 * before. */
static struct exp_sampled_image *founders_image(const struct exp_sampled *sampled, uint64_t pid)
{
	for (struct exp_sampled_image *at = exp_sampled_at(sampled, pid, UINT64_MAX); at != NULL;
	     at = exp_sampled_before(sampled, at))
		if (at->forked == 0 && (at->executed == 1 || at->began == 0))
			return at;
	return NULL;
}

/* Processes in other namespaces have other pids for themselves. If several have the same one, it is
 * the program that began last before the recorder did. */
static struct exp_sampled_image *inner_image(const struct exp_sampled *sampled,
                                             const struct log *log)
{
	struct exp_sampled_image *found = NULL;

	for (size_t i = 0; i < sampled->count; i++) {
		struct exp_sampled_image *image = &sampled->images[i];

		if (image->inner == log->pid && image->log == EXP_INDEX_NONE &&
		    image->began <= log->start_ns && log->start_ns < image->until &&
		    (image->ended == 0 || image->ended > log->start_ns) &&
		    (!found || found->began < image->began))
			found = image;
	}
	return found;
}

static struct exp_sampled_image *recorded_image(const struct names *names, const struct log *log)
{
	struct exp_sampled_image *image = exp_sampled_at(names->sampled, log->pid, log->start_ns);

	if (log->lineage[0] == '\0')
		return founders_image(names->sampled, log->pid);
	if (image && image->inner == 0 && (image->ended == 0 || image->ended > log->start_ns))
		return image;
	return names->has_inner ? inner_image(names->sampled, log) : NULL;
}

/* Which images are recorded? */
static int match(struct names *names)
{
	int rc = 0;

	for (size_t i = 0; i < names->log_count && rc == 0; i++) {
		const struct log *log = &names->logs[i];
		struct exp_sampled_image *image;

		if (!is_lineage(log->lineage))
			continue;
		image = recorded_image(names, log);

		rc = take(names, log->lineage);
		if (!image || image->log != EXP_INDEX_NONE)
			continue;
		image->log = (uint32_t)i;
		image->lineage = log->lineage;
	}
	return rc;
}

/* ---- names */

/* A child that its parent does not know: the next free number. */
static int name_unseen(const struct names *names, struct exp_sampled_image *parent, char *text)
{
	char base[LINEAGE_MAX];
	int rc;

	strcpy(base, text);
	do {
		strcpy(text, base);
		rc = lineage_append(text, 'f', ++parent->unseen);
	} while (rc == 0 && has(&names->passed, text));
	return rc;
}

/* EXP_INDEX_NONE: none. */
static const struct child *child_at(const struct names *names, uint32_t index)
{
	return !names->children || index >= names->child_count ? NULL : &names->children[index];
}

/* A child is known to its parent by its pid in the parent's namespace. */
static const struct child *find_child(const struct names *names,
                                      const struct exp_sampled_image *parent,
                                      const struct exp_sampled_image *image)
{
	uint32_t found = exp_index_find(
		&names->of_child,
		key_of_child(parent->log, parent->is_inside ? image->inner : image->pid));

	return child_at(names, found != EXP_INDEX_NONE
	                               ? found
	                               : exp_index_find(&names->of_child,
	                                                key_of_child(parent->log, image->pid)));
}

/* Namespaces are passed on. */
static void find_insides(struct names *names)
{
	for (size_t i = 0; i < names->sampled->count; i++) {
		struct exp_sampled_image *image = names->sampled->by_time[i];
		const struct exp_sampled_image *parent = image->parent == 0
		                                                 ? NULL
		                                                 : exp_sampled_at(names->sampled,
		                                                                  image->parent,
		                                                                  image->forked);

		image->is_inside = image->inner != 0 || (parent && parent->is_inside);
		names->has_inner |= image->inner != 0;
	}
}

/* Returns the number of programs that the process executes from the one that `text` then names to
 * this image, or -1: it cannot be named. */
static int64_t begin_name(const struct names *names, const struct exp_sampled_image *image,
                          char *text)
{
	const struct exp_sampled_image *before = exp_sampled_before(names->sampled, image);
	struct exp_sampled_image *parent;
	const struct child *child;

	if (before && before->lineage) {
		strcpy(text, before->lineage);
		return (int64_t)(image->executed - before->executed);
	}
	parent = image->parent == 0 ? NULL
	                            : exp_sampled_at(names->sampled, image->parent, image->forked);
	if (!parent || !parent->lineage)
		return -1;
	child = parent->log == EXP_INDEX_NONE ? NULL : find_child(names, parent, image);
	strcpy(text, child ? child->lineage : parent->lineage);
	if (child)
		return (int64_t)image->executed - (child->executes && image->executed > 0);
	return name_unseen(names, parent, text) == 0 ? (int64_t)image->executed : -1;
}

/* As lineage_next_image, so many times. */
static int go_on(char *text, int64_t steps)
{
	char *step = strrchr(text, '_');
	uint64_t number = 0;

	if (steps == 0)
		return 0;
	if (step && step[1] == 'x') {
		number = strtoull(step + 2, NULL, 10);
		*step = '\0';
	}
	number = steps > NUMBER_MAX || number > NUMBER_MAX ? UINT64_MAX : number + (uint64_t)steps;
	return number > NUMBER_MAX ? -ENAMETOOLONG : lineage_append(text, 'x', (uint32_t)number);
}

/* A damaged log may give two images one name. */
static int make_single(const struct names *names, char *text)
{
	for (int i = 0; i < TRIES; i++) {
		if (!has(&names->taken, text))
			return 0;
		if (lineage_count_up(text) != 0)
			break;
	}
	return -EEXIST;
}

static int name(struct names *names, struct exp_sampled_image *image)
{
	char text[LINEAGE_MAX];
	int64_t steps = begin_name(names, image, text);
	const struct child *told;

	if (steps < 0 || go_on(text, steps) != 0 || make_single(names, text) != 0)
		return 0;
	told = child_at(names, exp_index_find(&names->told, hash(text)));
	image->reason = !told ? NULL : told->reason;
	image->lineage = exp_arena_string(&names->founder->arena, text);
	return !image->lineage ? -ENOMEM : take(names, text);
}

int exp_sampled_name(struct experiment *founder, struct exp_sampled *sampled)
{
	struct names names = {.founder = founder, .sampled = sampled};
	int rc = read_logs(&names);

	find_insides(&names);
	if (rc == 0)
		rc = index_children(&names);
	if (rc == 0)
		rc = match(&names);
	for (size_t i = 0; i < sampled->count && rc == 0; i++)
		if (sampled->by_time[i]->log == EXP_INDEX_NONE)
			rc = name(&names, sampled->by_time[i]);
	free(names.logs);
	free(names.children);
	exp_index_fini(&names.of_child);
	exp_index_fini(&names.taken);
	exp_index_fini(&names.passed);
	exp_index_fini(&names.told);
	return rc;
}

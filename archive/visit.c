/* visit.c: walks over experiments, their descendants and groups. What cannot be opened is named,
 * and the rest visited. */
#include "archive/visit.h"

#include "experiment/open/group.h"

static int worse(int left, int right)
{
	return left > right ? left : right;
}

static void fail(const struct visit *visit, const char *text)
{
	if (visit->failures.warn)
		visit->failures.warn(visit->failures.context, text);
}

static int visit_descendants(const struct visit *visit, const struct experiment *founder)
{
	const struct exp_info *info = experiment_info(founder);
	int status = EXIT_DONE;

	for (size_t i = 0; i < info->descendant_count; i++) {
		struct experiment *experiment;
		struct exp_cause cause;

		if (experiment_open_descendant(founder, info->descendants[i], &visit->reporter,
		                               &experiment, &cause) != 0) {
			fail(visit, cause.text);
			status = EXIT_PROBLEM;
			continue;
		}
		status = worse(status, visit->experiment(visit->context, experiment));
		experiment_close(experiment);
	}
	return status;
}

static int visit_tree(const struct visit *visit, const char *path, int follow)
{
	struct experiment *experiment;
	struct exp_cause cause;
	int status;

	if (experiment_open(path, &visit->reporter, &experiment, &cause) != 0) {
		fail(visit, cause.text);
		return EXIT_PROBLEM;
	}
	status = visit->experiment(visit->context, experiment);
	if (follow)
		status = worse(status, visit_descendants(visit, experiment));
	experiment_close(experiment);
	return status;
}

struct members {
	const struct visit *visit;
	int status;
};

static int visit_member(void *context, const char *path, unsigned line)
{
	struct members *members = context;

	(void)line;
	members->status = worse(members->status,
	                        visit_tree(members->visit, path, !members->visit->founders_only));
	return 0;
}

int visit_path(const struct visit *visit, const char *path)
{
	struct members members = {visit, EXIT_DONE};
	const struct exp_group_reader reader = {visit_member, &members, visit->failures};
	struct exp_cause cause;
	int bad;

	if (!experiment_group_is(path))
		return visit_tree(visit, path, !visit->founders_only);
	bad = experiment_group_read(path, &reader, &cause);
	if (bad < 0)
		fail(visit, cause.text);
	return bad != 0 ? EXIT_PROBLEM : members.status;
}

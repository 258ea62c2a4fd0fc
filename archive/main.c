/* main.c: xer_archive: archives experiments and their descendants, or says what is missing. Run by
 * hand, and by a recorded process at its end. */
#include "archive/closing.h"
#include "archive/options.h"
#include "archive/text.h"
#include "archive/visit.h"
#include "experiment/archive/archive.h"
#include "experiment/archive/compress.h"
#include "experiment/base/cutfile.h"
#include "experiment/experiment.h"
#include "experiment/archive/verify.h"
#include "experiment/packed/frame.h"
#include "format/compress.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define PROGRAM "xer_archive"

static void complain(void *context, const char *message)
{
	(void)context;
	fputs(PROGRAM ": ", stderr);
	text_put(stderr, message);
	fputc('\n', stderr);
}

/* What is done with each experiment. */
struct job {
	struct exp_archive_options archive;
	int compresses;
	int has_kept; /* an experiment of --keep: as long as other processes of its tree may want to
	                 drop old data of it, it is not compressed */
	int has_live; /* a process that is still recorded */
};

static int compress_experiment(void *context, struct experiment *experiment)
{
	struct exp_cause cause;

	(void)context;
	if (exp_compress(experiment, &cause) == 0)
		return EXIT_DONE;
	complain(NULL, cause.text);
	return EXIT_PROBLEM;
}

static int archive_experiment(void *context, struct experiment *experiment)
{
	struct job *job = context;
	const struct exp_info *info = experiment_info(experiment);
	struct exp_cause cause;
	int rc = experiment_archive(experiment, &job->archive, &cause);

	job->has_kept |= info->is_kept;
	job->has_live |= info->status == EXP_RUNNING;
	if (rc < 0)
		complain(NULL, cause.text);
	else if (job->compresses && !info->is_kept && compress_experiment(job, experiment) != 0)
		rc = -EIO;
	return rc != 0 || experiment_info(experiment)->damaged ? EXIT_PROBLEM : EXIT_DONE;
}

/* Compress what archive_experiment has left, if all processes of the tree have ended. */
static int compress_kept(const struct visit *archiving, const char *path)
{
	const struct job *job = archiving->context;
	struct visit visit = *archiving;

	visit.experiment = compress_experiment;
	return job->compresses && job->has_kept && !job->has_live ? visit_path(&visit, path)
	                                                          : EXIT_DONE;
}

static int make_common(const char *path)
{
	char text[PATH_MAX + 64];

	if (!path || mkdir(path, 0755) == 0 || errno == EEXIST)
		return EXIT_DONE;
	snprintf(text, sizeof(text), "cannot make %.3800s: %s", path, strerror(errno));
	complain(NULL, text);
	return EXIT_PROBLEM;
}

static int archive_all(const struct options *options)
{
	int compress = options->compress ? compress_parse(options->compress) : COMPRESS_ARCHIVES;
	struct job job = {.archive = {.what = EXP_ARCHIVE_DEFAULT,
	                              .compresses = compress != COMPRESS_OFF,
	                              .rewrite = options->rewrite != NULL,
	                              .common = options->common,
	                              .match = options->match},
	                  .compresses = compress == COMPRESS_ON};
	struct visit visit = {.experiment = archive_experiment,
	                      .context = &job,
	                      .founders_only = options->founder_only != NULL,
	                      .failures = {.warn = complain}};
	int status = EXIT_DONE;

	if (make_common(options->common) != EXIT_DONE)
		return EXIT_PROBLEM;
	if (!options->quiet && !options->closing)
		job.archive.reporter.warn = complain;
	if (options->what)
		exp_archive_parse(options->what, &job.archive.what);
	visit.reporter = job.archive.reporter;
	if (job.compresses && !exp_frames_are_known()) {
		complain(NULL, "-z on: built without libzstd: nothing is compressed");
		job.compresses = 0;
		status = EXIT_PROBLEM;
	}
	for (int i = 0; i < options->experiment_count; i++) {
		job.has_kept = job.has_live = 0;
		if (visit_path(&visit, options->experiments[i]) != EXIT_DONE ||
		    compress_kept(&visit, options->experiments[i]) != EXIT_DONE)
			status = EXIT_PROBLEM;
	}
	if (options->closing && options->experiment_count > 0)
		closing_put(stderr, options->experiments[0], options->closing);
	return status;
}

static void put_missing(void *context, const char *message)
{
	(void)context;
	fputs("missing: ", stdout);
	text_put(stdout, message);
	fputc('\n', stdout);
}

static int verify_experiment(void *context, struct experiment *experiment)
{
	int rc = exp_verify_experiment(context, experiment);

	if (rc < 0)
		complain(NULL, strerror(-rc));
	return rc != 0 || experiment_info(experiment)->damaged ? EXIT_PROBLEM : EXIT_DONE;
}

/* Say what would be missing elsewhere. */
static int verify_all(const struct options *options)
{
	struct exp_archive_options wanted = {.match = options->match,
	                                     .reporter = {.warn = put_missing}};
	struct visit visit = {.experiment = verify_experiment,
	                      .founders_only = options->founder_only != NULL,
	                      .reporter = {.warn = complain},
	                      .failures = {.warn = complain}};
	const struct exp_verify_counts *counts;
	struct exp_verify *verify;
	int status = EXIT_DONE;

	if (options->what)
		exp_archive_parse(options->what, &wanted.what);
	verify = exp_verify_create(&wanted, options->what != NULL);
	if (!verify) {
		complain(NULL, "-m: bad regular expression, or out of memory");
		return EXIT_USAGE;
	}
	visit.context = verify;
	for (int i = 0; i < options->experiment_count; i++)
		if (visit_path(&visit, options->experiments[i]) != EXIT_DONE)
			status = EXIT_PROBLEM;
	counts = exp_verify_counts(verify);
#define MANY(count) (count), (count) == 1 ? "" : "s"
	printf("%zu missing; archived: %zu load object%s, %zu debug file%s, %zu source%s, %zu JIT function%s\n",
	       counts->missing, MANY(counts->objects), MANY(counts->debug_files),
	       MANY(counts->sources), MANY(counts->functions));
#undef MANY
	if (counts->sources == 0 && !options->what)
		puts("sources are not archived: xer_archive -a src copies them");
	exp_verify_destroy(verify);
	return fflush(stdout) == 0 ? status : EXIT_PROBLEM;
}

int main(int argc, char **argv)
{
	struct options options;
	char error[256];

	exp_cut_file_watch(PROGRAM, NULL);
	if (options_parse(argc, argv, &options, error, sizeof(error)) != 0) {
		complain(NULL, error);
		return EXIT_USAGE;
	}
	if (options.help)
		options_help(stdout);
	else if (options.version)
		puts(PROGRAM " " XER_VERSION);
	else if (options.verify)
		return verify_all(&options);
	else
		return archive_all(&options);
	return fflush(stdout) == 0 ? EXIT_DONE : EXIT_PROBLEM;
}

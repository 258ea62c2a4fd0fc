/* main.c: xer_archive: archives experiments and their descendants. Run by hand, and by a recorded
 * process at its end. */
#include "archive/options.h"
#include "experiment/archive.h"
#include "experiment/experiment.h"
#include "experiment/printable.h"
#include "format/layout.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { EXIT_DONE = 0, EXIT_PROBLEM = 1, EXIT_USAGE = 2 };

#define PROGRAM "xer_archive"

/* Print a message on one line, control characters escaped: names in experiments may hold any
 * bytes. */
static void complain(void *context, const char *message)
{
	(void)context;
	fputs(PROGRAM ": ", stderr);
	while (*message != '\0') {
		size_t size = exp_printable(message, strlen(message));

		if (size == 0)
			fprintf(stderr, "\\x%02x", (unsigned char)*message);
		else
			fwrite(message, 1, size, stderr);
		message += size == 0 ? 1 : size;
	}
	fputc('\n', stderr);
}

static int archive_one(const char *path, const struct exp_archive_options *options, int follow);

static int archive_descendants(const struct exp_info *info,
			       const struct exp_archive_options *options)
{
	int status = EXIT_DONE;

	for (size_t i = 0; i < info->descendant_count; i++) {
		char path[PATH_MAX];

		snprintf(path, sizeof(path), "%.3800s/%.200s" FMT_EXPERIMENT_SUFFIX, info->path,
			 info->descendants[i]);
		if (archive_one(path, options, 0) != EXIT_DONE)
			status = EXIT_PROBLEM;
	}
	return status;
}

/* Archive one experiment, and with `follow` its descendants. Returns the exit status. */
static int archive_one(const char *path, const struct exp_archive_options *options, int follow)
{
	struct experiment *experiment;
	struct exp_cause cause;
	int rc = experiment_open(path, &options->reporter, &experiment, &cause);
	int status = EXIT_DONE;

	if (rc != 0) {
		complain(NULL, cause.text);
		return EXIT_PROBLEM;
	}
	rc = experiment_archive(experiment, options, &cause);
	if (rc < 0)
		complain(NULL, cause.text);
	if (rc != 0 || experiment_info(experiment)->damaged)
		status = EXIT_PROBLEM;
	if (rc >= 0 && follow &&
	    archive_descendants(experiment_info(experiment), options) != EXIT_DONE)
		status = EXIT_PROBLEM;
	experiment_close(experiment);
	return status;
}

static int make_common(const char *path)
{
	char text[PATH_MAX + 64];

	if (path == NULL || mkdir(path, 0755) == 0 || errno == EEXIST)
		return EXIT_DONE;
	snprintf(text, sizeof(text), "cannot make %.3800s: %s", path, strerror(errno));
	complain(NULL, text);
	return EXIT_PROBLEM;
}

static int archive_all(const struct options *options)
{
	struct exp_archive_options wanted = {.what = EXP_ARCHIVE_ON,
					     .rewrite = options->rewrite != NULL,
					     .common = options->common,
					     .match = options->match};
	int status = EXIT_DONE;

	if (make_common(options->common) != EXIT_DONE)
		return EXIT_PROBLEM;
	if (options->quiet == NULL)
		wanted.reporter.warn = complain;
	if (options->what != NULL)
		exp_archive_parse(options->what, &wanted.what);
	for (int i = 0; i < options->experiment_count; i++)
		if (archive_one(options->experiments[i], &wanted, options->founder_only == NULL) !=
		    EXIT_DONE)
			status = EXIT_PROBLEM;
	return status;
}

int main(int argc, char **argv)
{
	struct options options;
	char error[256];

	if (options_parse(argc, argv, &options, error, sizeof(error)) != 0) {
		complain(NULL, error);
		return EXIT_USAGE;
	}
	if (options.help != NULL)
		options_help(stdout);
	else if (options.version != NULL)
		puts(PROGRAM " " XER_VERSION);
	else
		return archive_all(&options);
	return fflush(stdout) == 0 ? EXIT_DONE : EXIT_PROBLEM;
}

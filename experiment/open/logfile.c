/* logfile.c: opens a file that stands for an experiment directory: an FXT file, a log of LLVM's
 * XRay runtime, or a program. */
#include "experiment/open/logfile.h"

#include "experiment/fxt/fxtlog.h"
#include "experiment/program/program.h"
#include "experiment/xray/foreign.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int exp_logfile_open(struct experiment *experiment, struct exp_cause *cause)
{
	int fd = open(experiment->info.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	int rc = fd < 0 ? -errno : exp_fxtlog_open(experiment, fd), is_log;

	if (fd >= 0 && rc == -EBADMSG)
		rc = exp_foreign_take(experiment, fd);
	else if (fd >= 0 && rc != 0)
		close(fd);
	is_log = rc != -EBADMSG;
	if (!is_log)
		rc = exp_program_open(experiment);
	if (rc == -EBADMSG)
		snprintf(
			cause->text, sizeof(cause->text),
			"not an experiment: neither a directory nor an XRay or FXT log, nor a program");
	else if (rc == -ENODATA && !is_log)
		snprintf(cause->text, sizeof(cause->text), "a program without names of functions");
	else if (rc == -ENODATA)
		snprintf(cause->text, sizeof(cause->text),
		         "an FXT file without samples (fxt_dump shows its records)");
	else if (rc != 0)
		snprintf(cause->text, sizeof(cause->text), "%s", strerror(-rc));
	return rc == -EBADMSG ? -ENOTDIR : rc;
}

void exp_logfile_close(struct experiment *experiment)
{
	exp_fxtlog_close(experiment);
	exp_foreign_close(experiment);
}

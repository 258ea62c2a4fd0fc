/* attach.h: record a running process: enter it, wait, leave it. */
#ifndef XER_COLLECT_RECORD_ATTACH_H
#define XER_COLLECT_RECORD_ATTACH_H

#include "collect/base/cause.h"
#include "collect/experiment/environment.h"
#include "collect/experiment/experiment.h"
#include "collect/machine/clock.h"
#include "collect/target/target.h"

/* Load the recorder into the process of `target`, whose experiment exists, and wait until the
 * process ends, the time of request->to_ms is over, or SIGINT, SIGTERM or SIGHUP comes; then end
 * the recording and archive. *begun is set to 1 once the recording has begun: from then on there is
 * an experiment worth keeping. Returns 0, or an exit status; cause->text is empty if the reason was
 * printed already. */
int attach_record(const struct installation *installation, const struct request *request,
                  const struct clock_source *clock, const struct clock_moment *start,
                  const struct target *target, const struct experiment_directory *experiment,
                  int *begun, struct cause *cause);

/* Archive the experiment as -A says, and wait for that. On a terminal, a line says then how large
 * the experiment is, and how to read it, by the user's name of it; NULL: no line. */
void attach_archive(const struct installation *installation, const struct request *request,
                    const char *directory, const char *name);

#endif

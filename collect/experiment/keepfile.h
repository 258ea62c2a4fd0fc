/* keepfile.h: what xcollect prepares for --keep. */
#ifndef XER_COLLECT_EXPERIMENT_KEEPFILE_H
#define XER_COLLECT_EXPERIMENT_KEEPFILE_H

#include "collect/experiment/experiment.h"
#include "collect/options/options.h"

/* Make the file in which all processes tell which parts of data files they have. Where the file
 * system cannot give parts of files back, the size becomes a limit (-L), and that is said. Nothing
 * is done without --keep. Returns 0 or -errno. */
int keepfile_make(struct request *request, const struct experiment_directory *experiment);

#endif

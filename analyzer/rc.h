/* rc.h: files of settings that are read before the experiments are opened. */
#ifndef XER_ANALYZER_RC_H
#define XER_ANALYZER_RC_H

#include "analyzer/views/analysis.h"
#include "analyzer/script.h"

#define RC_SYSTEM_DIRECTORY "/etc"
#define RC_SYSTEM_NAME "xer_print.rc"
#define RC_NAME ".xer_print.rc"
#define RC_STUDIO_NAME \
	".er.rc" /* of er_print of Solaris Studio: read where RC_NAME is not there \
	          */

/* Read the file of the system, that in the home directory and that in the current directory, if
 * they exist. A later one overrides an earlier one. A directory or a file that belongs to another
 * user, or that everybody may write, is ignored with a message. */
void rc_read_usual(struct analysis *analysis, script_line *run_line);

/* Read one file, whoever owns it. */
void rc_read(struct analysis *analysis, script_line *run_line, const char *path);

#endif

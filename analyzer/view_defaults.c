/* view_defaults.c: the commands of rc files, and those that tell what cannot be shown. */
#include "view.h"

#include "defaults.h"
#include "rc.h"

#include <string.h>
#include <strings.h>

static void set(struct session *session, const char *command, const char *text,
		int (*setter)(struct defaults *defaults, const char *text, char *error))
{
	char error[METRIC_ERROR_MAX];

	if (setter(session->defaults, text, error) != 0)
		session_fail(session, EXIT_USAGE, "%s: %s", command, error);
}

void view_dmetrics(struct session *session, const struct command_argument *argument)
{
	set(session, "dmetrics", argument->text, defaults_set_metrics);
}

void view_dsort(struct session *session, const struct command_argument *argument)
{
	set(session, "dsort", argument->text, defaults_set_sort);
}

void view_en_desc(struct session *session, const struct command_argument *argument)
{
	set(session, "en_desc", argument->text, defaults_set_descendants);
}

void view_rc(struct session *session, const struct command_argument *argument)
{
	if (strcasecmp(argument->text, "off") != 0)
		rc_read(session, argument->text);
}

void view_ignored(struct session *session, const struct command_argument *argument)
{
	(void)session;
	(void)argument;
}

void view_ifreq(struct session *session, const struct command_argument *argument)
{
	(void)argument;
	session_fail(session, EXIT_TROUBLE,
		     "ifreq: there are no instruction counts: xcollect counts neither instructions nor basic blocks");
}

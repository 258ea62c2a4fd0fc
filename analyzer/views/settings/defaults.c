/* defaults.c: the commands of rc files, and those that tell what cannot be shown. */
#include "analyzer/views/view.h"

#include "analyzer/data/defaults.h"

void view_dmetrics(struct session *session, const struct command_argument *argument)
{
	char error[METRIC_ERROR_MAX];

	if (defaults_set_metrics(session->defaults, argument->text, error) != 0)
		session_fail_at(session, "dmetrics", metric_list_fault(argument->text, ~0u), error);
}

void view_dsort(struct session *session, const struct command_argument *argument)
{
	char error[METRIC_ERROR_MAX];

	if (defaults_set_sort(session->defaults, argument->text, error) != 0)
		session_fail_at(session, "dsort", argument->text[0] == '-' ? 2 : 1, error);
}

void view_en_desc(struct session *session, const struct command_argument *argument)
{
	char error[METRIC_ERROR_MAX];

	if (defaults_set_descendants(session->defaults, argument->text, error) != 0)
		session_fail(session, EXIT_USAGE, "en_desc: %s", error);
}

void view_ignored(struct session *session, const struct command_argument *argument)
{
	(void)session;
	(void)argument;
}

void view_ifreq(struct session *session, const struct command_argument *argument)
{
	(void)argument;
	session_fail(
		session, EXIT_TROUBLE,
		"ifreq: there are no instruction counts: xcollect counts neither instructions nor basic blocks");
}

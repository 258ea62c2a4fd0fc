/* find.c: the experiments of the session: one after the other, by number, by path. */
#include "analyzer/data/session.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct session_experiment *session_next(const struct session *session,
                                        const struct session_experiment *at)
{
	size_t i = !at ? 0 : (size_t)(at - session->experiments) + 1;

	for (; i < session->count; i++) {
		struct session_experiment *next = &session->experiments[i];

		if (next->is_selected &&
		    (session->focus == SESSION_ALL || session->focus == next->group))
			return next;
	}
	return NULL;
}

struct session_experiment *session_find(const struct session *session, unsigned long id)
{
	for (size_t i = 0; i < session->count; i++)
		if (session->experiments[i].id == id)
			return &session->experiments[i];
	return NULL;
}

size_t session_selected(const struct session *session)
{
	const struct session_experiment *at = NULL;
	size_t count = 0;

	while ((at = session_next(session, at)))
		count++;
	return count;
}

struct session_experiment *session_find_path(const struct session *session, const char *path)
{
	struct stat st;
	int exists = stat(path, &st) == 0;

	for (size_t i = 0; i < session->count; i++) {
		const struct exp_info *info = session->experiments[i].info;

		if (exists ? info->device == st.st_dev && info->inode == st.st_ino
		           : strcmp(info->path, path) == 0)
			return &session->experiments[i];
	}
	return NULL;
}

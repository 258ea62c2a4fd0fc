/* groups.c: defines, deletes and lists groups of hooks. See groups.h. The file is replaced as a
 * whole, by rename. */
#include "collect/groups.h"

#include "collect/options/groupfile.h"
#include "collect/options/hooks.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_MAX_LEN = 32 };

int groups_list(FILE *to, struct cause *cause)
{
	struct group group;
	FILE *file = groupfile_open();

	while (file && groupfile_next(file, &group))
		fprintf(to, "%s - %s (user) \"%s\"\n", group.name, group.description, group.hooks);
	if (file)
		fclose(file);
	return fflush(to) == 0 ? 0
	                       : cause_set(cause, CAUSE_FAILED, "cannot write the groups: %s",
	                                   strerror(errno));
}

/* Copy the file's groups, but for `name`. *found tells if that was there. */
static void copy_others(FILE *to, const char *name, int *found)
{
	struct group group;
	FILE *from = groupfile_open();

	*found = 0;
	while (from && groupfile_next(from, &group)) {
		if (strcmp(group.name, name) == 0)
			*found = 1;
		else
			fprintf(to, "%s %s %s\n", group.name, group.hooks, group.description);
	}
	if (from)
		fclose(from);
}

/* Replace the group `name` by `line`, or delete it if that is NULL. Returns 0 or -errno (-ENOENT:
 * nothing to delete). */
static int replace(const char *name, const char *line)
{
	char directory[PATH_MAX], path[PATH_MAX], temporary[PATH_MAX + 32];
	FILE *to;
	int found, status;

	if (groupfile_path("", directory) < 0 || groupfile_path("/groups", path) < 0)
		return -ENOENT;
	for (char *at = directory + 1; line && (at = strchr(at, '/')) != NULL; *at++ = '/') {
		*at = '\0';
		mkdir(directory, 0755);
	}
	if (line)
		mkdir(directory, 0755);
	snprintf(temporary, sizeof(temporary), "%s.%d", path, (int)getpid());
	to = fopen(temporary, "we");
	if (!to)
		return -errno;
	copy_others(to, name, &found);
	if (line)
		fprintf(to, "%s\n", line);
	status = ferror(to) ? -EIO : 0;
	if (fclose(to) != 0)
		status = -errno;
	if (status == 0 && !line && !found)
		status = -ENOENT;
	if (status == 0 && rename(temporary, path) != 0)
		status = -errno;
	if (status != 0)
		unlink(temporary);
	return status;
}

int groups_define(const char *text, struct cause *cause)
{
	char copy[GROUPFILE_LINE - NAME_MAX_LEN], line[GROUPFILE_LINE];
	char *hooks, *description;
	int status;

	if (strlen(text) >= sizeof(copy) || text[strcspn(text, "\n")])
		return cause_set(cause, CAUSE_FAILED, "the group is too long, or more than a line");
	strcpy(copy, text);
	hooks = strchr(copy, ':');
	if (hooks)
		*hooks++ = '\0';
	/* A sub-id also stands behind a colon, but has digits alone. */
	description = hooks;
	while (description && (description = strchr(description, ':')) != NULL) {
		size_t digits = strspn(description + 1, "0123456789abcdefABCDEF");

		if (digits > 0 && digits <= 4 && strchr(",:", description[1 + digits]))
			description++;
		else
			break;
	}
	if (description)
		*description++ = '\0';
	if (!hooks || !*copy || copy[strcspn(copy, " \t,#@")] || strlen(copy) > NAME_MAX_LEN ||
	    !hooks_is_list(hooks))
		return cause_set(cause, CAUSE_FAILED,
		                 "'%s' is no group: it is NAME:LIST[:DESCRIPTION]", text);
	snprintf(line, sizeof(line), "%s %s %s", copy, hooks, description ? description : "");
	status = replace(copy, line);
	return status == 0 ? 0
	                   : cause_set(cause, CAUSE_FAILED, "cannot keep the group: %s",
	                               strerror(-status));
}

int groups_delete(const char *name, struct cause *cause)
{
	int status = replace(name, NULL);

	if (status == -ENOENT)
		return cause_set(cause, CAUSE_FAILED, "there is no group '%s'", name);
	return status == 0 ? 0
	                   : cause_set(cause, CAUSE_FAILED, "cannot delete the group: %s",
	                               strerror(-status));
}

/* state.c: see state.h. */
#include "analyzer/prompt/state.h"

#include "analyzer/base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Make the directories above a file, for the user alone. */
static void make_parents(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
}

char *state_history(void)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	struct stat st;
	char *path;

	if (state && state[0] == '/')
		path = memory_format("%s/xer/history", state);
	else if (home && home[0] == '/' && stat(home, &st) == 0 && st.st_uid == geteuid())
		path = memory_format("%s/.local/state/xer/history", home);
	else
		return NULL;
	make_parents(path);
	return path;
}

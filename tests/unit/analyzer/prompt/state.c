/* Where the history of the prompt is kept, by the environment. */
#include "analyzer/prompt/state.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/xer-state-XXXXXX";

static void set_up(void)
{
	cr_assert_not_null(mkdtemp(folder));
	unsetenv("XDG_STATE_HOME");
	setenv("HOME", folder, 1);
}

static void tear_down(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	cr_expect_eq(system(command), 0);
}

TestSuite(state, .init = set_up, .fini = tear_down, .timeout = 20);

/* The history is at this place below the folder, whose directories are there, for the user alone.
 */
static void expect(const char *place)
{
	char expected[256], *path = state_history();
	struct stat st;

	snprintf(expected, sizeof(expected), "%s/%s", folder, place);
	cr_assert_not_null(path);
	cr_expect_str_eq(path, expected);
	cr_expect_neq(access(path, F_OK), 0, "the file is made when there is something for it");
	*strrchr(path, '/') = '\0';
	cr_assert_eq(stat(path, &st), 0, "%s", path);
	cr_expect_eq(st.st_mode, S_IFDIR | 0700, "%o", (unsigned)st.st_mode);
	free(path);
}

Test(state, the_history_is_in_the_home_directory)
{
	expect(".local/state/xer/history");
	/* Its directories may be there already. */
	expect(".local/state/xer/history");
}

Test(state, or_where_the_users_state_is)
{
	char state[256];

	snprintf(state, sizeof(state), "%s/here/state", folder);
	setenv("XDG_STATE_HOME", state, 1);
	expect("here/state/xer/history");
	/* A relative path is to be ignored. */
	setenv("XDG_STATE_HOME", "here/state", 1);
	expect(".local/state/xer/history");
	setenv("XDG_STATE_HOME", "", 1);
	expect(".local/state/xer/history");
}

static void expect_none(const char *home)
{
	char *path;

	if (home)
		setenv("HOME", home, 1);
	else
		unsetenv("HOME");
	path = state_history();
	cr_expect_null(path, "%s", home);
	free(path);
}

Test(state, without_a_home_directory_of_the_users_there_is_none)
{
	char missing[256];

	expect_none(NULL);
	expect_none("");
	expect_none("relative");
	snprintf(missing, sizeof(missing), "%s/missing", folder);
	expect_none(missing);
	cr_expect_neq(access(missing, F_OK), 0, "a home directory is not made");
	/* That of another user, as after su or sudo. */
	if (geteuid() != 0)
		expect_none("/");
	else if (chown(folder, 65534, 65534) == 0)
		expect_none(folder);
}

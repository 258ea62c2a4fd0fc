/* Where files are looked for. */
#include "experiment/symbols/paths.h"

#include <criterion/criterion.h>
#include <string.h>

/* The places offered, joined by blanks; the search stops at one that contains `stop`. */
struct taken {
	char text[2048];
	const char *stop;
};

static int take(void *context, const char *place)
{
	struct taken *taken = context;

	strcat(taken->text, place);
	strcat(taken->text, " ");
	return taken->stop && strstr(place, taken->stop) != NULL;
}

Test(paths, maps_change_whole_components)
{
	struct exp_paths *paths = exp_paths_create();
	struct taken taken = {.text = ""};

	cr_assert_eq(exp_paths_map(paths, "/build/a/", "/home/b"), 0);
	cr_assert_eq(exp_paths_mapped(paths, "/build/a/x.c", take, &taken), 0);
	cr_assert_eq(exp_paths_mapped(paths, "/build/ab/x.c", take, &taken), 0);
	cr_assert_str_eq(taken.text, "/home/b/x.c ");
	exp_paths_destroy(paths);
}

Test(paths, the_last_map_comes_first)
{
	struct exp_paths *paths = exp_paths_create();
	struct taken taken = {.stop = "second"};

	exp_paths_map(paths, "/a", "/first");
	exp_paths_map(paths, "/", "/second");
	exp_paths_map(paths, "/a/b", "/third");
	cr_assert_eq(exp_paths_mapped(paths, "/a/b/x.c", take, &taken), 1);
	cr_assert_str_eq(taken.text, "/third/x.c /second/a/b/x.c ");
	cr_assert_str_eq(exp_paths_map_from(paths, 1), "/");
	cr_assert_str_eq(exp_paths_map_to(paths, 2), "/first");
	cr_assert_null(exp_paths_map_from(paths, 3));
	exp_paths_destroy(paths);
}

Test(paths, directories_are_searched_for_ever_shorter_ends)
{
	static const char *const experiments[] = {"one.er", "two.er"};
	struct exp_paths *paths = exp_paths_create();
	struct taken taken = {.text = ""};

	cr_assert_str_eq(exp_paths_list(paths), "$expts:.");
	exp_paths_set(paths, "/s:$expts");
	exp_paths_add(paths, "/t");
	cr_assert_str_eq(exp_paths_list(paths), "/s:$expts:/t");
	exp_paths_searched(paths, "/a//b.c", experiments, 2, take, &taken);
	cr_assert_str_eq(
		taken.text,
		"/s/a//b.c /s/b.c one.er/a//b.c one.er/b.c two.er/a//b.c two.er/b.c /t/a//b.c /t/b.c ");
	exp_paths_set(paths, "");
	exp_paths_add(paths, "/u");
	cr_assert_str_eq(exp_paths_list(paths), "/u");
	exp_paths_destroy(paths);
}

/* Tests of directories of descendants: none holds a descriptor, and a directory that is another one
 * now is not taken for the old one. */
#include "tests/unit/experiment/make_experiment.h"

#include "experiment/base/internal.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct tree {
	struct maker founder, child;
	struct experiment *opened, *descendant;
};

static void begin(struct tree *tree)
{
	struct exp_cause cause;

	maker_create(&tree->founder);
	maker_descendant(&tree->founder, "_f1", "", &tree->child);
	cr_assert_eq(maker_open(&tree->founder, &tree->opened, &cause), 0);
	cr_assert_eq(
		experiment_open_descendant(tree->opened, "_f1", NULL, &tree->descendant, &cause),
		0);
}

static void end(struct tree *tree)
{
	experiment_close(tree->opened);
	experiment_close(tree->descendant);
	maker_destroy(&tree->founder);
}

Test(file, rests)
{
	struct tree tree;
	int held, fd;

	begin(&tree);
	cr_assert_geq(tree.opened->directory, 0);
	cr_assert_eq(tree.descendant->directory, -1);
	held = exp_directory_hold(tree.descendant);
	cr_assert_eq(held, 1);
	fd = tree.descendant->directory;
	cr_assert_geq(fd, 0);
	cr_assert_eq(exp_directory_hold(tree.descendant), 0, "it is held");
	cr_assert_eq(exp_directory_get(tree.descendant), fd);
	exp_directory_put(tree.descendant, fd);
	exp_directory_let_go(tree.descendant, 0);
	cr_assert_eq(tree.descendant->directory, fd);
	exp_directory_let_go(tree.descendant, held);
	cr_assert_eq(tree.descendant->directory, -1);
	end(&tree);
}

/* The founder may be closed first. */
Test(file, outlives_its_founder)
{
	struct tree tree;
	int fd;

	begin(&tree);
	cr_assert_str_eq(tree.descendant->info.host, "box");
	experiment_close(tree.opened);
	tree.opened = NULL;
	cr_assert_str_eq(tree.descendant->info.host, "box");
	cr_assert_str_eq(experiment_setting(tree.descendant, "heap", ""), "1");
	fd = exp_own_file_open(tree.descendant, "log.xml");
	cr_assert_geq(fd, 0);
	close(fd);
	end(&tree);
}

Test(file, another_one_is_not_taken)
{
	struct tree tree;
	char moved[300];

	begin(&tree);
	snprintf(moved, sizeof(moved), "%s/moved", tree.founder.directory);
	cr_assert_eq(rename(tree.child.path, moved), 0);
	cr_assert_eq(exp_directory_hold(tree.descendant), -ENOENT);
	cr_assert_eq(mkdir(tree.child.path, 0755), 0);
	cr_assert_eq(exp_directory_hold(tree.descendant), -ENOENT);
	cr_assert_eq(exp_directory_get(tree.descendant), -ENOENT);
	cr_assert_eq(rmdir(tree.child.path), 0);
	cr_assert_eq(symlink(moved, tree.child.path), 0);
	cr_assert_lt(exp_directory_hold(tree.descendant), 0, "no link is followed");
	end(&tree);
}

/* Which files there are is known of a process that has ended. */
Test(file, knows_its_files)
{
	struct tree tree;
	unsigned lacking = 0;
	char name[8];

	begin(&tree);
	cr_assert_not(exp_directory_lacks(tree.descendant, "log.xml"));
	cr_assert_not(exp_directory_lacks(tree.opened, "nothing"), "nobody has looked");
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "%d", i);
		lacking += exp_directory_lacks(tree.descendant, name) != 0;
	}
	cr_assert_geq(lacking, 80);
	end(&tree);
}

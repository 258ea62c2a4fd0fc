/* Tests of what files there are. */
#include "analyzer/base/files.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(files, .timeout = 20);

Test(files, the_nearest_name_beside_a_missing_file)
{
	char folder[] = "/tmp/xer-files-XXXXXX", path[64], near[64], *found;

	cr_assert_not_null(mkdtemp(folder));
	snprintf(near, sizeof(near), "%s/test.1.er", folder);
	cr_assert_eq(mkdir(near, 0700), 0);
	snprintf(path, sizeof(path), "%s/tset.1.er", folder);
	found = files_nearest(path, ".er");
	cr_expect_str_eq(found, near);
	free(found);
	cr_expect_null(files_nearest(path, ".erg"));
	snprintf(path, sizeof(path), "%s/something.er", folder);
	cr_expect_null(files_nearest(path, ".er"));
	cr_assert_eq(chdir(folder), 0);
	found = files_nearest("test.1er", ".er");
	cr_expect_str_eq(found, "test.1.er");
	free(found);
	cr_expect_null(files_nearest("/nonexistent/test.1.er", ".er"));
	rmdir(near);
	rmdir(folder);
}

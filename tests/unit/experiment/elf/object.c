/* Files of load objects: by their build-ids, at their paths or in archives, in which files have
 * other names. */
#include "experiment/elf/object.h"

#include "experiment/packed/frame.h"
#include "experiment/packed/pack.h"
#include "tests/unit/experiment/make_elf.h"
#include "tests/unit/experiment/make_experiment.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#define ID "30313233343536373839616263646566"

static struct maker maker;
static struct experiment *experiment;
static char path[256];
static uint8_t bytes[2048];

static void set_up(void)
{
	struct exp_cause cause;

	maker_create(&maker);
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0, "%s", cause.text);
	snprintf(path, sizeof(path), "%s/prog", maker.directory);
}

static void tear_down(void)
{
	experiment_close(experiment);
	maker_destroy(&maker);
}

TestSuite(object, .init = set_up, .fini = tear_down);

/* Write a file with the build-id ID below the maker's directory. */
static void put_object(const char *name)
{
	char place[512];
	uint8_t note[MADE_NOTE_SIZE];
	size_t size;
	FILE *file;

	made_build_id(note, (const uint8_t *)"0123456789abcdef");
	size = made_elf(bytes, sizeof(bytes),
	                &(struct made_section){.name = ".note.gnu.build-id",
	                                       .type = SHT_NOTE,
	                                       .bytes = note,
	                                       .size = sizeof(note)},
	                1);
	snprintf(place, sizeof(place), "%s/%s", maker.directory, name);
	file = fopen(place, "w");
	cr_assert_not_null(file, "%s", place);
	cr_assert_eq(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

static void make_directory(const char *name)
{
	char place[512];

	snprintf(place, sizeof(place), "%s/%s", maker.directory, name);
	cr_assert_eq(mkdir(place, 0755), 0);
}

/* The hash of a path is 64-bit FNV-1a; by its authors, that of "a" is af63dc4c8601ec8c. */
Test(object, files_of_archives_have_names_of_what_they_are)
{
	static const struct {
		const char *path, *build_id, *suffix, *name;
	} cases[] = {
		{"/lib/libc.so.6", ID, "", "libc.so.6_3031323334353637"},
		{"/lib/libc.so.6", ID, ".debug", "libc.so.6_3031323334353637.debug"},
		{"/lib/libc.so.6", "0123", "", "libc.so.6_0123"},
		{"a", "", "", "a_af63dc4c8601ec8c"},
		{"a", "../x", "", "a_af63dc4c8601ec8c"},
		{"a", "ABCD", "", "a_af63dc4c8601ec8c"},
		{"[vdso]", "ff", "", "[vdso]_ff"},
	};
	char name[EXP_ARCHIVE_NAME_MAX], other[EXP_ARCHIVE_NAME_MAX], large[1001];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		exp_archive_name(name, cases[i].path, cases[i].build_id, cases[i].suffix);
		cr_expect_str_eq(name, cases[i].name);
	}
	exp_archive_name(name, "/one/a", "", "");
	exp_archive_name(other, "/two/a", "", "");
	cr_expect_str_neq(name, other);
	memset(large, 'n', 1000);
	large[1000] = '\0';
	exp_archive_name(name, large, ID, ".debug");
	cr_expect_eq(strspn(name, "n"), 200);
	cr_expect_str_eq(name + 200, "_3031323334353637.debug");
}

Test(object, only_regular_files_with_contents_are_opened)
{
	int fd;

	put_object("prog");
	fd = exp_path_open(path);
	cr_assert_geq(fd, 0);
	close(fd);
	cr_expect_eq(exp_path_open("/nonexistent/prog"), -ENOENT);
	cr_expect_eq(exp_path_open(maker.directory), -ENOENT);
	cr_assert_eq(truncate(path, 0), 0);
	cr_expect_eq(exp_path_open(path), -ENOENT);
	cr_assert_eq(unlink(path), 0);
	cr_assert_eq(mkfifo(path, 0600), 0);
	cr_expect_eq(exp_path_open(path), -ENOENT);
}

Test(object, a_descriptor_tells_where_its_file_is)
{
	char place[EXP_PLACE_MAX], real[PATH_MAX];
	int fd;

	put_object("prog");
	fd = exp_path_open(path);
	cr_expect_eq(exp_descriptor_path(fd, place), 0);
	cr_expect_str_eq(place, realpath(path, real));
	close(fd);
	cr_expect_eq(exp_descriptor_path(-1, place), -ENOENT);
}

Test(object, a_file_counts_if_its_build_id_is_the_recorded_one)
{
	int fd;

	put_object("prog");
	fd = exp_object_open_recorded(path, ID);
	cr_assert_geq(fd, 0);
	cr_expect(exp_object_matches(fd, ID));
	cr_expect(exp_object_matches(fd, ""));
	cr_expect_not(exp_object_matches(fd, "3031"));
	cr_expect_eq(exp_object_if_matches(fd, ID), fd);
	cr_expect_eq(exp_object_if_matches(fd, "3031"), -ENOENT);
	cr_expect_eq(exp_object_if_matches(-1, ""), -ENOENT);
	cr_expect_eq(exp_object_open_recorded(path, "3031"), -ESTALE);
	cr_expect_eq(exp_object_open_recorded("/nonexistent/prog", ID), -ENOENT);
	cr_expect_eq(exp_object_open_recorded("prog", ID), -ENOENT);
	cr_expect_eq(exp_object_open_recorded("[heap]", ""), -ENOENT);
}

/* Each process has the one of its kernel. */
Test(object, the_vdso_is_that_of_this_process)
{
	const char *mapped = (const char *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)mapped;
	char first[64];
	int fd;

	cr_expect(exp_object_is_vdso("[vdso]"));
	cr_expect_not(exp_object_is_vdso("[vdso"));
	if (!mapped)
		cr_skip_test("this process has no vdso");
	fd = exp_object_open_recorded("[vdso]", "");
	cr_assert_geq(fd, 0);
	cr_assert_eq(pread(fd, first, sizeof(first), 0), (ssize_t)sizeof(first));
	cr_expect_arr_eq(first, mapped, sizeof(first));
	/* Its last part is the section table. */
	cr_expect_eq((uint64_t)lseek(fd, 0, SEEK_END),
	             header->e_shoff + (uint64_t)header->e_shnum * header->e_shentsize);
	close(fd);
	cr_expect_eq(exp_object_open_recorded("[vdso]", "3031"), -ENOENT);
}

static struct exp_object_file found;

static int find(const char *build_id)
{
	int rc = exp_object_find(experiment, path, build_id, &found);

	if (rc == 0)
		close(found.fd);
	return rc;
}

Test(object, the_archive_comes_before_the_recorded_path)
{
	cr_expect_eq(find(ID), -ENOENT);
	cr_expect_not(found.mismatch);
	put_object("prog");
	cr_assert_eq(find(ID), 0);
	cr_expect_str_eq(found.path, path);
	cr_expect_not(found.archived);
	cr_expect_eq(find("3031"), -ENOENT);
	cr_expect(found.mismatch);
	make_directory("test.1.er/archives");
	put_object("test.1.er/archives/prog_3031323334353637");
	cr_assert_eq(find(ID), 0);
	cr_expect(found.archived);
	cr_expect_str_eq(found.path + strlen(maker.path), "/archives/prog_3031323334353637");
}

/* Put a compressed copy of the object into the archive. */
static void put_packed(const char *name)
{
	struct exp_plain_file plain = {.level = 1};
	char place[512], packed[520];
	int to;

	put_object(name);
	snprintf(place, sizeof(place), "%s/%s", maker.directory, name);
	snprintf(packed, sizeof(packed), "%s.zst", place);
	plain.fd = open(place, O_RDONLY);
	plain.size = (uint64_t)lseek(plain.fd, 0, SEEK_END);
	to = open(packed, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	/* It is small: readers do not care whether it was worth it. */
	cr_assert_geq(exp_pack_file(&plain, to), 0);
	close(to);
	close(plain.fd);
	cr_assert_eq(unlink(place), 0);
}

/* What has the same build-id is the same file, and need not be decompressed. */
Test(object, a_compressed_copy_comes_behind_the_recorded_path)
{
	if (!exp_frames_are_known())
		cr_skip_test("built without libzstd");
	make_directory("test.1.er/archives");
	put_packed("test.1.er/archives/prog_3031323334353637");
	cr_assert_eq(find(ID), 0);
	cr_expect(found.archived);
	cr_expect_str_eq(found.path + strlen(maker.path), "/archives/prog_3031323334353637.zst");
	put_object("prog");
	cr_assert_eq(find(ID), 0);
	cr_expect_str_eq(found.path, path);
	cr_expect_not(found.archived);
	cr_expect_eq(find("3031"), -ENOENT);
	cr_expect(found.mismatch);
}

static int find_common(const char *text)
{
	char place[256];
	FILE *file;
	int rc;

	snprintf(place, sizeof(place), "%s/archives/common", maker.path);
	file = fopen(place, "w");
	fputs(text, file);
	fclose(file);
	rc = find(ID);
	return rc == 0 ? found.archived : rc;
}

/* A line with the path of a directory. */
Test(object, a_common_archive_is_where_the_archive_says)
{
	char text[512];

	make_directory("common");
	make_directory("test.1.er/archives");
	put_object("common/prog_3031323334353637");
	snprintf(text, sizeof(text), "%s/common", maker.directory);
	cr_expect_eq(find_common(text), 1);
	cr_expect_str_eq(found.path + strlen(maker.directory), "/common/prog_3031323334353637");
	strcat(text, "\nmore\n");
	cr_expect_eq(find_common(text), 1);
	cr_expect_eq(find_common(""), -ENOENT);
	cr_expect_eq(find_common("common"), -ENOENT);
	cr_expect_eq(find_common("/nonexistent"), -ENOENT);
}

Test(object, debug_files_of_archives_have_their_own_names)
{
	char place[EXP_PLACE_MAX];
	int fd;

	make_directory("test.1.er/archives");
	cr_expect_eq(
		exp_object_find_archived_debug(experiment, path, ID, EXP_ARCHIVED_PLAIN, place),
		-ENOENT);
	put_object("test.1.er/archives/prog_3031323334353637.debug");
	fd = exp_object_find_archived_debug(experiment, path, ID, EXP_ARCHIVED_PLAIN, place);
	cr_assert_geq(fd, 0);
	close(fd);
	cr_expect_str_eq(place + strlen(maker.path), "/archives/prog_3031323334353637.debug");
}

/* Archives: what is copied, and that nothing is overwritten or leads to other places. */
#include "experiment/symbols/sourcename.h"
#include "experiment/archive/archive.h"

#include "experiment/archive/copy.h"
#include "experiment/elf/object.h"
#include "experiment/archive/sources.h"
#include "experiment/packed/frame.h"
#include "tests/unit/experiment/make_experiment.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char map[] =
	"<map><object id=\"1\" path=\"/bin/true\" start=\"0x1000\" end=\"0x2000\"/>"
	"<object id=\"2\" path=\"/nonexistent/lib.so\" build_id=\"0123456789abcdef01\" start=\"0x3000\" end=\"0x4000\"/>"
	"<object id=\"3\" path=\"[vsyscall]\" start=\"0x5000\" end=\"0x6000\"/></map>";

static int archive(struct maker *maker, const struct exp_archive_options *options,
                   struct exp_cause *cause)
{
	struct experiment *experiment;
	int rc = maker_open(maker, &experiment, cause);

	cr_assert_eq(rc, 0);
	rc = experiment_archive(experiment, options, cause);
	experiment_close(experiment);
	return rc;
}

static void archived_path(const struct maker *maker, const char *object, char *path, size_t size)
{
	char name[EXP_ARCHIVE_NAME_MAX];

	exp_archive_name(name, object, "", "");
	snprintf(path, size, "%s/archives/%s", maker->path, name);
}

Test(archive, copies_objects_once_and_counts_what_is_missing)
{
	struct exp_archive_options options = {.what = EXP_ARCHIVE_ON};
	struct exp_cause cause;
	struct maker maker;
	struct stat first, second;
	char path[512];

	maker_create(&maker);
	maker_put(&maker, "map.xml", map, sizeof(map) - 1);
	archived_path(&maker, "/bin/true", path, sizeof(path));
	cr_assert_eq(archive(&maker, &options, &cause), 1);
	cr_assert_eq(stat(path, &first), 0);
	cr_assert_gt(first.st_size, 0);
	cr_assert_eq(archive(&maker, &options, &cause), 1);
	cr_assert_eq(stat(path, &second), 0);
	cr_assert_eq(first.st_ino, second.st_ino);
	options.rewrite = 1;
	options.match = "/true$";
	cr_assert_eq(archive(&maker, &options, &cause), 0);
	cr_assert_eq(stat(path, &second), 0);
	cr_assert_neq(first.st_ino, second.st_ino);
	options.match = "(";
	cr_assert_eq(archive(&maker, &options, &cause), -EINVAL);
	maker_destroy(&maker);
}

static int is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static void expect_equal_files(int fd, const char *path)
{
	int other = open(path, O_RDONLY);
	char one[4096], two[4096];
	ssize_t got;

	cr_assert_geq(other, 0);
	for (off_t at = 0; (got = pread(other, one, sizeof(one), at)) > 0; at += got) {
		cr_assert_eq(pread(fd, two, sizeof(two), at), got);
		cr_assert_arr_eq(one, two, (size_t)got);
	}
	cr_expect_eq(lseek(fd, 0, SEEK_END), lseek(other, 0, SEEK_END));
	close(other);
}

static int find_true(struct maker *maker, struct exp_object_file *file)
{
	struct experiment *experiment;
	struct exp_cause cause;

	cr_assert_eq(maker_open(maker, &experiment, &cause), 0);
	cr_assert_eq(exp_object_find(experiment, "/bin/true", "", file), 0);
	experiment_close(experiment);
	return file->archived;
}

/* A copy is there in one form, that of the archiver that made it. */
Test(archive, copies_are_compressed_and_read_as_the_files)
{
	struct exp_archive_options options = {
		.what = EXP_ARCHIVE_ON, .match = "/true$", .compresses = 1};
	struct exp_object_file file;
	struct exp_cause cause;
	struct maker maker;
	char plain[512], packed[520];

	if (!exp_frames_are_known())
		cr_skip_test("built without libzstd");
	maker_create(&maker);
	maker_put(&maker, "map.xml", map, sizeof(map) - 1);
	archived_path(&maker, "/bin/true", plain, sizeof(plain));
	snprintf(packed, sizeof(packed), "%s.zst", plain);
	cr_assert_eq(archive(&maker, &options, &cause), 0);
	cr_expect(is_there(packed) && !is_there(plain));
	cr_assert_eq(find_true(&maker, &file), 1);
	cr_expect_str_eq(file.path, packed);
	expect_equal_files(file.fd, "/bin/true");
	close(file.fd);
	options.compresses = 0;
	cr_assert_eq(archive(&maker, &options, &cause), 0);
	cr_expect(is_there(packed) && !is_there(plain));
	options.rewrite = 1;
	cr_assert_eq(archive(&maker, &options, &cause), 0);
	cr_expect(!is_there(packed) && is_there(plain));
	options.compresses = 1;
	cr_assert_eq(archive(&maker, &options, &cause), 0);
	cr_expect(is_there(packed) && !is_there(plain));
	maker_destroy(&maker);
}

/* What cannot be decompressed is as if it was not there. */
Test(archive, a_damaged_copy_is_none)
{
	struct exp_archive_options options = {
		.what = EXP_ARCHIVE_ON, .match = "/true$", .compresses = 1};
	struct exp_object_file file;
	struct exp_cause cause;
	struct maker maker;
	char packed[512];
	int fd;

	if (!exp_frames_are_known())
		cr_skip_test("built without libzstd");
	maker_create(&maker);
	maker_put(&maker, "map.xml", map, sizeof(map) - 1);
	archived_path(&maker, "/bin/true", packed, sizeof(packed) - 4);
	strcat(packed, ".zst");
	cr_assert_eq(archive(&maker, &options, &cause), 0);
	fd = open(packed, O_WRONLY);
	cr_assert_eq(pwrite(fd, "????????", 8, 100), 8);
	close(fd);
	cr_expect_eq(find_true(&maker, &file), 0);
	close(file.fd);
	cr_assert_eq(truncate(packed, 50), 0);
	cr_expect_eq(find_true(&maker, &file), 0);
	close(file.fd);
	cr_assert_eq(unlink(packed), 0);
	cr_assert_eq(symlink("/bin/true", packed), 0);
	cr_expect_eq(find_true(&maker, &file), 0);
	close(file.fd);
	maker_destroy(&maker);
}

Test(archive, does_not_follow_a_link_out_of_the_experiment)
{
	struct exp_archive_options options = {.what = EXP_ARCHIVE_ON};
	struct exp_cause cause;
	struct maker maker;
	char path[512], target[512];

	maker_create(&maker);
	maker_put(&maker, "map.xml", map, sizeof(map) - 1);
	snprintf(path, sizeof(path), "%s/archives", maker.path);
	snprintf(target, sizeof(target), "%s/elsewhere", maker.directory);
	cr_assert_eq(mkdir(target, 0755), 0);
	cr_assert_eq(symlink(target, path), 0);
	cr_assert_lt(archive(&maker, &options, &cause), 0);
	cr_assert(strstr(cause.text, "cannot write archives") != NULL, "%s", cause.text);
	cr_assert_eq(rmdir(target), 0);
	maker_destroy(&maker);
}

static Elf64_Ehdr elf_header(uint16_t type)
{
	return (Elf64_Ehdr){.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
	                                EV_CURRENT},
	                    .e_type = type,
	                    .e_machine = EM_X86_64,
	                    .e_version = EV_CURRENT,
	                    .e_ehsize = sizeof(Elf64_Ehdr)};
}

/* In an archive that other users may write to, any kind of file may have the name of a copy. It is
 * not followed, and it does not count as a copy. */
Test(archive, what_stands_in_the_way_is_told)
{
	struct exp_archive_options options = {.what = EXP_ARCHIVE_ON, .match = "/true$"};
	struct exp_cause cause;
	struct maker maker;
	char path[512];

	maker_create(&maker);
	maker_put(&maker, "map.xml", map, sizeof(map) - 1);
	snprintf(path, sizeof(path), "%s/archives", maker.path);
	cr_assert_eq(mkdir(path, 0755), 0);
	archived_path(&maker, "/bin/true", path, sizeof(path));
	cr_assert_eq(symlink("/nonexistent/file", path), 0);
	cr_assert_eq(archive(&maker, &options, &cause), 1);
	cr_assert_eq(access("/nonexistent/file", F_OK), -1);
	cr_assert_eq(unlink(path), 0);
	cr_assert_eq(mkfifo(path, 0600), 0);
	cr_assert_eq(archive(&maker, &options, &cause), 1);
	cr_assert_eq(unlink(path), 0);
	cr_assert_eq(archive(&maker, &options, &cause), 0);
	maker_destroy(&maker);
}

/* Process ids are used again, and are the same in several containers. */
Test(archive, temporary_files_of_another_archiver_of_this_number_are_passed_over)
{
	struct exp_archive_options options = {.what = EXP_ARCHIVE_ON, .match = "/true$"};
	struct exp_cause cause;
	struct maker maker;
	char common[128], path[256];

	maker_create(&maker);
	maker_put(&maker, "map.xml", map, sizeof(map) - 1);
	snprintf(common, sizeof(common), "%s/common", maker.directory);
	cr_assert_eq(mkdir(common, 0755), 0);
	options.common = common;
	for (int i = 1; i <= 50; i++) {
		snprintf(path, sizeof(path), "%s/.tmp.%ld.%d", common, (long)getpid(), i);
		cr_assert_eq(mkfifo(path, 0600), 0);
	}
	cr_assert_eq(archive(&maker, &options, &cause), 0);
	maker_destroy(&maker);
}

/* Sources may have any names. */
Test(archive, only_what_archivers_have_left_is_swept)
{
	static const struct {
		const char *name;
		int is_left;
	} files[] = {{".tmp.12.3", 0}, {".tmp.12", 1}, {".tmp.take.h", 1}, {".tmp.12.3.c", 1},
	             {".tmp.12.", 1},  {".tmp..3", 1}, {"tmp.12.3", 1}};
	struct maker maker;
	int directory;

	maker_create(&maker);
	directory = open(maker.path, O_RDONLY | O_DIRECTORY);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		maker_put(&maker, files[i].name, "x", 1);
	exp_copy_sweep(directory);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		cr_assert_eq(exp_copy_exists(directory, files[i].name), files[i].is_left, "%s",
		             files[i].name);
	close(directory);
	maker_destroy(&maker);
}

/* Make the experiment of one object, whose file begins as `header` says; its path goes to
 * path[size]. */
static void create_with_object(struct maker *maker, const Elf64_Ehdr *header, char *path,
                               size_t size)
{
	char text[512];
	int len;

	maker_create(maker);
	maker_put(maker, "object", header, sizeof(*header));
	snprintf(path, size, "%s/object", maker->path);
	len = snprintf(text, sizeof(text),
	               "<map><object id=\"1\" path=\"%s\" start=\"0x1000\" end=\"0x2000\"/></map>",
	               path);
	maker_put(maker, "map.xml", text, (size_t)len);
}

/* A sparse file of any size has a copy that takes no more room on the disk. */
Test(archive, holes_stay_holes)
{
	enum { HOLE = 64 << 20 };
	struct exp_archive_options options = {.what = EXP_ARCHIVE_ON};
	const Elf64_Ehdr header = elf_header(ET_DYN);
	char path[256], copy[512], text[512], end[4] = "";
	struct exp_cause cause;
	struct maker maker;
	struct stat st;
	int fd;

	create_with_object(&maker, &header, path, sizeof(path));
	fd = open(path, O_RDWR);
	cr_assert_eq(pwrite(fd, "end", 3, HOLE), 3);
	cr_assert_eq(ftruncate(fd, 2 * HOLE), 0);
	if (lseek(fd, 0, SEEK_HOLE) >= HOLE)
		cr_skip_test("this file system tells of no holes");
	close(fd);
	cr_assert_eq(archive(&maker, &options, &cause), 0);
	archived_path(&maker, path, copy, sizeof(copy));
	fd = open(copy, O_RDONLY);
	cr_assert_eq(fstat(fd, &st), 0);
	cr_assert_eq(st.st_size, 2 * HOLE);
	cr_assert_lt(st.st_blocks, (1 << 20) / 512);
	cr_assert(pread(fd, end, 3, HOLE) == 3 && strcmp(end, "end") == 0);
	cr_assert(pread(fd, text, sizeof(header), 0) == sizeof(header) &&
	          memcmp(text, &header, sizeof(header)) == 0);
	close(fd);
	maker_destroy(&maker);
}

static const char *cut_behind_data; /* the path of a file */

/* Replaces libc's: another process changes the file between two looks at it. */
off_t lseek(int fd, off_t offset, int whence)
{
	if (cut_behind_data && whence == SEEK_DATA && offset > 0)
		cr_assert_eq(truncate(cut_behind_data, offset), 0);
	return syscall(SYS_lseek, fd, offset, whence);
}

/* A part that was cut off looks like a hole up to the end. */
Test(archive, a_file_that_is_cut_behind_a_hole_is_not_taken)
{
	enum { HOLE = 1 << 20 };
	struct exp_archive_options options = {.what = EXP_ARCHIVE_ON};
	const Elf64_Ehdr header = elf_header(ET_DYN);
	char path[256], copy[512];
	struct exp_cause cause;
	struct maker maker;
	int fd;

	create_with_object(&maker, &header, path, sizeof(path));
	cr_assert_eq(truncate(path, HOLE), 0);
	fd = open(path, O_RDONLY);
	if (lseek(fd, 0, SEEK_HOLE) >= HOLE)
		cr_skip_test("this file system tells of no holes");
	close(fd);
	cut_behind_data = path;
	cr_assert_eq(archive(&maker, &options, &cause), 1);
	cut_behind_data = NULL;
	archived_path(&maker, path, copy, sizeof(copy));
	cr_assert_neq(access(copy, F_OK), 0);
	maker_destroy(&maker);
}

/* The maker of an experiment may have named any file: a core dump is no code that
 * ran. */
Test(archive, a_core_file_is_no_load_object)
{
	struct exp_archive_options options = {.what = EXP_ARCHIVE_ON};
	Elf64_Ehdr header = elf_header(ET_CORE);
	struct exp_cause cause;
	struct maker maker;
	char text[512];
	int len;

	maker_create(&maker);
	maker_put(&maker, "core", &header, sizeof(header));
	len = snprintf(
		text, sizeof(text),
		"<map><object id=\"1\" path=\"%s/core\" start=\"0x1000\" end=\"0x2000\"/></map>",
		maker.path);
	maker_put(&maker, "map.xml", text, (size_t)len);
	cr_assert_eq(archive(&maker, &options, &cause), 1);
	header.e_type = ET_DYN;
	maker_put(&maker, "core", &header, sizeof(header));
	cr_assert_eq(archive(&maker, &options, &cause), 0);
	maker_destroy(&maker);
}

Test(archive, waits_for_the_end_of_the_recording)
{
	struct exp_archive_options options = {.what = EXP_ARCHIVE_ON};
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	struct exp_cause cause;
	struct maker maker;
	char path[256];
	int fd;

	maker_create(&maker);
	snprintf(path, sizeof(path), "%s/log.xml", maker.path);
	fd = open(path, O_RDWR);
	cr_assert_eq(fcntl(fd, F_OFD_SETLK, &lock), 0);
	cr_assert_eq(archive(&maker, &options, &cause), 0);
	close(fd);
	maker_log(&maker, NULL);
	fd = open(path, O_RDWR);
	cr_assert_eq(fcntl(fd, F_OFD_SETLK, &lock), 0);
	cr_assert_eq(archive(&maker, &options, &cause), -EBUSY);
	cr_assert(strstr(cause.text, "still being recorded") != NULL);
	close(fd);
	maker_destroy(&maker);
}

Test(archive, puts_objects_into_a_common_archive_and_finds_them_there)
{
	struct exp_archive_options options = {.what = EXP_ARCHIVE_ON, .match = "true"};
	struct exp_object_file file;
	struct experiment *experiment;
	struct exp_cause cause;
	struct maker maker;
	char common[128];

	maker_create(&maker);
	maker_put(&maker, "map.xml", map, sizeof(map) - 1);
	snprintf(common, sizeof(common), "%s/common", maker.directory);
	cr_assert_eq(mkdir(common, 0755), 0);
	options.common = common;
	cr_assert_eq(archive(&maker, &options, &cause), 0);
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0);
	cr_assert_eq(exp_object_find(experiment, "/bin/true", "", &file), 0);
	cr_assert_eq(file.archived, 1);
	cr_assert_eq(strncmp(file.path, common, strlen(common)), 0);
	close(file.fd);
	experiment_close(experiment);
	maker_destroy(&maker);
}

Test(sources, stay_below_their_directory)
{
	static const char *const cases[][2] = {
		{"/usr/include/a.h", "src/usr/include/a.h"},
		{"//a/./b//../c.c", "src/a/c.c"},
		{"/../../etc/passwd", "src/etc/passwd"},
	};
	char name[64];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cr_assert_eq(exp_source_name(name, sizeof(name), cases[i][0]), 0);
		cr_assert_str_eq(name, cases[i][1]);
	}
	cr_assert_eq(exp_source_name(name, sizeof(name), "relative.c"), -EINVAL);
	cr_assert_eq(exp_source_name(name, sizeof(name), "/.."), -EINVAL);
	cr_assert_eq(exp_source_name(name, 8, "/too/long"), -EINVAL);
}

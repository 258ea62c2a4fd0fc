/* Tests that rows for other programs' formats, and for small tables of readers, are consistent. */
#include "tests/unit/tables/row.h"

#include <criterion/criterion.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define FXT_TABLE "format/fxt.def"
#define IMAGE_TABLE "format/image.def"
#define FILE_SYSTEM_TABLE "analyzer/filter/filesystem.def"
#define KEPT_TABLE "analyzer/views/events/kept.def"
#define CODE_TABLE "template/code.def"

static const struct {
	const char *name, *title;
	unsigned type, low, high, sub;
} records[] = {
#define FXT_RECORD(name, type, low, high, sub, title) {#name, title, type, low, high, sub},
#define FXT_RECORD_END(name)
#include "format/fxt.def"
};

static const struct {
	const char *record, *name;
	unsigned word, low, high;
} fields[] = {
#define FXT_FIELD(record, field, word, low, high, kind) {#record, #field, word, low, high},
#include "format/fxt.def"
};

static const struct {
	const char *name, *meaning;
} images[] = {
#define IMAGE_NUMBER(name, meaning) {#name, meaning},
#include "format/image.def"
};

static const struct {
	uint32_t magic;
	const char *name;
} systems[] = {
#define FILE_SYSTEM(magic, name) {magic, name},
#include "analyzer/filter/filesystem.def"
};

static const char *const kept[] = {
#define KEPT_OBJECT(file, all)
#define KEPT(function) function,
#include "analyzer/views/events/kept.def"
};

static const char codes[] = {
#define CODE(letter, kind, sizes, bits, formats) letter,
#include "template/code.def"
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* Bits low..high of a word. */
static uint64_t bits(unsigned low, unsigned high)
{
	return (high == 63 ? ~(uint64_t)0 : ((uint64_t)1 << (high + 1)) - 1) &
	       (~(uint64_t)0 << low);
}

Test(fxt_records, each_is_told_from_all_others)
{
	for (size_t i = 0; i < COUNT(records); i++) {
		row_needs(*records[i].title != '\0', FXT_TABLE, records[i].name, "a title");
		for (size_t k = 0; k < i; k++)
			row_needs(records[k].type != records[i].type ||
			                  (records[k].high && records[i].high &&
			                   records[k].sub != records[i].sub),
			          FXT_TABLE, records[i].name,
			          "what tells it from another record of its type");
	}
}

/* Bits 0..3 of the first word are the type, 4..15 the size. */
Test(fxt_fields, no_two_share_a_bit)
{
	for (size_t i = 0; i < COUNT(records); i++) {
		uint64_t taken[2] = {bits(0, 15), 0};

		if (records[i].high)
			taken[0] |= bits(records[i].low, records[i].high);
		for (size_t k = 0; k < COUNT(fields); k++) {
			if (strcmp(fields[k].record, records[i].name) != 0)
				continue;
			cr_assert(fields[k].word < 2 && fields[k].low <= fields[k].high &&
			          fields[k].high < 64);
			row_needs(!(taken[fields[k].word] & bits(fields[k].low, fields[k].high)),
			          FXT_TABLE, fields[k].name, "bits of its own");
			taken[fields[k].word] |= bits(fields[k].low, fields[k].high);
		}
	}
}

Test(fxt_fields, each_belongs_to_a_record)
{
	for (size_t k = 0; k < COUNT(fields); k++) {
		int is_there = 0;

		for (size_t i = 0; i < COUNT(records); i++)
			is_there |= strcmp(fields[k].record, records[i].name) == 0;
		row_needs(is_there, FXT_TABLE, fields[k].name, "its record");
	}
}

Test(images, each_argument_has_a_meaning_and_a_place_in_the_manual)
{
	const char *earlier[COUNT(images)];

	for (size_t i = 0; i < COUNT(images); i++) {
		row_needs_own_name(IMAGE_TABLE, images[i].name, earlier, i);
		earlier[i] = images[i].name;
		row_needs(*images[i].meaning != '\0', IMAGE_TABLE, images[i].name, "a meaning");
		row_needs_page(IMAGE_TABLE, images[i].name, images[i].name, "experiment.5");
	}
}

/* Compared with the kernel's own header, as far as that goes. */
Test(file_systems, numbers_are_the_kernels)
{
	static const struct {
		uint32_t magic;
		const char *name;
	} known[] = {
		{EXT4_SUPER_MAGIC, "ext4"},
		{XFS_SUPER_MAGIC, "xfs"},
		{BTRFS_SUPER_MAGIC, "btrfs"},
		{F2FS_SUPER_MAGIC, "f2fs"},
		{OVERLAYFS_SUPER_MAGIC, "overlay"},
		{TMPFS_MAGIC, "tmpfs"},
		{RAMFS_MAGIC, "ramfs"},
		{HUGETLBFS_MAGIC, "hugetlbfs"},
		{NFS_SUPER_MAGIC, "nfs"},
		{V9FS_MAGIC, "9p"},
		{MSDOS_SUPER_MAGIC, "vfat"},
		{SQUASHFS_MAGIC, "squashfs"},
		{ISOFS_SUPER_MAGIC, "iso9660"},
		{PROC_SUPER_MAGIC, "proc"},
		{SYSFS_MAGIC, "sysfs"},
		{DEBUGFS_MAGIC, "debugfs"},
		{TRACEFS_MAGIC, "tracefs"},
		{CGROUP_SUPER_MAGIC, "cgroup"},
		{CGROUP2_SUPER_MAGIC, "cgroup2"},
		{DEVPTS_SUPER_MAGIC, "devpts"},
		{PIPEFS_MAGIC, "pipefs"},
		{SOCKFS_MAGIC, "sockfs"},
		{ANON_INODE_FS_MAGIC, "anon_inode"},
	/* Older headers of the kernel lack these. */
#ifdef SMB2_SUPER_MAGIC
		{SMB2_SUPER_MAGIC, "smb"},
#endif
#ifdef CIFS_SUPER_MAGIC
		{CIFS_SUPER_MAGIC, "cifs"},
#endif
#ifdef CEPH_SUPER_MAGIC
		{CEPH_SUPER_MAGIC, "ceph"},
#endif
#ifdef FUSE_SUPER_MAGIC
		{FUSE_SUPER_MAGIC, "fuse"},
#endif
#ifdef EXFAT_SUPER_MAGIC
		{EXFAT_SUPER_MAGIC, "exfat"},
#endif
	};
	const char *earlier[COUNT(systems)];

	for (size_t i = 0; i < COUNT(systems); i++) {
		row_needs_own_name(FILE_SYSTEM_TABLE, systems[i].name, earlier, i);
		earlier[i] = systems[i].name;
		for (size_t k = 0; k < i; k++)
			row_needs(systems[k].magic != systems[i].magic, FILE_SYSTEM_TABLE,
			          systems[i].name, "a number of its own");
		for (size_t k = 0; k < COUNT(known); k++)
			row_needs((systems[i].magic == known[k].magic) ==
			                  (strcmp(systems[i].name, known[k].name) == 0),
			          FILE_SYSTEM_TABLE, systems[i].name,
			          "the number of linux/magic.h");
	}
}

/* "NAME*" stands for all that begin with NAME. */
static int covers(const char *row, const char *name)
{
	size_t len = strlen(row);

	return len > 0 && row[len - 1] == '*' ? strncmp(row, name, len - 1) == 0
	                                      : strcmp(row, name) == 0;
}

Test(kept, no_row_says_what_another_says)
{
	for (size_t i = 0; i < COUNT(kept); i++) {
		const char *star = strchr(kept[i], '*');

		row_needs(!star || (star > kept[i] && star[1] == '\0'), KEPT_TABLE, kept[i],
		          "an asterisk at its end alone");
		for (size_t k = 0; k < COUNT(kept); k++)
			row_needs(i == k || !covers(kept[k], kept[i]), KEPT_TABLE, kept[i],
			          "functions of its own");
	}
}

/* "Xm" or "X4" */
static int has_entry(const char *page, char letter)
{
	static const char sizes[] = "m14";
	int is_there = 0;

	for (const char *size = sizes; *size; size++)
		is_there |= text_has(page, (const char[]){letter, *size, '\0'});
	return is_there;
}

Test(codes, each_letter_has_an_entry_in_the_manual)
{
	const char *page = strstr(text_of("man/xer_trcfmt.5", ""), ".SS Format codes");

	cr_assert_not_null(page);
	for (size_t i = 0; i < COUNT(codes); i++) {
		char letter[] = {codes[i], '\0'};

		row_needs(!memchr(codes, codes[i], i), CODE_TABLE, letter, "a letter of its own");
		row_needs(has_entry(page, codes[i]), CODE_TABLE, letter,
		          "its entry in man/xer_trcfmt.5");
	}
}

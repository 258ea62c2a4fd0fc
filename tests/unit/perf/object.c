/* The files of what is mapped must be exactly those, as other files of the same name have other
 * code. The program of this test is one. */
#include "perf/object.h"

#include "sampler/ring.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char own[PATH_MAX];
static struct stat is;

static int is_found(const char *path, dev_t device, uint64_t inode, pid_t pid)
{
	size_t size;

	return object_build_id(object_of(path, device, inode, pid), &size) != NULL;
}

static void find_own(void)
{
	ssize_t len = readlink("/proc/self/exe", own, sizeof(own) - 1);

	cr_assert_gt(len, 0);
	cr_assert_eq(stat(own, &is), 0);
	if (!is_found(own, 0, 0, getpid()))
		cr_skip_test("this program has no build id");
}

Test(object, a_file_that_took_the_place_of_the_mapped_one_is_another, .init = find_own)
{
	cr_assert(is_found(own, is.st_dev, is.st_ino, getpid()));
	cr_assert_not(is_found(own, is.st_dev, is.st_ino + 1, getpid()));
	cr_assert(is_found(own, is.st_dev + 1, is.st_ino + 1, getpid()),
	          "some file systems show other numbers than the kernel tells");
}

Test(object, a_program_is_found_by_its_process_where_its_name_is_gone, .init = find_own)
{
	pid_t child = fork();

	if (child == 0) {
		pause();
		_exit(0);
	}
	cr_assert(is_found("/no/such/program", is.st_dev, is.st_ino, child));
	cr_assert_not(is_found("/no/such/program", is.st_dev, is.st_ino + 1, child));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* What the loader says of this program, which is the first that it tells of. */
static int compare_with(struct dl_phdr_info *info, size_t size, void *context)
{
	struct object *object = context;
	size_t id_size = 0, compared = 0;
	const char *id = object_build_id(object, &id_size);

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		const char *note = (const char *)info->dlpi_addr + header->p_vaddr;

		if (header->p_type == PT_LOAD && header->p_filesz != 0) {
			uint64_t first = header->p_offset, last = first + header->p_filesz - 1;

			cr_expect_eq(object_address(object, last),
			             header->p_vaddr + header->p_filesz - 1);
			cr_expect_eq(object_address(object, first), header->p_vaddr);
		}
		if (header->p_type == PT_NOTE && ((const ElfW(Nhdr) *)note)->n_type == 3) {
			cr_assert_eq(((const ElfW(Nhdr) *)note)->n_descsz, id_size);
			cr_expect_eq(memcmp(note + sizeof(ElfW(Nhdr)) + sizeof("GNU"), id, id_size),
			             0);
			compared++;
		}
	}
	cr_expect_eq(compared, 1, "a build id");
	return 1;
}

Test(object, addresses_and_the_build_id_are_those_of_the_file, .init = find_own)
{
	struct object *object = object_of(own, is.st_dev, is.st_ino, getpid());

	cr_expect_str_eq(object_path(object), own);
	dl_iterate_phdr(compare_with, object);
	cr_expect_eq(object_address(object, (uint64_t)is.st_size + 4096), OBJECT_NOWHERE);
	cr_expect_eq(object_address(object, UINT64_MAX), OBJECT_NOWHERE);
}

Test(object, a_file_has_one_object, .init = find_own)
{
	struct object *object = object_of(own, is.st_dev, is.st_ino, getpid());

	cr_expect_eq(object_of(own, is.st_dev, is.st_ino, getpid()), object);
	cr_expect_neq(object_of(own, is.st_dev, is.st_ino + 1, getpid()), object);
	cr_expect_neq(object_of("/bin/sh", is.st_dev, is.st_ino, getpid()), object);
	for (int i = 0; i < 300; i++) {
		char path[32];

		snprintf(path, sizeof(path), "/no/such/file/%d", i);
		cr_expect_eq(object_of(path, 1, 2, 3), object_of(path, 1, 2, 3));
		cr_expect_str_eq(object_path(object_of(path, 1, 2, 3)), path);
	}
	cr_expect_eq(object_of(own, is.st_dev, is.st_ino, getpid()), object);
}

/* The kernel gives the lowest free number, which may be 0. */
Test(object, the_file_is_closed_again_whatever_its_descriptor_is, .init = find_own)
{
	close(0);
	cr_assert(is_found(own, is.st_dev, is.st_ino, getpid()));
	cr_expect_eq(fcntl(0, F_GETFD), -1, "closed");
	cr_assert_not(is_found(own, is.st_dev, is.st_ino + 1, getpid()));
	cr_expect_eq(fcntl(0, F_GETFD), -1, "closed");
}

/* Two functions: the tables have the return address of the one where a call puts it, and of the
 * other one elsewhere. */
void object_called(void), object_strange(void);
__asm__(".pushsection .text\n"
        "object_called:\n\t.cfi_startproc\n\tnop\n\t.cfi_endproc\n"
        "object_strange:\n\t.cfi_startproc\n\t.cfi_offset 16, -16\n\tnop\n\t.cfi_endproc\n"
        ".popsection");

struct place {
	uint64_t address, offset;
};

/* Where the file has what is at an address of this program. */
static int find_offset(struct dl_phdr_info *info, size_t size, void *context)
{
	struct place *place = context;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		uint64_t inside = place->address - info->dlpi_addr - header->p_vaddr;

		if (header->p_type == PT_LOAD && inside < header->p_filesz)
			place->offset = header->p_offset + inside;
	}
	return 1;
}

static const struct rule *rule_of(void (*function)(void))
{
	struct place place = {.address = (uint64_t)(uintptr_t)function};

	dl_iterate_phdr(find_offset, &place);
	cr_assert_neq(place.offset, 0);
	return object_rule(object_of(own, is.st_dev, is.st_ino, getpid()), place.offset);
}

Test(object, a_rule_is_plain_where_the_return_address_is_as_a_call_leaves_it, .init = find_own)
{
	const struct rule *rule = rule_of(object_called);

	cr_assert_eq(rule->kind, RULE_PLAIN);
	cr_expect_not(rule->is_signal);
	cr_expect_eq(rule->cfa_register, RING_SP);
	cr_expect_eq(rule->cfa_offset, 8 * ARCH_RETURN_WORDS);
	for (int i = 0; i < RULE_KEPT; i++)
		cr_expect_eq(rule->saved[i], RULE_SAME);
	cr_expect_eq(rule_of(object_strange)->kind, RULE_COMPLEX);
}

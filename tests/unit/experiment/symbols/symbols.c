/* Symbols, with this test program and the C library it runs with. */
#include "tests/unit/experiment/make_experiment.h"

#include "experiment/elf/object.h"
#include "format/record.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline __attribute__((always_inline)) uintptr_t inlined_here(void)
{
	uintptr_t pc;

	__asm__ volatile("lea 0(%%rip), %0" : "=r"(pc));
	return pc;
}

static struct {
	int first, second;
} probe_variable = {1, 2};

static __attribute__((noinline)) uintptr_t probe_address(void)
{
	return inlined_here();
}

/* The element of map.xml for one object. */
struct mapped {
	char path[PATH_MAX];
	char build_id[2 * EXP_BUILD_ID_MAX + 1];
	uintptr_t bias, inside;
};

static int take_object(struct dl_phdr_info *info, size_t size, void *context)
{
	struct mapped *mapped = context;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		if (info->dlpi_phdr[i].p_type != PT_LOAD || mapped->inside < start ||
		    mapped->inside >= start + info->dlpi_phdr[i].p_memsz)
			continue;
		mapped->bias = info->dlpi_addr;
		if (!realpath(info->dlpi_name[0] == '\0' ? "/proc/self/exe" : info->dlpi_name,
		              mapped->path))
			return 0;
		return 1;
	}
	return 0;
}

static struct mapped find_mapped(uintptr_t inside)
{
	struct mapped mapped = {.inside = inside};
	Elf *elf;
	int fd;

	cr_assert_eq(dl_iterate_phdr(take_object, &mapped), 1);
	fd = open(mapped.path, O_RDONLY);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	exp_build_id_text(elf, mapped.build_id);
	elf_end(elf);
	close(fd);
	return mapped;
}

static struct experiment *open_mapped(struct maker *maker, const struct mapped *mapped,
                                      const char *build_id)
{
	struct experiment *experiment;
	struct exp_cause cause;
	char text[PATH_MAX + 512];
	int len = snprintf(
		text, sizeof(text),
		"<map><object id=\"1\" path=\"%s\" build_id=\"%s\" bias=\"0x%lx\" start=\"0x%lx\" end=\"0x%lx\"/></map>",
		mapped->path, build_id, mapped->bias, mapped->bias, mapped->inside + 4096);

	maker_put(maker, "map.xml", text, (size_t)len);
	cr_assert_eq(maker_open(maker, &experiment, &cause), 0);
	return experiment;
}

Test(symbols, name_functions_inlines_and_lines)
{
	uintptr_t pc = probe_address();
	struct mapped mapped = find_mapped(pc);
	struct maker maker;
	struct experiment *experiment;
	struct symbols *symbols = symbols_create();
	const struct sym_frame *frames, *again;

	maker_create(&maker);
	experiment = open_mapped(&maker, &mapped, mapped.build_id);
	cr_assert_eq(symbols_frames(symbols, experiment, pc, 0, 0, &frames), 2);
	cr_assert_str_eq(frames[0].function->name, "inlined_here");
	cr_assert_eq(frames[0].inlined, 1);
	cr_assert_str_eq(frames[1].function->name, "probe_address");
	cr_assert_eq(frames[1].inlined, 0);
	cr_assert_eq(frames[1].line, frames[1].function->line + 2);
	cr_assert(strstr(frames[0].file, "tests/unit/experiment/symbols/symbols.c") != NULL, "%s",
	          frames[0].file);
	cr_assert_eq(frames[1].function->unresolved, 0);
	cr_assert_eq(frames[1].function->object->has_lines, 1);
	cr_assert_eq(symbols_frames(symbols, experiment, pc, 0, 0, &again), 2);
	cr_assert_eq(again, frames);
	experiment_close(experiment);
	symbols_destroy(symbols);
	maker_destroy(&maker);
}

Test(symbols, name_variables)
{
	uintptr_t address = (uintptr_t)&probe_variable.second;
	struct mapped mapped = find_mapped(address);
	struct maker maker;
	struct experiment *experiment;
	struct symbols *symbols = symbols_create();
	const char *name, *object;
	uint64_t offset;

	maker_create(&maker);
	experiment = open_mapped(&maker, &mapped, mapped.build_id);
	cr_assert_eq(symbols_variable(symbols, experiment, address, 0, &name, &object, &offset), 0);
	cr_assert_str_eq(name, "probe_variable");
	cr_assert_eq(offset, sizeof(int));
	cr_assert(strstr(mapped.path, object) != NULL);
	cr_assert_eq(symbols_variable(symbols, experiment, mapped.bias, 0, &name, &object, &offset),
	             0);
	cr_assert_null(name, "the ELF header is no variable");
	cr_assert_eq(offset, 0);
	cr_assert_eq(symbols_variable(symbols, experiment, 16, 0, &name, &object, &offset), 0);
	cr_assert_null(object);
	experiment_close(experiment);
	symbols_destroy(symbols);
	maker_destroy(&maker);
}

Test(symbols, name_functions_of_libc)
{
	struct mapped mapped = find_mapped((uintptr_t)qsort);
	struct maker maker;
	struct experiment *experiment;
	struct symbols *symbols = symbols_create();
	const struct sym_frame *frames;
	int count;

	maker_create(&maker);
	experiment = open_mapped(&maker, &mapped, mapped.build_id);
	count = symbols_frames(symbols, experiment, (uintptr_t)qsort, 0, 1, &frames);
	cr_assert_geq(count, 1);
	cr_assert_str_eq(frames[count - 1].function->name, "qsort");
	experiment_close(experiment);
	symbols_destroy(symbols);
	maker_destroy(&maker);
}

Test(symbols, are_not_taken_from_another_build)
{
	uintptr_t pc = probe_address();
	struct mapped mapped = find_mapped(pc);
	struct maker maker;
	struct experiment *experiment;
	struct symbols *symbols = symbols_create();
	const struct sym_frame *frames;
	const struct sym_object *object;
	char expected[PATH_MAX];

	maker_create(&maker);
	experiment = open_mapped(&maker, &mapped, "0123456789abcdef0123456789abcdef01234567");
	cr_assert_eq(symbols_frames(symbols, experiment, pc, 0, 1, &frames), 1);
	object = frames[0].function->object;
	snprintf(expected, sizeof(expected), "%s+0x%lx", object->name, pc - mapped.bias);
	cr_assert_str_eq(frames[0].function->name, expected);
	cr_assert_eq(frames[0].function->unresolved, 1);
	cr_assert_eq(object->mismatch, 1);
	cr_assert(!object->file);
	experiment_close(experiment);
	symbols_destroy(symbols);
	maker_destroy(&maker);
}

Test(symbols, give_marks_and_unknown_addresses_one_frame)
{
	struct maker maker;
	struct experiment *experiment;
	struct exp_cause cause;
	struct symbols *symbols = symbols_create();
	const struct sym_frame *frames;

	maker_create(&maker);
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0);
	cr_assert_eq(symbols_frames(symbols, experiment, FMT_PC_TRUNCATED, 0, 0, &frames), 1);
	cr_assert_str_eq(frames[0].function->name, "<Truncated-stack>");
	cr_assert_eq(symbols_frames(symbols, experiment, 0x1234567, 0, 0, &frames), 1);
	cr_assert_eq(frames[0].function, symbols_unknown(symbols));
	cr_assert_eq(frames[0].address, 0x1234567);
	cr_assert_str_eq(symbols_total(symbols)->name, "<Total>");
	cr_assert_str_eq(symbols_object(symbols, 0)->name, "<Unknown>");
	experiment_close(experiment);
	symbols_destroy(symbols);
	maker_destroy(&maker);
}

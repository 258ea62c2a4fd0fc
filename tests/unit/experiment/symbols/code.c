/* Code of objects, with this test program. */
#include "experiment/symbols/code.h"
#include "tests/unit/experiment/make_experiment.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int watched = 7;

static inline __attribute__((always_inline)) int code_probe_inlined(int x)
{
	return x * watched;
}

__attribute__((noinline)) int code_probe(int x);
__attribute__((noinline)) int code_probe(int x)
{
	return code_probe_inlined(x) + (int)strtol("1", NULL, 10);
}

static int take_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uintptr_t *)bias = info->dlpi_addr;
	return 1; /* the first is the program */
}

static struct maker maker;
static struct experiment *experiment;
static struct symbols *symbols;
static const struct sym_function *probe;
static const struct sym_object *object;
static uint64_t address; /* of code_probe, as in the ELF file */

static void set_up(void)
{
	struct exp_cause cause;
	const struct sym_frame *frames;
	char text[PATH_MAX + 512], path[PATH_MAX];
	uintptr_t bias = 0, pc = (uintptr_t)code_probe;

	dl_iterate_phdr(take_bias, &bias);
	cr_assert_not_null(realpath("/proc/self/exe", path));
	maker_create(&maker);
	maker_put(
		&maker, "map.xml", text,
		(size_t)snprintf(
			text, sizeof(text),
			"<map><object id=\"1\" path=\"%s\" build_id=\"\" bias=\"0x%lx\" start=\"0x%lx\" "
			"end=\"0x%lx\"/></map>",
			path, bias, bias, pc + 4096));
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0);
	symbols = symbols_create();
	cr_assert_eq(symbols_frames(symbols, experiment, pc, 0, 1, &frames), 1);
	probe = frames[0].function;
	object = probe->object;
	address = pc - bias;
}

static void tear_down(void)
{
	symbols_destroy(symbols);
	experiment_close(experiment);
	maker_destroy(&maker);
}

TestSuite(code, .init = set_up, .fini = tear_down);

Test(code, has_the_bytes_of_the_file)
{
	const uint8_t *bytes;

	cr_assert_gt(symbols_bytes(symbols, probe, address, &bytes), 8);
	cr_assert_eq(memcmp(bytes, (const void *)(uintptr_t)code_probe, 8), 0);
	cr_assert_eq(symbols_bytes(symbols, probe, UINT64_MAX, &bytes), 0);
	cr_assert_null(bytes);
	cr_assert_eq(symbols_bytes(symbols, probe,
	                           address + ((uintptr_t)&watched - (uintptr_t)code_probe), &bytes),
	             0, "data is no code");
#ifdef __x86_64__
	cr_assert_eq(symbols_machine(symbols, probe), EM_X86_64);
#endif
}

Test(code, names_variables)
{
	uint64_t offset = 99;

	cr_assert_str_eq(symbols_variable_in(
				 symbols, object,
				 address + ((uintptr_t)&watched - (uintptr_t)code_probe), &offset),
	                 "watched");
	cr_assert_eq(offset, 0);
}

static const struct sym_note *find_note(const struct sym_compilation *unit, const char *name,
                                        int is_inlined)
{
	for (size_t i = 0; i < unit->note_count; i++)
		if (strcmp(unit->notes[i].name, name) == 0 &&
		    unit->notes[i].is_inlined == is_inlined)
			return &unit->notes[i];
	return NULL;
}

Test(code, tells_what_was_inlined)
{
	const struct sym_compilation *unit, *again;
	const struct sym_note *function, *inlined;

	cr_assert_eq(symbols_compilation(symbols, object, address, &unit), 0);
	cr_assert_eq(symbols_compilation(symbols, object, address + 1, &again), 0);
	cr_assert_eq(unit, again);
	cr_assert(strstr(unit->name, "code.c") != NULL);
	cr_assert_not_null(unit->producer);
	cr_assert_null(unit->missing);
	function = find_note(unit, "code_probe", 0);
	inlined = find_note(unit, "code_probe_inlined", 1);
	cr_assert_not_null(function);
	cr_assert_not_null(inlined);
	cr_assert_eq(function->address, address);
	cr_assert_str_eq(inlined->holder, "code_probe");
	cr_assert_eq(inlined->line, function->line + 2);
	cr_assert(inlined->from_line < function->line);
	cr_assert_neq(symbols_compilation(symbols, object, 1, &again), 0);
}

/* program.c: see program.h. */
#include "experiment/program/program.h"

#include "experiment/elf/binary.h"
#include "experiment/elf/object.h"
#include "experiment/streams/nodes.h"

#include <errno.h>
#include <gelf.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Its build-id, kept by the experiment. Returns 0, -EBADMSG or -ENOMEM. */
static int read_header(struct experiment *experiment, int fd, const char **build_id)
{
	char text[2 * EXP_BUILD_ID_MAX + 1];
	Elf *elf = exp_elf_begin(fd);
	GElf_Ehdr header;
	int is_program = elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header) &&
	                 (header.e_type == ET_EXEC || header.e_type == ET_DYN);

	if (is_program)
		exp_build_id_text(elf, text);
	elf_end(elf);
	if (!is_program)
		return -EBADMSG;
	*build_id = exp_arena_string(&experiment->arena, text);
	return *build_id ? 0 : -ENOMEM;
}

/* Where the file counts as loaded: above the addresses that are marks of stacks. */
#define PROGRAM_BIAS (UINT64_C(1) << 32)

/* The only object of the address map. */
static int set_object(struct experiment *experiment, const char *build_id, uint64_t end)
{
	experiment->objects = exp_arena_alloc(&experiment->arena, sizeof(*experiment->objects));
	experiment->by_start = exp_arena_alloc(&experiment->arena, sizeof(*experiment->by_start));
	experiment->highest_end = exp_arena_alloc(&experiment->arena,
	                                          sizeof(*experiment->highest_end));
	if (!experiment->objects || !experiment->by_start || !experiment->highest_end)
		return -ENOMEM;
	experiment->objects[0] = (struct exp_object){.path = experiment->info.object,
	                                             .build_id = build_id,
	                                             .bias = PROGRAM_BIAS,
	                                             .start = PROGRAM_BIAS,
	                                             .end = PROGRAM_BIAS + end,
	                                             .generation_to = UINT32_MAX};
	experiment->by_start[0] = 0;
	experiment->highest_end[0] = PROGRAM_BIAS + end;
	experiment->object_count = 1;
	return 0;
}

static int take_functions(struct experiment *experiment, const struct exp_binary *binary)
{
	uint64_t end = 0;

	experiment->program = exp_arena_alloc(&experiment->arena,
	                                      binary->symbol_count * sizeof(*experiment->program));
	if (!experiment->program)
		return -ENOMEM;
	for (size_t i = 0; i < binary->symbol_count; i++) {
		const struct exp_symbol *symbol = &binary->symbols[i];
		uint64_t behind = symbol->address + (symbol->size ? symbol->size : 1);

		experiment->program[experiment->program_count++] = symbol->address;
		end = behind > end ? behind : end;
	}
	return set_object(experiment, binary->build_id, end);
}

static void set_info(struct experiment *experiment, const char *path, int fd)
{
	struct exp_info *info = &experiment->info;
	struct stat status;

	/* Sources that are younger do not fit. */
	if (fstat(fd, &status) == 0)
		info->start_real_ns = (int64_t)status.st_mtim.tv_sec * 1000000000 +
		                      status.st_mtim.tv_nsec;

	info->status = EXP_ENDED;
	info->exit_code = -1;
	info->object = info->program = path;
	experiment->clock.hz = info->clock_hz = 1e9;
}

int exp_program_open(struct experiment *experiment)
{
	char absolute[PATH_MAX];
	const char *path, *build_id = NULL;
	struct exp_binary *binary;
	int fd = exp_path_open(experiment->info.path);
	int rc = fd < 0 ? fd : read_header(experiment, fd, &build_id);

	if (rc != 0) {
		if (fd >= 0)
			close(fd);
		return rc;
	}
	path = !realpath(experiment->info.path, absolute)
	               ? experiment->info.path
	               : exp_arena_string(&experiment->arena, absolute);
	if (!path) {
		close(fd);
		return -ENOMEM;
	}
	set_info(experiment, path, fd);
	rc = exp_binary_open(experiment, fd, path, path, build_id, &binary);
	if (rc != 0)
		return rc;
	rc = binary->symbol_count == 0 ? -ENODATA : take_functions(experiment, binary);
	exp_binary_close(binary);
	return rc;
}

int experiment_is_program(const struct experiment *experiment)
{
	return experiment->program != NULL;
}

int exp_program_nodes(struct exp_load *load)
{
	const struct experiment *experiment = load->experiment;
	int rc = 0;

	if (load->has_others_nodes)
		return 0;
	for (size_t i = 0; i < experiment->program_count && rc == 0; i++)
		rc = exp_nodes_add(&load->nodes, PROGRAM_BIAS + experiment->program[i],
		                   EXP_NODE_NONE, 0);
	return rc;
}

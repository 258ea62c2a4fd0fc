/* Calls for input and output: totals by stack, file and descriptor, sizes, names, damage. */
#include "format/record.h"

#include <criterion/criterion.h>
#include <errno.h>

enum { NODES = 3 };
static const uint64_t pcs[NODES] = {0x1000, 0x2000, 0x3000};
static const int parents[NODES] = {-1, 0, 0};
#include "tests/unit/experiment/one_stream.h"

TestSuite(io, .init = set_up, .fini = tear_down);

static void call(uint64_t after, unsigned func, uint32_t file, uint32_t fd, uint64_t bytes,
                 uint64_t wait, unsigned error)
{
	struct maker_call made = {
		.func = func,
		.error = error,
		.bytes = bytes,
		.wait = wait,
		.file = file,
		.fd = fd,
		.stack = ids[1],
	};

	maker_io(&stream, t + after, &made);
}

static void put_calls(void)
{
	maker_extent(&stream, 42, t, 4096);
	call(100, FMT_io_func_OPEN, 32, 3, 0, 10, 0);
	call(200, FMT_io_func_READ, 32, 3, 4096, 20, 0);
	call(300, FMT_io_func_FREAD, 32, 3, 0, 30, 0);
	call(400, FMT_io_func_WRITE, 16, 1, 5, 40, 0);
	call(500, FMT_io_func_WRITE, 16, 2, 7, 50, 0);
	call(600, FMT_io_func_WRITE, 16, 2, 9, 60, EAGAIN);
	call(700, FMT_io_func_OPEN, 48, UINT32_MAX, 0, 70, ENOENT);
	call(800, FMT_io_func_CLOSE, 0, 77, 0, 80, 9999);
	maker_extent(&stream, 43, t, 4096);
	maker_io_file(&stream, t, 16, FMT_file_type_PIPE, "pipe:[1]");
	maker_io_file(&stream, t, 32, FMT_file_type_REGULAR, "/etc/passwd");
}

Test(io, adds_calls_by_stack)
{
	put_calls();

	const struct exp_data_set *set = load("iotrace");

	cr_assert_eq(set->have, EXP_DATA_IO);
	cr_assert_eq(set->quality.io_events, 8);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_IO_READ_COUNT, 1), 2);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_IO_READ_BYTES, 1), 4096);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_IO_READ_WAIT, 1), 50);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_IO_WRITE_COUNT, 1), 2);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_IO_WRITE_BYTES, 1), 12);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_IO_WRITE_WAIT, 1), 90);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_IO_OTHER_COUNT, 1), 1);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_IO_OTHER_WAIT, 1), 10);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_IO_ERROR_COUNT, 1), 3,
	             "errors count under error alone");
	cr_assert_eq(exp_node_value(&set->nodes, EXP_IO_ERROR_WAIT, 1), 210);
	cr_assert_eq(maker.warnings, 0, "%s", maker.warning);
}

Test(io, adds_calls_by_file_and_descriptor)
{
	put_calls();

	const struct exp_io *io = load("iotrace")->io;

	cr_assert_eq(io->file_count, 4);
	cr_assert_str_eq(io->files[0].name, "/etc/passwd",
	                 "named by another thread, later in the file");
	cr_assert_eq(io->files[0].type, FMT_file_type_REGULAR);
	cr_assert_eq(io->files[0].file_system, 0xef53);
	cr_assert_eq(io->files[0].totals.bytes[EXP_IO_READ], 4096);
	cr_assert_eq(io->files[0].totals.count[EXP_IO_OTHER], 1);
	cr_assert_eq(io->files[1].totals.count[EXP_IO_WRITE], 2);
	cr_assert_eq(io->files[1].totals.wait_ns[EXP_IO_ERROR], 60);
	cr_assert_null(io->files[2].name);
	cr_assert_eq(io->files[3].number, 0);
	cr_assert_eq(io->descriptor_count, 5);
	cr_assert_eq(io->descriptors[1].file, 1);
	cr_assert_eq(io->descriptors[1].fd, 1);
	cr_assert_eq(io->descriptors[2].fd, 2);
	cr_assert_eq(io->descriptors[2].totals.bytes[EXP_IO_WRITE], 7);
	cr_assert_eq(io->descriptors[3].fd, UINT32_MAX);
	cr_assert_eq(io->totals.count[EXP_IO_ERROR], 3);
}

Test(io, knows_sizes_functions_and_errors)
{
	put_calls();

	const struct exp_io *io = load("iotrace")->io;

	cr_assert_eq(io->sizes[EXP_IO_READ].smallest, 0);
	cr_assert_eq(io->sizes[EXP_IO_READ].largest, 4096);
	cr_assert_eq(io->sizes[EXP_IO_READ].longest_ns, 30);
	cr_assert_eq(io->sizes[EXP_IO_READ].size_count[0], 1);
	cr_assert_eq(io->sizes[EXP_IO_READ].size_count[13], 1);
	cr_assert_eq(io->sizes[EXP_IO_WRITE].smallest, 5);
	cr_assert_eq(io->functions[FMT_io_func_WRITE].count, 3);
	cr_assert_eq(io->functions[FMT_io_func_WRITE].errors, 1);
	cr_assert_eq(io->functions[FMT_io_func_WRITE].bytes, 12);
	cr_assert_eq(io->functions[FMT_io_func_WRITE].wait_ns, 150);
	cr_assert_eq(io->errors[ENOENT], 1);
	cr_assert_eq(io->errors[0], 1);
}

Test(io, damage_is_told_and_counts_for_nothing)
{
	struct fmt_io_file named = {.kind = FMT_KIND_io_file, .name_size = 1, .file = 16};

	maker_extent(&stream, 42, t, 4096);
	maker_event(&stream, t, &named, sizeof(named));
	named.kind = FMT_KIND_io;
	maker_event(&stream, t, &named, sizeof(named));
	call(20, FMT_io_func_READ, 16, 3, 1, UINT64_C(1) << 47, 0);
	call(30, FMT_io_func_READ, 16, 3, 1, 1, 0);
	call(40, 255, 16, 3, 1, 1, 0);

	const struct exp_data_set *set = load("iotrace");

	cr_assert_eq(maker.warnings, 3);
	cr_assert_eq(set->quality.io_events, 2);
	cr_assert_eq(set->io->file_count, 1);
	cr_assert_null(set->io->files[0].name);
	cr_assert_eq(set->io->totals.count[EXP_IO_OTHER], 1);
}

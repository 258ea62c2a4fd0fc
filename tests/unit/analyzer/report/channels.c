/* Tests of analyzer/report/channels.c: ends that belong together, by their names. */
#include "analyzer/report/channels.h"

#include "format/record.h"

#include <criterion/criterion.h>
#include <string.h>

enum { EXPERIMENTS = 3 };

static struct dataset_experiment experiments[EXPERIMENTS];
static struct dataset dataset = {.experiments = experiments, .count = 2, .focus = DATASET_ALL};
static struct exp_data_set sets[EXPERIMENTS];
static struct exp_io ios[EXPERIMENTS];
static struct channels channels;

static struct exp_io_file file_of(uint32_t number, unsigned type, const char *name, const char *end)
{
	return (struct exp_io_file){.number = number,
	                            .type = type,
	                            .name = name,
	                            .name_size = strlen(name),
	                            .end = end};
}

/* Each experiment has these files. */
static void make(const struct exp_io_file *one, size_t one_count, const struct exp_io_file *other,
                 size_t other_count)
{
	ios[0] = (struct exp_io){.files = one, .file_count = one_count};
	ios[1] = (struct exp_io){.files = other, .file_count = other_count};
	sets[0].io = &ios[0];
	sets[1].io = &ios[1];
	for (size_t i = 0; i < 2; i++)
		experiments[i] = (struct dataset_experiment){.whole = &sets[i],
		                                             .data = &sets[i],
		                                             .id = (unsigned)i + 1,
		                                             .is_selected = 1};
	channels_make(&dataset, &channels);
}

/* Does what experiment `from` writes to its file come out of the file of experiment `to`? */
static int leads(unsigned from, uint32_t written, unsigned to, uint32_t read)
{
	uint32_t in = channels_written(&channels, channels_of(&channels, &experiments[from]),
	                               FMT_wait_family_IO, FMT_io_func_WRITE, written);
	uint32_t out = channels_read(&channels, channels_of(&channels, &experiments[to]),
	                             FMT_wait_family_IO, FMT_io_func_READ, read);

	return in != CHANNELS_NONE && in == out;
}

Test(channels, a_pipe_has_one_name_in_all_processes)
{
	const struct exp_io_file one[] = {file_of(16, FMT_file_type_PIPE, "pipe:[7]", ""),
	                                  file_of(32, FMT_file_type_PIPE, "pipe:[8]", "")},
				 other[] = {file_of(48, FMT_file_type_PIPE, "pipe:[7]", ""),
	                                    file_of(64, FMT_file_type_REGULAR, "pipe:[8]", "")};

	make(one, 2, other, 2);
	cr_expect(leads(0, 16, 1, 48));
	cr_expect(leads(1, 48, 0, 16));
	cr_expect(leads(0, 16, 0, 16));
	cr_expect(!leads(0, 32, 1, 48));
	cr_expect(!leads(0, 32, 1, 64), "a file is no pipe");
	cr_expect(!leads(0, 99, 1, 99), "unknown numbers");
	cr_expect_null(channels_of(&channels, &experiments[2]));
	channels_free(&channels);
}

Test(channels, a_connection_has_two_directions)
{
	const struct exp_io_file one[] = {file_of(16, FMT_file_type_SOCKET, "tcp A:1", "tcp B:2"),
	                                  file_of(32, FMT_file_type_SOCKET, "tcp A:1", "tcp B:3")},
				 other[] = {file_of(16, FMT_file_type_SOCKET, "tcp B:2", "tcp A:1"),
	                                    file_of(32, FMT_file_type_SOCKET, "tcp C:1", "")};

	make(one, 2, other, 2);
	cr_expect(leads(0, 16, 1, 16));
	cr_expect(leads(1, 16, 0, 16));
	cr_expect(!leads(0, 16, 0, 16), "nobody reads what it writes itself");
	cr_expect(!leads(0, 32, 1, 16), "another connection to the same server");
	cr_expect(!leads(0, 32, 1, 32), "an end that is elsewhere");
	channels_free(&channels);
}

Test(channels, the_pair_of_a_socket_is_known_to_its_maker)
{
	const struct exp_io_file one[] = {file_of(16, FMT_file_type_SOCKET, "socket:[7]",
	                                          "socket:[8]"),
	                                  file_of(32, FMT_file_type_SOCKET, "socket:[8]",
	                                          "socket:[7]")},
				 other[] = {file_of(16, FMT_file_type_SOCKET, "socket:[8]", ""),
	                                    file_of(32, FMT_file_type_SOCKET, "socket:[9]", NULL)};

	make(one, 2, other, 2);
	cr_expect(leads(0, 16, 0, 32));
	cr_expect(leads(1, 16, 0, 16), "inherited");
	cr_expect(leads(0, 16, 1, 16));
	cr_expect(!leads(1, 16, 0, 32), "not its own end");
	cr_expect(!leads(1, 32, 1, 32));
	channels_free(&channels);
}

Test(channels, a_unix_socket_is_told_by_who_connected)
{
	const struct exp_io_file one[] = {file_of(16, FMT_file_type_SOCKET, "unix /s",
	                                          "client 12")},
				 other[] = {file_of(16, FMT_file_type_SOCKET, "unix /s",
	                                            "server of 12"),
	                                    file_of(32, FMT_file_type_SOCKET, "unix /s",
	                                            "server of 123")};

	make(one, 1, other, 2);
	cr_expect(leads(0, 16, 1, 16));
	cr_expect(leads(1, 16, 0, 16));
	cr_expect(!leads(1, 32, 0, 16), "of another client");
	cr_expect(!leads(0, 16, 0, 16));
	channels_free(&channels);
}

Test(channels, message_queues_have_numbers)
{
	const struct channels_files *files;

	make(NULL, 0, NULL, 0);
	files = channels_of(&channels, &experiments[0]);
	cr_expect_eq(channels_read(&channels, files, FMT_wait_family_CALL, FMT_wait_func_MSGRCV, 7),
	             channels_written(&channels, channels_of(&channels, &experiments[1]),
	                              FMT_wait_family_CALL, FMT_wait_func_MSGSND, 7));
	cr_expect_neq(
		channels_read(&channels, files, FMT_wait_family_CALL, FMT_wait_func_MSGRCV, 7),
		channels_read(&channels, files, FMT_wait_family_CALL, FMT_wait_func_MSGRCV, 8));
	channels_free(&channels);
}

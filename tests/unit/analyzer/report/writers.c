/* Tests of analyzer/report/writers.c: the ends of which waits a writer may be. */
#include "analyzer/report/writers.h"

#include "format/record.h"

#include <criterion/criterion.h>
#include <errno.h>

Test(writers, end_waits_for_input_that_came)
{
	static const struct {
		unsigned state, family, func;
		int ends;
	} rows[] = {
		{FMT_wall_state_PIPE, FMT_wait_family_IO, FMT_io_func_READ, 1},
		{FMT_wall_state_PIPE, FMT_wait_family_IO, FMT_io_func_READV, 1},
		{FMT_wall_state_PIPE, FMT_wait_family_IO, FMT_io_func_FREAD, 1},
		{FMT_wall_state_PIPE, FMT_wait_family_IO, FMT_io_func_WRITE, 0},
		{FMT_wall_state_PIPE, FMT_wait_family_IO, FMT_io_func_WRITEV, 0},
		{FMT_wall_state_FILE, FMT_wait_family_IO, FMT_io_func_OPEN, 0},
		{FMT_wall_state_FILE, FMT_wait_family_IO, FMT_io_func_FCLOSE, 0},
		{FMT_wall_state_OTHER, FMT_wait_family_CALL, FMT_wait_func_MSGRCV, 1},
		{FMT_wall_state_OTHER, FMT_wait_family_CALL, FMT_wait_func_MQ_RECEIVE, 1},
		{FMT_wall_state_OTHER, FMT_wait_family_CALL, FMT_wait_func_MQ_TIMEDRECEIVE, 1},
		{FMT_wall_state_OTHER, FMT_wait_family_CALL, FMT_wait_func_MSGSND, 0},
		{FMT_wall_state_OTHER, FMT_wait_family_CALL, FMT_wait_func_MQ_SEND, 0},
		{FMT_wall_state_SLEEP, FMT_wait_family_CALL, FMT_wait_func_NANOSLEEP, 0},
		{FMT_wall_state_POLL, FMT_wait_family_CALL, FMT_wait_func_POLL, 1},
		{FMT_wall_state_COND, FMT_wait_family_SYNC, FMT_sync_func_COND_WAIT, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cr_expect_eq(writers_end(rows[i].state, rows[i].family, rows[i].func, 16, 0),
		             rows[i].ends, "row %zu", i);
		cr_expect_eq(writers_end(rows[i].state, rows[i].family, rows[i].func, 0, 0), 0,
		             "row %zu: of what is not known", i);
		cr_expect_eq(writers_end(rows[i].state, rows[i].family, rows[i].func, 16, EINTR), 0,
		             "row %zu: it failed", i);
	}
}

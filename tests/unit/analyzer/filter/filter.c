/* Tests of the words of filters, on golden experiments: how many events are selected. The sources
 * of heap_known, waits_known, user_work and mpi/known, and the tables of tests/golden/expected, say
 * what there is. */
#include "tests/unit/analyzer/answer.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* "9 of 48 I/O calls", from the end of the line about the selection. */
static void selects(const char *experiment, const char *expression, const char *expected)
{
	char path[64], lines[256], line[512];
	struct answer answer;

	snprintf(path, sizeof(path), "tests/golden/%s.er", experiment);
	snprintf(lines, sizeof(lines), "limit 1\nfilters %s\nfunctions", expression);
	snprintf(line, sizeof(line), "\n# selected: filters %s, %s\n", expression, expected);
	answer = answer_of(path, lines);
	cr_expect(strstr(answer.text, line) != NULL, "%s: %s%s", expression, answer.text,
	          answer.messages);
	answer_fini(&answer);
}

Test(filter, calls_of_input_and_output)
{
	selects("waits", "IOTYPE == 'read'", "0 of 20 waits, 9 of 48 I/O calls");
	selects("waits", "IOTYPE == 'write'", "0 of 20 waits, 17 of 48 I/O calls");
	selects("waits", "IOTYPE == 'other'", "0 of 20 waits, 19 of 48 I/O calls");
	selects("waits", "IOTYPE == 'error'", "0 of 20 waits, 3 of 48 I/O calls");
	selects("waits", "IOFUNC == 'fgets'", "0 of 20 waits, 4 of 48 I/O calls");
	selects("waits", "IOERROR != 0", "0 of 20 waits, 3 of 48 I/O calls");
	selects("waits", "IONBYTE >= 8 && IOTYPE == 'read'", "0 of 20 waits, 4 of 48 I/O calls");
}

Test(filter, waits)
{
	selects("waits", "SERROR != 0", "3 of 20 waits, 0 of 48 I/O calls");
	selects("waits", "SFUNC == 'pthread_barrier_wait'", "2 of 20 waits, 0 of 48 I/O calls");
	selects("waits", "EVT_TIME > 5.1ms", "2 of 20 waits, 0 of 48 I/O calls");
	selects("waits", "THRID == 1", "5 of 20 waits, 48 of 48 I/O calls");
	selects("waits", "LWPID == 25158", "15 of 20 waits, 0 of 48 I/O calls");
}

Test(filter, blocks)
{
	selects("heap", "HTYPE == 'calloc'", "53 of 269 allocations");
	selects("heap", "HTYPE == 'realloc'", "20 of 269 allocations");
	selects("heap", "HLEAKED > 0", "10 of 269 allocations");
	selects("heap", "HFREED > 0", "255 of 269 allocations");
	/* A block that is never freed has the largest number. */
	selects("heap", "HFREE_TSTAMP == ~(1 << 63)", "10 of 269 allocations");
	selects("heap", "HFREE_TSTAMP > TSTAMP", "269 of 269 allocations");
	selects("heap", "HFREE_TSTAMP < TSTAMP", "0 of 269 allocations");
	selects("heap", "DATASIZE == 512", "5 of 269 allocations");
	/* The second and third allocation of leak_calloc, and the four of zero bytes after them. */
	selects("heap", "HMEM_USAGE >= 8000", "6 of 269 allocations");
	selects("heap", "HCUR_LEAKS > 7000", "7 of 269 allocations");
}

Test(filter, events_of_users)
{
	selects("user", "HOOK == 0x020", "18 of 47 user events");
	selects("user", "HOOK == 0x020 && SUBHOOK == 1", "9 of 47 user events");
	selects("user", "HOOK == 0x023 && SUBHOOK == 3", "3 of 47 user events");
	selects("user", "CHANNEL == 3", "1 of 47 user events");
	selects("user", "HOOK == 0x020 && D1 == 1000", "2 of 47 user events");
}

Test(filter, calls_of_mpi)
{
	selects("mpi", "MPIFUNC == 'MPI_Recv'", "20 of 142 MPI calls");
	selects("mpi", "MPISTATE == 'file'", "8 of 142 MPI calls");
	selects("mpi", "MPIRANK == 0", "71 of 142 MPI calls");
	selects("mpi", "EXPGRID == 1 && EXPID == 3", "71 of 142 MPI calls");
	selects("mpi", "EXPGRID == 2", "0 of 142 MPI calls");
}

Test(filter, constructs_of_openmp)
{
	selects("omp", "OMPSTATE == 'work'", "4 of 4 samples, 0 of 180 OpenMP constructs");
	selects("omp", "OMPSTATE != 'work'", "0 of 4 samples, 0 of 180 OpenMP constructs");
	selects("omp", "OMPTASK > 0", "0 of 4 samples, 20 of 180 OpenMP constructs");
}

/* Sample 3 ends at 0.21 s (tests/golden/expected/profile.lists). */
Test(filter, clock_samples)
{
	selects("profile", "LWPID == 21760", "38 of 71 samples, 0 of 4 allocations");
	selects("profile", "LWPID IN (21760, 21761) && CPUID == 1",
	        "71 of 71 samples, 0 of 4 allocations");
	selects("profile", "SAMPLE == 2", "13 of 71 samples, 3 of 4 allocations");
	selects("profile", "SAMPLE <= 5", "71 of 71 samples, 4 of 4 allocations");
	selects("profile", "TSTAMP >= 0.1s && TSTAMP < 0.2s",
	        "17 of 71 samples, 0 of 4 allocations");
	selects("profile", "SECONDS == 0", "71 of 71 samples, 4 of 4 allocations");
}

Test(filter, traced_calls)
{
	selects("calls", "EVT_TIME >= 1us", "23 of 410 traced calls"); /* as ftrace has them */
}

Test(filter, threads_by_their_names)
{
	selects("java", "THRNAME == 'worker'", "6 of 6 samples, 84 of 156 allocations");
}

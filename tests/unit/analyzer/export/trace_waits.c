/* Exported traces of an experiment with two kinds of data on waits: the one knows when each wait
 * was, the other one who had the lock. */
#include "format/record.h"
#include "tests/unit/analyzer/answer.h"
#include "tests/unit/experiment/make_experiment.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { MS = 1000000, MUTEX = 0x7000, FIRST = 42, SECOND = 43 };

static struct maker maker;
static uint32_t ids[2];
static const uint64_t t = MAKER_START_TICKS;

static void set_up(void)
{
	static const uint64_t pcs[] = {0x1000, 0x2000};
	static const int parents[] = {-1, -1};

	maker_create(&maker);
	maker_nodes(&maker, 2, pcs, parents, ids);
	maker_log(&maker,
	          "<setting name=\"wall\" value=\"on\"/><setting name=\"sync\" value=\"0\"/>"
	          "<event kind=\"run\" time=\"1000000000\"/>"
	          "<event kind=\"exit\" time=\"2000000000\" code=\"0\"/>");
}

static void tear_down(void)
{
	maker_destroy(&maker);
}

TestSuite(trace_waits, .init = set_up, .fini = tear_down);

static void wait_until(struct maker_stream *stream, uint64_t end_ns, uint64_t ns, unsigned func,
                       uint32_t owner)
{
	struct fmt_wait record = {.kind = FMT_KIND_wait,
	                          .state = FMT_wall_state_LOCK,
	                          .family = FMT_wait_family_SYNC,
	                          .func = (uint8_t)func,
	                          .stack = ids[0],
	                          .span = ns,
	                          .wait = ns,
	                          .owner = owner,
	                          .site = owner ? ids[1] : 0};

	fmt_u48_put(&record.object, MUTEX);
	maker_event(stream, t + end_ns, &record, sizeof(record));
}

static void has(const char *text, const char *what)
{
	cr_expect_not_null(strstr(text, what), "%s\nis not in\n%s", what, text);
}

/* Two waits of one thread that end within 64 ns, and one of another thread between them. */
Test(trace_waits, a_wait_is_found_by_its_end_its_thread_and_its_function)
{
	struct maker_stream wall, sync;
	struct answer answer;

	maker_stream_init(&wall);
	maker_extent(&wall, FIRST, t, 4096);
	wait_until(&wall, 5 * MS, 4 * MS, FMT_sync_func_MUTEX_LOCK, 51);
	wait_until(&wall, 5 * MS + 64, 32, FMT_sync_func_WRLOCK, 52);
	maker_extent(&wall, SECOND, t, 4096);
	wait_until(&wall, 5 * MS + 16, 3 * MS, FMT_sync_func_MUTEX_LOCK, 53);
	wait_until(&wall, 9 * MS, MS, FMT_sync_func_MUTEX_LOCK, 0);
	maker_stream_put(&maker, &wall, "walltrace");
	maker_stream_init(&sync);
	maker_extent(&sync, FIRST, t, 4096);
	maker_sync(&sync, t + 5 * MS, FMT_sync_func_MUTEX_LOCK, MUTEX, 4 * MS, 0, ids[0]);
	maker_sync(&sync, t + 5 * MS + 64, FMT_sync_func_WRLOCK, MUTEX, 32, 0, ids[0]);
	maker_sync(&sync, t + 7 * MS, FMT_sync_func_MUTEX_LOCK, MUTEX, MS, 0, ids[0]);
	maker_extent(&sync, SECOND, t, 4096);
	maker_sync(&sync, t + 5 * MS + 16, FMT_sync_func_MUTEX_LOCK, MUTEX, 3 * MS, 0, ids[0]);
	maker_stream_put(&maker, &sync, "synctrace");
	answer = answer_of(maker.path, "export chrome -");
	has(answer.text,
	    "\"ts\":1000.000,\"dur\":4000.000,\"cat\":\"sync\",\"name\":\"pthread_mutex_lock\","
	    "\"args\":{\"object\":\"0x7000\",\"address\":\"0x7000\",\"owner\":51,"
	    "\"held_by\":\"thread 51\",\"held_at\":");
	has(answer.text,
	    "\"dur\":0.032,\"cat\":\"sync\",\"name\":\"pthread_rwlock_wrlock\",\"args\":{"
	    "\"object\":\"0x7000\",\"address\":\"0x7000\",\"owner\":52,"
	    "\"held_by\":\"thread 52\",\"held_at\":");
	has(answer.text,
	    "\"name\":\"pthread_mutex_lock\",\"args\":{\"object\":\"0x7000\",\"address\":\"0x7000\",\"owner\":53,"
	    "\"held_by\":\"thread 53\",");
	has(answer.text,
	    "\"ts\":6000.000,\"dur\":1000.000,\"cat\":\"sync\",\"name\":\"pthread_mutex_lock\","
	    "\"args\":{\"object\":\"0x7000\",\"address\":\"0x7000\",\"stack\":");
	answer_fini(&answer);
}

/* source.c: the table of the sources of events, from the rows of source.def. */
#include "libcollector/source.h"

#include "libcollector/base/source.h"
#include "libcollector/calls/functrace.h"
#include "libcollector/events/allocator.h"
#include "libcollector/events/earlier.h"
#include "libcollector/events/heap.h"
#include "libcollector/events/sync.h"
#include "libcollector/events/usertrace.h"
#include "libcollector/events/usertrace_plan.h"
#include "libcollector/exec/environment.h"
#include "libcollector/exec/exec.h"
#include "libcollector/heap/chosen.h"
#include "libcollector/hook/visible.h"
#include "libcollector/io/io.h"
#include "libcollector/io/io_files.h"
#include "libcollector/java/java_agent.h"
#include "libcollector/jit/dynamic.h"
#include "libcollector/jit/perf.h"
#include "libcollector/jit/unmapped.h"
#include "libcollector/mpi/mpi.h"
#include "libcollector/omp/omp.h"
#include "libcollector/profile/tick.h"
#include "libcollector/profile/tick_sample.h"
#include "libcollector/thread/buserror.h"
#include "libcollector/thread/memo.h"
#include "libcollector/thread/memo_pool.h"
#include "libcollector/unwind/rule.h"
#include "libcollector/unwind/tree.h"
#include "libcollector/wall/wall.h"

#include <stddef.h>

/* Offsets of the descriptor's numbers; its first one, the version, is no setting. */
enum {
	SETTING_none,
#define NUMBER(field, key, meaning) SETTING_##field = offsetof(struct descriptor, field),
#define TEXT(field, key, size, meaning)
#define STEP_NUMBER(field, key, meaning)
#define STEP_TEXT(field, key, size, meaning)
#include "format/descriptor.def"
};

/* The file of each kind of data, as far as it has one. */
enum {
#define DATAKIND(id, number, stream, ...) STREAM_OF_##id = FMT_STREAM_##stream,
#include "format/datakind.def"
};

#if !ARCH_WALKS_STACKS
#define WALKING(...)
#endif
#define SOURCE(name, field, ...) {.id = SOURCE_##name, .setting = SETTING_##field, __VA_ARGS__},
static const struct source table[] = {
#include "libcollector/base/source.def"
};

void source_table_give(void)
{
	sources = (struct source_table){table, table + sizeof(table) / sizeof(table[0])};
}

void source_drop_lacking(struct descriptor *descriptor)
{
#if ARCH_WALKS_STACKS
	(void)descriptor;
#else
	static const uint16_t lacking[] = {
#define SOURCE(name, field, ...)
#define WALKING(name, field, ...) SETTING_##field,
#include "libcollector/base/source.def"
	};

	for (size_t i = 0; i < sizeof(lacking) / sizeof(lacking[0]); i++)
		if (lacking[i])
			*(uint64_t *)((char *)descriptor + lacking[i]) = 0;
#endif
}

/* xraysorted.c: the records of a foreign log in order of time, whatever its size. */
#include "analyzer/views/foreign/xraysorted.h"

#include "analyzer/base/memory.h"
#include "analyzer/views/foreign/xraylogs.h"

#include <stdlib.h>
#include <string.h>

/* A record as a sorter keeps it; arguments and data follow. */
struct packed {
	uint16_t cpu, event_type;
	uint32_t kind, function, tid, pid, argument_count, data_size, zero;
};

struct packer {
	struct sorter *sorter;
	uint64_t count;
	uint8_t *bytes;
	size_t capacity;
};

static int pack(void *context, const struct xraylog_record *record)
{
	struct packer *packer = context;
	struct packed packed = {record->cpu,
	                        record->event_type,
	                        record->kind,
	                        record->function,
	                        record->tid,
	                        record->pid,
	                        record->argument_count,
	                        record->data_size,
	                        0};
	size_t arguments = record->argument_count * sizeof(uint64_t),
	       size = sizeof(packed) + arguments + record->data_size;

	if (size > packer->capacity) {
		packer->bytes = memory_resize(packer->bytes, size, 1);
		packer->capacity = size;
	}
	memcpy(packer->bytes, &packed, sizeof(packed));
	if (arguments != 0)
		memcpy(packer->bytes + sizeof(packed), record->arguments, arguments);
	if (record->data_size != 0)
		memcpy(packer->bytes + sizeof(packed) + arguments, record->data, record->data_size);
	sorter_add(packer->sorter, record->tsc, packer->count++, packer->bytes, (uint32_t)size);
	return 0;
}

static struct xraylog_record unpack(const struct sorter_item *item)
{
	const struct packed *packed = item->payload;
	const uint64_t *arguments = (const uint64_t *)(packed + 1);

	return (struct xraylog_record){
		.kind = (enum xraylog_kind)packed->kind,
		.cpu = packed->cpu,
		.event_type = packed->event_type,
		.function = packed->function,
		.tid = packed->tid,
		.pid = packed->pid,
		.tsc = item->major,
		.arguments = arguments,
		.argument_count = packed->argument_count,
		.data = (const uint8_t *)(arguments + packed->argument_count),
		.data_size = packed->data_size,
	};
}

struct sorter *xraysorted_begin(const struct xraylog *log)
{
	struct packer packer = {.sorter = sorter_new(XRAYLOGS_SORT_MEMORY)};

	xraylogs_each(log, pack, &packer);
	free(packer.bytes);
	sorter_begin(packer.sorter);
	return packer.sorter;
}

int xraysorted_next(struct sorter *sorter, struct xraylog_record *record)
{
	struct sorter_item item;

	if (!sorter_next(sorter, &item))
		return 0;
	*record = unpack(&item);
	return 1;
}

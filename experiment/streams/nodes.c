/* nodes.c: reads `frameinfo` into dense arrays. Parents come before their children in the file,
 * so one pass resolves all ids; a node whose parent breaks that rule becomes a truncated stack. */
#include "experiment/streams/nodes.h"

#include "experiment/streams/load_context.h"
#include "experiment/streams/reuse.h"
#include "experiment/streams/stream.h"
#include "format/layout.h"
#include "format/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	struct exp_node_table *table;
	int rc;
};

static uint32_t *slot_of(struct exp_node_table *table, uint32_t place)
{
	uint32_t *page = &table->directory[place >> EXP_NODE_PAGE_SHIFT];

	if (*page == 0) {
		if (exp_array_reserve(&table->pages, &table->page_capacity, table->page_count,
		                      EXP_NODE_PAGE * sizeof(*table->pages)) != 0)
			return NULL;
		memset(table->pages + table->page_count * EXP_NODE_PAGE, 0xff,
		       EXP_NODE_PAGE * sizeof(*table->pages));
		*page = (uint32_t)++table->page_count;
	}
	return &table->pages[(size_t)(*page - 1) * EXP_NODE_PAGE + place % EXP_NODE_PAGE];
}

/* The parent's index; a made-up truncated root for an id that cannot be a parent. */
static int find_parent(struct reader *reader, struct exp_cursor *cursor, uint64_t place,
                       uint32_t parent, uint32_t *out)
{
	struct exp_node_table *table = reader->table;

	*out = EXP_NODE_NONE;
	if (parent == 0)
		return 0;
	if (fmt_node_place(parent) < place)
		*out = exp_nodes_find(table, parent);
	if (*out != EXP_NODE_NONE)
		return 0;
	exp_stream_fault(cursor->stream, place * sizeof(struct fmt_node),
	                 "a node's caller is damaged");
	if (table->damaged_root == EXP_NODE_NONE) {
		table->damaged_root = (uint32_t)table->count;
		if (exp_nodes_add(table, FMT_PC_TRUNCATED, EXP_NODE_NONE, 0) != 0)
			return -ENOMEM;
	}
	*out = table->damaged_root;
	return 0;
}

static int take_node(struct reader *reader, struct exp_cursor *cursor, uint64_t place,
                     const struct fmt_node *node)
{
	uint32_t parent;
	uint32_t *slot;

	if (find_parent(reader, cursor, place, node->parent, &parent) != 0)
		return -ENOMEM;
	slot = slot_of(reader->table, (uint32_t)place);
	if (!slot)
		return -ENOMEM;
	*slot = (uint32_t)reader->table->count;
	return exp_nodes_add(reader->table, node->pc, parent, node->generation);
}

static void on_event(void *context, struct exp_cursor *cursor)
{
	struct reader *reader = context;
	uint64_t offset = exp_cursor_payload_offset(cursor) + sizeof(struct fmt_nodes);
	struct fmt_nodes header;

	if (cursor->payload[0] != FMT_KIND_nodes || cursor->payload_size < sizeof(header))
		return;
	memcpy(&header, cursor->payload, sizeof(header));
	if (header.node_size < sizeof(struct fmt_node) ||
	    header.node_size % sizeof(struct fmt_node) != 0 ||
	    offset % sizeof(struct fmt_node) != 0 ||
	    offset / sizeof(struct fmt_node) > UINT32_MAX ||
	    header.first != fmt_node_id((uint32_t)(offset / sizeof(struct fmt_node)))) {
		exp_stream_fault(cursor->stream, offset - sizeof(header),
		                 "the header of a block of nodes is damaged");
		return;
	}
	for (size_t at = sizeof(header);
	     at + header.node_size <= cursor->payload_size && reader->rc == 0;
	     at += header.node_size) {
		struct fmt_node node;
		uint64_t place = (offset - sizeof(header) + at) / sizeof(struct fmt_node);

		memcpy(&node, cursor->payload + at, sizeof(node));
		if (node.pc != 0 && place <= UINT32_MAX)
			reader->rc = take_node(reader, cursor, place, &node);
	}
}

int exp_nodes_read(struct experiment *experiment, struct exp_node_table *out)
{
	struct exp_stream stream;
	struct reader reader = {.table = out};
	int rc;

	*out = (struct exp_node_table){.damaged_root = EXP_NODE_NONE};
	rc = exp_stream_open(experiment, exp_stream_names[FMT_STREAM_FRAMEINFO], &stream);
	if (rc != 0)
		return rc == -ENOMEM ? rc : 0;
	out->directory_size = stream.size / sizeof(struct fmt_node) / EXP_NODE_PAGE + 1;
	if (out->directory_size > ((size_t)UINT32_MAX >> EXP_NODE_PAGE_SHIFT) + 1)
		out->directory_size = ((size_t)UINT32_MAX >> EXP_NODE_PAGE_SHIFT) + 1;
	out->directory = calloc(out->directory_size, sizeof(*out->directory));
	rc = !out->directory ? -ENOMEM : exp_stream_each(&stream, on_event, &reader);
	exp_stream_close(&stream);
	if (rc == 0)
		rc = reader.rc;
	if (rc == 0)
		rc = exp_nodes_settle(out);
	return rc != 0 ? rc : exp_reuse_make(experiment, out);
}

void exp_nodes_fini(struct exp_node_table *table)
{
	free(table->pc);
	free(table->parent);
	free(table->generation);
	free(table->marks);
	free(table->directory);
	free(table->pages);
	exp_reuse_destroy(table->reuse);
	*table = (struct exp_node_table){.damaged_root = EXP_NODE_NONE};
}

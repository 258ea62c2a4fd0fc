/* fdr.c: encode and decode XRay FDR version 1. See fdr.h for the layout.
 * See doc/decisions/12-live-files.md. */
#include "format/fdr.h"

#include <errno.h>
#include <string.h>

static uint16_t get16(const uint8_t *at)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static uint32_t get32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static uint64_t get64(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

void fdr_header_put(uint8_t *at, const struct fdr_header *header)
{
	memset(at, 0, FDR_HEADER_SIZE);
	memcpy(at, &header->version, 2);
	memcpy(at + 2, &header->type, 2);
	at[4] = (uint8_t)(header->constant_tsc | header->nonstop_tsc << 1);
	memcpy(at + 8, &header->cycle_frequency, 8);
	memcpy(at + 16, &header->buffer_size, 8);
}

int fdr_header_get(const uint8_t *at, struct fdr_header *out)
{
	uint16_t version = get16(at);
	uint16_t type = get16(at + 2);
	uint32_t bits = get32(at + 4);

	if (version == 0 || version > 5 || type > 1)
		return -EBADMSG;
	if (version != FDR_VERSION || type != FDR_TYPE)
		return -EPROTO;
	*out = (struct fdr_header){
		.version = version,
		.type = type,
		.constant_tsc = bits & 1,
		.nonstop_tsc = bits >> 1 & 1,
		.cycle_frequency = get64(at + 8),
		.buffer_size = get64(at + 16),
	};
	return 0;
}

enum { NS = 1000000000, NS_OF_MICRO = 1000 };

/* The kind first, for whoever parses a half-written record. */
static void put_metadata(uint8_t *at, uint64_t word0, uint64_t word1)
{
	uint64_t *word = (uint64_t *)at;

	fdr_word_put(&word[0], word0);
	fdr_word_put(&word[1], word1);
}

void fdr_prologue_put(uint8_t *at, const struct fdr_prologue *prologue)
{
	uint8_t *wall = at + FDR_METADATA_SIZE;
	uint8_t *cpu = wall + FDR_METADATA_SIZE;
	uint64_t ordinal = prologue->ordinal;
	uint64_t ns = prologue->wall_ns;
	uint64_t seconds = ns ? ns / NS : ordinal, micros = ns ? ns % NS / NS_OF_MICRO : ordinal;

	fdr_end_put(cpu + FDR_METADATA_SIZE);
	put_metadata(cpu, FDR_NEW_CPU | (uint64_t)prologue->cpu << 8 | prologue->tsc << 24,
	             prologue->tsc >> 40);
	put_metadata(wall, FDR_WALL | seconds << 8, micros << 8);
	/* extent_left is a multiple of 16: read as a function record while bytes 0-7 are still
	 * zero, it is a valid one. */
	fdr_word_put(at + 8, prologue->extent_left | ordinal << 32);
	fdr_word_put(at, FDR_NEW_BUFFER | (uint64_t)prologue->tid << 8);
}

int fdr_prologue_get(const uint8_t *at, struct fdr_prologue *out)
{
	const uint8_t *wall = at + FDR_METADATA_SIZE;
	const uint8_t *cpu = wall + FDR_METADATA_SIZE;
	uint64_t ordinal = get32(at + 12), seconds, micros;

	if (at[0] != FDR_NEW_BUFFER || wall[0] != FDR_WALL || cpu[0] != FDR_NEW_CPU)
		return -EBADMSG;
	seconds = get64(wall + 1);
	micros = get32(wall + 9);
	*out = (struct fdr_prologue){
		.tid = get32(at + 1),
		.ordinal = (uint32_t)ordinal,
		.extent_left = get32(at + 8),
		.cpu = get16(cpu + 1),
		.tsc = get64(cpu + 3),
		.wall_ns = seconds == ordinal && micros == ordinal
	                           ? 0
	                           : seconds * NS + micros * NS_OF_MICRO,
	};
	return 0;
}

static int get_function(const uint8_t *at, struct fdr_record *out)
{
	uint32_t word = get32(at);

	if ((word >> 1 & 7) > FDR_ENTER_ARG)
		return -EBADMSG;
	*out = (struct fdr_record){
		.type = FDR_RECORD_FUNCTION,
		.size = FDR_FUNCTION_SIZE,
		.action = word >> 1 & 7,
		.function = word >> 4,
		.delta = get32(at + 4),
	};
	return FDR_FUNCTION_SIZE;
}

static int get_event(const uint8_t *at, size_t len, struct fdr_record *out)
{
	uint32_t size = get32(at + 1);

	if (size == 0 || size > INT32_MAX - FDR_METADATA_SIZE)
		return -EBADMSG;
	if (size > len - FDR_METADATA_SIZE)
		return -ENODATA;
	*out = (struct fdr_record){
		.type = FDR_RECORD_EVENT,
		.size = FDR_METADATA_SIZE + size,
		.tsc = get64(at + 5),
		.cpu = get16(at + 13),
		.own = at[15],
		.payload = at + FDR_METADATA_SIZE,
		.payload_size = size,
	};
	return (int)out->size;
}

int fdr_record_get(const uint8_t *at, size_t len, struct fdr_record *out)
{
	if (len < FDR_FUNCTION_SIZE)
		return -ENODATA;
	if ((at[0] & 1) == 0)
		return get_function(at, out);
	if (len < FDR_METADATA_SIZE)
		return -ENODATA;

	struct fdr_record record = {.size = FDR_METADATA_SIZE};

	switch (at[0]) {
	case FDR_NEW_BUFFER:
		record.type = FDR_RECORD_NEW_BUFFER;
		break;
	case FDR_END_OF_BUFFER:
		record.type = FDR_RECORD_END;
		break;
	case FDR_WALL:
		record.type = FDR_RECORD_WALL;
		break;
	case FDR_NEW_CPU:
		record.type = FDR_RECORD_CPU;
		record.cpu = get16(at + 1);
		record.tsc = get64(at + 3);
		break;
	case FDR_TSC_WRAP:
		record.type = FDR_RECORD_WRAP;
		record.tsc = get64(at + 1);
		break;
	case FDR_CALL_ARGUMENT:
		record.type = FDR_RECORD_ARGUMENT;
		record.argument = get64(at + 1);
		break;
	case FDR_CUSTOM_EVENT:
		return get_event(at, len, out);
	default:
		return -EBADMSG;
	}
	*out = record;
	return FDR_METADATA_SIZE;
}

/* fdr.c: tests of the FDR encoder and decoder. */
#include "format/fdr.h"

#include "tests/unit/format/seed.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

Test(fdr, header_round_trip)
{
	uint8_t bytes[FDR_HEADER_SIZE];
	struct fdr_header in = {1, 1, 1, 1, 2600000400u, 65536}, out;

	fdr_header_put(bytes, &in);
	cr_assert(fdr_header_get(bytes, &out) == 0);
	cr_assert(out.version == 1 && out.type == 1 && out.constant_tsc && out.nonstop_tsc);
	cr_assert(out.cycle_frequency == in.cycle_frequency && out.buffer_size == in.buffer_size);
	/* The layout is LLVM's: version, type, bits, frequency. */
	cr_assert(bytes[0] == 1 && bytes[2] == 1 && bytes[4] == 3);
}

Test(fdr, header_refuses_foreign_files_and_other_versions)
{
	uint8_t bytes[FDR_HEADER_SIZE];
	struct fdr_header header = {1, 1, 1, 1, 1, 0}, out = {.buffer_size = 77};

	fdr_header_put(bytes, &header);
	bytes[0] = 5;
	cr_assert(fdr_header_get(bytes, &out) == -EPROTO);
	bytes[0] = 1;
	bytes[2] = 0;
	cr_assert(fdr_header_get(bytes, &out) == -EPROTO);
	bytes[2] = 9;
	cr_assert(fdr_header_get(bytes, &out) == -EBADMSG);
	memcpy(bytes, "\177ELF", 4);
	cr_assert(fdr_header_get(bytes, &out) == -EBADMSG);
	cr_assert(out.buffer_size == 77, "out must be untouched on failure");
}

Test(fdr, header_of_the_other_byte_order_is_refused)
{
	uint8_t bytes[FDR_HEADER_SIZE] = {0, 1, 0, 1};
	struct fdr_header out;

	cr_assert(fdr_header_get(bytes, &out) < 0);
}

Test(fdr, prologue_round_trip_and_end_behind_it)
{
	_Alignas(8) uint8_t bytes[FDR_PROLOGUE_SIZE + FDR_METADATA_SIZE] = {0};
	struct fdr_prologue in = {4000000000u, 7, 4096 - 32, 3, 0x123456789abcdef0u, 0}, out;
	struct fdr_record record;

	fdr_prologue_put(bytes, &in);
	cr_assert(fdr_prologue_get(bytes, &out) == 0);
	cr_assert(out.tid == in.tid && out.ordinal == in.ordinal &&
	          out.extent_left == in.extent_left);
	cr_assert(out.cpu == in.cpu && out.tsc == in.tsc);
	cr_assert(fdr_record_get(bytes + FDR_PROLOGUE_SIZE, FDR_METADATA_SIZE, &record) ==
	          FDR_METADATA_SIZE);
	cr_assert(record.type == FDR_RECORD_END);
}

/* The number of `size` bytes at `at`. */
static uint64_t number_at(const uint8_t *at, size_t size)
{
	uint64_t number = 0;

	memcpy(&number, at, size);
	return number;
}

/* 8 bytes of seconds, 4 of microseconds, as XRay's document has it. */
Test(fdr, wall_has_the_time_or_the_ordinal)
{
	_Alignas(8) uint8_t bytes[FDR_PROLOGUE_SIZE + FDR_METADATA_SIZE] = {0};
	struct fdr_prologue in = {1, 7, 4096, 3, 99, 0}, out;
	const uint8_t *wall = bytes + FDR_METADATA_SIZE;

	fdr_prologue_put(bytes, &in);
	cr_expect(number_at(wall + 1, 8) == 7 && number_at(wall + 9, 4) == 7);
	cr_assert(fdr_prologue_get(bytes, &out) == 0 && out.wall_ns == 0);
	in.wall_ns = 1764370000123456999u;
	fdr_prologue_put(bytes, &in);
	cr_expect(wall[0] == FDR_WALL && number_at(wall + 1, 8) == 1764370000);
	cr_expect(number_at(wall + 9, 4) == 123456 && number_at(wall + 13, 3) == 0);
	cr_assert(fdr_prologue_get(bytes, &out) == 0);
	cr_expect(out.wall_ns == 1764370000123456000u && out.ordinal == 7 && out.tsc == 99);
}

Test(fdr, unpublished_prologue_reads_as_unused)
{
	_Alignas(8) uint8_t bytes[FDR_PROLOGUE_SIZE + FDR_METADATA_SIZE] = {0};
	struct fdr_prologue in = {1234, 7, 4096, 3, 99, 1234567890}, out;
	struct fdr_record record;

	fdr_prologue_put(bytes, &in);
	/* As it looks before the last store: bytes 0-7 are still zero. */
	memset(bytes, 0, 8);
	cr_assert(fdr_prologue_get(bytes, &out) == -EBADMSG);
	for (size_t at = 0; at < 16; at += 8) {
		cr_assert(fdr_record_get(bytes + at, 8, &record) == 8, "at %zu", at);
		cr_assert(record.type == FDR_RECORD_FUNCTION);
	}
}

Test(fdr, prologue_needs_all_three_records)
{
	_Alignas(8) uint8_t bytes[FDR_PROLOGUE_SIZE + FDR_METADATA_SIZE] = {0};
	struct fdr_prologue in = {1, 2, 4096, 0, 5, 0}, out = {.tid = 77};

	for (size_t i = 0; i < 3; i++) {
		memset(bytes, 0, sizeof(bytes));
		fdr_prologue_put(bytes, &in);
		bytes[i * FDR_METADATA_SIZE] ^= 2;
		cr_assert(fdr_prologue_get(bytes, &out) == -EBADMSG, "record %zu", i);
	}
	cr_assert(out.tid == 77);
}

Test(fdr, event_round_trip_for_all_bits_of_time_and_cpu)
{
	uint64_t state = seed_start();

	for (int i = 0; i < 20000; i++) {
		_Alignas(8) uint8_t bytes[256] = {0};
		uint32_t size = 8 * (uint32_t)(1 + seed_below(&state, 24));
		uint64_t tsc = seed_next(&state);
		uint16_t cpu = (uint16_t)seed_next(&state);
		struct fdr_record record;

		memset(bytes + FDR_METADATA_SIZE, (int)seed_next(&state), size);
		fdr_event_put(bytes, size, tsc, cpu);
		cr_assert(fdr_record_get(bytes, sizeof(bytes), &record) ==
		          (int)(FDR_METADATA_SIZE + size));
		cr_assert(record.type == FDR_RECORD_EVENT && record.tsc == tsc &&
		          record.cpu == cpu);
		cr_assert(record.payload_size == size &&
		          record.payload == bytes + FDR_METADATA_SIZE);
		cr_assert(bytes[15] == 0);
		cr_assert(bytes[FDR_METADATA_SIZE + size] == FDR_END_OF_BUFFER);
	}
}

Test(fdr, event_is_sound_between_its_two_publications)
{
	_Alignas(8) uint8_t bytes[128] = {0};
	_Alignas(8) uint8_t payload[24];
	struct fdr_record record;

	memset(payload, 0xff, sizeof(payload));
	fdr_event_put(bytes, sizeof(payload), 99, 1);
	cr_assert(fdr_record_get(bytes, sizeof(bytes), &record) == FDR_METADATA_SIZE + 24);
	cr_assert(record.payload[0] == 0, "kind 0: no record yet");
	cr_assert(bytes[FDR_METADATA_SIZE + 24] == FDR_END_OF_BUFFER);
	fdr_payload_put(bytes + FDR_METADATA_SIZE, payload, sizeof(payload));
	cr_assert(memcmp(record.payload, payload, sizeof(payload)) == 0);
	cr_assert(bytes[FDR_METADATA_SIZE + 24] == FDR_END_OF_BUFFER,
	          "nothing behind the payload is touched");
}

Test(fdr, every_truncation_asks_for_more)
{
	_Alignas(8) uint8_t bytes[64] = {0};
	struct fdr_record record = {.size = 77};

	fdr_event_put(bytes, 24, 0x1122334455667788u, 1);
	for (size_t len = 0; len < FDR_METADATA_SIZE + 24; len++)
		cr_assert(fdr_record_get(bytes, len, &record) == -ENODATA, "at %zu", len);
	cr_assert(record.size == 77);
	cr_assert(fdr_record_get(bytes, FDR_METADATA_SIZE + 24, &record) == FDR_METADATA_SIZE + 24);
	memset(bytes, 0, sizeof(bytes));
	for (size_t len = 0; len < 8; len++)
		cr_assert(fdr_record_get(bytes, len, &record) == -ENODATA);
}

Test(fdr, an_event_is_taken_back_whole)
{
	uint8_t bytes[256] __attribute__((aligned(8))) = {0}, before[256];
	static const uint8_t payload[32] __attribute__((aligned(8))) = {66, 1, 2, 3};

	fdr_end_put(bytes);
	memcpy(before, bytes, sizeof(bytes));
	fdr_event_put(bytes, sizeof(payload), 99, 1);
	fdr_payload_put(bytes + FDR_METADATA_SIZE, payload, sizeof(payload));
	cr_assert_eq(
		fdr_event_take_back(bytes + FDR_METADATA_SIZE + sizeof(payload), sizeof(payload)),
		bytes);
	cr_assert_arr_eq(bytes, before, sizeof(bytes));
}

Test(fdr, bad_records_are_refused)
{
	struct fdr_record record = {.size = 77};
	uint8_t bytes[64];

	for (unsigned kind = 7; kind < 128; kind++) {
		memset(bytes, 0, sizeof(bytes));
		bytes[0] = (uint8_t)(1 | kind << 1);
		cr_assert(fdr_record_get(bytes, sizeof(bytes), &record) == -EBADMSG, "kind %u",
		          kind);
	}
	for (unsigned action = 4; action < 8; action++) {
		memset(bytes, 0, sizeof(bytes));
		bytes[0] = (uint8_t)(action << 1);
		cr_assert(fdr_record_get(bytes, sizeof(bytes), &record) == -EBADMSG, "action %u",
		          action);
	}
	memset(bytes, 0, sizeof(bytes));
	bytes[0] = FDR_CUSTOM_EVENT;
	cr_assert(fdr_record_get(bytes, sizeof(bytes), &record) == -EBADMSG, "size 0");
	memset(bytes + 1, 0xff, 4);
	cr_assert(fdr_record_get(bytes, sizeof(bytes), &record) == -EBADMSG, "size -1");
	cr_assert(record.size == 77);
}

Test(fdr, other_metadata_is_decoded)
{
	uint8_t bytes[16] = {0};
	struct fdr_record record;
	uint64_t value = 0x0102030405060708u;

	memcpy(bytes + 1, &value, 8);
	bytes[0] = FDR_TSC_WRAP;
	cr_assert(fdr_record_get(bytes, 16, &record) == 16 && record.type == FDR_RECORD_WRAP &&
	          record.tsc == value);
	bytes[0] = FDR_CALL_ARGUMENT;
	cr_assert(fdr_record_get(bytes, 16, &record) == 16 && record.type == FDR_RECORD_ARGUMENT &&
	          record.argument == value);
	bytes[0] = FDR_WALL;
	cr_assert(fdr_record_get(bytes, 16, &record) == 16 && record.type == FDR_RECORD_WALL);
	bytes[0] = FDR_NEW_BUFFER;
	cr_assert(fdr_record_get(bytes, 16, &record) == 16 && record.type == FDR_RECORD_NEW_BUFFER);
}

Test(fdr, function_record_fields)
{
	uint32_t words[2] = {0xabcdef1u << 4 | FDR_TAIL_EXIT << 1, 12345};
	struct fdr_record record;

	cr_assert(fdr_record_get((const uint8_t *)words, 8, &record) == 8);
	cr_assert(record.function == 0xabcdef1u && record.action == FDR_TAIL_EXIT &&
	          record.delta == 12345);
}

Test(fdr, random_bytes_never_reach_outside)
{
	uint64_t state = seed_start();

	for (int i = 0; i < 200000; i++) {
		size_t len = seed_below(&state, 80);
		uint8_t *bytes = malloc(len + 1);
		struct fdr_record record;
		int used;

		for (size_t at = 0; at < len; at++)
			bytes[at] = (uint8_t)seed_next(&state) &
			            (seed_next(&state) & 1 ? 0x0f : 0xff);
		used = fdr_record_get(bytes, len, &record);
		cr_assert(used == -ENODATA || used == -EBADMSG ||
		          (used >= 8 && (size_t)used <= len && (uint32_t)used == record.size));
		free(bytes);
	}
}

/* fdr.h: XRay flight data recorder files, version 1, as Xer writes and reads them.
 *
 * A file is a 32-byte header and then *extents*. An extent is claimed and filled by one thread; it
 * is a multiple of 512 bytes and begins at one (the first begins after the header, and is 32 bytes
 * shorter). It holds one or more *buffers* one after the other (a thread's successor goes on in
 * what is left):
 *
 *     NewBuffer | Wall | NewCPUId | custom event and its payload ... | EndOfBuffer      16 bytes
 * each
 *
 * Unused space is zero. All multi-byte values are little endian and, inside records, unaligned.
 * Bytes 8-11 of NewBuffer, reserved by XRay, hold the number of bytes from there to the end of
 * its extent; bytes 12-15 the ordinal of the buffer. Wall has the time of NewCPUId in seconds and
 * microseconds; but where functions are traced the ordinal, in both, since llvm-xray sorts a
 * thread's buffers by both: see doc/decisions/100-xray-letter.md.
 * Publication order, which keeps the file readable at any instant: see fdr_prologue_put and
 * fdr_event_put.
 *
 * Source of the format: LLVM's "XRay Flight Data Recorder Trace Format", version 1.
 * Nothing here allocates or does I/O; everything is signal-safe. */
#ifndef XER_FORMAT_FDR_H
#define XER_FORMAT_FDR_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
	FDR_HEADER_SIZE = 32,
	FDR_METADATA_SIZE = 16,
	FDR_FUNCTION_SIZE = 8,
	FDR_PROLOGUE_SIZE = 3 * FDR_METADATA_SIZE,
	FDR_EXTENT_UNIT = 512,
	FDR_PAGE = 4096,              /* by multiples of which files get longer */
	FDR_FUNCTION_MAX = 0xfffffff, /* highest number of a function */
	FDR_VERSION = 1,
	FDR_TYPE = 1
};

/* The first byte of a metadata record is 1 | kind << 1. */
enum fdr_metadata {
	FDR_NEW_BUFFER = 0x01,
	FDR_END_OF_BUFFER = 0x03,
	FDR_NEW_CPU = 0x05,
	FDR_TSC_WRAP = 0x07,
	FDR_WALL = 0x09,
	FDR_CUSTOM_EVENT = 0x0b,
	FDR_CALL_ARGUMENT = 0x0d
};

enum fdr_action { FDR_ENTER, FDR_EXIT, FDR_TAIL_EXIT, FDR_ENTER_ARG };

struct fdr_header {
	uint16_t version;
	uint16_t type;
	uint32_t constant_tsc : 1;
	uint32_t nonstop_tsc : 1;
	uint64_t cycle_frequency; /* ticks a second */
	uint64_t buffer_size;     /* of the first extent; others may differ */
};

/* The first three records of a buffer. */
struct fdr_prologue {
	uint32_t tid;
	uint32_t ordinal;     /* strictly growing in a file */
	uint32_t extent_left; /* bytes from the NewBuffer record to the end of its extent, multiple
	                         of 16 */
	uint16_t cpu;
	uint64_t tsc;
	uint64_t wall_ns; /* the same time, for Wall; 0: Wall has the ordinal */
};

/* Payload sizes are rounded up to 8, since llvm-xray reads the zero fill behind as 8-byte records.
 */
static inline size_t fdr_payload_size(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

/* Write the 32-byte file header at `at`. */
void fdr_header_put(uint8_t *at, const struct fdr_header *header);

/* Read a file header from at[32]. Returns 0, or -EBADMSG (not an FDR log) or -EPROTO (an FDR log of
 * another version or type); `out` is written only on success. */
int fdr_header_get(const uint8_t *at, struct fdr_header *out);

/* Write a buffer prologue, then EndOfBuffer behind it, at zeroed memory at[64], 8-byte aligned.
 * The first 8 bytes are stored last, with release order: before that, readers see unused space. Of
 * the other records the first word, with the kind, is stored first, so that whatever part of them
 * is there parses. */
void fdr_prologue_put(uint8_t *at, const struct fdr_prologue *prologue);

/* Read the prologue at at[48]. Returns 0 or -EBADMSG. */
int fdr_prologue_get(const uint8_t *at, struct fdr_prologue *out);

/* Publish a word of a file, whole, behind all that was written before. `at` is 8-byte aligned,
 * which the type alone does not say in programs of 32 bits. */
static inline void fdr_word_put(void *at, uint64_t word)
{
	typedef uint64_t __attribute__((aligned(8))) aligned_word;

	__atomic_store_n((aligned_word *)at, word, __ATOMIC_RELEASE);
}

/* Write EndOfBuffer into zeroed memory at at[16], 8-byte aligned. */
static inline void fdr_end_put(uint8_t *at)
{
	*(uint64_t *)at = FDR_END_OF_BUFFER;
}

/* The first word of a custom event's header: kind, size (4 bytes) and 3 bytes of the time. */
static inline uint64_t fdr_event_word0(uint32_t size, uint64_t tsc)
{
	return (uint64_t)FDR_CUSTOM_EVENT | (uint64_t)size << 8 | tsc << 40;
}

/* The second word: the other 5 bytes of the time, CPU number (2 bytes), a zero byte. */
static inline uint64_t fdr_event_word1(uint64_t tsc, uint16_t cpu)
{
	return tsc >> 24 | (uint64_t)cpu << 40;
}

/* The last byte of a custom event's header, which means nothing to XRay, tells what the payload is:
 * zero, a record of Xer's; else bytes of the program, and this many zeros behind them. */
enum {
	FDR_OWN_BYTES = 0x80,
	FDR_OWN_PADDING = 0x07,
	FDR_OWN_UNFINISHED = 0xc0 /* they are being written */
};

/* The byte of the event with this payload. */
static inline void fdr_own_put(uint8_t *payload, unsigned value)
{
	__atomic_store_n(payload - 1, (uint8_t)value, __ATOMIC_RELEASE);
}

/* Publish a custom event at `at`, in place of the EndOfBuffer there, with a payload of `size` bytes
 * (a multiple of 8) that are zero: its first byte says "no record yet". Writes the next EndOfBuffer
 * behind the payload, then the header, whose first word comes last, with release order. at must be
 * 8-byte aligned.
 *
 * The header comes before the payload because llvm-xray parses also what stands behind an
 * EndOfBuffer, so that a payload without its header, left there by a killed writer, could make it
 * refuse the file. */
static inline void fdr_event_put(uint8_t *at, uint32_t size, uint64_t tsc, uint16_t cpu)
{
	fdr_end_put(at + FDR_METADATA_SIZE + size);
	fdr_word_put(at + 8, fdr_event_word1(tsc, cpu));
	fdr_word_put(at, fdr_event_word0(size, tsc));
}

/* Complete an event: copy record[size] (8-byte aligned, size a multiple of 8) to its payload, the
 * first word, in which the kind is, last and with release order (pairs with the acquire load of
 * live readers). */
static inline void fdr_payload_put(uint8_t *payload, const void *record, size_t size)
{
	memcpy(payload + 8, (const uint8_t *)record + 8, size - 8);
	fdr_word_put(payload, *(const uint64_t *)record);
}

/* Undo fdr_event_put: `end` is the EndOfBuffer behind the event. The file is valid at every
 * instant: first the payload says "no record yet", then the event is an EndOfBuffer, then what is
 * behind is unused. Returns where the event was. */
static inline uint8_t *fdr_event_take_back(uint8_t *end, uint32_t size)
{
	uint8_t *at = end - size - FDR_METADATA_SIZE;

	for (uint8_t *word = at + FDR_METADATA_SIZE; word < end; word += 8)
		fdr_word_put(word, 0);
	fdr_word_put(at, FDR_END_OF_BUFFER);
	fdr_word_put(at + 8, 0);
	fdr_word_put(end, 0);
	return at;
}

/* A function record: entry or exit of function `id` (28 bits), `delta` ticks after the record
 * before. */
static inline uint64_t fdr_function_word(uint32_t id, enum fdr_action action, uint32_t delta)
{
	return (uint64_t)delta << 32 | (uint64_t)id << 4 | (uint64_t)action << 1;
}

/* The two words of a NewCPUId and of a TSCWrap record: from here on deltas count from `tsc`. */
static inline void fdr_cpu_words(uint64_t words[2], uint16_t cpu, uint64_t tsc)
{
	words[0] = (uint64_t)FDR_NEW_CPU | (uint64_t)cpu << 8 | tsc << 24;
	words[1] = tsc >> 40;
}

static inline void fdr_wrap_words(uint64_t words[2], uint64_t tsc)
{
	words[0] = (uint64_t)FDR_TSC_WRAP | tsc << 8;
	words[1] = tsc >> 56;
}

/* The two words of a CallArgument record, which belongs to the entry before it. */
static inline void fdr_argument_words(uint64_t words[2], uint64_t value)
{
	words[0] = (uint64_t)FDR_CALL_ARGUMENT | value << 8;
	words[1] = value >> 56;
}

enum fdr_type {
	FDR_RECORD_END = 1,
	FDR_RECORD_FUNCTION,
	FDR_RECORD_ARGUMENT,
	FDR_RECORD_CPU,
	FDR_RECORD_WRAP,
	FDR_RECORD_WALL,
	FDR_RECORD_EVENT,
	FDR_RECORD_NEW_BUFFER
};

/* One decoded record. Which fields are set depends on `type`. */
struct fdr_record {
	enum fdr_type type;
	uint32_t size;          /* bytes it occupies, payload included */
	uint16_t cpu;           /* CPU, EVENT */
	uint8_t action;         /* FUNCTION: enum fdr_action */
	uint32_t function;      /* FUNCTION: id */
	uint32_t delta;         /* FUNCTION: ticks since the record before */
	uint64_t tsc;           /* CPU, WRAP, EVENT */
	uint64_t argument;      /* ARGUMENT */
	uint8_t own;            /* EVENT: FDR_OWN_BYTES and what is with it, or 0 */
	const uint8_t *payload; /* EVENT: borrowed from the input */
	uint32_t payload_size;
};

/* Decode the record at at[len]; at need not be aligned. `out` is written only on success.
 * Returns the bytes consumed (>= 8), -ENODATA (needs more bytes) or -EBADMSG (not a record). */
int fdr_record_get(const uint8_t *at, size_t len, struct fdr_record *out);

#endif

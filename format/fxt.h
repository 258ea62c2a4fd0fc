/* fxt.h: the Fuchsia trace format (FXT), as Xer writes and reads it.
 *
 * A file is a run of records of 64-bit little-endian words. The first word of a record has its type
 * in bits 0..3 and its size in words, with itself, in bits 4..15 (type 15: bits 4..35). Text and
 * bytes are padded with zeros to a word. A string ref is 0 (empty), an index of the table of
 * strings (1 to 0x7fff), or 0x8000 and the length of a text that follows. A thread ref is an index
 * of the table of threads, or 0: process id and thread id follow. The records are in fxt.def.
 *
 * The encoders write whole records to memory of the caller's and return their size in words. They
 * allocate nothing, do no I/O, read no errno, and are signal-safe. What they need at most is said
 * by a constant, or is 1 + the words of the parts. */
#ifndef XER_FORMAT_FXT_H
#define XER_FORMAT_FXT_H

#include <stddef.h>
#include <stdint.h>

#define FXT_MAGIC UINT64_C(0x0016547846040010) /* the first word of a file */

enum {
	FXT_WORD_SIZE = 8,
	FXT_RECORD_WORDS_MAX = 4095, /* of a record that is not large; Perfetto reads no larger ones
	                              */
	FXT_STRING_MAX = 32000,      /* bytes of a string */
	FXT_STRING_INDEX_MAX = 0x7fff,
	FXT_THREAD_INDEX_MAX = 255,
	FXT_STRING_INLINE = 0x8000, /* | length: a string ref */
	FXT_NAME_MAX = 255,         /* bytes of a provider's name, a module's name or build id */
	FXT_SAMPLE_PCS_MAX = 64,    /* frames of a sample of the thread sampler */
	FXT_SAMPLE_HEAD_WORDS = 6,  /* words of a sample before its frames */
	FXT_SYSTEM_WORDS = 2,       /* more of one in the kernel */
	FXT_PROVIDER_WORDS_MAX = 1 + (FXT_NAME_MAX + 7) / 8,
	FXT_FILE_HEAD_WORDS = 1 + FXT_PROVIDER_WORDS_MAX + 2,
	FXT_PROVIDER_BUFFER_FULL = 0, /* a provider event: records were lost */
	FXT_LARGE = 15,               /* the type of large records */
	FXT_OBJECT_PROCESS = 1,       /* a kernel object */
	FXT_OBJECT_THREAD = 2
};

/* FXT_LOW_<record>_<field>: its lowest bit; FXT_WIDTH_...: how many bits. */
enum {
#define FXT_FIELD(record, field, word, low, high, kind) \
	FXT_LOW_##record##_##field = low, FXT_WIDTH_##record##_##field = high - low + 1, \
	FXT_IN_##record##_##field = word,
#include "format/fxt.def"
};

/* FXT_TYPE_<record>, and the bits that tell it from others of its type. */
enum {
#define FXT_RECORD(name, type, low, high, sub, title) \
	FXT_TYPE_##name = type, FXT_SUB_LOW_##name = low, FXT_SUB_##name = sub,
#define FXT_RECORD_END(name)
#include "format/fxt.def"
};

/* The index of a record in fxt_records. */
enum fxt_kind {
#define FXT_RECORD(name, type, low, high, sub, title) FXT_##name,
#define FXT_RECORD_END(name)
#include "format/fxt.def"
	FXT_RECORDS
};

enum fxt_event_kind {
#define FXT_EVENT(name, kind, word, title) FXT_EVENT_##name = kind,
#include "format/fxt.def"
};

enum fxt_argument_type {
#define FXT_ARGUMENT(name, type, title) FXT_ARGUMENT_##name = type,
#include "format/fxt.def"
};

/* A field's bits in its word; a field of a word. */
#define FXT_BITS(record, field, value) \
	(((uint64_t)(value) & (((uint64_t)1 << FXT_WIDTH_##record##_##field) - 1)) \
	 << FXT_LOW_##record##_##field)
#define FXT_GET(record, field, word) \
	((word) >> FXT_LOW_##record##_##field & (((uint64_t)1 << FXT_WIDTH_##record##_##field) - 1))

/* The first word of a record without its fields; `words` is its whole size. */
#define FXT_HEAD(record, words) \
	((uint64_t)FXT_TYPE_##record | (uint64_t)(words) << 4 | \
	 (uint64_t)FXT_SUB_##record << FXT_SUB_LOW_##record)

/* Words that so many bytes take. */
static inline size_t fxt_words(size_t bytes)
{
	return (bytes + 7) / 8;
}

/* Type and size in words of the record with this first word. */
static inline unsigned fxt_type(uint64_t header)
{
	return header & 15;
}

static inline uint64_t fxt_size(uint64_t header)
{
	return fxt_type(header) == FXT_LARGE ? header >> 4 & 0xffffffff : header >> 4 & 0xfff;
}

/* ---- parts of records */

/* Bytes, padded: fxt_words(size) words. Returns that. Signal-safe. */
size_t fxt_put_bytes(uint64_t *out, const void *bytes, size_t size);

/* An argument with the name `name`, a string ref of the table: 2 words. Returns 2. Signal-safe.
 *   type    INT64, UINT64, POINTER or KOID; a double's bits for DOUBLE */
size_t fxt_put_number(uint64_t *out, enum fxt_argument_type type, uint16_t name, uint64_t value);

/* An argument that is a string of the table, 1 word; or these bytes, size <= FXT_STRING_MAX, 1 +
 * fxt_words(size) words. Return the words. Signal-safe. */
size_t fxt_put_string_ref(uint64_t *out, uint16_t name, uint16_t ref);
size_t fxt_put_text(uint64_t *out, uint16_t name, const char *text, size_t size);

/* ---- records. Each returns its size in words and is signal-safe. */

size_t fxt_put_magic(uint64_t *out);                                             /* 1 word */
size_t fxt_put_initialization(uint64_t *out, uint64_t ticks_per_second);         /* 2 words */
size_t fxt_put_section(uint64_t *out, uint32_t provider);                        /* 1 word */
size_t fxt_put_provider_event(uint64_t *out, uint32_t provider, unsigned event); /* 1 word */
size_t fxt_put_thread(uint64_t *out, uint8_t index, uint64_t process,
                      uint64_t thread); /* 3 words; index > 0 */

/* A provider, which is the current one from there on: 1 + fxt_words(size) words. What is longer
 * than FXT_NAME_MAX is cut. */
size_t fxt_put_provider(uint64_t *out, uint32_t id, const char *name, size_t size);

/* How a file begins: magic number, provider and initialization, at most FXT_FILE_HEAD_WORDS words.
 */
size_t fxt_put_file_header(uint64_t *out, uint32_t provider, const char *name, size_t size,
                           uint64_t ticks_per_second);

/* A string of the table, index > 0: 1 + fxt_words(size) words. What is longer than FXT_STRING_MAX
 * is cut. */
size_t fxt_put_string(uint64_t *out, uint16_t index, const char *text, size_t size);

/* The name, a string ref of the table, of a process: 2 words; and of a thread, `process_name` being
 * the ref of the word "process": 4 words. */
size_t fxt_put_process_name(uint64_t *out, uint64_t process, uint16_t name);
size_t fxt_put_thread_name(uint64_t *out, uint64_t process, uint64_t thread, uint16_t name,
                           uint16_t process_name);

/* A sample of the thread sampler: a large blob with metadata, its frames pcs[count], leaf first:
 * FXT_SAMPLE_HEAD_WORDS + count words. count <= FXT_SAMPLE_PCS_MAX for readers of the sampler. */
size_t fxt_put_sample(uint64_t *out, uint64_t ticks, uint64_t process, uint64_t thread,
                      const uint64_t *pcs, size_t count);

/* The same of a thread that was in the kernel, in a system call of the innermost frame or a fault
 * there: FXT_SYSTEM_WORDS more, for an argument FXT_IN_KERNEL that is true. */
size_t fxt_put_system_sample(uint64_t *out, uint64_t ticks, uint64_t process, uint64_t thread,
                             const uint64_t *pcs, size_t count);
#define FXT_IN_KERNEL "kernel"

/* A profiler module: name and build id, each cut at FXT_NAME_MAX bytes; the thread is written out:
 * 4 words and those of the two texts. A mapping of it into memory, of which `address` is the
 * module's address of `start`: 7 words. flags: 1 readable, 2 writable, 4 executable. */
struct fxt_module {
	uint16_t id;
	const char *name;
	size_t name_size;
	const uint8_t *build_id;
	size_t build_id_size;
};
struct fxt_mapping {
	uint16_t module;
	unsigned flags;
	uint64_t start, size, address;
};
size_t fxt_put_module(uint64_t *out, uint64_t ticks, uint64_t process, uint64_t thread,
                      const struct fxt_module *module);
size_t fxt_put_mapping(uint64_t *out, uint64_t ticks, uint64_t process, uint64_t thread,
                       const struct fxt_mapping *mapping);

/* An event: fxt_put_event, then its arguments by fxt_put_number and the like, then its last word if
 * the kind has one; then fxt_end(out, words) sets the record's size, which is at most
 * FXT_RECORD_WORDS_MAX words. thread: a ref of the table, or 0 and `process` and `tid` are written
 * out. category, name: refs of the table. Returns the words so far, 2 or 4. */
struct fxt_event {
	enum fxt_event_kind kind;
	unsigned arguments;
	uint8_t thread;
	uint16_t category, name;
	uint64_t ticks, process, tid;
};
size_t fxt_put_event(uint64_t *out, const struct fxt_event *event);

static inline void fxt_end(uint64_t *out, size_t words)
{
	out[0] |= (uint64_t)words << 4;
}

/* ---- the table, for readers */

enum fxt_field_kind { FXT_FIELD_NUMBER, FXT_FIELD_STRING, FXT_FIELD_THREAD };
enum fxt_part_kind {
	FXT_PART_STRING,
	FXT_PART_THREAD,
	FXT_PART_PROCESS,
	FXT_PART_TEXT,
	FXT_PART_BYTES,
	FXT_PART_ARGUMENTS,
	FXT_PART_PCS,
	FXT_PART_KIND,
	FXT_PART_TIME,
	FXT_PART_NUMBER,
	FXT_PART_ADDRESS,
	FXT_PART_PAYLOAD
};

struct fxt_field {
	const char *name; /* NULL: behind the last one */
	uint8_t word, low, width;
	enum fxt_field_kind kind;
};

struct fxt_part {
	const char *name; /* NULL: behind the last one */
	enum fxt_part_kind kind;
	uint8_t word, low, width; /* the field that it goes by */
};

struct fxt_record {
	const char *name, *title;
	uint8_t type, sub_low, sub_width;
	uint16_t sub;
	const struct fxt_field *fields;
	const struct fxt_part *parts;
};
extern const struct fxt_record fxt_records[FXT_RECORDS];

/* The bits of word 0 and 1 of each record that may be set; none of word 1 if that is no header. */
extern const uint64_t fxt_used[2][FXT_RECORDS];

/* FXT_AT(record, part): the number of a part in its record's parts. */
enum {
#define FXT_RECORD(name, type, low, high, sub, title) \
	FXT_BEFORE_##name, FXT_BEGIN_##name = FXT_BEFORE_##name - 1,
#define FXT_PART(record, part, field) FXT_PART_OF_##record##_##field,
#define FXT_WORD(record, part, name) FXT_PART_OF_##record##_##name,
#define FXT_RECORD_END(name)
#include "format/fxt.def"
};
#define FXT_AT(record, part) (FXT_PART_OF_##record##_##part - FXT_BEGIN_##record - 1)
enum { FXT_PARTS_MAX = 6 };

/* The record with this first word; NULL if no such record is known. */
const struct fxt_record *fxt_record_find(uint64_t header);

/* A field or the field of a part, of the first words of a record. */
static inline uint64_t fxt_field_value(const uint64_t *words, unsigned word, unsigned low,
                                       unsigned width)
{
	return words[word] >> low & (((uint64_t)1 << width) - 1);
}

/* Words in a table; NULL if there is no such value. */
const char *fxt_event_title(unsigned kind);
const char *fxt_event_word(unsigned kind); /* name of its last word, NULL if it has none */
const char *fxt_argument_title(unsigned type);
const char *fxt_state_title(unsigned state);

#endif

/* record.h: the payload structs of an experiment's events, expanded from datakind.def.
 *
 * Everything here is little endian and has the same layout on every machine. All functions are
 * signal-safe. The normative description is experiment(5). */
#ifndef XER_FORMAT_RECORD_H
#define XER_FORMAT_RECORD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct fmt_u48 {
	uint8_t byte[6];
};

#define FMT_TYPE_u8 uint8_t
#define FMT_TYPE_u16 uint16_t
#define FMT_TYPE_u32 uint32_t
#define FMT_TYPE_u48 struct fmt_u48
#define FMT_TYPE_u64 uint64_t
struct fmt_name16 {
	char text[16];
};
#define FMT_TYPE_name16 struct fmt_name16

#define RECORD(name, kind, stream, size, meaning) struct fmt_##name {
#define FIELD(name, type, field, unit, meaning) FMT_TYPE_##type field;
#define RECORD_END(name) \
	} \
	;
#include "format/datakind.def"

enum fmt_kind {
#define RECORD(name, value, stream, size, meaning) FMT_KIND_##name = (value),
#include "format/datakind.def"
};

#define RECORD(name, kind, stream, size, meaning) \
	_Static_assert(sizeof(struct fmt_##name) == (size), "record " #name " changed its size");
#include "format/datakind.def"

#define ENUM(type) \
	enum fmt_##type \
	{
#define ENUM_VALUE(type, name, value, spelling) FMT_##type##_##name = (value),
#define ENUM_END(type) \
	} \
	;
#include "format/enums.def"

/* The shape of user events, see datakind.def. */
enum fmt_user_shape {
	FMT_USER_COUNT = 7,
	FMT_USER_CHANNEL = 7,
	FMT_USER_CUT = 0x40,
	FMT_USER_32 = 0x80
};
/* Bits of the number of an executed task: it runs on top of another one; it is a part of an untied
 * one, whose other parts follow, in whatever thread. */
enum { FMT_OMP_TASK_INNER = 1, FMT_OMP_TASK_GOES_ON = 2 };
enum { FMT_USER_WORDS = 5, FMT_USER_BYTES = 4096, FMT_USER_CHANNELS = 8 };
enum { FMT_USER_LOW = 9 }; /* the bits of a data word that `low` keeps: 0 and 3 */

/* What `low` keeps of a word, and a word without it made whole again. */
static inline unsigned fmt_user_low_of(uint64_t word)
{
	return (unsigned)(word & 1) | (unsigned)(word >> 2 & 2);
}

static inline uint64_t fmt_user_whole(uint64_t word, unsigned low)
{
	return word | (low & 1) | (uint64_t)(low & 2) << 2;
}

/* A node of the call-stack tree in `frameinfo`. A node is named by its file offset, a multiple of
 * 16; bits 32 to 35 of the offset are in the low four bits of the name. A stack is named by its
 * innermost node; 0 is never a node and means "no stack". A parent's offset is always smaller than
 * the node's own. pc is the interrupted instruction or a return address. */
struct fmt_node {
	uint64_t pc;
	uint32_t parent;     /* the caller's node, 0 at the outermost frame */
	uint32_t generation; /* of the address map, see map.xml */
};
_Static_assert(sizeof(struct fmt_node) == 16, "node changed its size");

/* Between the name of a node and its place: the number of nodes that fit into the file before
 * it. */
static inline uint32_t fmt_node_id(uint32_t place)
{
	return place << 4 | place >> 28;
}

static inline uint32_t fmt_node_place(uint32_t id)
{
	return id >> 4 | id << 28;
}

/* pc values below FMT_PC_MARKS are no addresses but marks in a stack. */
enum fmt_pc_mark {
	FMT_PC_TRUNCATED = 1, /* outermost: frames beyond were not found */
	FMT_PC_GUESSED = 2,   /* frames outside of this one were found without unwind tables */
	FMT_PC_FAILED = 3,    /* outermost: no frame beyond the innermost could be found */
	FMT_PC_PARALLEL = 4,  /* frames outside of this one are those of the thread that began the
	                         parallel region */
	FMT_PC_TASK = 5,      /* and those of the thread that made the task */
	FMT_PC_MARKS = 16
};

/* One with the highest bit is not an address either, but the frame of an interpreted Java method:
 * its number in map.xml (0: not known), and the index of the bytecode. */
#define FMT_PC_JAVA ((uint64_t)1 << 63)
enum { FMT_BCI_NONE = 0xffff };

static inline int fmt_pc_is_java(uint64_t pc)
{
	return pc >> 48 == FMT_PC_JAVA >> 48;
}

/* The kernel's addresses: their eight highest bits are set. */
#define FMT_PC_KERNEL ((uint64_t)0xff << 56)

static inline int fmt_pc_is_kernel(uint64_t pc)
{
	return pc >= FMT_PC_KERNEL;
}

static inline uint64_t fmt_pc_java(uint32_t method, uint32_t bci)
{
	return FMT_PC_JAVA | (uint64_t)method << 16 | (bci & FMT_BCI_NONE);
}

static inline uint32_t fmt_pc_java_method(uint64_t pc)
{
	return (uint32_t)(pc >> 16);
}

static inline uint32_t fmt_pc_java_bci(uint64_t pc)
{
	return (uint32_t)pc & FMT_BCI_NONE;
}

/* Marks that are not frames themselves: stacks go on outside them. */
static inline int fmt_pc_is_inner_mark(uint64_t pc)
{
	return pc == FMT_PC_GUESSED || pc == FMT_PC_PARALLEL || pc == FMT_PC_TASK;
}

static inline uint64_t fmt_u48_get(const struct fmt_u48 *from)
{
	uint64_t value = 0;

	memcpy(&value, from->byte, sizeof(from->byte));
	return value;
}

static inline void fmt_u48_put(struct fmt_u48 *to, uint64_t value)
{
	memcpy(to->byte, &value, sizeof(to->byte));
}

/* Ticks that may be of more than 48 bits, which are a day of a fast clock: the bits above stand in
 * another field, so that the lowest four bits of the word are 0. */
static inline uint64_t fmt_ticks_get(uint16_t high, const struct fmt_u48 *low)
{
	return (uint64_t)(high >> 4) << 48 | fmt_u48_get(low);
}

static inline void fmt_ticks_put(uint16_t *high, struct fmt_u48 *low, uint64_t ticks)
{
	*high = (uint16_t)(ticks >> 48 << 4);
	fmt_u48_put(low, ticks);
}

/* True if `value` fits the 48 bits of a u48 field. */
static inline int fmt_u48_fits(uint64_t value)
{
	return value >> 48 == 0;
}

enum fmt_field_type { FMT_u8, FMT_u16, FMT_u32, FMT_u48, FMT_u64, FMT_name16 };

/* One field of one record kind, as it stands in the schema. */
struct fmt_field {
	uint8_t kind; /* of the record */
	uint8_t type; /* enum fmt_field_type */
	uint16_t offset;
	const char *name;
	const char *unit;
	const char *meaning;
};

/* One record kind. `fields[field_count]` are its fields in order of offset. */
struct fmt_record {
	uint8_t kind;
	uint16_t size;
	uint16_t field_count;
	const char *name;
	const char *stream;
	const char *meaning;
	const struct fmt_field *fields;
};

extern const struct fmt_record fmt_records[];
extern const size_t fmt_record_count;

/* The record of this kind, or NULL. The result is static. */
const struct fmt_record *fmt_record_find(unsigned kind);

/* "u8", "u16", ... for an enum fmt_field_type; NULL if there is none such. */
const char *fmt_field_type_name(unsigned type);

/* The spelling of an enumerated value, for example ("heap_func", 1) -> "malloc"; NULL if unknown.
 */
const char *fmt_enum_name(const char *type, unsigned value);

/* The least enumerated value above `value`, of which -1 is below all; -1 if there is none. */
int fmt_enum_next(const char *type, int value);

#endif

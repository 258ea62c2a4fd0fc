/* fxt.h: reads any file of the Fuchsia trace format (format/fxt.h), or a bare region of the thread
 * sampler, record by record, through a chunk. Every record is checked whole before it is given
 * out: its size, bits that must be zero, refs, arguments, padding. Memory does not grow with the
 * file, but for its tables of strings and threads, which are bounded. */
#ifndef XER_EXPERIMENT_FXT_FXT_H
#define XER_EXPERIMENT_FXT_FXT_H

#include "format/fxt.h"

/* What a part of a record says; which fields count is told by the kind of the part. */
struct exp_fxt_value {
	uint64_t number;  /* a word; how many arguments or pcs there are; bytes of a payload */
	const char *text; /* text[number]: STRING, TEXT, BYTES; any bytes */
	uint64_t process, thread; /* THREAD, PROCESS */
	const uint64_t *words; /* words[word_count] of ARGUMENTS and PCS, and of a PAYLOAD; NULL if
	                        * that was too long to be held */
	size_t word_count;
};

struct exp_fxt_record {
	enum fxt_kind kind;
	uint64_t offset;       /* in the file */
	uint64_t size;         /* in words */
	uint64_t extra;        /* words behind the last part, of a later form of the record */
	const uint64_t *words; /* the record, as far as it is held */
	struct exp_fxt_value values[FXT_PARTS_MAX]; /* of fxt_records[kind].parts */
};

/* A field of the record's header: EXP_FXT_FIELD(record, event, kind). */
#define EXP_FXT_FIELD(record, name, field) \
	FXT_GET(name, field, (record)->words[FXT_IN_##name##_##field])

/* An argument of a record. */
struct exp_fxt_argument {
	const char *name; /* name[name_size] */
	uint64_t name_size;
	enum fxt_argument_type type;
	uint64_t value;   /* of a number, the bits of a double, 0 or 1; the length of text */
	const char *text; /* of a string or blob */
};

struct exp_fxt;

/* Read the file of a descriptor from where it stands. The caller keeps the descriptor, and gives
 * the result to exp_fxt_close. NULL: out of memory. */
struct exp_fxt *exp_fxt_open(int fd);
void exp_fxt_close(struct exp_fxt *fxt);

/* The next record, valid until the next call. Returns 1; 0 at the end, which in a bare region is
 * where it is zero; -EBADMSG after a fault, which is told by exp_fxt_fault; or another -errno. */
int exp_fxt_next(struct exp_fxt *fxt, const struct exp_fxt_record **out);

/* Where the record stands that exp_fxt_next would give, in bytes from the beginning of the file. */
uint64_t exp_fxt_at(const struct exp_fxt *fxt);

/* Go on with the record at an offset, where one must begin; the tables stay as they are. Little is
 * read ahead from then on. Returns 0, or -errno: the file cannot be sought in, and nothing has
 * changed. */
int exp_fxt_seek(struct exp_fxt *fxt, uint64_t offset);

/* Take the next argument of a record's ARGUMENTS off `value`. Returns 1, or 0 behind the last. */
int exp_fxt_argument(const struct exp_fxt *fxt, struct exp_fxt_value *value,
                     struct exp_fxt_argument *out);

/* After -EBADMSG: what was wrong, as "offset 24: event: a reserved bit is set". Borrowed. */
const char *exp_fxt_fault(const struct exp_fxt *fxt);

/* Bytes of records so far; of zeros behind the last one; does the file begin with the magic number?
 */
uint64_t exp_fxt_bytes(const struct exp_fxt *fxt);
uint64_t exp_fxt_unused(const struct exp_fxt *fxt);
int exp_fxt_has_magic(const struct exp_fxt *fxt);

/* The present provider: its number (0 before the first one), and its ticks a second. */
uint64_t exp_fxt_provider(const struct exp_fxt *fxt);
uint64_t exp_fxt_hz(const struct exp_fxt *fxt);

#endif

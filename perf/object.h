/* object.h: a file that is mapped somewhere, and the unwinding rules of its code (elfutils' libdw,
 * which checks what it reads). */
#ifndef XER_PERF_OBJECT_H
#define XER_PERF_OBJECT_H

#include "perf/arch/arch.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct object;

/* The object of a file, the same one for the same file; opened when it is needed.
 *   path    as the process `pid` sees it, or a word in brackets of the kernel's
 *   device, inode   so that another file of that name is not taken for it; inode 0: unknown
 * NULL without memory. Lives as long as this process. */
struct object *object_of(const char *path, dev_t device, uint64_t inode, pid_t pid);

/* Its path and its build id, bytes[*size], NULL if it has none; where the file itself wants the
 * code at an offset to be, OBJECT_NOWHERE: there is none. */
#define OBJECT_NOWHERE UINT64_MAX
const char *object_path(const struct object *object);
const void *object_build_id(struct object *object, size_t *size);
uint64_t object_address(struct object *object, uint64_t offset);

/* How to get from a place in a frame to the caller's registers; looked up once for each place. */
enum rule_kind {
	RULE_NONE,   /* the tables say nothing */
	RULE_BEGIN,  /* the same, and it is where the object's own code begins: the outermost frame,
	                if it was not called */
	RULE_END,    /* the outermost frame */
	RULE_PLAIN,  /* CFA = register + offset, the return address ARCH_RETURN_WORDS below that,
	                registers that calls keep at the CFA or as they are */
	RULE_COMPLEX /* ask object_frame */
};

enum { RULE_KEPT = ARCH_KEPT_COUNT, RULE_SAME = INT16_MIN };
extern const uint8_t rule_kept[RULE_KEPT]; /* ARCH_KEPT */

struct rule {
	uint64_t key;
	uint8_t kind;      /* enum rule_kind */
	uint8_t is_signal; /* a signal interrupted the caller: its pc is no return address */
	uint8_t cfa_register;
	int32_t cfa_offset;
	int16_t saved[RULE_KEPT]; /* offset from the CFA / 8, or RULE_SAME */
};

/* The rule at an offset in the file. Valid until the next call. */
const struct rule *object_rule(struct object *object, uint64_t offset);

/* libdw's own form of it (Dwarf_Frame *), to be freed; NULL if there is none. */
void *object_frame(struct object *object, uint64_t offset);

#endif

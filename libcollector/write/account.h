/* account.h: how large the files of all processes of a recording are together, under a size limit
 * (xcollect -L, --keep).
 *
 * The sum is in a file in the directory of the founder, which each process maps. One that cannot
 * (another root directory, another user) counts for itself. All of it is signal-safe. */
#ifndef XER_COLLECTOR_ACCOUNT_H
#define XER_COLLECTOR_ACCOUNT_H

#include "format/keep.h"

#include <stddef.h>
#include <stdint.h>

/* Files get `size` bytes longer. Returns 1 if all are at most as large as the limit with that, or
 * if there is no limit. Not while a lock of a stream or of an XML file is held. */
int account_add(uint64_t size);

/* Of what was added, so much was not used. Under --keep, see keep_settle. */
void account_give_back(uint64_t size);

/* The file under --keep, which begins with that sum; NULL: it cannot be had, or nothing was asked
 * to be kept. Not while such a lock is held. */
struct fmt_keep *account_keep(void);

/* The mapping of the file, if `address` is in it, with its size; NULL otherwise. */
uint8_t *account_find_map(uintptr_t address, size_t *size);

/* In a forked child: what the process has counted for itself is the parent's. */
void account_begin_child(void);

/* The recording is over: the next one has a sum of its own. No thread records. */
void account_close(void);

#endif

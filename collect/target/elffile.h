/* elffile.h: can the preload library enter this ELF file? */
#ifndef XER_COLLECT_TARGET_ELFFILE_H
#define XER_COLLECT_TARGET_ELFFILE_H

#include <stddef.h>

/* Check the ELF file open at `fd`: class, machine, kind and loader. Returns 64 or 32, the bits of
 * its addresses, or -ENOEXEC with the reason in reason[size], as in "it is statically linked".
 * *can_run: it may still be a valid program, for a loader of another kind or for none. */
int elffile_check(int fd, char *reason, size_t size, int *can_run);

#endif

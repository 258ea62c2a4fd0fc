/* dwarf_package.h: split debug information of all units of a program in one file, "program.dwp". */
#ifndef XER_EXPERIMENT_DWARF_DWARF_PACKAGE_H
#define XER_EXPERIMENT_DWARF_DWARF_PACKAGE_H

#include "experiment/dwarf/linetable.h"

#include <elfutils/libdw.h>
#include <stddef.h>

struct exp_dwarf_package;

/* What a package has of one unit. */
struct exp_dwarf_packaged {
	Dwarf *dwarf;
	Dwarf_Die die;                     /* of the unit */
	struct exp_line_sections sections; /* its table of files is at offset 0; empty: it uses that
	                                      of the skeleton */
};

/* Open the package beside one of paths[count]; NULLs among them are passed over. Returns NULL if
 * there is none, or none that can be used here. */
struct exp_dwarf_package *exp_dwarf_package_open(const char *const *paths, size_t count);
void exp_dwarf_package_close(struct exp_dwarf_package *package);

/* Find the unit of a skeleton of `program`. Returns 0 and *out, which is valid as long as the
 * package; -ENOENT: it is not there; -ENOTSUP; -EBADMSG or -ENOMEM. */
int exp_dwarf_package_find(struct exp_dwarf_package *package, Dwarf *program, Dwarf_Die *skeleton,
                           struct exp_dwarf_packaged *out);

#endif

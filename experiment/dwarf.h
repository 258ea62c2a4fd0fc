/* dwarf.h: source lines and inlined calls of an image. */
#ifndef XER_EXPERIMENT_DWARF_H
#define XER_EXPERIMENT_DWARF_H

#include <stdint.h>

struct exp_dwarf;
struct exp_image;

enum { EXP_DWARF_FRAMES = 64 };

/* One function at an address, innermost first. Strings live with the image, NULL if unknown. */
struct exp_dwarf_frame {
	const char *linkage_name;
	const char *name;
	const char *directory; /* of the compilation: where relative file names begin */
	const char *decl_file;
	unsigned decl_line;
	const char *file; /* of `line`: where it executes, or where it calls the frame before */
	unsigned line;
	uint64_t start,
	    end; /* ELF virtual addresses of the outermost (not inlined) function, else 0 */
};

/* Returns 0 and *out, NULL if the image has no debug information; or -ENOMEM. */
int exp_dwarf_open(struct exp_image *image, struct exp_dwarf **out);
void exp_dwarf_close(struct exp_dwarf *dwarf);

/* The functions at an ELF virtual address: inlined ones first, the one that is not last. With
 * *has_function 0 there is only one frame, with a line and no name. Returns their number, 0 if
 * nothing is known. */
int exp_dwarf_lookup(struct exp_dwarf *dwarf, uint64_t address,
		     struct exp_dwarf_frame frames[EXP_DWARF_FRAMES], int *has_function);

#endif

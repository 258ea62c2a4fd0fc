/* elfneeds.h: the library that a program asks the loader for first. */
#ifndef XER_FORMAT_ELFNEEDS_H
#define XER_FORMAT_ELFNEEDS_H

#include <stddef.h>
#include <stdint.h>

/* Read size bytes of a file at `at`. Returns their number, fewer at its end, or something negative.
 */
typedef long elf_reader(int fd, void *to, size_t size, uint64_t at);

/* gcc's AddressSanitizer aborts every program in which another library comes before its own, which
 * such programs need first. */
#define ELF_ADDRESS_SANITIZER "libasan.so"
#define ELF_ADDRESS_SANITIZER_REASON \
	"it is made with gcc's AddressSanitizer, which suffers no library before its own"

/* Does the name of the library that a 64-bit ELF file needs first begin with `name`? Its `count`
 * program headers are at `headers`. What cannot be read is taken for no. Signal-safe. */
int elf_needs_first(elf_reader *read, int fd, uint64_t headers, unsigned count, const char *name);

#endif

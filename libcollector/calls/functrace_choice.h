/* functrace_choice.h: which functions are traced, by patterns of their names and of their objects'
 * (--functrace=PATTERNS).
 *
 * Patterns stand in the descriptor, separated by commas: NAME, @OBJECT, each with ! before it to
 * leave out what it matches;
 * * and ? are wildcards. A function is traced if it matches some NAME (or there is none), and its
 * object some @OBJECT (or there is none), and nothing with !. Names are those of .symtab, or of
 * .dynsym where there is none. */
#ifndef XER_COLLECTOR_FUNCTRACE_CHOICE_H
#define XER_COLLECTOR_FUNCTRACE_CHOICE_H

#include <stddef.h>
#include <stdint.h>

/* Is the function at `address` to be traced? Signal-safe. Reads the symbols of an object when it is
 * asked for the first time, and maps memory for them: a bit for each byte of the object's code, of
 * which pages without chosen functions are never touched. A file that cannot be read has no names.
 */
int choice_has(uint64_t address);

/* An object, from `start` to `end`, is there that the loader knows only by `map` as yet. Normal
 * context. */
struct link_map;
void choice_see(const struct link_map *map, uint64_t start, uint64_t end);

/* Objects were unloaded. Signal-safe. */
void choice_forget(void);

/* The patterns are others: nothing is known any more. */
void choice_restart(void);

/* Does text[len] match the pattern[pattern_len]? Signal-safe. */
int choice_glob(const char *pattern, size_t pattern_len, const char *text, size_t len);

/* What the patterns say of a function of that name, or of an object: there is no pattern of the
 * kind; one chooses it; there are some, and none matches; one refuses it. */
enum choice { CHOICE_OPEN, CHOICE_YES, CHOICE_NO, CHOICE_REFUSED };
enum choice choice_by_name(const char *patterns, const char *text, size_t len);

/* A pattern of objects with / is compared with the whole path, another one with what stands behind
 * the last /. */
enum choice choice_by_object(const char *patterns, const char *path);

#endif

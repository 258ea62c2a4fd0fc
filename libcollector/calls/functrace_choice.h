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

/* Is the function at `address` to be traced? Signal-safe. The first question about an object reads
 * its symbols, and maps memory for them: a bit for each byte of its code, of which pages without
 * chosen functions are never touched. A file that cannot be read has no names. */
int choice_has(uint64_t address);

/* An object, from `start` to `end`, that the loader does not know yet except by `map`. Normal
 * context. */
struct link_map;
void choice_see(const struct link_map *map, uint64_t start, uint64_t end);

/* Objects were unloaded. Signal-safe. */
void choice_forget(void);

/* The patterns have changed: forget what is known. */
void choice_restart(void);

/* Does text[len] match the pattern[pattern_len]? Signal-safe. */
int choice_glob(const char *pattern, size_t pattern_len, const char *text, size_t len);

/* What the patterns say about a function of that name, or about an object: there is no pattern of
 * the kind; one chooses it; there are some, and none matches; one refuses it. */
enum choice { CHOICE_OPEN, CHOICE_YES, CHOICE_NO, CHOICE_REFUSED };
enum choice choice_by_name(const char *patterns, const char *text, size_t len);

/* A pattern of objects with / is compared with the whole path, one without it with the part after
 * the last /. */
enum choice choice_by_object(const char *patterns, const char *path);

#endif

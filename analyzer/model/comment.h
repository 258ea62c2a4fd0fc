/* comment.h: the classes of comments that listings of source and instructions can have. */
#ifndef XER_ANALYZER_MODEL_COMMENT_H
#define XER_ANALYZER_MODEL_COMMENT_H

#include <stddef.h>

/* Classes of comments, and two more things that disassembly can show. */
enum comment_class {
#define COMMENT(id, word, there, meaning) COMMENT_BIT_##id,
#include "analyzer/model/comment.def"
	COMMENT_CLASSES
};
#define COMMENT_SET(id) (1u << COMMENT_BIT_##id)
#define COMMENT_BASIC COMMENT_SET(INLINE)
#define COMMENT_SOURCE (1u << COMMENT_CLASSES) /* disassembly: with source lines */
#define COMMENT_HEX \
	(1u << (COMMENT_CLASSES + 1)) /* disassembly: with the bytes of instructions \
	                               */

/* Read a list of classes joined by ':'; words may be cut short. `disasm`: hex, nohex, src and nosrc
 * are known too. Returns 0 and *out, and *absent: the first class that no debug information has,
 * NULL if none; or -EINVAL with the word in *bad and its length in *bad_len. *threshold changes
 * where the list has t=NUMBER. */
int comment_parse(const char *spec, int disasm, unsigned *out, unsigned *threshold,
                  const char **absent, const char **bad, size_t *bad_len);

#endif

/* cppname.h: long names of C++ functions. */
#ifndef XER_ANALYZER_BASE_CPPNAME_H
#define XER_ANALYZER_BASE_CPPNAME_H

#include <stddef.h>

/* Replace template arguments by `<...>`, and then parameters by `(...)`, in place, the longest
 * first, until the name has at most `size` bytes or nothing of that kind is left:
 *
 *   std::vector<int, std::allocator<int> >::push_back(int&&)  -> std::vector<...>::push_back(int&&)
 *
 * Operators, lambdas and `(anonymous namespace)` are left as they are. */
void cppname_fold(char *name, size_t size);

#endif

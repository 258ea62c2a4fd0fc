/* dlsym.h: the C library's dlsym, which ours stands in front of. RTLD_NEXT means: behind this
 * library. */
#ifndef XER_LIBCOLLECTOR_HOOK_DLSYM_H
#define XER_LIBCOLLECTOR_HOOK_DLSYM_H

#include <dlfcn.h>

#define dlsym(handle, name) (dlsym_real()(handle, name))
typedef void *dlsym_function(void *handle, const char *name);
dlsym_function *dlsym_real(void);

#endif

/* handle.h: handles and the objects that they stand for. The caller holds the lock of the calls
 * (zx.c). */
#ifndef XER_SAMPLER_HANDLE_H
#define XER_SAMPLER_HANDLE_H

#include "include/xer/sampler.h"

struct session;

enum object_type { OBJECT_RESOURCE, OBJECT_VMAR, OBJECT_THREAD, OBJECT_BUFFER };

struct object {
	enum object_type type;
	unsigned references; /* handles */
	pid_t tid;           /* OBJECT_THREAD */
	uint64_t born;
	struct session *session; /* OBJECT_BUFFER */
};

/* A handle of a new object, of which all but `type` is zero. Returns 0 without memory, else the
 * handle, and *out. */
zx_handle_t handle_create(enum object_type type, zx_rights_t rights, struct object **out);

/* The object of a handle. ZX_ERR_BAD_HANDLE, ZX_ERR_WRONG_TYPE, ZX_ERR_ACCESS_DENIED (it lacks
 * rights). */
zx_status_t handle_find(zx_handle_t handle, enum object_type type, zx_rights_t rights,
                        struct object **out);

zx_status_t handle_duplicate(zx_handle_t handle, zx_rights_t rights, zx_handle_t *out);

/* Close a handle. *last is set to the object if that was its last handle: the caller frees it; else
 * to NULL. */
zx_status_t handle_close(zx_handle_t handle, struct object **last);

#endif

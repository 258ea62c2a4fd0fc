/* handle.c: see handle.h. A handle is the index of a slot and the slot's generation, so that one
 * that was closed is not taken for a later one; as in Fuchsia, its two lowest bits are set. */
#include "sampler/handle.h"

#include <stdlib.h>

enum {
	INDEX_BITS = 16,
	INDEX_SHIFT = 2,
	GENERATION_SHIFT = INDEX_BITS + INDEX_SHIFT,
	SLOTS_MAX = 1 << INDEX_BITS,
	TAG = 3
};

struct slot {
	struct object *object; /* NULL: free */
	zx_rights_t rights;
	uint32_t generation;
};

static struct slot *slots;
static size_t slot_count;

static zx_handle_t handle_of(size_t index)
{
	return (zx_handle_t)(slots[index].generation << GENERATION_SHIFT |
	                     (uint32_t)index << INDEX_SHIFT | TAG);
}

static struct slot *slot_of(zx_handle_t handle)
{
	size_t index = handle >> INDEX_SHIFT & (SLOTS_MAX - 1);

	if (index >= slot_count || !slots[index].object || handle_of(index) != handle)
		return NULL;
	return &slots[index];
}

/* Make a handle of an object. 0 without memory. */
static zx_handle_t add(struct object *object, zx_rights_t rights)
{
	size_t index = 0;

	while (index < slot_count && slots[index].object)
		index++;
	if (index == slot_count) {
		size_t count = slot_count ? 2 * slot_count : 16;
		struct slot *grown = count <= SLOTS_MAX ? realloc(slots, count * sizeof(*slots))
		                                        : NULL;

		if (!grown)
			return ZX_HANDLE_INVALID;
		for (size_t i = slot_count; i < count; i++)
			grown[i] = (struct slot){0};
		slots = grown;
		slot_count = count;
	}
	slots[index].object = object;
	slots[index].rights = rights;
	object->references++;
	return handle_of(index);
}

zx_handle_t handle_create(enum object_type type, zx_rights_t rights, struct object **out)
{
	struct object *object = calloc(1, sizeof(*object));
	zx_handle_t handle;

	if (!object)
		return ZX_HANDLE_INVALID;
	object->type = type;
	handle = add(object, rights);
	if (handle == ZX_HANDLE_INVALID) {
		free(object);
		return handle;
	}
	*out = object;
	return handle;
}

zx_status_t handle_find(zx_handle_t handle, enum object_type type, zx_rights_t rights,
                        struct object **out)
{
	struct slot *slot = slot_of(handle);

	if (!slot)
		return ZX_ERR_BAD_HANDLE;
	if (slot->object->type != type)
		return ZX_ERR_WRONG_TYPE;
	if ((slot->rights & rights) != rights)
		return ZX_ERR_ACCESS_DENIED;
	*out = slot->object;
	return ZX_OK;
}

zx_status_t handle_duplicate(zx_handle_t handle, zx_rights_t rights, zx_handle_t *out)
{
	struct slot *slot = slot_of(handle);
	zx_handle_t made;

	if (!slot)
		return ZX_ERR_BAD_HANDLE;
	if (!(slot->rights & ZX_RIGHT_DUPLICATE))
		return ZX_ERR_ACCESS_DENIED;
	if (rights == ZX_RIGHT_SAME_RIGHTS)
		rights = slot->rights;
	if (rights & ~slot->rights)
		return ZX_ERR_INVALID_ARGS;
	made = add(slot->object, rights);
	if (made == ZX_HANDLE_INVALID)
		return ZX_ERR_NO_MEMORY;
	*out = made;
	return ZX_OK;
}

zx_status_t handle_close(zx_handle_t handle, struct object **last)
{
	struct slot *slot = slot_of(handle);
	struct object *object;

	*last = NULL;
	if (!slot)
		return ZX_ERR_BAD_HANDLE;
	object = slot->object;
	slot->object = NULL;
	slot->generation++;
	if (--object->references == 0)
		*last = object;
	return ZX_OK;
}

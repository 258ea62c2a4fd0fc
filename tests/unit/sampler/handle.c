/* Handles: each is valid until it is closed, and is not taken for another one afterwards. */
#include "sampler/handle.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { RIGHTS = ZX_RIGHT_DUPLICATE | ZX_RIGHT_READ };

static zx_handle_t create(enum object_type type, zx_rights_t rights, struct object **object)
{
	zx_handle_t handle = handle_create(type, rights, object);

	cr_assert_neq(handle, ZX_HANDLE_INVALID);
	return handle;
}

Test(handle, stands_for_its_object)
{
	struct object *thread, *vmar, *found = NULL;
	zx_handle_t one = create(OBJECT_THREAD, RIGHTS, &thread),
		    other = create(OBJECT_VMAR, ZX_RIGHT_READ, &vmar);

	cr_assert(one != other && thread != vmar);
	cr_assert_eq(one & 3, 3);
	cr_assert_eq(thread->type, OBJECT_THREAD);
	cr_assert(thread->references == 1 && thread->tid == 0 && !thread->session);
	cr_assert_eq(handle_find(one, OBJECT_THREAD, ZX_RIGHT_READ, &found), ZX_OK);
	cr_assert_eq(found, thread);
	cr_assert_eq(handle_find(other, OBJECT_VMAR, 0, &found), ZX_OK);
	cr_assert_eq(found, vmar);
}

Test(handle, is_refused_for_another_type_and_without_rights)
{
	struct object *object, *found;
	zx_handle_t handle = create(OBJECT_THREAD, RIGHTS, &object);

	cr_assert_eq(handle_find(handle, OBJECT_VMAR, 0, &found), ZX_ERR_WRONG_TYPE);
	cr_assert_eq(handle_find(handle, OBJECT_THREAD, ZX_RIGHT_WRITE, &found),
	             ZX_ERR_ACCESS_DENIED);
	cr_assert_eq(handle_find(handle, OBJECT_THREAD, ZX_RIGHT_WRITE | ZX_RIGHT_READ, &found),
	             ZX_ERR_ACCESS_DENIED);
	cr_assert_eq(handle_find(handle, OBJECT_THREAD, RIGHTS, &found), ZX_OK);
}

Test(handle, that_was_closed_is_bad_even_if_its_slot_is_used_again)
{
	struct object *object, *last, *next;
	zx_handle_t handle = create(OBJECT_THREAD, RIGHTS, &object), later;

	cr_assert_eq(handle_close(handle, &last), ZX_OK);
	cr_assert_eq(last, object);
	free(last);
	cr_assert_eq(handle_close(handle, &last), ZX_ERR_BAD_HANDLE);
	cr_assert_null(last);
	later = create(OBJECT_THREAD, RIGHTS, &next);
	cr_assert_neq(later, handle);
	cr_assert_eq(later & 0x3ffff, handle & 0x3ffff, "the same slot");
	cr_assert_eq(handle_find(handle, OBJECT_THREAD, 0, &object), ZX_ERR_BAD_HANDLE);
	cr_assert_eq(handle_find(later, OBJECT_THREAD, 0, &object), ZX_OK);
	cr_assert_eq(handle_find(later & ~1u, OBJECT_THREAD, 0, &object), ZX_ERR_BAD_HANDLE);
	cr_assert_eq(handle_find(ZX_HANDLE_INVALID, OBJECT_THREAD, 0, &object), ZX_ERR_BAD_HANDLE);
	cr_assert_eq(handle_find(0xffffffff, OBJECT_THREAD, 0, &object), ZX_ERR_BAD_HANDLE);
}

Test(handle, a_duplicate_has_the_same_object_and_no_more_rights)
{
	struct object *object, *found, *last;
	zx_handle_t handle = create(OBJECT_BUFFER, RIGHTS, &object), same, less;

	cr_assert_eq(handle_duplicate(handle, ZX_RIGHT_SAME_RIGHTS, &same), ZX_OK);
	cr_assert_eq(handle_duplicate(handle, ZX_RIGHT_READ, &less), ZX_OK);
	cr_assert_eq(object->references, 3);
	cr_assert_eq(handle_find(same, OBJECT_BUFFER, RIGHTS, &found), ZX_OK);
	cr_assert_eq(found, object);
	cr_assert_eq(handle_find(less, OBJECT_BUFFER, RIGHTS, &found), ZX_ERR_ACCESS_DENIED);
	cr_assert_eq(handle_find(less, OBJECT_BUFFER, ZX_RIGHT_READ, &found), ZX_OK);
	cr_assert_eq(handle_duplicate(less, ZX_RIGHT_SAME_RIGHTS, &same), ZX_ERR_ACCESS_DENIED);
	cr_assert_eq(handle_duplicate(handle, ZX_RIGHT_WRITE, &less), ZX_ERR_INVALID_ARGS);
	cr_assert_eq(handle_duplicate(0x3fff7, ZX_RIGHT_SAME_RIGHTS, &less), ZX_ERR_BAD_HANDLE);
	cr_assert_eq(handle_close(handle, &last), ZX_OK);
	cr_assert_null(last, "there are others");
	cr_assert_eq(object->references, 2);
}

/* Their table grows. */
Test(handle, there_are_many_of_them)
{
	static zx_handle_t handles[3000];
	struct object *object, *found;
	zx_handle_t more;

	handles[0] = create(OBJECT_THREAD, RIGHTS, &object);
	for (int i = 1; i < 3000; i++)
		cr_assert_eq(handle_duplicate(handles[0], ZX_RIGHT_SAME_RIGHTS, &handles[i]),
		             ZX_OK);
	cr_assert_eq(object->references, 3000);
	for (int i = 0; i < 3000; i++) {
		cr_assert_eq(handle_find(handles[i], OBJECT_THREAD, RIGHTS, &found), ZX_OK);
		cr_assert_eq(handles[i] >> 2 & 0xffff, (uint32_t)i);
	}
	cr_assert_eq(handle_close(handles[1000], &found), ZX_OK);
	cr_assert_eq(handle_duplicate(handles[0], ZX_RIGHT_SAME_RIGHTS, &more), ZX_OK);
	cr_assert_eq(more >> 2 & 0xffff, 1000, "the first that is free");
}

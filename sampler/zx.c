/* zx.c: the functions of <xer/sampler.h>: what they check, in the order of Fuchsia's kernel, and
 * the one session that a process may have. A lock lets one call in at a time; a thread that is
 * cancelled in a call ends after the call, since nothing else would release the lock. */
#include "sampler/handle.h"
#include "sampler/ring.h"
#include "sampler/session.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define BUFFER_RIGHTS \
	(ZX_RIGHT_DUPLICATE | ZX_RIGHT_TRANSFER | ZX_RIGHT_READ | ZX_RIGHT_MAP | \
	 ZX_RIGHT_INSPECT | ZX_RIGHT_APPLY_PROFILE)
#define THREAD_RIGHTS (ZX_RIGHT_DUPLICATE | ZX_RIGHT_TRANSFER | ZX_RIGHT_READ | ZX_RIGHT_INSPECT)
#define VM_OPTIONS \
	(ZX_VM_PERM_READ | ZX_VM_PERM_WRITE | ZX_VM_SPECIFIC | ZX_VM_SPECIFIC_OVERWRITE | \
	 ZX_VM_MAP_RANGE)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int cancel_state;     /* of the thread that holds the lock, as it was */
static struct session *live; /* NULL: there is none */
static zx_handle_t debug_resource, root_vmar;

/* ---- fork: a child has its parent's handles, but not its session */

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

static void in_child(void)
{
	if (live)
		session_abandon(live);
	live = NULL;
	pthread_mutex_unlock(&lock);
}

static void watch_forks(void)
{
	pthread_atfork(before_fork, after_fork, in_child);
}

static void enter(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int before;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	pthread_once(&once, watch_forks);
	pthread_mutex_lock(&lock);
	cancel_state = before;
}

static zx_status_t leave(zx_status_t status)
{
	int before = cancel_state;

	pthread_mutex_unlock(&lock);
	pthread_setcancelstate(before, &before);
	return status;
}

static zx_status_t status_of(int error)
{
	switch (-error) {
	case 0:
		return ZX_OK;
	case EACCES:
	case EPERM:
		return ZX_ERR_ACCESS_DENIED;
	case ENOMEM:
	case EMFILE:
	case ENFILE:
	case EAGAIN:
	case ENOSPC:
		return ZX_ERR_NO_MEMORY;
	case ENOSYS:
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		return ZX_ERR_NOT_SUPPORTED;
	case ESRCH:
		return ZX_ERR_BAD_STATE;
	default:
		return ZX_ERR_INTERNAL;
	}
}

/* ---- the session */

static int config_is_valid(uint64_t options, const zx_sampler_config_t *config, size_t config_size,
                           const zx_handle_t *out)
{
	return options == 0 && config && out && config_size == sizeof(*config) &&
	       config->iobuffer_discipline == ZX_IOB_DISCIPLINE_NONE && config->buffer_size > 0 &&
	       config->buffer_size <= ZX_SAMPLER_MAX_BUFFER_SIZE &&
	       config->period >= ZX_SAMPLER_MIN_PERIOD;
}

static zx_status_t create(const zx_sampler_config_t *config, zx_handle_t *out)
{
	size_t page = zx_system_get_page_size();
	struct object *buffer;
	zx_handle_t handle = handle_create(OBJECT_BUFFER, BUFFER_RIGHTS, &buffer);
	int status;

	if (handle == ZX_HANDLE_INVALID)
		return ZX_ERR_NO_MEMORY;
	status = session_create((uint64_t)config->period,
	                        (config->buffer_size + page - 1) / page * page, &live);
	if (status < 0) {
		handle_close(handle, &buffer);
		free(buffer);
		return status_of(status);
	}
	buffer->session = live;
	*out = handle;
	return ZX_OK;
}

zx_status_t zx_sampler_create(zx_resource_t rsrc, uint64_t options, zx_sampler_config_t *config,
                              size_t config_size, zx_handle_t *iob_out)
{
	struct object *resource;
	zx_status_t status, permission;

	enter();
	permission = status_of(session_permission());
	status = permission == ZX_ERR_NOT_SUPPORTED
	                 ? permission
	                 : handle_find(rsrc, OBJECT_RESOURCE, 0, &resource);
	if (status == ZX_OK)
		status = permission;
	if (status == ZX_OK && !config_is_valid(options, config, config_size, iob_out))
		status = ZX_ERR_INVALID_ARGS;
	if (status == ZX_OK && live)
		status = ZX_ERR_ALREADY_EXISTS;
	if (status == ZX_OK)
		status = create(config, iob_out);
	return leave(status);
}

/* The live session, by its buffer's handle. */
static zx_status_t find_session(zx_handle_t iob, struct session **out)
{
	struct object *buffer;
	zx_status_t status = handle_find(iob, OBJECT_BUFFER, ZX_RIGHT_APPLY_PROFILE, &buffer);

	if (status != ZX_OK)
		return status;
	if (!live)
		return ZX_ERR_BAD_STATE;
	if (buffer->session != live)
		return ZX_ERR_BAD_HANDLE;
	*out = live;
	return ZX_OK;
}

zx_status_t zx_sampler_attach(zx_handle_t iob, zx_handle_t thread)
{
	struct session *session;
	struct object *object;
	zx_status_t status;

	enter();
	status = handle_find(thread, OBJECT_THREAD, ZX_RIGHT_READ, &object);
	if (status == ZX_OK)
		status = find_session(iob, &session);
	if (status == ZX_OK)
		status = status_of(session_attach(session, object->tid, object->born));
	return leave(status);
}

zx_status_t zx_sampler_start(zx_handle_t iob)
{
	struct session *session;
	zx_status_t status;

	enter();
	status = find_session(iob, &session);
	if (status == ZX_OK)
		status = session_is_running(session) ? ZX_ERR_BAD_STATE
		                                     : status_of(session_start(session));
	return leave(status);
}

zx_status_t zx_sampler_stop(zx_handle_t iob)
{
	struct session *session;
	zx_status_t status;

	enter();
	status = find_session(iob, &session);
	if (status == ZX_OK && !session_is_running(session))
		status = ZX_ERR_BAD_STATE;
	if (status == ZX_OK)
		session_stop(session);
	return leave(status);
}

/* ---- the buffer */

static zx_status_t put_regions(const struct session *session, void *buffer, size_t size,
                               size_t *actual, size_t *avail)
{
	zx_iob_region_info_t *out = buffer;
	size_t count = session_region_count(session), room = size / sizeof(*out);

	for (size_t i = 0; i < count && i < room; i++)
		out[i] = (zx_iob_region_info_t){
			.region = {.type = ZX_IOB_REGION_TYPE_PRIVATE,
		                   .access = ZX_IOB_EP0_CAN_MAP_READ,
		                   .size = session_region_size(session),
		                   .discipline = {.type = ZX_IOB_DISCIPLINE_TYPE_NONE}}};
	if (actual)
		*actual = count < room ? count : room;
	if (avail)
		*avail = count;
	return ZX_OK;
}

/* One record, which the topic wants. */
static zx_status_t put_info(struct session *session, uint32_t topic, void *buffer, size_t size,
                            size_t *actual, size_t *avail)
{
	int fits = buffer && size >= (topic == ZX_INFO_IOB ? sizeof(zx_info_iob_t)
	                                                   : sizeof(xer_sampler_info_t));

	if (fits && topic == ZX_INFO_IOB)
		*(zx_info_iob_t *)buffer = (zx_info_iob_t){
			.region_count = session_region_count(session)};
	else if (fits)
		session_info(session, buffer);
	if (actual)
		*actual = (size_t)fits;
	if (avail)
		*avail = 1;
	return fits ? ZX_OK : ZX_ERR_BUFFER_TOO_SMALL;
}

zx_status_t zx_object_get_info(zx_handle_t handle, uint32_t topic, void *buffer, size_t buffer_size,
                               size_t *actual, size_t *avail)
{
	struct object *object;
	zx_status_t status;

	if (topic != ZX_INFO_IOB && topic != ZX_INFO_IOB_REGIONS && topic != XER_INFO_SAMPLER)
		return ZX_ERR_NOT_SUPPORTED;
	enter();
	status = handle_find(handle, OBJECT_BUFFER, ZX_RIGHT_INSPECT, &object);
	if (status == ZX_OK && !buffer && buffer_size > 0)
		status = ZX_ERR_INVALID_ARGS;
	if (status == ZX_OK && topic == ZX_INFO_IOB_REGIONS)
		status = put_regions(object->session, buffer, buffer_size, actual, avail);
	else if (status == ZX_OK)
		status = put_info(object->session, topic, buffer, buffer_size, actual, avail);
	return leave(status);
}

/* A mapping's way of taking its place; -1 if the options make no sense. */
static int map_flags(zx_vm_option_t options, size_t vmar_offset)
{
	if (options & ZX_VM_SPECIFIC_OVERWRITE)
		return MAP_FIXED;
	if (options & ZX_VM_SPECIFIC)
		return MAP_FIXED_NOREPLACE;
	return vmar_offset ? -1 : 0;
}

static zx_status_t map_region(const struct session *session, zx_vm_option_t options,
                              size_t vmar_offset, uint32_t index, uint64_t offset, size_t len,
                              zx_vaddr_t *out)
{
	size_t page = zx_system_get_page_size(), size = session_region_size(session);
	int flags = map_flags(options, vmar_offset);
	void *at;

	if ((options & ~VM_OPTIONS) || flags < 0 || !out || len == 0 || offset % page ||
	    vmar_offset % page)
		return ZX_ERR_INVALID_ARGS;
	if (index >= session_region_count(session) || offset >= size || len > size - offset)
		return ZX_ERR_OUT_OF_RANGE;
	if ((options & ZX_VM_PERM_WRITE) || !(options & ZX_VM_PERM_READ))
		return ZX_ERR_ACCESS_DENIED;
	at = mmap((void *)vmar_offset, len, PROT_READ,
	          MAP_SHARED | (options & ZX_VM_MAP_RANGE ? MAP_POPULATE : 0) | flags,
	          session_memory(session), (off_t)(index * (uint64_t)size + offset));
	if (at == MAP_FAILED)
		return errno == EEXIST ? ZX_ERR_ALREADY_EXISTS : ZX_ERR_NO_MEMORY;
	*out = (zx_vaddr_t)at;
	return ZX_OK;
}

zx_status_t zx_vmar_map_iob(zx_handle_t vmar, zx_vm_option_t options, size_t vmar_offset,
                            zx_handle_t ep, uint32_t region_index, uint64_t region_offset,
                            size_t region_len, zx_vaddr_t *addr_out)
{
	struct object *object;
	zx_status_t status;

	enter();
	status = handle_find(vmar, OBJECT_VMAR, 0, &object);
	if (status == ZX_OK)
		status = handle_find(ep, OBJECT_BUFFER, ZX_RIGHT_MAP, &object);
	if (status == ZX_OK)
		status = map_region(object->session, options, vmar_offset, region_index,
		                    region_offset, region_len, addr_out);
	return leave(status);
}

/* ---- handles */

zx_status_t zx_handle_close(zx_handle_t handle)
{
	struct object *last = NULL;
	zx_status_t status;

	if (handle == ZX_HANDLE_INVALID)
		return ZX_OK;
	enter();
	status = handle_close(handle, &last);
	if (last && last->session) {
		if (last->session == live)
			live = NULL;
		session_destroy(last->session);
	}
	free(last);
	return leave(status);
}

zx_status_t zx_handle_duplicate(zx_handle_t handle, zx_rights_t rights, zx_handle_t *out)
{
	if (!out)
		return ZX_ERR_INVALID_ARGS;
	enter();
	return leave(handle_duplicate(handle, rights, out));
}

uint32_t zx_system_get_page_size(void)
{
	return (uint32_t)sysconf(_SC_PAGESIZE);
}

/* The handle in *kept, made when it is asked for or has been closed. */
static zx_handle_t own_handle(zx_handle_t *kept, enum object_type type)
{
	struct object *object;
	zx_handle_t handle;

	enter();
	if (handle_find(*kept, type, 0, &object) != ZX_OK)
		*kept = handle_create(type, ZX_RIGHT_DUPLICATE | ZX_RIGHT_TRANSFER, &object);
	handle = *kept;
	leave(ZX_OK);
	return handle;
}

zx_handle_t xer_debug_resource(void)
{
	return own_handle(&debug_resource, OBJECT_RESOURCE);
}

zx_handle_t zx_vmar_root_self(void)
{
	return own_handle(&root_vmar, OBJECT_VMAR);
}

/* May this process sample the thread? */
static zx_status_t check_thread(pid_t tid)
{
	int fd = ring_event_open(tid, -1, &(struct ring_settings){.period_ns = 1000 * 1000 * 1000});

	if (fd >= 0)
		close(fd);
	if (fd == -ESRCH)
		return ZX_ERR_NOT_FOUND;
	return fd < 0 ? status_of(fd) : ZX_OK;
}

zx_status_t xer_thread_handle(pid_t tid, zx_handle_t *out)
{
	struct object *object;
	uint64_t born = 0;
	zx_status_t status = tid > 0 && out ? ZX_OK : ZX_ERR_INVALID_ARGS;

	if (status == ZX_OK && thread_started(tid, &born) < 0)
		status = ZX_ERR_NOT_FOUND;
	if (status == ZX_OK)
		status = check_thread(tid);
	if (status != ZX_OK)
		return status;
	enter();
	*out = handle_create(OBJECT_THREAD, THREAD_RIGHTS, &object);
	if (*out == ZX_HANDLE_INVALID)
		return leave(ZX_ERR_NO_MEMORY);
	object->tid = tid;
	object->born = born;
	return leave(ZX_OK);
}

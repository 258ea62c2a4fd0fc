/* sampler.h: a per-CPU sampler of threads, with the calls of Fuchsia's kernel. See xer_sampler(3);
 * link with pkg-config --libs xer-sampler. All calls may be made in any thread, none in a signal
 * handler; errno may change. */
#ifndef XER_SAMPLER_H
#define XER_SAMPLER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t zx_status_t;
typedef uint32_t zx_handle_t;
typedef zx_handle_t zx_resource_t;
typedef int64_t zx_duration_mono_t; /* ns of CLOCK_MONOTONIC */
typedef uint32_t zx_rights_t;
typedef uint32_t zx_vm_option_t;
typedef uintptr_t zx_vaddr_t;
typedef uint32_t zx_object_info_topic_t;
typedef uint64_t zx_koid_t;

#define ZX_HANDLE_INVALID ((zx_handle_t)0)

#define ZX_OK ((zx_status_t)0)
#define ZX_ERR_INTERNAL ((zx_status_t)-1)
#define ZX_ERR_NOT_SUPPORTED ((zx_status_t)-2)
#define ZX_ERR_NO_MEMORY ((zx_status_t)-4)
#define ZX_ERR_INVALID_ARGS ((zx_status_t)-10)
#define ZX_ERR_BAD_HANDLE ((zx_status_t)-11)
#define ZX_ERR_WRONG_TYPE ((zx_status_t)-12)
#define ZX_ERR_OUT_OF_RANGE ((zx_status_t)-14)
#define ZX_ERR_BUFFER_TOO_SMALL ((zx_status_t)-15)
#define ZX_ERR_BAD_STATE ((zx_status_t)-20)
#define ZX_ERR_NOT_FOUND ((zx_status_t)-25)
#define ZX_ERR_ALREADY_EXISTS ((zx_status_t)-26)
#define ZX_ERR_ACCESS_DENIED ((zx_status_t)-30)

#define ZX_RIGHT_DUPLICATE ((zx_rights_t)1u << 0)
#define ZX_RIGHT_TRANSFER ((zx_rights_t)1u << 1)
#define ZX_RIGHT_READ ((zx_rights_t)1u << 2)
#define ZX_RIGHT_WRITE ((zx_rights_t)1u << 3)
#define ZX_RIGHT_MAP ((zx_rights_t)1u << 5)
#define ZX_RIGHT_INSPECT ((zx_rights_t)1u << 15)
#define ZX_RIGHT_APPLY_PROFILE ((zx_rights_t)1u << 19)
#define ZX_RIGHT_SAME_RIGHTS ((zx_rights_t)1u << 31)

#define ZX_RSRC_KIND_SYSTEM 5u
#define ZX_RSRC_SYSTEM_DEBUG_BASE 2u

#define ZX_SAMPLER_MIN_PERIOD 10000                  /* ns */
#define ZX_SAMPLER_MAX_BUFFER_SIZE ((size_t)1 << 30) /* bytes of a region */
#define ZX_IOB_DISCIPLINE_NONE 0u

typedef struct zx_sampler_config {
	zx_duration_mono_t
		period;     /* ns of a CPU between two samples, at least ZX_SAMPLER_MIN_PERIOD */
	size_t buffer_size; /* bytes of a region; rounded up to whole pages */
	uint64_t iobuffer_discipline; /* ZX_IOB_DISCIPLINE_NONE */
} zx_sampler_config_t;

zx_status_t zx_sampler_create(zx_resource_t rsrc, uint64_t options, zx_sampler_config_t *config,
                              size_t config_size, zx_handle_t *iob_out);
zx_status_t zx_sampler_attach(zx_handle_t iob, zx_handle_t thread);
zx_status_t zx_sampler_start(zx_handle_t iob);
zx_status_t zx_sampler_stop(zx_handle_t iob);

/* ---- IOBuffers and handles */

#define ZX_IOB_REGION_TYPE_PRIVATE 0u
#define ZX_IOB_DISCIPLINE_TYPE_NONE ((uint64_t)0)
#define ZX_IOB_EP0_CAN_MAP_READ (1u << 0)

typedef struct zx_iob_discipline {
	uint64_t type;
	uint64_t reserved[8];
} zx_iob_discipline_t;

typedef struct zx_iob_region {
	uint32_t type;
	uint32_t access;
	uint64_t size; /* bytes, whole pages */
	zx_iob_discipline_t discipline;
	union {
		struct {
			uint32_t options;
		} private_region;
		uint8_t max_extension[32];
	};
} zx_iob_region_t;

typedef struct zx_iob_region_info {
	zx_iob_region_t region;
	zx_koid_t koid;
} zx_iob_region_info_t;

/* What has been done since the session was created. An extension of Xer's. */
typedef struct xer_sampler_info {
	uint64_t samples;    /* written to the regions */
	uint64_t bad_stacks; /* dropped: a stack that cannot be one */
	uint64_t no_room;    /* dropped: the CPU's region was full */
	uint64_t lost;       /* dropped by the kernel: its own buffer was full */
	uint64_t throttled;  /* times that the kernel stopped sampling for a while */
	uint64_t one_frame;  /* of `samples`: nothing but the interrupted instruction, so no frame
	                        pointers */
	uint64_t threads;    /* attached and not known to have ended */
	uint64_t in_kernel;  /* 1: time in system calls is sampled; 0: the system forbids that */
} xer_sampler_info_t;

typedef struct zx_info_iob {
	uint64_t options;      /* 0 */
	uint32_t region_count; /* a region for each CPU that was on */
	uint8_t padding1[4];
} zx_info_iob_t;

#define ZX_INFO_IOB ((zx_object_info_topic_t)34)
#define ZX_INFO_IOB_REGIONS ((zx_object_info_topic_t)35)
#define XER_INFO_SAMPLER ((zx_object_info_topic_t)0x58455201)

zx_status_t zx_object_get_info(zx_handle_t handle, uint32_t topic, void *buffer, size_t buffer_size,
                               size_t *actual, size_t *avail);

#define ZX_VM_PERM_READ ((zx_vm_option_t)1u << 0)
#define ZX_VM_PERM_WRITE ((zx_vm_option_t)1u << 1)
#define ZX_VM_SPECIFIC ((zx_vm_option_t)1u << 4)
#define ZX_VM_SPECIFIC_OVERWRITE ((zx_vm_option_t)1u << 5)
#define ZX_VM_MAP_RANGE ((zx_vm_option_t)1u << 10)

zx_status_t zx_vmar_map_iob(zx_handle_t vmar, zx_vm_option_t options, size_t vmar_offset,
                            zx_handle_t ep, uint32_t region_index, uint64_t region_offset,
                            size_t region_len, zx_vaddr_t *addr_out);

zx_status_t zx_handle_close(zx_handle_t handle);
zx_status_t zx_handle_duplicate(zx_handle_t handle, zx_rights_t rights, zx_handle_t *out);
uint32_t zx_system_get_page_size(void);

/* ---- how to get handles */

/* The process's own, which are not to be closed. 0 without memory. */
zx_handle_t xer_debug_resource(void);
zx_handle_t zx_vmar_root_self(void);

/* A handle of the thread `tid`, of this process or of another one that this one may inspect.
 * ZX_ERR_INVALID_ARGS, ZX_ERR_NOT_FOUND (no such thread), ZX_ERR_ACCESS_DENIED,
 * ZX_ERR_NOT_SUPPORTED, ZX_ERR_NO_MEMORY. */
zx_status_t xer_thread_handle(pid_t tid, zx_handle_t *out);

#ifdef __cplusplus
}
#endif

#endif

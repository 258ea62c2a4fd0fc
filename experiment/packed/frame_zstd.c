/* frame_zstd.c: see frame.h. frame_none.c takes its place in a build without libzstd. */
#include "experiment/packed/frame.h"

#include <errno.h>
#include <zstd.h>
#include <zstd_errors.h>

int exp_frames_are_known(void)
{
	return 1;
}

struct exp_unpacker *exp_unpacker_create(void)
{
	return (struct exp_unpacker *)ZSTD_createDCtx();
}

void exp_unpacker_destroy(struct exp_unpacker *unpacker)
{
	ZSTD_freeDCtx((ZSTD_DCtx *)unpacker);
}

static int error_of(size_t result)
{
	return ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation ? -ENOMEM : -EBADMSG;
}

int exp_unpack(struct exp_unpacker *unpacker, void *plain, size_t plain_size, const void *packed,
               size_t packed_size)
{
	size_t got = ZSTD_decompressDCtx((ZSTD_DCtx *)unpacker, plain, plain_size, packed,
	                                 packed_size);

	if (ZSTD_isError(got))
		return error_of(got);
	return got == plain_size ? 0 : -EBADMSG;
}

struct exp_packer *exp_packer_create(int level)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();

	if (!context)
		return NULL;
	ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	return (struct exp_packer *)context;
}

void exp_packer_destroy(struct exp_packer *packer)
{
	ZSTD_freeCCtx((ZSTD_CCtx *)packer);
}

size_t exp_packed_most(size_t plain_size)
{
	return ZSTD_compressBound(plain_size);
}

ssize_t exp_pack(struct exp_packer *packer, void *packed, size_t room, const void *plain,
                 size_t plain_size)
{
	size_t size = ZSTD_compress2((ZSTD_CCtx *)packer, packed, room, plain, plain_size);

	return ZSTD_isError(size) ? error_of(size) : (ssize_t)size;
}

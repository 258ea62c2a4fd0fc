/* frame_none.c: takes the place of frame_zstd.c in a build without libzstd. */
#include "experiment/packed/frame.h"

#include <errno.h>

int exp_frames_are_known(void)
{
	return 0;
}

struct exp_unpacker *exp_unpacker_create(void)
{
	return NULL;
}

void exp_unpacker_destroy(struct exp_unpacker *unpacker)
{
	(void)unpacker;
}

int exp_unpack(struct exp_unpacker *unpacker, void *plain, size_t plain_size, const void *packed,
               size_t packed_size)
{
	(void)unpacker;
	(void)plain;
	(void)plain_size;
	(void)packed;
	(void)packed_size;
	return -ENOMEM;
}

struct exp_packer *exp_packer_create(int level)
{
	(void)level;
	return NULL;
}

void exp_packer_destroy(struct exp_packer *packer)
{
	(void)packer;
}

size_t exp_packed_most(size_t plain_size)
{
	return plain_size;
}

ssize_t exp_pack(struct exp_packer *packer, void *packed, size_t room, const void *plain,
                 size_t plain_size)
{
	(void)packer;
	(void)packed;
	(void)room;
	(void)plain;
	(void)plain_size;
	return -ENOMEM;
}

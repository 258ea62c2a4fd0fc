/* Compressed data files: read whole, in pieces of any length, and from where their data begin. */
#include "experiment/packed/packed.h"
#include "tests/fuzz/targets/target.h"

#include <errno.h>

/* Inputs are short, but what they decompress to need not be. */
enum { READ_MOST = 64 << 20 };

void fuzz_packed(const uint8_t *bytes, size_t size)
{
	static uint8_t piece[100000];
	struct exp_packed *packed;
	const char *why;
	int rc = exp_packed_open(fuzz_descriptor(bytes, size), size, &packed, &why);
	uint64_t at = 0, end;

	FUZZ_ASSERT(rc == 0 || rc == -EBADMSG || rc == -ENOMEM);
	if (rc != 0)
		return;
	end = exp_packed_size(packed);
	FUZZ_ASSERT(end / EXP_PACKED_RATIO <= size);
	while (at < end && at < READ_MOST) {
		ssize_t got = exp_packed_read(packed, piece, 1 + at * 7919 % sizeof(piece), at);

		FUZZ_ASSERT(got > 0 || (got < 0 && errno == EBADMSG));
		at += got > 0 ? (uint64_t)got : 4096;
	}
	at = exp_packed_data(packed, end / 2);
	FUZZ_ASSERT(at <= end && at >= end / 2);
	FUZZ_ASSERT(exp_packed_read(packed, piece, sizeof(piece), end) == 0);
	exp_packed_close(packed);
}

/* Flight data recorder files: header, prologues and records, in the order in which a reader reads
 * them. */
#include "tests/fuzz/targets/target.h"

#include "format/fdr.h"

void fuzz_fdr(const uint8_t *bytes, size_t size)
{
	struct fdr_header header;
	struct fdr_prologue prologue;
	struct fdr_record record;
	size_t at = 0;
	int taken;

	if (size >= FDR_HEADER_SIZE && fdr_header_get(bytes, &header) == 0)
		at = FDR_HEADER_SIZE;
	if (size - at >= FDR_PROLOGUE_SIZE)
		fdr_prologue_get(bytes + at, &prologue);
	while (at < size && (taken = fdr_record_get(bytes + at, size - at, &record)) > 0) {
		FUZZ_ASSERT((size_t)taken <= size - at && taken >= 8);
		if (record.type == FDR_RECORD_EVENT)
			FUZZ_ASSERT(record.payload >= bytes + at &&
			            record.payload + record.payload_size <= bytes + size);
		at += (size_t)taken;
	}
}

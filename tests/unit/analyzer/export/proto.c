/* Tests of analyzer/export/proto.c and analyzer/export/gzip.c. */
#include "analyzer/export/gzip.h"
#include "analyzer/export/proto.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

Test(proto, encodes_as_the_guide_says)
{
	static const uint64_t numbers[] = {3, 270, 86942}; /* the guide's examples */
	static const uint8_t expected[] = {
		0x08, 0x96, 0x01,                                    /* 1: 150 */
		0x12, 0x07, 't',  'e',  's',  't',  'i',  'n',  'g', /* 2: "testing" */
		0x1a, 0x03, 0x08, 0x96, 0x01,                        /* 3: {1: 150} */
		0x22, 0x06, 0x03, 0x8e, 0x02, 0x9e, 0xa7, 0x05,      /* 4: packed */
		0x82, 0x01, 0x00};                                   /* 16: "" */
	struct proto message = {.len = 0}, inner = {.len = 0};

	proto_number(&inner, 1, 150);
	proto_number(&message, 1, 150);
	proto_bytes(&message, 2, "testing", 7);
	proto_message(&message, 3, &inner);
	proto_packed(&message, 4, numbers, 3);
	proto_number(&message, 5, 0); /* the default is left out */
	proto_bytes(&message, 16, "", 0);
	cr_assert_eq(message.len, sizeof(expected));
	cr_assert_arr_eq(message.bytes, expected, sizeof(expected));
	proto_clear(&message);
	proto_number(&message, 1, UINT64_MAX);
	cr_assert_eq(message.len, 11);
	cr_assert_eq(message.bytes[10], 1);
	proto_fini(&message);
	proto_fini(&inner);
}

Test(gzip, what_is_put_comes_out)
{
	enum { SIZE = 300000 };
	unsigned char *bytes = malloc(SIZE), *back = malloc(SIZE + 1);
	uint32_t random = 12345;
	FILE *file = tmpfile();
	struct gzip *gzip;
	gzFile in;

	for (size_t i = 0; i < SIZE; i++) {
		random = random * 1664525 + 1013904223;
		bytes[i] = (unsigned char)(i % 3 ? random >> 24 : 'x');
	}
	gzip = gzip_create(file);
	cr_assert(gzip != NULL);
	for (size_t at = 0, part = 1; at < SIZE; at += part, part = part * 7 % 50021) {
		if (part > SIZE - at)
			part = SIZE - at;
		gzip_put(gzip, bytes + at, part);
	}
	cr_assert_eq(gzip_destroy(gzip), 0);
	cr_assert_eq(fflush(file), 0);
	rewind(file);
	in = gzdopen(dup(fileno(file)), "rb");
	cr_assert_eq(gzread(in, back, SIZE + 1), SIZE);
	cr_assert_arr_eq(back, bytes, SIZE);
	gzclose(in);
	fclose(file);
	free(bytes);
	free(back);
}

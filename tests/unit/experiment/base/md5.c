/* MD5, by the test suite of RFC 1321. */
#include "experiment/base/md5.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

Test(md5, has_the_sums_of_the_standard)
{
	static const struct {
		const char *text, *sum;
	} cases[] = {
		{"", "d41d8cd98f00b204e9800998ecf8427e"},
		{"a", "0cc175b9c0f1b6a831c399e269772661"},
		{"abc", "900150983cd24fb0d6963f7d28e17f72"},
		{"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
		{"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
	         "d174ab98d277d9f5a5611c2c9f419d9f"},
		{"12345678901234567890123456789012345678901234567890123456789012345678901234567890",
	         "57edf4a22be3c955ac49da2e2107b67a"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t sum[EXP_MD5_SIZE];
		char text[2 * EXP_MD5_SIZE + 1];

		exp_md5(cases[i].text, strlen(cases[i].text), sum);
		for (size_t j = 0; j < EXP_MD5_SIZE; j++)
			sprintf(text + 2 * j, "%02x", sum[j]);
		cr_assert_str_eq(text, cases[i].sum, "\"%s\"", cases[i].text);
	}
}

/* Blocks have 64 bytes, and the last one ends with the length: the sum of the sums of all short
 * texts, as md5sum(1) gives it. */
Test(md5, has_the_sums_of_any_length)
{
	static const uint8_t expected[EXP_MD5_SIZE] = {0x93, 0x70, 0x23, 0x7c, 0xf2, 0xc0,
	                                               0x13, 0x41, 0x8a, 0xda, 0x10, 0xf8,
	                                               0xf1, 0xb5, 0x21, 0x0b};
	uint8_t sums[200 * EXP_MD5_SIZE], sum[EXP_MD5_SIZE];
	char text[200];

	memset(text, 'a', sizeof(text));
	for (size_t len = 0; len < sizeof(text); len++)
		exp_md5(text, len, sums + len * EXP_MD5_SIZE);
	exp_md5(sums, sizeof(sums), sum);
	cr_assert_arr_eq(sum, expected, EXP_MD5_SIZE);
}

/* md5.c: MD5 as RFC 1321 defines it. */
#include "experiment/base/md5.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 64, STEPS = 64, LENGTH_SIZE = 8 };

static uint32_t rotate(uint32_t x, unsigned bits)
{
	return x << bits | x >> (32 - bits);
}

static uint32_t word_at(const uint8_t *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
	       (uint32_t)at[3] << 24;
}

/* Section 3.4: four rounds of 16 steps; the constants are the integer part of 2^32 * |sin(step)|,
 * step from 1. */
static void add_block(uint32_t state[4], const uint8_t *block)
{
	static const uint8_t shifts[4][4] = {
		{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3];

	for (unsigned i = 0; i < STEPS; i++) {
		uint32_t mixed, constant = (uint32_t)(fabs(sin(i + 1.0)) * 4294967296.0);
		unsigned word;

		switch (i / 16) {
		case 0:
			mixed = (b & c) | (~b & d);
			word = i;
			break;
		case 1:
			mixed = (d & b) | (~d & c);
			word = 5 * i + 1;
			break;
		case 2:
			mixed = b ^ c ^ d;
			word = 3 * i + 5;
			break;
		default:
			mixed = c ^ (b | ~d);
			word = 7 * i;
			break;
		}
		mixed += a + constant + word_at(block + 4 * (word % 16));
		a = d;
		d = c;
		c = b;
		b += rotate(mixed, shifts[i / 16][i % 4]);
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
}

static void put_words(uint8_t *to, const uint32_t *words, size_t count)
{
	for (size_t i = 0; i < 4 * count; i++)
		to[i] = (uint8_t)(words[i / 4] >> (8 * (i % 4)));
}

void exp_md5(const void *bytes, size_t len, uint8_t sum[EXP_MD5_SIZE])
{
	uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
	const uint32_t bits[2] = {(uint32_t)(len << 3), (uint32_t)((uint64_t)len >> 29)};
	const uint8_t *at = bytes;
	uint8_t tail[2 * BLOCK] = {0};
	size_t left = len, tail_len;

	for (; left >= BLOCK; left -= BLOCK, at += BLOCK)
		add_block(state, at);
	/* A bit that is 1, zeros, and the length in bits. */
	if (left != 0)
		memcpy(tail, at, left);
	tail[left] = 0x80;
	tail_len = left + 1 + LENGTH_SIZE <= BLOCK ? BLOCK : 2 * BLOCK;
	put_words(tail + tail_len - LENGTH_SIZE, bits, 2);
	for (size_t i = 0; i < tail_len; i += BLOCK)
		add_block(state, tail + i);
	put_words(sum, state, 4);
}

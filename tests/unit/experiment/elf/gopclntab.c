/* Function tables as Go programs have them, made up here. */
#include "experiment/elf/gopclntab.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 0x401000 };

static struct {
	uint8_t header[8];
	uint64_t words[8];
	char names[32];
	uint32_t table[8]; /* two functions and the end */
	uint32_t records[4];
} made;

/* main.main of 0x40 bytes, followed by main.work of 0x20. */
static void make(void)
{
	memset(&made, 0, sizeof(made));
	memcpy(made.header, "\xf0\xff\xff\xff\0\0\1\10", 8);
	made.words[0] = 2;
	made.words[2] = TEXT;
	made.words[3] = offsetof(typeof(made), names);
	made.words[7] = offsetof(typeof(made), table);
	memcpy(made.names, "\0main.main\0main.work", 21);
	memcpy(made.table, (uint32_t[]){0x10, 32, 0x50, 40, 0x70}, 20);
	memcpy(made.records, (uint32_t[]){0x10, 1, 0x50, 11}, 16);
}

static struct exp_gopclntab table;
static uint64_t address, size;
static const char *name;

static int open_made(void)
{
	return exp_gopclntab_open(&table, (const uint8_t *)&made, sizeof(made));
}

static int function(uint64_t i)
{
	return exp_gopclntab_function(&table, i, &address, &size, &name);
}

TestSuite(gopclntab, .init = make);

Test(gopclntab, functions_have_addresses_sizes_and_names)
{
	for (int version = 0xf0; version <= 0xf1; version++) {
		made.header[0] = (uint8_t)version;
		cr_assert_eq(open_made(), 0);
		cr_assert_eq(table.count, 2);
		cr_assert_eq(function(0), 1);
		cr_expect_eq(address, TEXT + 0x10);
		cr_expect_eq(size, 0x40);
		cr_expect_str_eq(name, "main.main");
		cr_assert_eq(function(1), 1);
		cr_expect_eq(address, TEXT + 0x50);
		cr_expect_eq(size, 0x20);
		cr_expect_str_eq(name, "main.work");
	}
}

Test(gopclntab, those_of_1_16_are_wider)
{
	struct {
		uint8_t header[8];
		uint64_t words[8];
		char names[16];
		uint64_t table[3];
		uint64_t record[2];
	} wide = {{0xfa, 0xff, 0xff, 0xff, 0, 0, 1, 8},
	          {1, 0, offsetof(typeof(wide), names), 0, 0, 0, offsetof(typeof(wide), table)},
	          "main.main",
	          {TEXT, 24, TEXT + 8},
	          {TEXT, 0}};

	cr_assert_eq(exp_gopclntab_open(&table, (const uint8_t *)&wide, sizeof(wide)), 0);
	cr_assert_eq(function(0), 1);
	cr_expect_eq(address, TEXT);
	cr_expect_eq(size, 8);
	cr_expect_str_eq(name, "main.main");
}

Test(gopclntab, other_heads_are_refused)
{
	cr_assert_eq(exp_gopclntab_open(&table, (const uint8_t *)&made, 71), -ENOTSUP);
#define REFUSED(change) \
	do { \
		make(); \
		change; \
		cr_expect_eq(open_made(), -ENOTSUP, #change); \
	} while (0)
	REFUSED(made.header[0] = 0xfb);
	REFUSED(made.header[4] = 1);
	REFUSED(made.header[7] = 4);
	REFUSED(made.words[0] = 0);
	REFUSED(made.words[0] = 6);
	REFUSED(made.words[0] = UINT64_MAX);
	REFUSED(made.words[2] = 0);
	REFUSED(made.words[3] = sizeof(made));
	REFUSED(made.words[7] = UINT64_MAX);
}

Test(gopclntab, what_is_damaged_is_no_function)
{
#define DAMAGED(change) \
	do { \
		make(); \
		change; \
		cr_assert_eq(open_made(), 0); \
		cr_expect_eq(function(0), 0, #change); \
	} while (0)
	DAMAGED(made.table[2] = 0x10);
	DAMAGED(made.table[1] = 4000);
	DAMAGED(made.records[0] = 0x11);
	DAMAGED(made.records[1] = UINT32_MAX);
	DAMAGED(made.records[1] = 0);
	make();
	memset((char *)&made + offsetof(typeof(made), records), 'x', sizeof(made.records));
	made.records[0] = 0x10;
	made.records[1] = sizeof(made) - offsetof(typeof(made), names) - 3;
	cr_assert_eq(open_made(), 0);
	cr_expect_eq(function(0), 0, "a name without an end");
}

/* The names of all functions may end at the end of one very long text. */
Test(gopclntab, a_name_is_not_looked_for_without_end)
{
	enum { LONG = 1 << 16 };
	size_t whole = sizeof(made) + LONG + 1;
	uint8_t *bytes = calloc(1, whole);

	cr_assert(bytes != NULL);
	made.records[1] = sizeof(made) - offsetof(typeof(made), names);
	memcpy(bytes, &made, sizeof(made));
	memset(bytes + sizeof(made), 'x', LONG);
	cr_assert_eq(exp_gopclntab_open(&table, bytes, whole), 0);
	cr_expect_eq(function(0), 0);
	bytes[sizeof(made) + LONG - 1] = 0;
	cr_expect_eq(function(0), 1);
	free(bytes);
}

Test(gopclntab, any_bytes_are_read_within_bounds)
{
	srand(5);
	for (int turn = 0; turn < 20000; turn++) {
		size_t cut = sizeof(made) - (turn % 3 == 0 ? (size_t)rand() % 60 : 0);
		uint8_t *exact;

		make();
		for (int i = 0; i < 4; i++)
			((uint8_t *)&made)[8 + (size_t)rand() % (sizeof(made) - 8)] = (uint8_t)
				rand();
		exact = malloc(cut); /* exactly as large, so that sanitizers see its end */
		memcpy(exact, &made, cut);
		if (exp_gopclntab_open(&table, exact, cut) == 0)
			for (uint64_t i = 0; i < table.count && i < 10; i++)
				if (function(i))
					cr_assert_leq(strlen(name), cut);
		free(exact);
	}
}

/* Which rows of compared tables belong together: by numbers, by words, by places; several rows with
 * one key; groups without a table. */
#include "analyzer/report/compare/join.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 3, CELLS = 64, MANY = 2000 };

/* A row is two cells, a key and a value: "5:1". */
struct group {
	struct print_cell cells[CELLS];
	struct print_table table;
	char words[CELLS][8];
};

static struct print_column columns[2];

static void make(struct group *group, const char *rows, enum print_type type, size_t key_count)
{
	size_t count = 0;

	columns[0].type = type;
	columns[1].type = PRINT_COUNT;
	memset(group, 0, sizeof(*group));
	for (const char *at = rows; *at != '\0'; at += strcspn(at, " "), at += strspn(at, " ")) {
		struct print_cell *cells = &group->cells[count * 2];
		unsigned value;
		char key[8];

		cr_assert_eq(sscanf(at, "%7[^:]:%u", key, &value), 2);
		strcpy(group->words[count], key);
		cells[0].is_none = strcmp(key, "-") == 0;
		cells[0].text = type == PRINT_WORD && !cells[0].is_none ? group->words[count]
		                                                        : NULL;
		if (type != PRINT_WORD && !cells[0].is_none)
			cells[0].number = strtoul(key, NULL, 10);
		cells[1].number = value;
		count++;
	}
	group->table = (struct print_table){.key_count = key_count,
	                                    .columns = columns,
	                                    .column_count = 2,
	                                    .cells = group->cells,
	                                    .cell_count = count * 2};
}

/* The values of each row, in the order of the groups: "1/2/-" */
static void expect(const char *const rows[GROUPS], enum print_type type, size_t key_count,
                   const char *joined)
{
	static struct group groups[GROUPS];
	const struct print_table *tables[GROUPS];
	struct compare_row *made;
	char text[512] = "";
	size_t count;

	for (size_t i = 0; i < GROUPS; i++) {
		if (rows[i])
			make(&groups[i], rows[i], type, key_count);
		tables[i] = rows[i] ? &groups[i].table : NULL;
	}
	made = compare_join(tables, GROUPS, &count);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < GROUPS; k++) {
			char value[16] = "-";

			if (made[i].cells[k])
				snprintf(value, sizeof(value), "%u",
				         (unsigned)made[i].cells[k][1].number);
			strcat(strcat(text, k > 0 ? "/" : i > 0 ? " " : ""), value);
		}
	cr_expect_str_eq(text, joined, "'%s', not '%s'", text, joined);
	compare_join_free(made, count);
}

Test(compare_join, numbers_are_in_their_order)
{
	expect((const char *const[]){"2:1 5:2 9:3", "1:4 5:5 7:6", "9:7 10:8"}, PRINT_ID, 1,
	       "-/4/- 1/-/- 2/5/- -/6/- 3/-/7 -/-/8");
	expect((const char *const[]){"9:1 2:2", NULL, "2:3"}, PRINT_ID, 1, "2/-/3 1/-/-");
	expect((const char *const[]){"0:1", "-:2", "-:3 0:4"}, PRINT_ID, 1, "-/2/3 1/-/4");
}

Test(compare_join, the_first_ones_of_a_key_are_one_and_the_second_ones)
{
	expect((const char *const[]){"5:1 5:2", "5:3 5:4 5:5", "4:6 5:7"}, PRINT_ID, 1,
	       "-/-/6 1/3/7 2/4/- -/5/-");
	expect((const char *const[]){"b:1 b:2", "b:3 a:4", "b:5 b:6 b:7"}, PRINT_WORD, 1,
	       "1/3/5 2/-/6 -/4/- -/-/7");
}

Test(compare_join, words_are_in_order_of_the_groups)
{
	expect((const char *const[]){"read:1 open:2", NULL, "close:3 open:4"}, PRINT_WORD, 1,
	       "1/-/- 2/-/4 -/-/3");
	expect((const char *const[]){"-:1 a:2", "a:3 -:4", ""}, PRINT_WORD, 1, "1/4/- 2/3/-");
}

Test(compare_join, two_keys_are_both_looked_at)
{
	expect((const char *const[]){"5:1 5:2", "5:2", "5:3 6:1"}, PRINT_ID, 2,
	       "1/-/- 2/2/- -/-/3 -/-/1");
}

Test(compare_join, without_keys_places_count)
{
	expect((const char *const[]){"5:1", "7:2 8:3", "5:4"}, PRINT_ID, 0, "1/2/4 -/3/-");
	expect((const char *const[]){NULL, NULL, ""}, PRINT_ID, 0, "");
}

/* Each row of the second group belongs between two of the first. */
Test(compare_join, many_rows_alternate)
{
	static struct print_cell cells[2][MANY];
	struct print_column column = {.type = PRINT_ID};
	struct print_table tables[2];
	struct compare_row *made;
	size_t count;

	for (size_t k = 0; k < 2; k++) {
		for (size_t i = 0; i < MANY; i++)
			cells[k][i].number = 2 * i + k;
		tables[k] = (struct print_table){.key_count = 1,
		                                 .columns = &column,
		                                 .column_count = 1,
		                                 .cells = cells[k],
		                                 .cell_count = MANY};
	}
	made = compare_join((const struct print_table *const[]){&tables[0], &tables[1]}, 2, &count);
	cr_assert_eq(count, 2 * MANY);
	for (size_t i = 0; i < count; i++)
		cr_assert_eq(made[i].cells[i % 2]->number, i);
	compare_join_free(made, count);
}

/* Methods that the interpreter runs, read from HotSpot's structures (tests/programs/late/jvm.c). */
#include "libcollector/java/java_method.h"
#include "tests/programs/late/jvm.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"
#include "libcollector/java/java_vm.h"
#include "libcollector/write/log.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct walk_memo *memo;
static struct jvm *jvm;

/* Class demo/Known of Known.java, whose method run()V has the bytes of code[] and a line table. */
static struct jvm_symbol class_name, method_name, signature, source;
static struct jvm_class class;
static struct jvm_pool pool;
static struct jvm_const_method constant;
static struct jvm_method method;

static void set_symbol(struct jvm_symbol *symbol, const char *text)
{
	symbol->length = (uint16_t)strlen(text);
	memcpy(symbol->body, text, symbol->length);
}

static void setup(void)
{
	void *libjvm = scratch_load("jvm.so", RTLD_NOW | RTLD_LOCAL);

	scratch_open();
	jvm = dlsym(libjvm, "jvm");
	jvm->release = 17;
	cr_assert_null(java_vm_open(libjvm));
	memo = walk_memo_create(2048);
	memo->page = 1; /* no page, as when a walk begins */
	set_symbol(&class_name, "demo/Known");
	set_symbol(&method_name, "run");
	set_symbol(&signature, "()V");
	set_symbol(&source, "Known.java");
	class.name = &class_name;
	pool = (struct jvm_pool){.holder = &class, .length = 10, .source = 9};
	pool.entries[3] = &method_name;
	pool.entries[4] = &signature;
	pool.entries[9] = &source;
	constant = (struct jvm_const_method){
		.constants = &pool, .code_size = 10, .name = 3, .signature = 4};
	method.constant = &constant;
}

TestSuite(java_method, .init = setup, .fini = scratch_remove);

static uint64_t mark_at(const struct jvm_method *of, int bci)
{
	return java_method_mark(memo, (uint64_t)of, (uint64_t)(of->constant->code + bci));
}

Test(java_method, a_frame_has_the_number_of_its_method_and_its_bytecode)
{
	uint64_t mark = mark_at(&method, 7);

	cr_assert_eq(mark >> 63, 1);
	cr_assert_eq(fmt_pc_java_method(mark), 1);
	cr_assert_eq(fmt_pc_java_bci(mark), 7);
	cr_assert_eq(scratch_count("map.xml", " <method id=\"1\" class=\"demo/Known\" name=\"run\" "
	                                      "signature=\"()V\" source=\"Known.java\"/>"),
	             1);
	mark = mark_at(&method, 0);
	cr_assert_eq(fmt_pc_java_method(mark), 1);
	cr_assert_eq(fmt_pc_java_bci(mark), 0);
	cr_assert_eq(scratch_count("map.xml", "<method "), 1, "it is written once");
	cr_assert_eq(fmt_pc_java_bci(mark_at(&method, 0xfffe)), 0xfffe);
	cr_assert_eq(fmt_pc_java_bci(mark_at(&method, 0x10000)), FMT_BCI_NONE);
	cr_assert_eq(fmt_pc_java_bci(mark_at(&method, -1)), FMT_BCI_NONE);
}

Test(java_method, methods_are_told_apart)
{
	static struct jvm_const_method constants[300];
	static struct jvm_method methods[300];
	static struct jvm_symbol names[300];
	static struct jvm_pool pools[300];
	char name[32];

	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "method%d", i);
		set_symbol(&names[i], name);
		pools[i] = pool;
		pools[i].entries[3] = &names[i];
		constants[i] = constant;
		constants[i].constants = &pools[i];
		methods[i].constant = &constants[i];
	}
	for (int turn = 0; turn < 2; turn++)
		for (uint32_t i = 0; i < 300; i++)
			cr_assert_eq(fmt_pc_java_method(mark_at(&methods[i], 1)), i + 1);
	cr_assert_eq(scratch_count("map.xml", "<method "), 300);
	cr_assert_eq(scratch_count("map.xml", "<method id=\"300\" class=\"demo/Known\" "
	                                      "name=\"method299\""),
	             1);
}

/* Its class was unloaded, and its memory is used again. */
Test(java_method, another_method_at_the_same_address_has_another_number)
{
	static struct jvm_const_method second;

	cr_assert_eq(fmt_pc_java_method(mark_at(&method, 1)), 1);
	second = constant;
	second.name = 9;
	method.constant = &second;
	cr_assert_eq(fmt_pc_java_method(mark_at(&method, 1)), 2);
	cr_assert_eq(fmt_pc_java_method(mark_at(&method, 1)), 2);
	cr_assert_eq(scratch_count("map.xml", "<method id=\"2\" class=\"demo/Known\" "
	                                      "name=\"Known.java\""),
	             1);
}

Test(java_method, a_forked_child_begins_again)
{
	cr_assert_eq(fmt_pc_java_method(mark_at(&method, 1)), 1);
	java_method_forget();
	cr_assert_eq(fmt_pc_java_method(mark_at(&method, 1)), 1);
	cr_assert_eq(scratch_count("map.xml", "<method id=\"1\""), 2);
}

static void is_no_method(const char *why)
{
	cr_assert_eq(mark_at(&method, 1), 0, "%s", why);
	cr_assert_eq(scratch_count("map.xml", "<method "), 0, "%s", why);
}

Test(java_method, what_is_no_method_has_no_mark)
{
	cr_assert_eq(java_method_mark(memo, 16, 0), 0, "nothing is mapped there");
	cr_assert_eq(java_method_mark(memo, (uint64_t)&method + 4, 0), 0);
	method.constant = (const void *)((char *)&constant + 2);
	is_no_method("not aligned");
	method.constant = (const void *)8;
	is_no_method("the first page");
	method.constant = &constant;
	set_symbol(&signature, "run");
	is_no_method("no signature");
	set_symbol(&signature, "()V");
	constant.name = 0;
	is_no_method("no name");
	constant.name = 10;
	is_no_method("beyond the pool");
	constant.name = 5;
	is_no_method("an entry that points nowhere");
	constant.name = 3;
	method_name.length = 0;
	is_no_method("an empty name");
	set_symbol(&method_name, "run");
	class.name = NULL;
	is_no_method("no class");
	class.name = &class_name;
	cr_assert_eq(fmt_pc_java_method(mark_at(&method, 1)), 1, "but this is one");
}

Test(java_method, without_a_source_there_is_none)
{
	pool.source = 0;
	mark_at(&method, 1);
	cr_assert_eq(scratch_count("map.xml", "name=\"run\" signature=\"()V\"/>"), 1);
	java_method_forget();
	java_vm.pool_source = JAVA_VM_NONE;
	pool.source = 9;
	mark_at(&method, 1);
	cr_assert_eq(scratch_count("map.xml", "name=\"run\" signature=\"()V\"/>"), 2);
}

/* At most 800 bytes of a name are written. */
Test(java_method, long_names_are_cut)
{
	char name[1001], wanted[1100];

	for (size_t i = 0; i < 1000; i++)
		name[i] = (char)('a' + i % 26);
	name[1000] = '\0';
	set_symbol(&method_name, name);
	mark_at(&method, 1);
	snprintf(wanted, sizeof(wanted), " name=\"%.800s\" ", name);
	cr_assert_eq(scratch_count("map.xml", wanted), 1);
}

/* The rows in dyntext of the method that was written first. */
static int read_rows(struct java_line *rows, int most)
{
	size_t len;
	char *text = scratch_read("map.xml", &len), *at = strstr(text, " offset=\"");
	char *bytes = scratch_read("dyntext", &len);
	int count = 0;

	if (at) {
		char *lines = strstr(at, " lines=\"");

		count = atoi(lines + 8);
		memcpy(rows, bytes + strtoull(at + 9, NULL, 10),
		       sizeof(*rows) * (size_t)(count < most ? count : most));
	}
	free(text);
	free(bytes);
	return count;
}

static void are_rows(const struct java_line *expected, int count)
{
	struct java_line rows[16] = {{0, 0}};

	mark_at(&method, 1);
	cr_assert_eq(read_rows(rows, 16), count);
	for (int i = 0; i < count; i++)
		cr_assert(rows[i].bci == expected[i].bci && rows[i].line == expected[i].line,
		          "row %d: %u %u", i, rows[i].bci, rows[i].line);
}

/* The table follows the bytecodes: 5 bits of bci and 3 bits of line, or 0xff and two numbers whose
 * lowest bit is their sign. */
Test(java_method, the_line_table_is_unpacked)
{
	/* +0 +5, +3 +2, then -1 and +40 as numbers, +1000 (1, 5 bits each) and -3, the end */
	static const uint8_t table[] = {0x05, 0x1a, 0xff, 0x01, 80, 0xff, 192 + 16, 28, 0x05, 0};
	static const struct java_line expected[] = {{0, 5}, {3, 7}, {2, 47}, {1002, 44}};

	memcpy(constant.code + 10, table, sizeof(table));
	constant.flags = 1;
	are_rows(expected, 4);
}

/* The same without zero bytes: each byte is one more, and numbers from 192 on continue. */
Test(java_method, the_line_table_of_later_releases_is_unpacked)
{
	static const uint8_t table[] = {0x05, 0x1a, 0xff, 0x02, 81, 0xff, 192 + 17, 29, 0x06, 0};
	static const struct java_line expected[] = {{0, 5}, {3, 7}, {2, 47}, {1002, 44}};

	memcpy(constant.code + 10, table, sizeof(table));
	constant.flags = 1;
	jvm->release = 20;
	are_rows(expected, 4);
}

Test(java_method, flags_say_whether_there_is_a_line_table)
{
	constant.code[10] = 0x05;
	constant.flags = 2;
	constant.flags_new = 1;
	are_rows(NULL, 0);
	java_method_forget();
	java_vm.const_flags = JAVA_VM_NONE;
	are_rows((const struct java_line[]){{0, 5}}, 1);
}

Test(java_method, flags_that_nobody_knows_say_nothing)
{
	constant.code[10] = 0x05;
	constant.flags = constant.flags_new = 1;
	java_vm.const_flags = java_vm.const_flags_new = JAVA_VM_NONE;
	are_rows(NULL, 0);
}

Test(java_method, a_line_table_without_end_is_cut)
{
	static struct {
		struct jvm_const_method constant;
		uint8_t rest[4000];
	} endless;
	struct java_line rows[4];

	endless.constant = constant;
	endless.constant.flags = 1;
	memset(endless.constant.code, 0x09, sizeof(endless.constant.code));
	memset(endless.rest, 0x09, sizeof(endless.rest));
	method.constant = &endless.constant;
	mark_at(&method, 1);
	cr_assert_eq(read_rows(rows, 4), 1024);
	cr_assert(rows[3].bci == 4 && rows[3].line == 4);
}

Test(java_method, nothing_is_kept_when_no_memory_for_names_is_left)
{
	char *texts[6];

	for (int i = 0; i < 6; i++)
		texts[i] = col_text_borrow();
	mark_at(&method, 1);
	for (int i = 5; i >= 0; i--)
		col_text_return(texts[i]);
	cr_assert_eq(scratch_count("map.xml", "<method "), 0);
	cr_assert_neq(mark_at(&method, 1), 0);
	cr_assert_eq(scratch_count("map.xml", "<method "), 1, "the next time");
}

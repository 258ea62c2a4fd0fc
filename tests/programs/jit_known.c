/* jit_known: creates functions while it runs, and describes them as runtimes do that do not know
 * Xer.
 *
 * usage: jit_known map|dump|gdb|all|none [kill]
 *
 * Facts: the code of each function calls the function that it is given, once. `one` is created and
 * called 7 times; `two` takes its place and is called 5 times; `three` is other code, called 3
 * times. The function that they call allocates 100 bytes and frees nothing. Between the functions
 * 40 ms pass, and a usage sample is taken. map: they are described in /tmp/perf-PID.map, as .NET
 * does; the line of `two` is "ADDRESS 9 two(int) /src/two.js:30:5". Then a line of nonsense and
 * half a line follow. dump: they are described in jit-PID.dump in the working directory, which is
 * mapped executable as V8 does. Each has the lines 10, 11 (the call), 12 of /src/maker.jit; `three`
 * is moved, and called 2 times more. The last record is cut off. gdb: they are registered for
 * debuggers, by a relocatable ELF file in memory each, without code and lines; that of `one` is
 * withdrawn before `two` is created. all: `one` is described as by map, `two` as by dump, `three`
 * as by gdb; nothing is moved or damaged. none: nothing is described, and 240 ms pass instead of
 * 40: longer than the time for which a page of code is not looked at again. It prints its pid. With
 * "kill" it ends by SIGKILL, else with 0; the files stay. */
#include "include/collectorAPI.h"

#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret; and a byte by which they differ */
static unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3, 0x90};
enum { SIZE = sizeof(code), HEADER = 40 };

static void *volatile last;
static FILE *map, *dump;
static unsigned count;
enum way { NONE, MAP, DUMP, GDB, ALL };
static useconds_t moment_us = 20000;

static __attribute__((noinline)) void allocate(void)
{
	last = malloc(100);
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void put(const void *bytes, size_t size)
{
	fwrite(bytes, 1, size, dump);
}

static void put_record(uint32_t id, size_t size)
{
	uint32_t head[2] = {id, (uint32_t)(16 + size)};
	uint64_t time = now();

	put(head, sizeof(head));
	put(&time, sizeof(time));
}

static void open_dump(void)
{
	uint32_t head[6] = {0x4a695444, 1, HEADER, EM_X86_64, 0, (uint32_t)getpid()};
	uint64_t rest[2] = {now(), 0};
	char name[64];

	snprintf(name, sizeof(name), "jit-%d.dump", (int)getpid());
	dump = fopen(name, "w+");
	if (!dump)
		exit(1);
	put(head, sizeof(head));
	put(rest, sizeof(rest));
	fflush(dump);
	mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0);
}

static void dump_lines(const unsigned char *at)
{
	static const char file[] = "/src/maker.jit", same[] = "\xff";
	static const unsigned offsets[] = {0, 4, 6};
	uint64_t head[2] = {(uint64_t)at, 3};

	put_record(2, sizeof(head) + 3 * 16 + sizeof(file) + 2 * sizeof(same));
	put(head, sizeof(head));
	for (unsigned i = 0; i < 3; i++) {
		uint64_t address = (uint64_t)at + offsets[i];
		uint32_t line[2] = {10 + i, 0};

		put(&address, sizeof(address));
		put(line, sizeof(line));
		put(i == 0 ? file : same, i == 0 ? sizeof(file) : sizeof(same));
	}
}

static void dump_load(const char *name, const unsigned char *at)
{
	uint32_t ids[2] = {(uint32_t)getpid(), (uint32_t)syscall(SYS_gettid)};
	uint64_t rest[4] = {(uint64_t)at, (uint64_t)at, SIZE, ++count};

	dump_lines(at);
	put_record(0, sizeof(ids) + sizeof(rest) + strlen(name) + 1 + SIZE);
	put(ids, sizeof(ids));
	put(rest, sizeof(rest));
	put(name, strlen(name) + 1);
	put(at, SIZE);
}

static void dump_move(const unsigned char *from, const unsigned char *to)
{
	uint32_t ids[2] = {(uint32_t)getpid(), (uint32_t)syscall(SYS_gettid)};
	uint64_t rest[5] = {(uint64_t)to, (uint64_t)from, (uint64_t)to, SIZE, count};

	put_record(1, sizeof(ids) + sizeof(rest));
	put(ids, sizeof(ids));
	put(rest, sizeof(rest));
}

static void open_map(void)
{
	char name[64];

	snprintf(name, sizeof(name), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(name, "w");
	if (!map)
		exit(1);
}

/* ---- the interface of gdb ---- */

struct jit_code_entry {
	struct jit_code_entry *next, *previous;
	const void *file;
	uint64_t size;
};

struct jit_descriptor {
	uint32_t version, action;
	struct jit_code_entry *relevant, *first;
};

struct jit_descriptor __jit_debug_descriptor = {1, 0, NULL, NULL};

void __attribute__((noinline)) __jit_debug_register_code(void)
{
	__asm__ volatile("");
}

enum { SECTION_TEXT = 1, SECTION_SYMBOLS, SECTION_NAMES, SECTIONS };

struct object_file {
	Elf64_Ehdr header;
	Elf64_Shdr sections[SECTIONS];
	Elf64_Sym symbols[2];
	char names[16];
};

static struct jit_code_entry entries[3];
static struct object_file files[3];

static void register_function(const char *name, const unsigned char *at)
{
	struct object_file *file = &files[count];
	struct jit_code_entry *entry = &entries[count++];

	memcpy(file->header.e_ident, ELFMAG, SELFMAG);
	file->header.e_ident[EI_CLASS] = ELFCLASS64;
	file->header.e_ident[EI_DATA] = ELFDATA2LSB;
	file->header.e_ident[EI_VERSION] = EV_CURRENT;
	file->header.e_type = ET_REL;
	file->header.e_machine = EM_X86_64;
	file->header.e_version = EV_CURRENT;
	file->header.e_shoff = offsetof(struct object_file, sections);
	file->header.e_ehsize = sizeof(file->header);
	file->header.e_shentsize = sizeof(file->sections[0]);
	file->header.e_shnum = SECTIONS;
	file->header.e_shstrndx = SECTION_NAMES;
	file->sections[SECTION_TEXT] = (Elf64_Shdr){.sh_type = SHT_NOBITS,
	                                            .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
	                                            .sh_addr = (uint64_t)at,
	                                            .sh_size = SIZE};
	file->sections[SECTION_SYMBOLS] = (Elf64_Shdr){
		.sh_type = SHT_SYMTAB,
		.sh_offset = offsetof(struct object_file, symbols),
		.sh_size = sizeof(file->symbols),
		.sh_link = SECTION_NAMES,
		.sh_info = 1,
		.sh_entsize = sizeof(file->symbols[0])};
	file->sections[SECTION_NAMES] = (Elf64_Shdr){
		.sh_type = SHT_STRTAB,
		.sh_offset = offsetof(struct object_file, names),
		.sh_size = sizeof(file->names)};
	file->symbols[1] = (Elf64_Sym){.st_name = 1,
	                               .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
	                               .st_shndx = SECTION_TEXT,
	                               .st_size = SIZE};
	snprintf(file->names + 1, sizeof(file->names) - 1, "%s", name);
	entry->file = file;
	entry->size = sizeof(*file);
	entry->next = __jit_debug_descriptor.first;
	if (entry->next)
		entry->next->previous = entry;
	__jit_debug_descriptor.relevant = __jit_debug_descriptor.first = entry;
	__jit_debug_descriptor.action = 1;
	__jit_debug_register_code();
}

static void unregister_function(void)
{
	struct jit_code_entry *entry = __jit_debug_descriptor.first;

	__jit_debug_descriptor.first = entry->next;
	__jit_debug_descriptor.relevant = entry;
	__jit_debug_descriptor.action = 2;
	__jit_debug_register_code();
	memset(&files[entry - entries], 0xff, sizeof(files[0]));
}

/* Everything that was announced is in the files. */
static void flush(void)
{
	if (map)
		fflush(map);
	if (dump)
		fflush(dump);
}

static void tell(const char *name, const unsigned char *at, enum way by)
{
	if (by == GDB)
		register_function(name, at);
	else if (by == DUMP)
		dump_load(name, at);
	else if (by == MAP)
		fprintf(map, "%lx %x %s\n", (unsigned long)at, SIZE, name);
	flush();
}

static void call(unsigned char *at, int calls)
{
	void (*maker)(void (*)(void)) = (void (*)(void (*)(void)))(void *)at;

	for (int i = 0; i < calls; i++)
		maker(allocate);
}

static void wait_a_moment(void)
{
	usleep(moment_us);
	collector_sample("between");
	usleep(moment_us);
}

static void make(unsigned char *at, const char *name, int calls, enum way by)
{
	code[SIZE - 1]++;
	memcpy(at, code, SIZE);
	tell(name, at, by);
	wait_a_moment();
	call(at, calls);
	wait_a_moment();
}

static enum way find_way(const char *word)
{
	static const char *const words[] = {
		[MAP] = "map", [DUMP] = "dump", [GDB] = "gdb", [ALL] = "all"};

	for (enum way found = MAP; found <= ALL; found++)
		if (strcmp(words[found], word) == 0)
			return found;
	return NONE;
}

int main(int argc, char **argv)
{
	unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
	                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	enum way way;

	if (argc < 2 || page == MAP_FAILED)
		return 1;
	way = find_way(argv[1]);
	if (way == NONE)
		moment_us = 120000;
	if (way == DUMP || way == ALL)
		open_dump();
	if (way == MAP || way == ALL)
		open_map();
	make(page, "one", 7, way == ALL ? MAP : way);
	if (way == GDB)
		unregister_function();
	make(page, way == MAP ? "two(int) /src/two.js:30:5" : "two", 5, way == ALL ? DUMP : way);
	make(page + 64, "three", 3, way == ALL ? GDB : way);
	if (way == DUMP) {
		memcpy(page + 128, page + 64, SIZE);
		dump_move(page + 64, page + 128);
		wait_a_moment();
		call(page + 128, 2);
		put_record(0, 1000);
	} else if (way == MAP) {
		fprintf(map, "what is this\n1000 20");
	}
	flush();
	printf("%d\n", (int)getpid());
	fflush(stdout);
	if (argc > 2 && strcmp(argv[2], "kill") == 0)
		raise(SIGKILL);
	return 0;
}

/* sleds.c: patch the sleds of each object, once. They stay patched: what they lead to looks whether calls are recorded.
 *
 * Patching, while other threads may run the code: behind the first two bytes, which jump over the rest (an exit sled:
 * return before it), the code may be changed at will; then all processors are told; then the first two bytes are stored
 * at once. The bytes go through /proc/self/mem, which needs no writable code; the two go through a short time in which
 * the pages can be written and executed.
 *
 * Objects loaded later are noticed by a jump in the function of the loader that is there for debuggers to stop in. */
#include "sleds.h"

#include "functrace.h"
#include "functrace_choice.h"
#include "log.h"
#include "sled.h"
#include "sled_entry.h"

#include <errno.h>
#include <link.h>
#include <linux/membarrier.h>

enum {
	OBJECTS = 1024,
	FIRST_ID = 1,
	LAST_ID = (1 << 27) - 1, /* behind it are the numbers of functrace_hooks.c */
	STUB_SIZE = 16,
	PAGE = 4096,
	SEARCH_STEP = 1 << 20, /* for room near an object */
	SEARCH_STEPS = 1024
};

/* An object whose sleds are patched. Its ids are first_id and the following ones. */
struct object {
	uint64_t bias;  /* a key, with map */
	const uint8_t *map, *end; /* in memory */
	uint32_t first_id;
	int is_gone;
};

static struct object objects[OBJECTS];
static uint32_t object_count, next_id = FIRST_ID;
static atomic_uint busy;
static int memory_fd = -1;

/* ---- writing code ---- */

static int write_code(uint64_t address, const uint8_t *code, size_t size)
{
	return sys_pwrite(memory_fd, code, size, address) == (long)size ? 0 : -EACCES;
}

static void tell_processors(void)
{
	SYS3(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
}

/* Make the pages of [from, to) writable, or not any more; they can be executed all the time. */
static int open_pages(uint64_t from, uint64_t to, int is_open)
{
	uint64_t start = from & ~(uint64_t)(PAGE - 1);

	return (int)SYS3(SYS_mprotect, start, to - start, PROT_READ | PROT_EXEC | (is_open ? PROT_WRITE : 0));
}

static void store_head(uint64_t address, const uint8_t code[SLED_HEAD], int is_open)
{
	uint16_t head;

	memcpy(&head, code, sizeof(head));
	if (is_open)
		__atomic_store_n((uint16_t *)address, head, __ATOMIC_RELEASE);
	else
		write_code(address, code, SLED_HEAD);
}

/* ---- a page near an object from which all of this library can be reached ---- */

static uint8_t *map_near(uint64_t address)
{
	for (uint64_t i = 1; i <= SEARCH_STEPS; i++)
		for (int side = 0; side < 2; side++) {
			uint64_t at = (address & ~(uint64_t)(SEARCH_STEP - 1)) + (side ? -i : i) * SEARCH_STEP;
			long got = SYS6(SYS_mmap, at, PAGE, PROT_READ | PROT_WRITE,
			                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

			if (got == (long)at)
				return (uint8_t *)at;
			if (got > 0)
				sys_munmap((void *)got, PAGE); /* a kernel that does not know the flag */
		}
	return NULL;
}

/* Stub i: jmp *0(%rip), then the address. */
static void put_stub(uint8_t *page, unsigned i, void (*target)(void))
{
	static const uint8_t jump[6] = {0xff, 0x25, 0, 0, 0, 0};

	memcpy(page + (size_t)i * STUB_SIZE, jump, sizeof(jump));
	memcpy(page + (size_t)i * STUB_SIZE + sizeof(jump), &target, sizeof(target));
}

/* In order of enum sled_kind, as far as there are entries. */
static uint8_t *make_stubs(uint64_t near)
{
	uint8_t *page = map_near(near);
	unsigned i = 0;

	if (!page)
		return NULL;
#define X(name) put_stub(page, i++, name);
	SLED_ENTRIES(X)
#undef X
	if (SYS3(SYS_mprotect, page, PAGE, PROT_READ | PROT_EXEC) < 0) {
		sys_munmap(page, PAGE);
		return NULL;
	}
	return page;
}

/* ---- an object ---- */

struct patch {
	const struct object *object;
	const uint8_t *stubs;
	uint64_t low, high; /* of the sleds */
	int is_open;
};

typedef void visitor(struct patch *patch, const struct sled *sled, uint32_t id, int is_first);

static int is_function(const struct sled *sled)
{
	return sled->kind <= SLED_ENTER_ARGUMENT;
}

/* Numbers are LLVM's: sleds in order of the map, a new number where the function is another one. Returns how many. */
static uint32_t walk(const struct object *object, struct patch *patch, visitor *visit)
{
	uint64_t function = 0;
	uint32_t count = 0;

	for (const uint8_t *entry = object->map; (size_t)(object->end - entry) >= SLED_ENTRY_SIZE; entry += SLED_ENTRY_SIZE) {
		struct sled sled;
		int is_first;

		sled_get(entry, &sled);
		is_first = sled.function != function;
		count += (uint32_t)is_first;
		function = sled.function;
		if (visit)
			visit(patch, &sled, object->first_id + count - 1, is_first);
	}
	return count;
}

static void name_one(struct patch *patch, const struct sled *sled, uint32_t id, int is_first)
{
	(void)patch;
	if (is_first && choice_has(sled->function))
		functrace_name(id, sled->function, FMT_function_source_SLEDS);
}

static int is_patchable(const struct sled *sled)
{
	return is_function(sled) && sled_is_original(sled, (const uint8_t *)sled->address) && choice_has(sled->function);
}

static void check_one(struct patch *patch, const struct sled *sled, uint32_t id, int is_first)
{
	(void)id;
	(void)is_first;
	if (!is_function(sled) || !choice_has(sled->function))
		return;
	if (!sled_is_original(sled, (const uint8_t *)sled->address)) {
		patch->high = UINT64_MAX;
		return;
	}
	patch->low = sled->address < patch->low ? sled->address : patch->low;
	patch->high = sled->address + SLED_SIZE > patch->high ? sled->address + SLED_SIZE : patch->high;
}

static void write_tail(struct patch *patch, const struct sled *sled, uint32_t id, int is_first)
{
	uint8_t code[SLED_SIZE];

	(void)is_first;
	if (is_patchable(sled) && sled_make(sled, id, (uint64_t)(patch->stubs + sled->kind * STUB_SIZE), code) == 0)
		write_code(sled->address + SLED_HEAD, code + SLED_HEAD, SLED_SIZE - SLED_HEAD);
}

static void write_head(struct patch *patch, const struct sled *sled, uint32_t id, int is_first)
{
	uint8_t code[SLED_SIZE];

	(void)is_first;
	if (!is_patchable(sled) || sled_make(sled, id, (uint64_t)(patch->stubs + sled->kind * STUB_SIZE), code) < 0 ||
	    memcmp((const uint8_t *)sled->address + SLED_HEAD, code + SLED_HEAD, SLED_SIZE - SLED_HEAD) != 0)
		return;
	store_head(sled->address, code, patch->is_open);
}

/* Patch an object whose numbers are given. Returns 0 or -errno. */
static int patch_object(const struct object *object)
{
	struct patch patch = {.object = object, .low = UINT64_MAX};

	walk(object, &patch, check_one);
	if (patch.high == UINT64_MAX)
		return -EBUSY; /* somebody else has patched it, LLVM's own runtime for example */
	if (patch.high == 0)
		return 0;
	patch.stubs = make_stubs((uint64_t)object->map);
	if (!patch.stubs)
		return -ENOMEM;
	walk(object, &patch, name_one);
	walk(object, &patch, write_tail);
	tell_processors();
	patch.is_open = open_pages(patch.low, patch.high, 1) == 0;
	walk(object, &patch, write_head);
	if (patch.is_open)
		open_pages(patch.low, patch.high, 0);
	tell_processors();
	return 0;
}

static struct object *find_object(const uint8_t *map, uint64_t bias)
{
	for (uint32_t i = 0; i < object_count; i++)
		if (objects[i].map == map && objects[i].bias == bias)
			return &objects[i];
	return NULL;
}

/* Take an object with a map. One that comes back to its place keeps its numbers only as long as it was never gone. */
static int take_object(uint64_t bias, const uint8_t *map, uint64_t size)
{
	struct object *object = find_object(map, bias);
	uint32_t count;

	if (object && !object->is_gone)
		return 0;
	if (!object && object_count == OBJECTS)
		return -ENOSPC;
	if (!object)
		object = &objects[object_count++];
	*object = (struct object){.bias = bias, .map = map, .end = map + size, .first_id = next_id};
	count = walk(object, NULL, NULL);
	if (count > LAST_ID - next_id) {
		object->end = object->map;
		return -EOVERFLOW;
	}
	next_id += count;
	return patch_object(object);
}

static void see_object(const char *path, uint64_t bias)
{
	struct elffile file;
	uint64_t address, length;
	int error = 0;

	if (elffile_map(path, &file) < 0)
		return;
	if (sled_find_section(&file, "xray_instr_map", &address, &length) == 0)
		error = take_object(bias, (const uint8_t *)(bias + address), length);
	elffile_unmap(&file);
	if (error == -EBUSY)
		col_log_warning("function tracing: sleds that others have patched are left alone");
	else if (error < 0)
		col_log_warning("function tracing: the sleds of an object could not be patched");
}

/* ---- all objects ---- */

static void see_all(void)
{
	if (atomic_exchange(&busy, 1))
		return;
	memory_fd = (int)sys_openat(AT_FDCWD, "/proc/self/mem", O_RDWR, 0);
	if (memory_fd >= 0) {
		for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next)
			see_object(map == _r_debug.r_map ? "/proc/self/exe" : map->l_name, map->l_addr);
		sys_close(memory_fd);
	}
	memory_fd = -1;
	atomic_store(&busy, 0);
}

/* The loader is there: it has loaded something, or is about to. */
static void on_load(void)
{
	if (functrace_is_wanted() && _r_debug.r_state == RT_CONSISTENT)
		see_all();
}

/* The function is empty: at most endbr64, then a return, and room until the next function begins. */
static void watch_loader(void)
{
	static const uint8_t mark[4] = {0xf3, 0x0f, 0x1e, 0xfa};
	static const uint8_t fillers[] = {0x0f, 0x2e, 0x66, 0x90, 0xcc};
	static int is_watched;
	const uint8_t *code = (const uint8_t *)_r_debug.r_brk;
	uint8_t jump[5] = {0xe9};
	int64_t distance;
	int32_t relative;

	if (is_watched || !code)
		return;
	code += memcmp(code, mark, sizeof(mark)) == 0 ? sizeof(mark) : 0;
	distance = (int64_t)((uint64_t)(uintptr_t)on_load - ((uint64_t)(uintptr_t)code + sizeof(jump)));
	relative = (int32_t)distance;
	memcpy(jump + 1, &relative, sizeof(relative));
	memory_fd = (int)sys_openat(AT_FDCWD, "/proc/self/mem", O_RDWR, 0);
	if (code[0] != 0xc3 || !memchr(fillers, code[1], sizeof(fillers)) || ((uintptr_t)code & 15) > 11 || relative != distance || memory_fd < 0 ||
	    write_code((uint64_t)(uintptr_t)code + 1, jump + 1, 4) < 0 || write_code((uint64_t)(uintptr_t)code, jump, 1) < 0)
		col_log_warning("function tracing: sleds of objects that are loaded later are not seen");
	if (memory_fd >= 0)
		sys_close(memory_fd);
	memory_fd = -1;
	is_watched = 1;
}

void sleds_start(void)
{
	if (!sled_entry_is_possible())
		return;
	SYS3(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
	see_all();
	watch_loader();
}

void sleds_name_all(void)
{
	for (uint32_t i = 0; i < object_count; i++)
		if (!objects[i].is_gone)
			walk(&objects[i], NULL, name_one);
}

void sleds_forget(void)
{
	for (uint32_t i = 0; i < object_count; i++) {
		struct dl_find_object found;

		if (!objects[i].is_gone && _dl_find_object((void *)(uintptr_t)objects[i].map, &found) != 0)
			objects[i].is_gone = 1;
	}
}

/* unmapped.c: see unmapped.h.
 *
 * Memory that may be unmapped at any time is read by the kernel only, which refuses what does not
 * exist: a page is written to a place of dyntext that is reserved for this, and read back from
 * there. If another thread, or the interrupted code, is at work here, nothing is done: the next
 * frame in the page brings it again.
 * See doc/decisions/37-jit-code.md. */
#include "libcollector/jit/unmapped.h"

#include "libcollector/base/file.h"
#include "libcollector/base/object.h"
#include "libcollector/jit/code_element.h"
#include "libcollector/jit/dynamic.h"
#include "libcollector/jit/gdbjit.h"
#include "libcollector/write/log.h"
#include "libcollector/unwind/walk_step.h"

#include <string.h>

enum { PAGE = 4096, PAGES = 4096, PROBES = 16, REGIONS = 256, MISSES_MAX = 64 };
enum { WRITES_MAX = 16, ALL_WRITES_MAX = 16384, LOOKS_A_SECOND = 10, MAPS_READS_MAX = 512 };

/* A page that was met, by its address. */
struct page {
	atomic_uint_fast64_t address;
	atomic_uint_fast64_t next; /* event time: not read again before */
	uint64_t sum;              /* of its contents */
	atomic_uint writes;
};

static struct page pages[PAGES];
static atomic_uint has_pages; /* some are in use; a forked child need not clear the others */

/* What follows belongs to the thread that holds the lock. */
static atomic_uint is_locked;
static struct region {
	uint64_t start, end;
} regions[REGIONS];
static unsigned region_count, miss_count, write_count;
static uint64_t scratch; /* offset in dyntext + 1; 0: none yet */
static uint64_t contents[PAGE / sizeof(uint64_t)];

static struct page *page_of(uint64_t address)
{
	uint64_t home = (address >> 12) * 0x9e3779b97f4a7c15u >> 40;

	for (unsigned i = 0; i < PROBES; i++) {
		struct page *page = &pages[(home + i) % PAGES];
		uint_fast64_t seen = atomic_load_explicit(&page->address, memory_order_relaxed);

		if (seen == 0)
			atomic_store_explicit(&has_pages, 1, memory_order_relaxed);
		if (seen == address ||
		    (seen == 0 && (atomic_compare_exchange_strong(&page->address, &seen, address) ||
		                   seen == address)))
			return page;
	}
	return NULL;
}

/* ---- where it is mapped ---- */

/* "START-END" of a line of /proc/self/maps. Returns what follows it, or NULL. */
static const char *parse_range(const char *at, uint64_t *start, uint64_t *end)
{
	uint64_t *to = start;

	*start = *end = 0;
	for (;; at++) {
		if (*at >= '0' && *at <= '9')
			*to = *to << 4 | (uint64_t)(*at - '0');
		else if (*at >= 'a' && *at <= 'f')
			*to = *to << 4 | (uint64_t)(*at - 'a' + 10);
		else if (*at == '-' && to == start)
			to = end;
		else
			return *at == ' ' && to == end ? at + 1 : NULL;
	}
}

/* Use the line if it is of an executable mapping that contains `address`. Returns 1 if so, -1 if it
 * is beyond the address. */
static int take_line(const char *line, uint64_t address, struct region *out)
{
	const char *rights = parse_range(line, &out->start, &out->end);

	if (!rights)
		return 0;
	if (out->start > address)
		return -1;
	return address < out->end && strnlen(rights, 3) == 3 && rights[2] == 'x';
}

/* The executable mapping that contains an address. Returns 1, or 0: there is none, or it cannot be
 * read. Only the beginnings of long lines are kept, which is enough. */
static int find_mapping(uint64_t address, struct region *out)
{
	char *buffer = (char *)contents, line[64];
	long fd = sys_openat(AT_FDCWD, "/proc/self/maps", O_RDONLY, 0), size;
	unsigned len = 0;
	int found = 0;

	for (int reads = 0; fd >= 0 && !found && reads < MAPS_READS_MAX; reads++) {
		size = SYS3(SYS_read, fd, buffer, sizeof(contents));
		if (size <= 0)
			break;
		for (long i = 0; i < size && !found; i++) {
			if (buffer[i] != '\n') {
				if (len < sizeof(line) - 1)
					line[len++] = buffer[i];
				continue;
			}
			line[len] = '\0';
			len = 0;
			found = take_line(line, address, out);
		}
	}
	if (fd >= 0)
		sys_close((int)fd);
	return found > 0;
}

/* The start of the region that contains the page, as it was mapped when its first page was found;
 * 0: there is no such region. */
static uint64_t region_of(uint64_t address)
{
	struct object_found unused;

	for (unsigned i = 0; i < region_count; i++)
		if (address >= regions[i].start && address < regions[i].end)
			return regions[i].start;
	if (region_count >= REGIONS || miss_count >= MISSES_MAX ||
	    object_find((uintptr_t)address, &unused) == 0)
		return 0;
	if (!find_mapping(address, &regions[region_count])) {
		miss_count++;
		return 0;
	}
	return regions[region_count++].start;
}

/* ---- what is there ---- */

static uint64_t sum_of_contents(void)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < sizeof(contents) / sizeof(contents[0]); i++)
		sum = (sum ^ contents[i]) * 0x9e3779b97f4a7c15u + (sum >> 29);
	return sum | 1; /* 0: not read */
}

/* Copy the page to `contents`. Returns its checksum, 0 if it cannot be read. */
static uint64_t read_page(int fd, uint64_t address)
{
	if (!scratch)
		scratch = dynamic_text_reserve(PAGE) + 1;
	if (col_file_may_grow(scratch - 1 + PAGE) < 0 ||
	    sys_pwrite(fd, (void *)address, PAGE, scratch - 1) != PAGE ||
	    sys_pread(fd, contents, PAGE, scratch - 1) != PAGE)
		return 0;
	return sum_of_contents();
}

/* Returns where in dyntext they are now, or UINT64_MAX. */
static uint64_t write_contents(int fd)
{
	uint64_t at = dynamic_text_reserve(PAGE);

	return col_file_may_grow(at + PAGE) == 0 && sys_pwrite(fd, contents, PAGE, at) == PAGE
	               ? at
	               : UINT64_MAX;
}

static void look(struct page *page, uint64_t address)
{
	uint64_t start = region_of(address), sum, offset = UINT64_MAX;
	int fd = start ? dynamic_text_fd() : -1;

	if (!start)
		return;
	sum = fd < 0 ? 0 : read_page(fd, address);
	if (page->writes > 0 && (sum == 0 || sum == page->sum))
		return;
	if (sum && write_count++ < ALL_WRITES_MAX)
		offset = write_contents(fd);
	if (code_element_write(address, PAGE, start, offset) == 0) {
		page->sum = sum;
		page->writes++;
	}
}

void unmapped_see(uint64_t pc)
{
	uint64_t address = pc & ~(uint64_t)(PAGE - 1), now = col_ticks();
	struct page *page;

	if (!col_is_recording() || address == 0 || pc >> ARCH_ADDRESS_BITS)
		return;
	page = page_of(address);
	if (!page)
		return;
	if (now >= atomic_load_explicit(&page->next, memory_order_relaxed) &&
	    !atomic_exchange(&is_locked, 1)) {
		if (page->writes < WRITES_MAX)
			look(page, address);
		atomic_store_explicit(&page->next, now + col.descriptor.clock_hz / LOOKS_A_SECOND,
		                      memory_order_relaxed);
		atomic_store(&is_locked, 0);
	}
	if (page->writes > 0) /* it is code */
		gdbjit_look();
}

void unmapped_load(void)
{
	walk_tell_unmapped(unmapped_see);
}

void unmapped_forget(void)
{
	gdbjit_forget();
	if (atomic_exchange(&has_pages, 0))
		memset(pages, 0, sizeof(pages));
	region_count = miss_count = write_count = 0;
	scratch = 0;
	atomic_store(&is_locked, 0);
}

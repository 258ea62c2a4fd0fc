/* io_epoll.c: see io_epoll.h. */
#include "libcollector/io/io_epoll.h"

#include "libcollector/base/collector.h"

/* A word of `by_data` is a tag of 48 bits and a descriptor below SEVERAL, or SEVERAL; 0: free. The
 * other bits of the hash are its place. That of `tags` is the last tag of a descriptor. */
enum { FD_BITS = 16, PLACE_BITS = 16, HASH_BITS = 64, SEVERAL = (1 << FD_BITS) - 1 };

static _Atomic(_Atomic(uint64_t) *) by_data, tags;

static void make(_Atomic(_Atomic(uint64_t) *) *table)
{
	_Atomic(uint64_t) *words = atomic_load(table);
	size_t size = sizeof(*words) << PLACE_BITS;

	if (words)
		sys_madvise(words, size, MADV_DONTNEED);
	else
		atomic_store(table, sys_mmap_anonymous(size));
}

void io_epoll_open(void)
{
	make(&by_data);
	make(&tags);
}

static uint64_t hash_of(int epoll, uint64_t data)
{
	uint64_t mixed = (data ^ (uint64_t)(unsigned)epoll << 40) * 0x9e3779b97f4a7c15u;

	return (mixed ^ mixed >> 32) * 0xbf58476d1ce4e5b9u;
}

/* Never 0. */
static uint64_t tag_of(uint64_t hash)
{
	return hash << FD_BITS | UINT64_C(1) << FD_BITS;
}

static _Atomic(uint64_t) *place_of(_Atomic(_Atomic(uint64_t) *) *table, uint64_t place)
{
	_Atomic(uint64_t) *words = atomic_load_explicit(table, memory_order_relaxed);

	return words ? &words[place] : NULL;
}

/* Is another descriptor registered with the same? If it was closed or taken out, it is not. */
static int is_taken(uint64_t word, uint64_t tag, int fd)
{
	unsigned other = (unsigned)(word & SEVERAL);
	const _Atomic(uint64_t) *known = place_of(&tags, other);

	if (word >> FD_BITS != tag >> FD_BITS || other == (unsigned)fd)
		return 0;
	return other == SEVERAL ||
	       (known && atomic_load_explicit(known, memory_order_relaxed) == tag);
}

void io_epoll_put(int epoll, int fd, uint64_t data)
{
	uint64_t hash = hash_of(epoll, data), tag = tag_of(hash), word;
	_Atomic(uint64_t) *place = place_of(&by_data, hash >> (HASH_BITS - PLACE_BITS));
	_Atomic(uint64_t) *known = (unsigned)fd < SEVERAL ? place_of(&tags, (uint64_t)fd) : NULL;

	if (!place || !known)
		return;
	word = atomic_load_explicit(place, memory_order_relaxed);
	atomic_store_explicit(known, tag, memory_order_relaxed);
	word = tag | (is_taken(word, tag, fd) ? SEVERAL : (unsigned)fd);
	atomic_store_explicit(place, word, memory_order_relaxed);
}

void io_epoll_forget(int fd)
{
	_Atomic(uint64_t) *known = (unsigned)fd < SEVERAL ? place_of(&tags, (uint64_t)fd) : NULL;

	if (known && atomic_load_explicit(known, memory_order_relaxed))
		atomic_store_explicit(known, 0, memory_order_relaxed);
}

int io_epoll_find(int epoll, uint64_t data)
{
	uint64_t hash = hash_of(epoll, data), word, tag = tag_of(hash);
	const _Atomic(uint64_t) *place = place_of(&by_data, hash >> (HASH_BITS - PLACE_BITS));

	word = place ? atomic_load_explicit(place, memory_order_relaxed) : 0;
	return word >> FD_BITS == tag >> FD_BITS && (word & SEVERAL) != SEVERAL
	               ? (int)(word & SEVERAL)
	               : -1;
}

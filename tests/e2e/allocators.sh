# Allocators other than that of the C library: ones that replace it, ones of the program's own, and operator new.
sources=$(cd "$(dirname "$0")/../programs" && pwd)
. "$(dirname "$0")/lib.sh"

metrics=(-metrics i.heapalloccnt:i.heapallocbytes:i.heapleakcnt:i.heapleakbytes:name -functions)

# row NAME FUNCTION COUNT BYTES LEAKS LEAKED
row()
{
	is "$1: $2" "$3 $4 $5 $6" "$(value "$1" "$2" 1) $(value "$1" "$2" 2) $(value "$1" "$2" 3) $(value "$1" "$2" 4)"
}

# no_warning NAME: the header has no warning about the allocator
no_warning()
{
	absent "$1: no warning" 'text="malloc is that of' "$1.er/log.xml"
}

# replaced NAME LIBRARY: an allocator in a library, preloaded and linked; C and C++
replaced()
{
	local name=$1 library
	library=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p | awk -v name="$2" '$1 == name { print $NF; exit }')
	[ -n "$library" ] || { skip "$name" "$2 is not installed"; return; }
	LD_PRELOAD=$library record "$name" -p off -H on -- "$programs/crash" 1000 4 exit
	report "$name" "${metrics[@]}"
	row "$name" allocate 4000 160000 4000 160000
	no_warning "$name"
	LD_PRELOAD=$library record "$name-cxx" -p off -H on -- "$programs/newdelete"
	is "$name, C++: exit status" 0 $?
	report "$name-cxx" "${metrics[@]}"
	row "$name-cxx" 'make_objects()' 80 4960 0 0
	row "$name-cxx" 'leaky::leak_objects(int)' 6 144 6 144
	row "$name-cxx" 'leak_after_failure()' 3 72 3 72
	have g++ || { skip "$name, linked" "g++ is not installed"; return; }
	g++ -O2 -g -o "$name-linked" "$sources/newdelete.cc" -Wl,--no-as-needed "$library" || { not_ok "$name: links"; return; }
	record "$name-linked" -p off -H on -- "./$name-linked"
	report "$name-linked" "${metrics[@]}"
	row "$name-linked" 'make_objects()' 80 4960 0 0
	row "$name-linked" 'leaky::leak_objects(int)' 6 144 6 144
	no_warning "$name-linked"
}

replaced jemalloc libjemalloc.so.2
replaced tcmalloc libtcmalloc_minimal.so.4

record own -p off -H on -- "$programs/own_malloc"
is "a program with its own malloc runs" 0 $?
contains "it allocates" '^blocks [1-9][0-9][0-9]' own.out
report own -header
contains "the header says that it is not recorded" 'malloc is that of the program itself, which comes before the recorder: its blocks are not recorded' own.txt
record libc -p off -H on -- "$programs/heap_known"
no_warning libc

# plug: 30 blocks of 24 bytes and 10 arrays of 100 by new, of which 10 and 5 are never deleted; 5 aligned blocks of 256, deleted;
# 2 allocations that throw bad_alloc for lack of memory.
cat >plug.cc <<'END'
#include <cstddef>
#include <new>
struct Object { long value[3]; };
struct alignas(256) Aligned { char bytes[256]; };
static void *volatile kept;
__attribute__((noinline)) static void make()
{
	for (int i = 0; i < 30; i++) {
		Object *object = new Object;
		kept = object;
		if (i % 3)
			delete object;
	}
	for (int i = 0; i < 10; i++) {
		char *array = new char[100];
		kept = array;
		if (i % 2)
			delete[] array;
	}
	for (int i = 0; i < 5; i++) {
		Aligned *aligned = new Aligned;
		kept = aligned;
		if (((size_t)aligned & 255) != 0)
			throw 1;
		delete aligned;
	}
}
__attribute__((noinline)) static int refuse()
{
	volatile size_t huge = (size_t)1 << 60;
	int caught = 0;
	for (int i = 0; i < 2; i++)
		try {
			kept = new char[huge];
		} catch (const std::bad_alloc &) {
			caught++;
		}
	return caught + (new (std::nothrow) char[huge] == nullptr);
}
extern "C" int plug()
{
	make();
	return refuse();
}
END
if have g++ && g++ -std=gnu++17 -O2 -g -shared -fPIC -o plug.so plug.cc; then
	record plug -p off -H on -- "$programs/plugin" ./plug.so
	is "operators of a library loaded later" "0 plug 3" "$? $(cat plug.out)"
	report plug "${metrics[@]}"
	row plug 'make()' 45 3000 15 740
	"$xcollect" -A off -o plain.er "$programs/plugin" ./plug.so >plain.out 2>/dev/null
	is "and when the heap is not traced" "0 plug 3" "$? $(cat plain.out)"
	if [ -n "$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p | grep libjemalloc.so.2)" ]; then
		LD_PRELOAD=libjemalloc.so.2 record plugje -p off -H on -- "$programs/plugin" ./plug.so
		is "with another allocator" "0 plug 3" "$? $(cat plugje.out)"
		report plugje "${metrics[@]}"
		row plugje 'make()' 45 3000 15 740
	fi
else
	skip "operators of a library loaded later" "g++ is not installed"
fi

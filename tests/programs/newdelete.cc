// newdelete: C++ new and delete in known numbers.
//
// Facts: make_objects calls new Object (24 bytes) 40 times and new[] of 100 chars 40 times, and
// deletes all; leak_objects calls new Object 6 times and deletes none: 6 leaks, 144 bytes. Each
// operator new calls malloc once, so these 86 calls are 86 allocations. fail calls operator new for
// more memory than there is; the handler of that exception, leak_after_failure, calls new Object 3
// times: 3 leaks, 72 bytes.
#include <cstddef>
#include <cstdint>
#include <new>

struct Object {
	long value[3];
};

static void *volatile kept;

__attribute__((noinline)) static void make_objects()
{
	for (int i = 0; i < 40; i++) {
		Object *object = new Object;
		kept = object;
		delete object;
		char *array = new char[100];
		kept = array;
		delete[] array;
	}
}

namespace leaky
{
__attribute__((noinline)) void leak_objects(int count)
{
	for (int i = 0; i < count; i++)
		kept = new Object;
}
} // namespace leaky

__attribute__((noinline)) static void leak_after_failure()
{
	for (int i = 0; i < 3; i++)
		kept = new Object;
}

static void fail()
{
	static volatile std::size_t too_much = PTRDIFF_MAX - 100;

	try {
		kept = ::operator new(too_much);
	} catch (const std::bad_alloc &) {
		leak_after_failure();
	}
}

int main()
{
	make_objects();
	leaky::leak_objects(6);
	fail();
	return 0;
}

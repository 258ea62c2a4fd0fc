# Binaries of every kind, and every way to load them: they run as without a recorder, and their 20 blocks from mark() are
# recorded.
. "$(dirname "$0")/lib.sh"

have gcc || { skip "binaries of every sort" "no gcc"; exit 0; }
everything=(-p hi -H on -s all -i on -w on --functrace -S 0.05 -A off)

cat >known.c <<'C'
#include <stdio.h>
#include <stdlib.h>
void *volatile kept;
__attribute__((noinline)) void mark(void)
{
	for (int i = 0; i < 10; i++)
		kept = malloc(40);
	__asm__ volatile("");
}
int main(int argc, char **argv)
{
	mark();
	mark();
	printf("%d %s\n", argc, argv[argc - 1]);
	return 7;
}
C

# same CLAIM BLOCKS COMMAND...: status and output are as without recording. BLOCKS: those of mark; "all": at least 20 of any
# function; "none"
same()
{
	local claim=$1 blocks=$2 plain recorded name="run$RANDOM$RANDOM"
	shift 2
	# Not by `limited`: in a function, the shell's word about a signal would be among the errors.
	{ timeout -k 5 $((20 * patience)) env "${with[@]}" "$@" >plain.out 2>plain.err; } 2>/dev/null
	plain=$?
	{ timeout -k 5 $((20 * patience)) env "${with[@]}" "$xcollect" -o "$name.er" "${everything[@]}" "$@" >recorded.out 2>recorded.err; } 2>/dev/null
	recorded=$?
	if [ "$plain $(<plain.out) $(<plain.err)" != "$recorded $(<recorded.out) $(grep -v '^Creating' recorded.err)" ]; then
		not_ok "$claim: $plain '$(<plain.out)$(<plain.err)' became $recorded '$(<recorded.out)$(<recorded.err)'"
		return
	fi
	report "$name" -metrics i.heapalloccnt:name -functions
	case $blocks in
	none) ok "$claim" ;;
	all) within "$claim" 20 100 "$(value "$name" '<Total>' 1)" ;;
	*) is "$claim" "$blocks" "$(value "$name" mark 1)" ;;
	esac
}

# built CLAIM BLOCKS FLAG...: known.c compiled with these
built()
{
	local claim=$1 blocks=$2
	shift 2
	rm -f known
	if ${CC:-gcc} -o known known.c "$@" >build.log 2>&1; then same "$claim" "$blocks" ./known "an argument"; else skip "$claim" "it cannot be built"; fi
}

with=()
built "without optimization" 20 -O0 -g
built "with -O3 and link-time optimization" 20 -O3 -g -flto
built "of fixed addresses" 20 -O2 -g -fno-pie -no-pie
built "stripped" all -O2 -s
built "without any debug information" 20 -O2
built "with compressed debug information" 20 -O2 -g -gz
built "with split debug information" 20 -O2 -g -gsplit-dwarf
built "with DWARF 2" 20 -O2 -gdwarf-2
built "without unwinding tables" 20 -O2 -g -fno-asynchronous-unwind-tables -fno-unwind-tables
built "without unwinding tables and frame pointers" all -O2 -fno-asynchronous-unwind-tables -fomit-frame-pointer -Wl,--no-eh-frame-hdr
built "with frame pointers" 20 -O2 -g -fno-omit-frame-pointer
built "bound at once" 20 -O2 -g -Wl,-z,now,-z,relro
built "bound lazily" 20 -O2 -g -Wl,-z,lazy,-z,norelro
built "with the old hash table" 20 -O2 -g -Wl,--hash-style=sysv
built "with an executable stack" 20 -O2 -g -z execstack
built "with code and data in one segment" 20 -O2 -g -Wl,-z,noseparate-code
built "with a writable text segment" 20 -O2 -g -no-pie -fno-pie -Wl,-N
built "with branch protection" 20 -O2 -g -fcf-protection=full
built "with calls of mcount" 20 -O2 -g -pg
built "with instrumented functions" 20 -O2 -g -finstrument-functions
built "with entries that can be patched" 20 -O2 -g -fpatchable-function-entry=5
built "with a stack protector" 20 -O2 -g -fstack-protector-all -D_FORTIFY_SOURCE=2
built "with split stacks" 20 -O2 -g -fsplit-stack
built "with large code model" 20 -O2 -g -mcmodel=large
built "with the undefined-behaviour sanitizer" 20 -O1 -g -fsanitize=undefined
if gcc -fsanitize=address -o known known.c >build.log 2>&1 && readelf -d known | grep -q 'NEEDED.*libasan'; then
	limited 20 "$xcollect" -o sanitized.er "${everything[@]}" ./known x >sanitized.out 2>&1
	is "a program of gcc's AddressSanitizer is refused" "126 1" "$? $(grep -c 'cannot be recorded.*AddressSanitizer' sanitized.out)"
	with=(ASAN_OPTIONS=detect_leaks=0) && same "and runs unrecorded in a shell" none sh -c './known x; exit $?'
	with=()
else
	skip "a program of gcc's AddressSanitizer" "it cannot be built"
fi
with=(ASAN_OPTIONS=detect_leaks=0)
! needs "clang's address sanitizer" "" clang || CC=clang built "with clang's address sanitizer, whose malloc is the program's own" none -O1 -g -fsanitize=address -fno-sanitize-recover=all
with=()
built "with the thread sanitizer" all -O1 -g -fsanitize=thread
built "of 32 bits" none -O2 "${m32[@]}"
! needs "compiled by clang" "" clang || CC=clang built "compiled by clang" 20 -O2 -g
rm -f gmon.out

gcc -O2 -g -o known known.c
if have objcopy && cp known linked && objcopy --only-keep-debug linked linked.debug && strip linked && objcopy --add-gnu-debuglink=linked.debug linked; then
	same "with debug information in another file" 20 ./linked x
else
	skip "with debug information in another file" "no objcopy"
fi
cp known nosections && printf '\0\0\0\0\0\0\0\0' | dd of=nosections bs=1 seek=40 conv=notrunc 2>/dev/null
same "without section headers" none ./nosections x
loader=$(readelf -l known | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
same "by the loader as a command of a shell: not recorded" none sh -c "$loader ./known x; exit \$?"
for kind in static static-pie; do
	gcc -O2 -$kind -o known.$kind known.c 2>/dev/null && same "$kind, run by a shell: not recorded" none sh -c "./known.$kind x; exit \$?"
done
ln -s known link && same "by a symbolic link" 20 ./link x
cp known "$(printf 'odd\n<&"name]]>\xff')" && same "under a name of odd bytes" 20 "./$(printf 'odd\n<&"name]]>\xff')" x
printf '#!./known  two words\n' >script && chmod +x script && same "as the interpreter of a script" 20 ./script x
cp known unreadable && chmod 111 unreadable
if [ -r unreadable ]; then
	same "without the right to read it, by who may read everything" all ./unreadable x
else
	limited 20 "$xcollect" -o unreadable.er "${everything[@]}" ./unreadable x >unreadable.out 2>&1
	is "without the right to read it: refused, with the reason" "126 1" "$? $(grep -c 'cannot be recorded: it cannot be read' unreadable.out)"
fi

# Environment variables of the loader.
with=(LD_BIND_NOW=1) && same "LD_BIND_NOW" 20 ./known x
with=(LD_LIBRARY_PATH=/nonexistent:.) && same "LD_LIBRARY_PATH" 20 ./known x
with=(GLIBC_TUNABLES=glibc.malloc.perturb=165:glibc.malloc.tcache_count=0) && same "tunables of malloc" 20 ./known x
with=(MALLOC_ARENA_MAX=1 MALLOC_PERTURB_=7) && same "variables of malloc" 20 ./known x
with=(LD_PRELOAD=) && same "an empty LD_PRELOAD" 20 ./known x

cat >other.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
static int calls;
void *malloc(size_t size)
{
	static void *(*next)(size_t);
	if (!next)
		next = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
	calls += size == 40;
	return next(size);
}
__attribute__((destructor)) static void say(void) { fprintf(stderr, "other library: %d\n", calls); }
C
gcc -O2 -shared -fPIC -o other.so other.c && with=(LD_PRELOAD="$PWD/other.so") && same "another preloaded library that wraps malloc" 20 ./known x
with=()
gcc -O2 -g -o wrapped known.c ./other.so -Wl,-rpath,"$PWD" -Wl,--no-as-needed && same "a linked library that wraps malloc" 20 ./wrapped x

cat >symbols.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
static int answer(void) { return 42; }
void *dlsym(void *handle, const char *name)
{
	static void *(*next)(void *, const char *);
	if (!next)
		next = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
	return strcmp(name, "answer") == 0 ? (void *)&answer : next(handle, name);
}
C
cat >asks.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
extern int MPI_Init(int *argc, char ***argv) __attribute__((weak));
extern void GOMP_barrier(void) __attribute__((weak));
int (*volatile kept)(int *, char ***) = MPI_Init;
int main(void)
{
	int (*answer)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "answer");
	printf("%d %d %d, answer %d\n", MPI_Init != NULL, kept != NULL, GOMP_barrier != NULL, answer ? answer() : 0);
	if (GOMP_barrier)
		GOMP_barrier();
	return 0;
}
C
printf '#include <stdio.h>\nvoid GOMP_barrier(void) { puts("borne"); }\n' >bears.c
gcc -O2 -o asks asks.c
gcc -O2 -shared -fPIC -o symbols.so symbols.c && with=(LD_PRELOAD="$PWD/symbols.so") && same "another preloaded library that wraps dlsym" none ./asks
with=()
gcc -O2 -fno-pie -no-pie -o asks asks.c && same "weak references to what is not there, fixed addresses" none ./asks
gcc -O2 -fPIE -pie -Wl,--hash-style=sysv -o asks asks.c && same "and the old table of hashes alone" none ./asks
gcc -O2 -shared -fPIC -Wl,--hash-style=sysv -o libbears.so bears.c &&
	gcc -O2 -fPIE -pie -o asks asks.c -Wl,--no-as-needed ./libbears.so -Wl,-rpath,"$PWD" && same "and to what a library with the old table has" none ./asks

cat >audit.c <<'C'
#include <link.h>
#include <stdlib.h>
unsigned la_version(unsigned version) { free(malloc(10)); return version; }
unsigned la_objopen(struct link_map *map, Lmid_t id, uintptr_t *cookie) { (void)map; (void)id; (void)cookie; return LA_FLG_BINDTO | LA_FLG_BINDFROM; }
C
gcc -D_GNU_SOURCE -O2 -shared -fPIC -o audit.so audit.c && with=(LD_AUDIT="$PWD/audit.so") && same "an audit library" 20 ./known x
with=()

cat >ifunc.c <<'C'
#include <stdio.h>
#include <stdlib.h>
void *volatile kept;
__attribute__((noinline)) void mark(void) { for (int i = 0; i < 10; i++) kept = malloc(40); __asm__ volatile(""); }
static int two(void) { mark(); return 2; }
static int (*resolve(void))(void) { __builtin_cpu_init(); return two; }
int chosen(void) __attribute__((ifunc("resolve")));
int main(void) { return chosen() + chosen(); }
C
gcc -O2 -g -o ifunc ifunc.c && same "a function that is chosen at run time" 20 ./ifunc
with=(LD_BIND_NOW=1) && same "and chosen before all constructors" 20 ./ifunc
with=()

cat >library.c <<'C'
#include <stdlib.h>
static void *volatile kept;
__attribute__((noinline)) void mark(void) { for (int i = 0; i < 10; i++) kept = malloc(40); __asm__ volatile(""); }
__attribute__((constructor)) static void begin(void) { mark(); }
int work(void) { mark(); free(malloc(10)); return 3; }
C
cat >loads.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	void *library = argc > 2 ? dlmopen(LM_ID_NEWLM, "./library.so", RTLD_NOW) : dlopen("./library.so", RTLD_NOW | atoi(argv[1]));
	int (*work)(void) = library ? (int (*)(void))dlsym(library, "work") : NULL;
	if (!work)
		return puts(dlerror());
	printf("%d", work());
	printf(" %d\n", dlclose(library));
	return dlopen("./nothing.so", RTLD_NOW) != NULL;
}
C
gcc -O2 -g -shared -fPIC -o library.so library.c && gcc -O2 -g -o loads loads.c
same "a library loaded and unloaded" 20 ./loads 0
# With RTLD_DEEPBIND the library's calls of malloc are bound to libc, ahead of preloaded libraries: they are not recorded.
same "loaded with RTLD_DEEPBIND" none ./loads 8
same "loaded with RTLD_GLOBAL" 20 ./loads 256
same "loaded and never unloaded" 20 ./loads 4096
same "loaded into a namespace of its own" none ./loads 0 new

# What coreutils, libc and linkers preload or request themselves.
cat >plugin.c <<'C'
#include <stdlib.h>
static void *volatile kept;
#ifdef SPACE
__asm__(".text\n.skip 700, 0x90\n");
#endif
__attribute__((noinline)) void MARK(int count) { for (int i = 0; i < count; i++) kept = malloc(40); __asm__ volatile(""); }
int work(int count) { MARK(count); return 3; }
C
cat >silent.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
static int (*unload)(void *);
static unsigned long run(const char *name, int count)
{
	void *plugin = dlopen(name, RTLD_NOW);
	int (*work)(int) = plugin ? (int (*)(int))dlsym(plugin, "work") : NULL;
	struct link_map *map;
	unsigned long base;
	if (!work || dlinfo(plugin, RTLD_DI_LINKMAP, &map) != 0)
		return puts(dlerror());
	base = map->l_addr;
	work(count);
	unload(plugin);
	return base;
}
int main(void)
{
	unsigned long first, second;
	unload = (int (*)(void *))dlsym(dlopen("libc.so.6", RTLD_NOW), "dlclose");
	first = run("./first.so", 30);
	second = run("./second.so", 20);
	puts(first == second ? "the same place" : "other places");
	return 0;
}
C
gcc -O2 -g -shared -fPIC -DMARK=mark_first -o first.so plugin.c && gcc -O2 -g -shared -fPIC -DSPACE -DMARK=mark_second -o second.so plugin.c &&
	gcc -O2 -g -o silent silent.c
record silent -p off -H on -- ./silent
report silent -metrics i.heapalloccnt:name -functions
is "libraries that libc unloads by itself ($(<silent.out))" "30 20" "$(value silent mark_first 1) $(value silent mark_second 1)"

# What coreutils, libc and linkers preload or ask for themselves.
! needs "under stdbuf" "" stdbuf || same "under stdbuf, which preloads its own library" 20 stdbuf -o0 ./known x
if [ -e "$(gcc -print-file-name=libc_malloc_debug.so.0)" ]; then
	with=(LD_PRELOAD=libc_malloc_debug.so.0 MALLOC_CHECK_=3 GLIBC_TUNABLES=glibc.malloc.check=3) && same "libc's own allocator for debugging" 20 ./known x
	with=(LD_PRELOAD=libc_malloc_debug.so.0 MALLOC_TRACE=/dev/null) && same "and its tracing" 20 ./known x
	with=()
else
	skip "libc's own allocator for debugging" "there is no libc_malloc_debug.so.0"
fi
with=(LD_PROFILE=libc.so.6 LD_PROFILE_OUTPUT="$PWD") && same "a profile by the loader" 20 ./known x
with=(LD_DYNAMIC_WEAK=1 LD_WARN=1) && same "weak symbols, warnings of the loader" 20 ./known x
with=(LD_AUDIT="$PWD/audit.so" LD_BIND_NOW=1) && same "an audit library, bound at once" 20 ./known x
with=()

# A library with a destructor, whose thread ends after it is gone from the program's view; one that cannot be unloaded.
cat >ending.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static void *volatile kept;
__attribute__((noinline)) void mark(void) { for (int i = 0; i < 10; i++) kept = malloc(40); __asm__ volatile(""); }
static __thread int own = 5;
static pthread_key_t key;
static void end_key(void *value) { (void)value; mark(); }
static void at_end(void) { puts("at_end"); }
__attribute__((constructor)) static void begin(void) { pthread_key_create(&key, end_key); atexit(at_end); }
__attribute__((destructor)) static void end(void) { puts("destructor"); mark(); fflush(stdout); }
static void *in_thread(void *unused) { pthread_setspecific(key, &own); return unused; }
int work(void) { pthread_t thread; pthread_create(&thread, NULL, in_thread, NULL); pthread_join(thread, NULL); return own++; }
C
gcc -O2 -g -shared -fPIC -o library.so ending.c -lpthread
same "a library with destructors, a key, thread variables and atexit" 20 ./loads 0
gcc -O2 -g -shared -fPIC -Wl,-z,nodelete -o library.so ending.c -lpthread && same "one that stays when it is closed" 20 ./loads 0

# C++
have g++ || { skip "C++" "no g++"; exit 0; }
cat >known.cc <<'C'
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <coroutine>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <future>
#include <latch>
#include <mutex>
#include <new>
#include <pthread.h>
#include <semaphore>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>
void *volatile kept;
extern "C" __attribute__((noinline)) void mark(void)
{
	for (int i = 0; i < 10; i++)
		kept = malloc(40);
	__asm__ volatile("");
}
struct said {
	const char *name;
	said(const char *name) : name(name) {}
	~said() { printf("end of %s\n", name); }
};
static int throws(const void *, const void *) { throw std::runtime_error("out of qsort"); }
static void *waits(void *)
{
	said here("a cancelled thread's frame");
	try {
		sleep(60);
	} catch (...) {
		puts("cancelled");
		throw;
	}
	return nullptr;
}
static int exceptions()
{
	int numbers[4] = {4, 3, 2, 1};
	try {
		qsort(numbers, 4, sizeof(int), throws);
	} catch (const std::exception &e) {
		puts(e.what());
	}
	static std::once_flag once;
	for (int i = 0; i < 2; i++)
		try {
			std::call_once(once, [i] { if (i == 0) throw 5; puts("once"); });
		} catch (int n) {
			printf("%d\n", n);
		}
	pthread_t thread;
	pthread_create(&thread, nullptr, waits, nullptr);
	usleep(1000);
	pthread_cancel(thread);
	pthread_join(thread, nullptr);
	auto later = std::async(std::launch::async, [] { std::vector<int> none; return none.at(3); });
	try {
		later.get();
	} catch (const std::out_of_range &) {
		puts("out of range, in another thread");
	}
	int deep = 0;
	for (int i = 0; i < 200; i++) {
		struct down { static void go(int n) { std::string text(n, 'x'); if (n == 0) throw text; go(n - 1); } };
		try { down::go(i % 50); } catch (std::string &) { deep++; }
	}
	printf("deep %d\n", deep);
	return 3;
}
thread_local said of_thread("a thread's variable");
static said of_program("the program");
static int variables()
{
	static said of_function("a function's variable");
	std::thread([] { printf("%s\n", of_thread.name); static thread_local said late("a late variable"); (void)&late; }).join();
	printf("%s\n", of_thread.name);
	return 4;
}
static int waiting()
{
	std::mutex mutex;
	std::condition_variable condition;
	std::latch latch(3);
	std::barrier barrier(3);
	std::counting_semaphore<3> semaphore(0);
	std::atomic<int> turn(0);
	int sum = 0;
	std::vector<std::jthread> threads;
	for (int i = 0; i < 3; i++)
		threads.emplace_back([&, i] {
			for (int k = 0; k < 5; k++) barrier.arrive_and_wait();
			std::lock_guard<std::mutex> guard(mutex);
			sum += i;
			latch.count_down();
			semaphore.release();
			turn++;
			turn.notify_all();
			condition.notify_all();
		});
	latch.wait();
	for (int i = 0; i < 3; i++) semaphore.acquire();
	std::unique_lock<std::mutex> lock(mutex);
	condition.wait(lock, [&] { return sum == 3; });
	printf("sum %d\n", sum);
	return 5;
}
static int memory()
{
	volatile size_t huge = PTRDIFF_MAX;
	static int handled;
	std::set_new_handler([] { if (++handled == 2) throw std::bad_alloc(); });
	try { kept = new char[huge]; } catch (const std::bad_alloc &) { printf("handled %d\n", handled); }
	std::set_new_handler(nullptr);
	printf("none %d\n", (kept = new (std::nothrow) char[huge]) == nullptr);
	struct alignas(128) wide { char text[128]; };
	wide *aligned = new wide;
	printf("aligned %d\n", (int)((unsigned long)aligned % 128));
	delete aligned;
	return 6;
}
static void from_handler(int) { throw std::runtime_error("out of a signal handler"); }
static int faults()
{
	struct sigaction action = {};
	action.sa_handler = from_handler;
	action.sa_flags = SA_NODEFER;
	sigaction(SIGSEGV, &action, nullptr);
	try {
		*(volatile int *)8 = 1;
	} catch (const std::exception &e) {
		puts(e.what());
	}
	return 7;
}
struct generator {
	struct promise_type {
		int value;
		generator get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
		std::suspend_always initial_suspend() { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		std::suspend_always yield_value(int v) { value = v; return {}; }
		void return_void() {}
		void unhandled_exception() { std::terminate(); }
	};
	std::coroutine_handle<promise_type> handle;
};
static generator counts(int n) { for (int i = 0; i < n; i++) co_yield i; }
static int coroutines()
{
	generator g = counts(1000);
	long sum = 0;
	for (g.handle.resume(); !g.handle.done(); g.handle.resume()) sum += g.handle.promise().value;
	g.handle.destroy();
	printf("sum %ld\n", sum);
	return 8;
}
static int ends_badly() noexcept { throw std::runtime_error("nobody catches this"); }
int main(int, char **argv)
{
	setvbuf(stdout, nullptr, _IONBF, 0);
	mark();
	mark();
	switch (*argv[1]) {
	case 'e': return exceptions();
	case 'v': return variables();
	case 'w': return waiting();
	case 'm': return memory();
	case 'f': return faults();
	case 'c': return coroutines();
	default: return ends_badly();
	}
}
C
for flags in "" -finstrument-functions; do
	if ! g++ -std=gnu++20 -O2 -g -fnon-call-exceptions -w $flags -o known-cc known.cc -lpthread >build.log 2>&1; then
		skip "C++" "it cannot be built: $(head -1 build.log)"
		continue
	fi
	same "C++ $flags: exceptions out of libc, threads, deep calls; cancellation" 20 ./known-cc exceptions
	same "C++ $flags: destructors of variables of threads, functions, the program" 20 ./known-cc variables
	same "C++ $flags: all that waits" 20 ./known-cc waiting
	same "C++ $flags: new that fails, handlers of new, alignment" 20 ./known-cc memory
	same "C++ $flags: an exception out of a signal handler" 20 ./known-cc faults
	same "C++ $flags: coroutines" 20 ./known-cc coroutines
	same "C++ $flags: an exception that nobody may throw" 20 ./known-cc terminate
done

# ---- unloading a library makes no call stack new but its own: of ten times as many unloadings, there are not ten times as many
cat >reload.c <<'C'
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/mman.h>
void *volatile kept;
__attribute__((noinline)) static int deep(int depth)
{
	if (depth == 0) {
		free(kept = malloc(64));
		return 1;
	}
	int below = deep(depth - 1);
	__asm__ volatile("" : "+r"(below));
	return below + 1;
}
int main(int argc, char **argv)
{
	for (int i = 0; i < atoi(argv[2]); i++) {
		if (argc > 3) /* each time elsewhere */
			mmap(NULL, 4096 * (1 + i % 7), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		void *library = dlopen(argv[1], RTLD_NOW);
		void (*work)(void) = (void (*)(void))dlsym(library, "plugin_work");
		work();
		deep(100);
		dlclose(library);
	}
	return 0;
}
C
gcc -O1 -g -fno-optimize-sibling-calls -o reload reload.c -ldl
for times in 200 2000; do
	record "reload$times" -p off -H on -A off -- ./reload "$programs/plugin.so" $times
	report "reload$times" -metrics i.heapalloccnt:name -functions
	is "$times unloadings: no block is of unknown origin" "$((times * 30)) $times " "$(value "reload$times" plugin_work 1) $(value "reload$times" deep 1) $(value "reload$times" '<Unknown>' 1)"
done
few=$(stat -c %s reload200.er/frameinfo) many=$(stat -c %s reload2000.er/frameinfo)
record reload -p off -H on -A off -- ./reload "$programs/plugin.so" 5000 elsewhere
report reload -metrics i.heapalloccnt:name -functions
is "5000 unloadings, each elsewhere: no block is of unknown origin" "150000 5000 " "$(value reload plugin_work 1) $(value reload deep 1) $(value reload '<Unknown>' 1)"
[ "$many" -lt $((3 * few + 100000)) ] && ok "the stacks of the rest stay the same" || not_ok "the stacks of the rest stay the same: $few bytes became $many"

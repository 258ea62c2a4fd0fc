# Binaries of every sort, and every way to load them: they run as without a recorder, and their 20 blocks from mark() are recorded.
. "$(dirname "$0")/lib.sh"

have gcc || { skip "binaries of every sort" "no gcc"; exit 0; }
everything=(-p hi -H on -s all -i on --functrace -S 0.05 -A off)

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

# same CLAIM BLOCKS COMMAND...: status and output as without recording; blocks of mark, "all": of some function at least so many, "none"
same()
{
	local claim=$1 blocks=$2 plain recorded name="run$RANDOM$RANDOM"
	shift 2
	timeout -k 5 20 env "${with[@]}" "$@" >plain.out 2>plain.err
	plain=$?
	{ timeout -k 5 20 env "${with[@]}" "$xcollect" -o "$name.er" "${everything[@]}" "$@" >recorded.out 2>recorded.err; } 2>/dev/null
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
built "of 32 bits" none -O2 -m32
! have clang || CC=clang built "compiled by clang" 20 -O2 -g
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
cp known unreadable && chmod 111 unreadable && same "without the right to read it" all ./unreadable x

# The loader's ways.
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
# Its calls of malloc are bound to libc, before whatever is preloaded: they are not seen.
same "loaded with RTLD_DEEPBIND" none ./loads 8
same "loaded with RTLD_GLOBAL" 20 ./loads 256
same "loaded and never unloaded" 20 ./loads 4096
same "loaded into a namespace of its own" none ./loads 0 new

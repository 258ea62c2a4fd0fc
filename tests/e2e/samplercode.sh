# Where samples of xcollect --sampler belong: to which of the libraries that were at one address, to the program or the kernel,
# and to which caller, in the last instructions of a function.
. "$(dirname "$0")/lib.sh"

record try --sampler=1m -p off -A off -- true
if grep -q 'nothing is sampled' try.err; then
	skip "--sampler" "this system lets nobody sample threads (perf_event_open)"
	exit 0
fi
have gcc || { skip "what samples are of" "no gcc"; exit 0; }
# share NAME FUNCTION COLUMN: per cent, rounded
share() { value "$@" | tr -d % | cut -d. -f1; }

# ---- two libraries of the same form, alternately, mostly at the same address: one of them does three quarters of the work
cat >spin.c <<'C'
static volatile unsigned long sink;
void SPIN(int n) { unsigned long x = sink; for (int i = 0; i < n; i++) x = x * 31 + (x >> 7); sink = x; }
C
cat >turns.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>
static double cpu(void) { struct timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return (double)t.tv_sec + (double)t.tv_nsec / 1e9; }
static int run(const char *file, const char *name, int n)
{
	void *library = dlopen(file, RTLD_NOW);
	void (*spin)(int) = library ? (void (*)(int))dlsym(library, name) : NULL;
	if (!spin)
		return puts(dlerror());
	spin(n);
	return dlclose(library);
}
int main(void)
{
	double end = cpu() + 1;
	while (cpu() < end)
		if (run("./one.so", "spin_one", 3000000) != 0 || run("./two.so", "spin_two", 1000000) != 0)
			return 1;
	return 0;
}
C
gcc -O1 -g -shared -fPIC -DSPIN=spin_one -o one.so spin.c && gcc -O1 -g -shared -fPIC -DSPIN=spin_two -o two.so spin.c && gcc -O1 -g -o turns turns.c
for name in recorded child; do
	command=(./turns)
	[ $name = recorded ] || command=(sh -c './turns; :')
	record $name --sampler=1m -p off -A off -F on -- "${command[@]}"
	is "$name: it ends well" 0 $?
	report $name -functions
	one=$(share $name spin_one 2) two=$(share $name spin_two 2)
	within "$name: both libraries have their time" 75 100 $((one + two))
	within "$name: the first has three times as much" 60 90 $((100 * one / (one + two + 1)))
done

# ---- the program or the kernel
cat >kernel.c <<'C'
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static double cpu(void) { struct timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return (double)t.tv_sec + (double)t.tv_nsec / 1e9; }
int main(int argc, char **argv)
{
	static char block[1 << 20];
	int zero = open("/dev/zero", O_RDONLY);
	double end = cpu() + 0.3;
	(void)argv;
	while (cpu() < end)
		for (int i = 0; i < 10; i++)
			if (argc > 1)
				memset(block, i, sizeof(block));
			else if (read(zero, block, sizeof(block)) < 0)
				return 1;
	return 0;
}
C
gcc -O1 -g -o kernel kernel.c
# parts NAME: the share of system time in per cent
parts()
{
	report "$1" -metrics e.user:e.system:name -functions
	awk '$3 == "<Total>" { print int(100 * $2 / ($1 + $2)) }' "$1.txt"
}
for way in 1m 1m,stack; do
	record reads --sampler=$way -p off -A off -- ./kernel
	record fills --sampler=$way -p off -A off -- ./kernel fill
	if [ "$(sed -n 's/.*name="sampler_in_kernel" value="\([0-9]*\)".*/\1/p' reads.er/log.xml)" = 0 ]; then
		skip "$way: system time" "time in system calls may not be sampled here"
	else
		within "$way: a program that reads all the time uses system time" 80 100 "$(parts reads)"
		report reads -check 'system <= 1 ms'
		is "$way: a check sees it" 3 $?
	fi
	within "$way: one that fills memory uses its own" 0 20 "$(parts fills)"
	for file in reads.er/sampler/cpu*.fxt; do
		succeeds "$way: $(basename "$file") is a whole FXT file" "$xer_print" -fxt_dump "$file"
	done
	rm -rf reads.er fills.er
done

# ---- the last instructions of a function, where the tables call registers saved that are already restored
cat >ends.c <<'C'
#include <time.h>
static volatile long sink;
__attribute__((noinline)) long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(void)
{
	for (clock_t end = clock() + CLOCKS_PER_SEC; clock() < end;)
		for (int i = 0; i < 100; i++)
			sink += fib(18);
	return 0;
}
C
for compiler in gcc clang; do
	have $compiler || { skip "epilogues of $compiler" "it is not there"; continue; }
	for level in -O1 -O2; do
		$compiler $level -g -o ends ends.c
		rm -rf ends.er
		record ends --sampler=1m,stack -p off -A off -- ./ends
		report ends -functions
		within "$compiler $level: the callers of a recursion, per cent" 99 100 "$(share ends main 4)"
	done
done

# OpenMP: constructs by known numbers with libgomp and libomp, stacks that show who began a region, states of clock samples.
tests=$(realpath "$(dirname "$0")/..")
source "$(dirname "$0")/lib.sh"
export OMP_NUM_THREADS=3


# Names have spaces, so the numbers, which follow them, are counted from the end.
region() { awk -v name="$2" 'index($0, name) == 1 { print $(NF - 7), $(NF - 6) }' "$1"; }
times() { awk -v name="$2" 'index($0, name) == 1 { sum += $(NF - 2) } END { print sum + 0 }' "$1"; }

for compiler in gcc clang; do
	if ! have $compiler || ! $compiler -O1 -g -fno-optimize-sibling-calls -fopenmp -o "$compiler" "$tests/programs/omp/known.c" 2>build.err; then
		skip "OpenMP of $compiler" "$compiler -fopenmp does not work"
		continue
	fi
	./$compiler >plain.out
	record $compiler -p hi --omp=on -H on -s on -- ./$compiler
	is "$compiler: the exit status" 0 $?
	is "$compiler: the output" "$(cat plain.out)" "$(cat $compiler.out)"
	report $compiler -ompregions
	cp $compiler.txt regions
	is "$compiler: regions, and threads at most" "10 3 1 3 5 3 2 3" \
		"$(echo $(region regions rounds,) $(region regions tasks,) $(region regions loop,) $(region regions nested,))"
	is "$compiler: regions in regions: 6 teams of 2" "6 2" "$(awk '/^(nested\.(_omp|omp_outlined)|\.omp_outlined)/ { print $(NF - 7), $(NF - 6) }' regions)"
	is "$compiler: the region of another thread" 1 "$(region regions late, | cut -d' ' -f1)"
	report $compiler -ompconstructs
	cp $compiler.txt constructs
	for expected in "explicit barrier:30" "critical section:42" "lock:30" "task made:20" "task executed:20" "wait for tasks:2" "single:1"; do
		is "$compiler: ${expected%:*}" "${expected#*:}" "$(times constructs "${expected%:*} ")"
	done
	report $compiler -printmode json -ompconstructs
	contains "$compiler: JSON" '"ompconstructs"' $compiler.txt

	# The region of `late`, called by in_thread, works long enough to have samples, also on its other threads.
	report $compiler -metrics i.ompwork:i.totalcpu:name -functions
	cp $compiler.txt functions
	within "$compiler: work in OpenMP" 0.001 100 "$(awk '$NF == "work" { print $1 }' functions)"
	report $compiler -filters 'FNAME("^in_thread$") IN USTACK && FNAME("^late$") IN USTACK && FNAME("^work$") IN USTACK' -functions
	inside=$(awk '$NF == "<Total>" { print $1 }' $compiler.txt)
	report $compiler -filters 'FNAME("^work$") IN USTACK' -functions
	all=$(awk '$NF == "<Total>" { print $1 }' $compiler.txt)
	within "$compiler: work of all threads shows who began the region" 0.4 1 "$(awk -v a="$inside" -v b="$all" 'BEGIN { print (b > 0 ? a / b : 0) }')"
	report $compiler -omp_preg
	contains "$compiler: the region as an index object" ' late, line ' $compiler.txt
	report $compiler -omp_task
	contains "$compiler: tasks as index objects" ' outside of all' $compiler.txt
	report $compiler -export chrome trace.json
	contains "$compiler: the constructs in a trace" '"explicit barrier"' trace.json

	record stacks -p hi -- ./$compiler
	report stacks -ompconstructs
	is "$compiler: no constructs unless they are asked for" 0 "$(times stacks.txt 'explicit barrier ')"
	is "$compiler: and no file of them" no "$([ -e stacks.er/omptrace ] && echo yes || echo no)"
	record none -p hi --omp=off -- ./$compiler
	report none -ompregions
	is "$compiler: nothing when it is off" 1 $?
done

# Loops by all entry points, locks that their owners take again, tasks of several places. libomp does not report waits for earlier
# iterations.
for compiler in gcc clang; do
	have $compiler && [ -x $compiler ] && $compiler -O1 -g -fno-optimize-sibling-calls -fopenmp -o "more-$compiler" "$tests/programs/omp/more.c" ||
		{ skip "$compiler: more" "$compiler -fopenmp does not work" 10; continue; }
	OMP_SCHEDULE=dynamic,2 record "more-$compiler" -p off --omp=on -- "./more-$compiler"
	is "$compiler: more: the output" "0 150 120 122 30 0" "$? $(cat "more-$compiler.out")"
	report "more-$compiler" -ompconstructs
	cp "more-$compiler.txt" constructs
	waits=120
	[ $compiler = clang ] || waits=149
	for expected in lock:60 "critical section:30" loop:24 "ordered section:$waits" "task made:82" "task executed:82" "task loop:2" single:3; do
		is "$compiler: more: ${expected%:*}" "${expected#*:}" "$(times constructs "${expected%:*} ")"
	done
	is "$compiler: tasks by where they were made" "4 5 6 7 60" "$(echo $(awk '/^task executed/ { print $(NF - 2) }' constructs | sort -n))"
done

# Tasks that several threads execute in parts; regions that begin or end while the recording is paused.
for compiler in gcc clang; do
	have $compiler && [ -x $compiler ] && $compiler -O1 -g -fno-optimize-sibling-calls -fopenmp -I"$tests/../include" -o "parts-$compiler" "$tests/programs/omp/parts.c" ||
		{ skip "$compiler: parts" "$compiler -fopenmp does not work" 3; continue; }
	record "parts-$compiler" -p off --omp=on -- "./parts-$compiler"
	report "parts-$compiler" -ompregions
	is "$compiler: regions of untied tasks, and regions after pauses" "10 3 40 3" \
		"$(echo $(region "parts-$compiler.txt" apart,) $(region "parts-$compiler.txt" whole,))"
	report "parts-$compiler" -ompconstructs
	is "$compiler: a task of several parts is one" "200 200" \
		"$(times "parts-$compiler.txt" 'task made ') $(times "parts-$compiler.txt" 'task executed ')"
	absent "$compiler: and no thread waits where it has nothing to do" 'start_thread' "parts-$compiler.txt"
done

# Every function of libgomp that begins a shared loop or waits is wrapped. (GOMP_taskwait_depend_nowait of GCC 14 makes a task.)
if [ -x more-gcc ]; then
	nm -D --defined-only "$(ldd more-gcc | awk '/libgomp/ { print $3 }')" | awk '{ sub(/@.*/, "", $3); print $3 }' |
		grep -E '^(GOMP_(loop|sections2?)_.*_?start|GOMP_.*_wait|GOMP_(loop|sections|taskgroup)_end(_cancel)?|GOMP_barrier.*|GOMP_taskwait.*|GOMP_critical.*start|omp_set_(nest_)?lock_?)$' |
		grep -v '_nowait$' | sort -u >waiting
	nm -D --defined-only "$BUILD/lib/xer/libcollector.so" | awk '{ print $3 }' | sort -u >wrapped
	within "functions of libgomp that begin loops or wait" 40 200 "$(wc -l <waiting)"
	is "all of them have wrappers" "" "$(echo $(comm -23 waiting wrapped))"
fi

if have gfortran && [ -x gcc ]; then
	cat >fortran.f90 <<'END'
program fortran
  use omp_lib
  implicit none
  integer(omp_lock_kind) :: lock
  integer(omp_nest_lock_kind) :: nest
  integer :: i, total
  total = 0
  call omp_init_lock(lock)
  call omp_init_nest_lock(nest)
  !$omp parallel num_threads(3)
  do i = 1, 10
    call omp_set_lock(lock)
    total = total + 1
    call omp_unset_lock(lock)
    call omp_set_nest_lock(nest)
    call omp_unset_nest_lock(nest)
  end do
  !$omp barrier
  !$omp do schedule(dynamic, 2)
  do i = 1, 12
    !$omp critical
    total = total + 1
    !$omp end critical
  end do
  !$omp end parallel
  print '(i0)', total
end program
END
	gfortran -O1 -g -fno-optimize-sibling-calls -fopenmp -o fortran fortran.f90
	record fortran -p off --omp=on -- ./fortran
	report fortran -ompconstructs
	is "gfortran: loops, sections, locks" "42 3 12 60" "$(cat fortran.out) $(times fortran.txt 'loop ') $(times fortran.txt 'critical section ') $(times fortran.txt 'lock ')"
else
	skip "OpenMP of gfortran" "gfortran -fopenmp does not work"
fi

# An OMPT tool of the program's own comes before the recorder's.
if have clang && [ -x clang ]; then
	cat >tool.c <<'END'
#include <stddef.h>
#include <stdio.h>
static int initialize(void *lookup, int device, void *data) { (void)lookup; (void)device; (void)data; puts("tool"); return 0; }
static void finalize(void *data) { (void)data; }
struct { int (*initialize)(void *, int, void *); void (*finalize)(void *); unsigned long long data; } result = {initialize, finalize, 0};
void *ompt_start_tool(unsigned version, const char *runtime) { (void)version; (void)runtime; return &result; }
END
	clang -shared -fPIC -o tool.so tool.c
	OMP_TOOL_LIBRARIES=$PWD/tool.so record other --omp=on -- ./clang
	is "a tool of OMP_TOOL_LIBRARIES is left alone" tool "$(head -1 other.out)"
	clang -O1 -g -fno-optimize-sibling-calls -fopenmp -o linked "$tests/programs/omp/known.c" ./tool.so -Wl,--no-as-needed,-rpath,"$PWD" ./tool.so
	record linked --omp=on -- ./linked
	is "and so is one that the program is linked to" tool "$(head -1 linked.out)"
	contains "which the header says" 'has a tool of its own' linked.er/log.xml
else
	skip "a tool of the program's own" "clang -fopenmp does not work"
fi

# A program that gets OpenMP with a library, which it loads in a local scope.
if have gcc && [ -x gcc ]; then
	cat >plugin.c <<'END'
long plugin(void);
long plugin(void)
{
	long sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
	sum++;
	return sum;
}
END
	cat >host.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
	void *library = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
	long (*plugin)(void) = library ? (long (*)(void))dlsym(library, "plugin") : NULL;

	for (int i = 0; i < 3 && plugin; i++)
		printf("%ld\n", plugin());
	return dlerror() != NULL; /* unloading it would pull the code from under libgomp's threads */
}
END
	gcc -O1 -g -fno-optimize-sibling-calls -fopenmp -shared -fPIC -o plugin.so plugin.c && gcc -O1 -g -o host host.c -ldl
	record host --omp=on -- ./host
	is "OpenMP in a library that is loaded: the exit status" 0 $?
	is "and the output" "3 3 3" "$(echo $(cat host.out))"
	report host -ompregions
	is "and its regions" "3 3" "$(region host.txt plugin,)"
else
	skip "OpenMP of a library that is loaded" "gcc -fopenmp does not work"
fi

# Unloaded objects do not use up the table of callers: which runtime belongs to a caller is not searched at each call.
if have gcc && [ -x gcc ]; then
	cat >gone.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
static int walks;
int dl_iterate_phdr(int (*callback)(struct dl_phdr_info *, size_t, void *), void *data)
{
	static int (*real)(int (*)(struct dl_phdr_info *, size_t, void *), void *);
	if (!real)
		real = (int (*)(int (*)(struct dl_phdr_info *, size_t, void *), void *))dlsym(RTLD_NEXT, "dl_iterate_phdr");
	__atomic_fetch_add(&walks, 1, __ATOMIC_RELAXED);
	return real(callback, data);
}
int main(void)
{
	long sum = 0;
	for (int i = 0; i < 40; i++) {
		void *library = dlopen("./empty.so", RTLD_NOW);
		if (!library || dlclose(library) != 0)
			return 2;
#pragma omp critical
		sum++;
	}
	walks = 0;
	for (int i = 0; i < 1000; i++)
#pragma omp critical
		sum++;
	printf("%ld %s\n", sum, walks < 100 ? "few" : "many");
	return 0;
}
END
	echo 'int empty;' >empty.c
	gcc -shared -fPIC -o empty.so empty.c && gcc -w -O1 -fopenmp -rdynamic -o gone gone.c -ldl
	record gone -p off --omp=on -- ./gone
	is "after 40 libraries have gone, walks over all objects for 1000 critical sections" "1040 few" "$(cat gone.out)"
fi

# Two runtimes in one program, each in a library that it loads.
if have gcc clang && [ -x gcc ] && [ -x clang ]; then
	for kind in gcc clang; do
		sed "s/plugin/plugin_$kind/g" plugin.c >$kind-plugin.c
		$kind -O1 -g -fno-optimize-sibling-calls -fopenmp -shared -fPIC -o plugin_$kind.so $kind-plugin.c
	done
	cat >both.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
static long call(const char *path, const char *name)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	long (*function)(void) = library ? (long (*)(void))dlsym(library, name) : NULL;
	return function ? function() : -1;
}
int main(void)
{
	for (int i = 0; i < 4; i++) {
		printf("%ld\n", call("./plugin_clang.so", "plugin_clang"));
		printf("%ld\n", call("./plugin_gcc.so", "plugin_gcc"));
	}
	return 0;
}
END
	gcc -w -O1 -o both both.c -ldl
	record both -p off --omp=on -- ./both
	is "two runtimes: the output" "3 3 3 3 3 3 3 3" "$(echo $(cat both.out))"
	report both -ompregions
	is "two runtimes: the regions of each" "4 3 4 3" "$(echo $(region both.txt plugin_gcc,) $(region both.txt plugin_clang,))"
else
	skip "two runtimes in one program" "gcc or clang -fopenmp does not work"
fi

# Two libraries, each with its own runtime; the second one is loaded where the first one was. A wrapper calls the runtime of its
# caller, also after the recording has ended.
if have gcc && [ -x gcc ]; then
	cat >one.c <<'END'
#include <stdio.h>
void GOMP_critical_start(void) { puts("one"); }
void GOMP_critical_end(void) {}
END
	cat >two.c <<'END'
#include <stdio.h>
static void other(void) { puts("other"); }
void (*keep)(void) = other;
void pad(void) { for (volatile int i = 0; i < 3; i++) printf("%d%d%d", i, i, i); }
void GOMP_critical_start(void) { puts("two"); }
void GOMP_critical_end(void) {}
END
	cat >user.c <<'END'
void GOMP_critical_start(void);
void GOMP_critical_end(void);
void use(void) { GOMP_critical_start(); GOMP_critical_end(); }
END
	cat >over.c <<'END'
#include "collectorAPI.h"
#include <dlfcn.h>
int main(void)
{
	collector_terminate_expt();
	for (int i = 0; i < 2; i++) {
		void *library = dlopen(i ? "./usestwo.so" : "./usesone.so", RTLD_NOW | RTLD_LOCAL);
		void (*use)(void) = library ? (void (*)(void))dlsym(library, "use") : 0;
		if (!use)
			return 2;
		use();
		dlclose(library);
	}
	return 0;
}
END
	for number in one two; do
		gcc -O1 -w -fno-toplevel-reorder -shared -fPIC -o $number.so $number.c
		gcc -O1 -w -shared -fPIC -o uses$number.so user.c ./$number.so
	done
	gcc -O1 -w -I"$tests/../include" -o over over.c -ldl
	record over -p off --omp=on -- ./over
	is "after the recording, a library in the place of another one: its runtime" "one two" "$(echo $(grep -v '^Creating' over.out))"
fi

# Processes that end or fork in the middle of a region.
cat >ends.c <<'END'
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
#pragma omp parallel num_threads(3)
	{
#pragma omp critical
		{
			int status;
			pid_t child = fork();

			if (child == 0)
				_exit(3);
			waitpid(child, &status, 0);
			printf("%d\n", WEXITSTATUS(status));
			fflush(stdout);
		}
#pragma omp barrier
		if (omp_get_thread_num() == 0)
			exit(7);
		for (;;)
			usleep(1000);
	}
}
END
for compiler in gcc clang; do
	have $compiler && [ -x $compiler ] || { skip "$compiler: a process that ends in a region" "$compiler -fopenmp does not work" 3; continue; }
	$compiler -O1 -fopenmp -o ends ends.c
	record "ends-$compiler" -p hi --omp=on -- ./ends
	is "$compiler: the exit status of a process that ends in a region" 7 $?
	is "$compiler: and what the children forked in it printed" "3 3 3" "$(echo $(cat "ends-$compiler.out"))"
	report "ends-$compiler" -ompconstructs
	is "$compiler: what there was is recorded" 3 "$(times "ends-$compiler.txt" 'critical section ')"
done

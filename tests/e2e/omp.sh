# OpenMP: constructs by known numbers with libgomp and libomp, stacks that show who began a region, states of clock samples.
tests=$(realpath "$(dirname "$0")/..")
source "$(dirname "$0")/lib.sh"
export OMP_NUM_THREADS=3


# The numbers follow the names, which have spaces: count them from the end.
region() { awk -v name="$2" 'index($0, name) == 1 { print $(NF - 7), $(NF - 6) }' "$1"; }
times() { awk -v name="$2" 'index($0, name) == 1 { sum += $(NF - 2) } END { print sum + 0 }' "$1"; }

for compiler in gcc clang; do
	if ! have $compiler || ! $compiler -O1 -g -fopenmp -o "$compiler" "$tests/programs/omp/known.c" 2>build.err; then
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
	is "$compiler: regions in regions: 6 teams of 2" "6 2" "$(awk '/^(nested\._omp|\.omp_outlined)/ { print $(NF - 7), $(NF - 6) }' regions)"
	is "$compiler: the region of another thread" 1 "$(region regions late, | cut -d' ' -f1)"
	report $compiler -ompconstructs
	cp $compiler.txt constructs
	for expected in "explicit barrier:30" "critical section:42" "lock:30" "task made:20" "task executed:20" "wait for tasks:2" "single:1"; do
		is "$compiler: ${expected%:*}" "${expected#*:}" "$(times constructs "${expected%:*} ")"
	done
	report $compiler -printmode json -ompconstructs
	contains "$compiler: JSON" '"ompconstructs"' $compiler.txt

	# The region that works long enough for samples is that of `late`, called by in_thread, also for its other threads.
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

# A tool of the program's own comes before the recorder.
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
	clang -O1 -g -fopenmp -o linked "$tests/programs/omp/known.c" ./tool.so -Wl,--no-as-needed,-rpath,"$PWD" ./tool.so
	record linked --omp=on -- ./linked
	is "and so is one that the program is linked to" tool "$(head -1 linked.out)"
	contains "which the header says" 'has a tool of its own' linked.er/log.xml
fi

# A program whose OpenMP comes with a library that it loads, in no global scope.
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
	gcc -O1 -g -fopenmp -shared -fPIC -o plugin.so plugin.c && gcc -O1 -g -o host host.c -ldl
	record host --omp=on -- ./host
	is "OpenMP in a library that is loaded: the exit status" 0 $?
	is "and the output" "3 3 3" "$(echo $(cat host.out))"
	report host -ompregions
	is "and its regions" "3 3" "$(region host.txt plugin,)"
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
	have $compiler && [ -x $compiler ] || continue
	$compiler -O1 -fopenmp -o ends ends.c
	record "ends-$compiler" -p hi --omp=on -- ./ends
	is "$compiler: the exit status of a process that ends in a region" 7 $?
	is "$compiler: and what its children said, forked in it" "3 3 3" "$(echo $(cat "ends-$compiler.out"))"
	report "ends-$compiler" -ompconstructs
	is "$compiler: what there was is recorded" 3 "$(times "ends-$compiler.txt" 'critical section ')"
done

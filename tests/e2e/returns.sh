# Function tracing of code that calls a hook at function entries only: exact numbers of calls, and programs run as they do without
# tracing.
sources=$(cd "$(dirname "$0")/../programs" && pwd)
. "$(dirname "$0")/lib.sh"
gcc_options="-D_GNU_SOURCE -O2 -g -fno-inline-functions -fno-ipa-icf -fno-ipa-cp -fno-ipa-sra -fno-optimize-sibling-calls"
clang_options="-D_GNU_SOURCE -O2 -g"

# check NAME COMPILER...: known calls, in 4 threads and in a shared object that is loaded and unloaded, by choice, and with other
# data
check()
{
	local name=$1
	shift
	if ! "$@" -o "$name" "$sources/ft_known.c" -lpthread >"$name.log" 2>&1; then
		skip "$name" "the compiler cannot do it here"
		return
	fi
	record "$name" -p off --functrace=returns=on -- "./$name" 4 5000
	counted "$name: every call in 4 threads is there" "$name"
	absent "$name: all of them are complete" '^# of the calls' "$name.txt"
	absent "$name: none was left out" 'were not recorded' "$name.txt"
	needs "$name: llvm-xray verifies the trace" 1 llvm-xray && succeeds "$name: llvm-xray verifies the trace" timeout 60 llvm-xray fdr-dump -verify "$name.er/functrace"
	record "$name.data" -p hi -H on -s all --functrace=returns=on -- "./$name" 2 5000
	counted "$name: clock samples, heap and synchronization events go with it" "$name.data"
	is "$name: functions by name" "fib 354 leaf 600" "$(chosen "$name.chosen" 'returns=on,l?af,f*' "./$name" 2 100)"
	is "$name: depth" "worker 2" "$(chosen "$name.chosen" returns=on,depth=1 "./$name" 2 100)"
	chosen "$name.chosen" returns=on,min=10s "./$name" 2 100 >/dev/null
	is "$name: erased and shown are all" 1256 "$(($(awk 'NF == 11 && $3 ~ /^[0-9]+$/ { sum += $3 } END { print sum + 0 }' "$name.chosen.txt") + $(erased "$name.chosen")))"
	record "$name.off" -p off --functrace -- "./$name" 1 10
	[ ! -e "$name.off.er/functrace" ] && ok "$name: without returns=on, nothing is traced" || not_ok "$name: without returns=on, nothing is traced"
}

# plugin NAME COMPILER...: the same for a shared object
plugin()
{
	local name=$1
	shift
	"$@" -fPIC -shared -o "./$name.so" "$sources/ft_plugin.c" >"$name.so.log" 2>&1 || { skip "$name: shared object" "the compiler cannot do it here"; return; }
	record "$name.plugin" -p off --functrace=returns=on -- "$programs/ft_host" "./$name.so"
	counted "$name: a shared object that comes and goes is traced" "$name.plugin"
	is "$name: its functions by name" "plugged 30" "$(chosen "$name.plugin" 'returns=on,plugged' "$programs/ft_host" "./$name.so")"
}

# both NAME COMPILER...: check and plugin
both()
{
	check "$@"
	plugin "$@"
}

# hard NAME COMPILER...: exceptions, jumps, coroutines and the like; whole stacks of samples
hard()
{
	local name=hard_$1 kind
	shift
	if ! "$@" -D_GNU_SOURCE -O2 -g -fno-inline-functions -o "$name" "$sources/ft_hard.cc" -lpthread >"$name.log" 2>&1 ||
		! "$@" -std=gnu++20 -O2 -g -o "$name.stacks" "$sources/stacks.cc" >"$name.log" 2>&1; then
		skip "$name" "the compiler cannot do it here"
		return
	fi
	record "$name" -p off --functrace=returns=on -- "./$name"
	is "$name: the program finds nothing wrong" 0 $?
	counted "$name: every call is there" "$name"
	absent "$name: none was left out" 'were not recorded' "$name.txt"
	record "$name.data" -p hi -H on -s all -i on --functrace=returns=on,depth=100,min=100ns -- "./$name"
	is "$name: the same with samples, other events and limits" 0 $?
	record "$name.stacks" -p hi --functrace=returns=on -- "./$name.stacks" 0.3
	report "$name.stacks" -calltree
	contains "$name: stacks of samples are whole" ' 0 truncated stacks' "$name.stacks.txt"
	# The last sample, of the remaining CPU time, may fall into exit. One may fall into a constructor of the compiler's library,
	# which asks the processor what it can; a virtual machine may take ms to answer. While libgcc passes an exception to its
	# handler, its own frame has the return address of the handler's: for some eight instructions, gdb sees no main either.
	within "$name: nearly all of them begin in main or a constructor, in per cent" 98 100 "$(awk '
		{ at = index($0, "+-") }
		/[+]-<Total>$/ { all = $1 }
		!main && /[+]-main$/ { main = at }
		!init && /[+]-_dl_init$/ { init = at }
		at && (at == main && /[+]-main$/ || at == init && /[+]-_dl_init$/) { sum += $1 }
		END { print 100 * sum / all }' "$name.stacks.txt")"
}

# nested NAME OPTION...: nested functions of gcc, which get their frame in r10, and other unusual ones
nested()
{
	local name=nested_$1
	shift
	gcc -O2 -g "$@" -o "$name" "$sources/ft_nested.c" >"$name.log" 2>&1 || { skip "$name" "the compiler cannot do it here"; return; }
	record "$name" -p off --functrace=returns=on -- "./$name"
	is "$name: results are right" 0 $?
	sed -i '/ 0$/d' "$name.out"
	counted "$name: every call is there" "$name"
}

# stepped NAME ASTRAY COMPILER...: a handler with traced calls interrupts traced calls at every instruction; ASTRAY is how many
# walks from there may end wrongly
stepped()
{
	local name=stepped_$1 astray=$2 limits
	shift 2
	"$programs/stepper" true 2>/dev/null || { skip "$name" "ptrace is not possible here"; return; }
	"$@" -O2 -g -D_GNU_SOURCE -o "$name" "$sources/ft_stepped.c" >"$name.log" 2>&1 || { skip "$name" "the compiler cannot do it here"; return; }
	for limits in returns=on returns=on,depth=5,min=1ns; do
		rm -rf "$name.er"
		limited 100 "$programs/stepper" "$xcollect" -p off -S off --functrace=$limits -o "$name.er" "./$name" >"$name.out" 2>"$name.err"
		is "$name, $limits: interrupted at every instruction" 0 $?
		counted "$name, $limits: every call is there" "$name"
		is "$name, $limits: walks lead to main" "astray $astray" "$(grep astray "$name.err")"
		within "$name, $limits: instructions of the recorder were among them" 1000 20000 "$(sed -n 's/ instructions//p' "$name.err")"
	done
}

# shellcheck disable=SC2086
{
	# -pg alone calls mcount, with -mfentry __fentry__.
	both pg gcc $gcc_options -pg
	both fentry gcc $gcc_options -pg -mfentry
	check nop gcc $gcc_options -pg -mnop-mcount -mrecord-mcount -fno-pie -no-pie
	check nop_fentry gcc $gcc_options -pg -mfentry -mnop-mcount -mrecord-mcount -fno-pie -no-pie
	both patchable gcc $gcc_options -fpatchable-function-entry=5
	both patchable_before gcc $gcc_options -fpatchable-function-entry=16,8 -fcf-protection
}
hard pg g++ -pg
hard static g++ -pg -static-libgcc -static-libstdc++
hard patchable g++ -fpatchable-function-entry=5
stepped pg 0 gcc -pg
stepped fentry 0 gcc -pg -mfentry
# One instruction of each of the 6 calls lies in memory that the recorder made, without an object or an unwinding table.
stepped patchable 6 gcc -fpatchable-function-entry=5
nested pg -pg
nested fentry -pg -mfentry
nested marked -pg -mfentry -fcf-protection
nested nop_fentry -pg -mfentry -mnop-mcount -mrecord-mcount -fno-pie -no-pie
nested patchable -fpatchable-function-entry=5
if have clang clang++; then
	# shellcheck disable=SC2086
	{
		both clang_pg clang $clang_options -pg
		both clang_fentry clang $clang_options -pg -mfentry
		both clang_patchable clang $clang_options -fpatchable-function-entry=5
		both clang_patchable_before clang $clang_options -fpatchable-function-entry=16,8 -fcf-protection
	}
	hard clang_fentry clang++ -pg -mfentry
else
	skip "clang" "it is not installed"
fi

# ---- what cannot be traced is left alone, with a message
# shellcheck disable=SC2086
gcc $gcc_options -fpatchable-function-entry=3 -o narrow "$sources/ft_known.c" -lpthread
record narrow -p off --functrace=returns=on -- ./narrow 2 100
is "entries without room: the program runs" 0 $?
contains "the log says so" 'less than 5 bytes at their entries' narrow.er/log.xml
# shellcheck disable=SC2086
gcc $gcc_options -pg -fno-asynchronous-unwind-tables -fno-unwind-tables -o untold "$sources/ft_known.c" -lpthread
record untold -p off --functrace=returns=on -- ./untold 2 100
is "functions without unwind tables: the program runs" 0 $?
contains "their calls are counted" 'name="calls_unhooked" value="1256"' untold.er/log.xml
report untold -calls
contains "below the table too" '1256 calls were not recorded' untold.txt

# ---- gmon.out
if have gprof; then
	# gmon CLAIM EXPECTED: the calls of leaf in gmon.out
	gmon()
	{
		gprof -b -p ./pg gmon.out 2>/dev/null | awk '$NF == "leaf" { calls = $4 } END { print calls + 0 }' | xargs -I{} echo {} >gmon.txt
		is "$1" "$2" "$(cat gmon.txt)"
		rm -f gmon.out
	}
	rm -f gmon.out
	./pg 1 1000 >/dev/null
	gmon "gmon.out of the program alone" 3000
	record arcs -p on -- ./pg 1 1000
	gmon "gmon.out is the same without function tracing" 3000
	record arcs_plain -p off --functrace -- ./pg 1 1000
	gmon "and without returns=on" 3000
	record arcs_returns -p off --functrace=returns=on -- ./pg 1 1000
	is "with it, gmon.out is there" 1 "$(find . -maxdepth 1 -name gmon.out | wc -l)"
	gmon "without calls" 0
else
	skip "gmon.out" "gprof is not installed"
fi

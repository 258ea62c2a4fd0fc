# JIT functions: perf maps, jitdump files and gdb's interface say which function has the events, and give its name, lines and
# instructions.
. "$(dirname "$0")/lib.sh"

# run NAME OPTION... -- ARGUMENT...: record jit_known; its pid is in $pid
run()
{
	local name=$1 options=()
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	rm -rf "$name.er"
	record "$name" -p off -H on "${options[@]}" -- "$programs/jit_known" "$@"
	status=$?
	pid=$(cat "$name.out")
}

# counts NAME FUNCTION...: their allocations
counts()
{
	local name=$1 function
	shift
	report "$name" -metrics i.heapalloccnt:name -functions
	for function in "$@"; do
		awk -v name="$function" 'substr($0, length($0) - length(name)) == " " name { sum += $1 } END { printf "%d ", sum }' "$name.txt"
	done
}
two='two(int) /src/two.js:30:5'

# ---- a perf map
run map -- map
is "a perf map: the program runs" 0 $status
rm -f "/tmp/perf-$pid.map"
is "functions at one address are distinguished by the time of their lines" "7 5 3 " "$(counts map one "$two" three)"
is "nothing is wrong with it" said "$(said_in map.txt)$(cat map.txt.err)"
report map -header all
contains "the header says what was read" '^JIT code +perf map: 3 functions, 2 entries without sense$' map.txt
report map -metrics i.heapalloccnt:name -disasm "$two"
contains "code that was not kept is not shown" 'two\(int\).* its code was not recorded' map.txt.err
report map -metrics i.heapalloccnt:name -lines
contains "the name has the source position" 'two\(int\) /src/two\.js:30:5' map.txt

# ---- a process that is killed, and one whose files are not archived
run killed -- map kill
is "killed: the status is its own" 137 $status
is "killed: the map is read" "7 5 3 " "$(counts killed one "$two" three)"
is "killed: the first reader archives the map" "one" "$(awk 'NR == 1 { print $3 }' killed.er/perf.map)"
# A file left long ago by another process with the same number.
rm -f killed.er/perf.map
touch -d '2001-01-01' "/tmp/perf-$pid.map"
is "a map from before the process is not its own" "0 0 0 " "$(counts killed one "$two" three)"
report killed -header all
contains "and that is said" '^JIT code +perf map: /tmp/perf-[0-9]*\.map does not exist, or is not of this process$' killed.txt
for kind in link fifo directory empty long; do
	rm -rf "/tmp/perf-$pid.map" killed.er/perf.map
	case $kind in
	link) printf '1 2 x\n' >elsewhere && ln -s "$PWD/elsewhere" "/tmp/perf-$pid.map" ;;
	fifo) mkfifo "/tmp/perf-$pid.map" ;;
	directory) mkdir "/tmp/perf-$pid.map" ;;
	empty) : >"/tmp/perf-$pid.map" ;;
	long) truncate -s 300M "/tmp/perf-$pid.map" ;;
	esac
	is "a $kind in place of the map does no harm" "0 0 0 " "$(counts killed one "$two" three)"
done
report killed -header all
contains "too long a map is said to be so" '^  perf map /tmp/perf-[0-9]*\.map was not taken: File too large$' killed.txt
report killed -header all
is "once, however often it is read" 1 "$(grep -c 'was not taken' killed.er/log.xml)"
rm -rf "/tmp/perf-$pid.map"

run left -A off -- map
is "not archived: it is read where it is" "7 5 3 " "$(counts left one "$two" three)"
"$xer_archive" -verify left.er >left.verify 2>&1
contains "-verify names it" "^missing: left\.er: /tmp/perf-$pid\.map: JIT functions: not archived" left.verify
rm -f "/tmp/perf-$pid.map"

# ---- a jitdump file
run dump -- dump
is "a jitdump file: the program runs" 0 $status
rm -f jit-*.dump
is "functions at one address are distinguished by their times" "7 5 5 " "$(counts dump one two three)"
is "nothing is wrong with that" said "$(said_in dump.txt)$(cat dump.txt.err)"
report dump -header all
contains "what is cut off is said" '^JIT code +jitdump: 3 functions; the rest was not read: it is cut off$' dump.txt
report dump -allocs
contains "lines are known" '^  two \+ 0x00000005, line 11 in "maker.jit"' dump.txt
for name in one:91:7 two:92:5; do
	IFS=: read -r function last calls <<<"$name"
	report dump -metrics i.heapalloccnt:name -dcc src:hex -disasm "$function"
	contains "the instructions of $function are its own" " $last +xchgl" dump.txt
	contains "and its values" "^## $calls +\[ +11\] .*callq +\*%rdi" dump.txt
done
run dumpkilled -- dump kill
is "killed: the jitdump file is read" "7 5 5 " "$(counts dumpkilled one two three)"
printf 'xxxx' | dd of=dumpkilled.er/jit1.dump conv=notrunc 2>/dev/null
report dumpkilled -header all
contains "a file that is no jitdump is said to be so" '^JIT code +jitdump: 0 functions; the rest was not read: no jitdump' dumpkilled.txt

# ---- the interface of gdb
run gdb -- gdb
is "registered for debuggers: the program runs" 0 $status
is "functions at one address are distinguished by the time of their registration" "7 5 3 " "$(counts gdb one two three)"
report gdb -header all
contains "registered for debuggers: it is said" '^JIT code +registered for debuggers: 3 functions in 3 files$' gdb.txt
for name in one:91:7 two:92:5; do
	IFS=: read -r function last calls <<<"$name"
	report gdb -metrics i.heapalloccnt:name -dcc src:hex -disasm "$function"
	contains "registered for debuggers: the instructions of $function are its own" " $last +xchgl" gdb.txt
	contains "registered for debuggers: their values are" "^## $calls .*callq +\*%rdi" gdb.txt
done
if have clang lli; then
	cat >registrant.c <<'END'
#include <stdlib.h>
void *volatile last;
__attribute__((noinline)) void allocate(void) { last = malloc(10); }
__attribute__((noinline)) void work(int n)
{
	for (int i = 0; i < n; i++)
		allocate();
}
int main(void) { work(50); return 0; }
END
	if clang -g -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -emit-llvm -c -o registrant.bc registrant.c; then
		record lli -p off -H on -- lli registrant.bc
		is "lli runs" 0 $?
		report lli -metrics i.heapalloccnt:name -functions
		is "lli: what LLVM compiled has its names" "50 50" "$(value lli allocate 1) $(value lli work 1)"
		report lli -metrics i.heapalloccnt:name -disasm work
		contains "lli: its instructions have source lines" '^ +7\. .*allocate\(\);' lli.txt
		contains "lli: and their values" '^## 50 +\[ +7\] .*call' lli.txt
	else
		not_ok "the program for lli is compiled"
	fi
else
	skip "lli" "clang or lli is not installed"
fi

# ---- JIT code that nothing describes
run none -- none
is "code that nothing describes is named by its place" 15 "$(counts none '<jit>+0x0' | tr -d ' ')"
report none -metrics i.heapalloccnt:name -dcc src:hex -disasm '<jit>+0x0'
contains "its instructions are the last that were seen" '^## +1[0-9] .*: +ff d7 +callq +\*%rdi' none.txt
contains "up to the last of them" ': +93 +xchgl' none.txt
is "and no further" 1 "$(grep -E ' [0-9a-f]+: ' none.txt | tail -1 | grep -c ': *93 ')"
"$xer_archive" -verify none.er >none.verify
is "it is no loss" 0 $?

# ---- descendants
record children -p off -H on -F on -- bash -c "'$programs/jit_known' map; '$programs/jit_known' dump"
is "descendants: both files are in their experiments" 2 "$(find children.er -name perf.map -o -name jit1.dump | grep -c '/_')"
is "and are read" "14 10 8" "$(report children -metrics i.heapalloccnt:name -functions
	for function in one two three; do
		awk -v name="$function" '$2 ~ "^" name { sum += $1 } END { printf "%d ", sum }' children.txt
	done | sed 's/ $//')"
for pid in $(cat children.out); do rm -f "/tmp/perf-$pid.map"; done

# ---- a real runtime
if have node; then
	cat >work.js <<'END'
function burner(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) | 0; return s; }
const end = process.cpuUsage().user + 600000;
let sum = 0;
while (process.cpuUsage().user < end) sum += burner(1000000);
console.log(typeof sum);
END
	record node -p hi -- node --perf-basic-prof --perf-prof work.js
	is "node runs" "0 number" "$? $(cat node.out)"
	rm -f jit-*.dump isolate*.log
	report node -metrics e.totalcpu:e.%totalcpu:name -functions
	if grep -q '<event kind="jitdump"' node.er/log.xml; then
		within "node: the function that burns has the time" 60 100 \
			"$(awk '/:[*+^~]burner / { gsub(/%/, "", $2); sum += $2 } END { print sum }' node.txt)"
		name=$(awk '/:[*+^~]burner / { sub(/^ *[0-9.]+ +[0-9.]+ +/, ""); print; exit }' node.txt)
		report node -disasm "$name" 1
		contains "node: its instructions are shown" '^## .*\[ +[0-9?]+\]' node.txt
		report node -source "$name" 1
		contains "node: its source is shown" 'function burner\(n\)' node.txt
	else
		skip "node: functions" "this node writes no jitdump file"
	fi
	sed -n 's/.*<process pid="\([0-9]*\)".*/\1/p' node.er/log.xml | while read -r pid; do rm -f "/tmp/perf-$pid.map"; done
else
	skip "node" "it is not installed"
fi

# A runtime that describes nothing, uses rbp for other things and has no unwinding tables: the walk goes on at what must be a
# return address.
if have luajit; then
	cat >work.lua <<'END'
local function burner(n) local s = 0; for i = 1, n do s = (s * 31 + i) % 1000003 end return s end
local sum, start = 0, os.clock()
while os.clock() - start < 0.5 do sum = sum + burner(1000000) end
print(type(sum))
END
	record luajit -p hi -- luajit work.lua
	is "LuaJIT runs" "0 number" "$? $(cat luajit.out)"
	report luajit -metrics e.%totalcpu:name -functions
	within "LuaJIT: the code that burns has the time" 60 100 "$(awk '/ <jit>\+0x/ { sum += $2 } END { print sum }' luajit.txt)"
	report luajit -metrics i.%totalcpu:name -functions
	within "LuaJIT: which is called by the program" 90 100 "$(value luajit lua_pcall 2)"
	within "LuaJIT: in whole stacks" 90 100 "$(value luajit main 2)"
else
	skip "LuaJIT" "it is not installed"
fi

# ---- code without tables: to ask whether the code of a frame can be read costs a system call, and is done once for each place
is_x86=$(uname -m | grep -c x86_64)
if [ "$is_x86" = 1 ] && have strace && strace -o /dev/null true 2>/dev/null; then
	record untabled -p off -H on -A off -- strace -f -c -e trace=rt_sigprocmask -o probes "$programs/untabled" 100 1000
	is "code without tables: the program runs" 0 $?
	within "its system calls do not grow with frames times events" 1 2000 "$(awk '$NF == "rt_sigprocmask" { print $4 }' probes)"
	report untabled -metrics i.heapalloccnt:name -functions
	report untabled -metrics i.heapalloccnt:name -functions
	is "its stacks are whole" 1000 "$(awk '$2 == "main" { print $1 }' untabled.txt)"
	record known -p off -H on -A off -- "$programs/untabled" 1000 20000
	report known -metrics i.heapalloccnt:name -functions
	is "deep ones, which the memo knows, are whole" 20000 "$(awk '$2 == "main" { print $1 }' known.txt)"
	record deep -p off -H on -A off -- "$programs/untabled" 30000 100
	report deep -functions
	contains "the table leads to the code whose callers are missing" '^# next: csingle <Truncated-stack> ' deep.txt
	within "deeper ones are cut off, and that is said" 100 120 "$(sed -n 's/^# quality:.* \([0-9]*\) truncated stacks.*/\1/p' deep.txt)"
	contains "with the reason" '^# stacks: 99\.0 % are cut, 100\.0 % of them for their depth$' deep.txt
	record own -p off -H on -A off -- "$programs/untabled" 0 300 own
	report own -metrics i.heapalloccnt:name -functions
	contains "code that cannot be walked is named" \
		'^# stacks: 99\.7 % are cut, where neither unwinding tables nor frame pointers lead on: 100\.0 % of them in JIT code of untabled$' own.txt
	is "what it called is known" 300 "$(value own work 1)"
	"$xer_print" -printmode json -functions own.er >own.json
	is "programs are told it too" "301 JIT code of untabled 100.0" "$(python3 -c 'import json, sys
table = [t for t in json.load(open("own.json"))["tables"] if t["name"] == "quality"][0]
row = dict(zip([c["key"] for c in table["columns"]], table["rows"][0]))
print(row["truncated"], row["truncated_in"], row["truncated_in_share"])')"
	report known -functions
	absent "where stacks are whole nothing is said" '^# stacks:' known.txt
else
	skip "code without tables" "it wants x86-64 and strace" 11
fi

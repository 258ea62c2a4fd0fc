# Control of the recording: by the program (collectorAPI.h), by signals (-y, -l), from the start (-x).
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/lib.sh"

# calls NAME FUNCTION MALLOCS READS TRYLOCKS
calls()
{
	is "$1: $2" "$3 $4 $5" "$(value "$1" "$2" 1) $(value "$1" "$2" 2) $(value "$1" "$2" 3)"
}

# events NAME KIND: how many events of a kind log.xml has
events() { grep -c "<event kind=\"$2\"" "$1.er/log.xml"; }

# check_known NAME: the numbers that follow from control_known's source
check_known()
{
	report "$1" -metrics i.heapalloccnt:i.ioreadcnt:i.syncn:i.totalcpu:name -functions
	calls "$1" before 120 10 10
	calls "$1" after 30 10 10
	is "$1: what is paused is not recorded" "" "$(value "$1" meanwhile 1)"
	is "$1: nor what comes after the end" "" "$(value "$1" behind 1)"
	within "$1: CPU time before and after" 0.18 0.23 "$(value "$1" burn 4)"
	is "$1: but none of the pause" "" "$(value "$1" burn_unseen 4)"
	within "$1: CPU time of the pause is not lost" 96 104 "$(sed -n 's/^# quality: CPU time covered \([0-9.]*\) %.*/\1/p' "$1.txt")"
	contains "$1: it is told" '^# quality: .* s\), 0\.[34][0-9] s more while paused, ' "$1.txt"
	is "$1: pause and resumption" "1 1 1" "$(events "$1" pause) $(events "$1" resume) $(events "$1" terminate)"
	report "$1" -leaks
	contains "$1: what was freed in the pause is no leak" 'Distinct Leaks = 1, Total Instances = 8, Total Bytes Leaked = 400$' "$1.txt"
	report "$1" -sample_detail
	contains "$1: the first sample has its name" ' manual: first$' "$1.txt"
	contains "$1: the second has its odd name" ' manual: second one <&>$' "$1.txt"
	is "$1: the third was not taken" 2 "$(grep -c ' manual' "$1.txt")"
	report "$1" -header all
	contains "$1: the recording ended well, at an unknown status of the process" '^Status *ended' "$1.txt"
}

record known -H on -i on -s all -- "$programs/control_known"
is "the program's status is its own" "3 done" "$? $(cat known.out)"
check_known known
is "without a recorder nothing happens" "3 done" "$("$programs/control_known" >plain.out; echo $? "$(cat plain.out)")"

# The weak symbol must be found, however the program is linked.
for way in "-no-pie" "-no-pie -Wl,-z,now" "-fPIE -pie -Wl,-z,lazy" "-O0 -no-pie -fno-pie"; do
	gcc -D_GNU_SOURCE -O2 -g -fno-inline-functions -fno-optimize-sibling-calls $way -I"$root" -o linked "$root/tests/programs/control_known.c" ||
		{ not_ok "links $way"; continue; }
	rm -rf linked.er; record linked -- ./linked
	is "linked $way" "2 1 1" "$(events linked sample) $(events linked pause) $(events linked terminate)"
done
if gcc -D_GNU_SOURCE -O2 -static -I"$root" -o linked "$root/tests/programs/control_known.c" 2>/dev/null; then
	./linked >linked.out
	is "a static program runs without it" "3 done" "$? $(cat linked.out)"
else
	skip "a static program runs without it" "no static C library"
fi
if needs "the header is clean C++98" 1 g++; then
	g++ -std=c++98 -pedantic-errors -Wall -Wextra -Werror -I"$root/include" -fsyntax-only -x c++ - <<<'#include <collectorAPI.h>' 2>cxx.err
	is "the header is clean C++98" 0 $?
fi
gcc -std=c89 -pedantic-errors -Wall -Wextra -Werror -I"$root/include" -fsyntax-only -x c - <<<'#include <collectorAPI.h>' 2>c89.err
is "and clean C89" 0 $?

record cxx -p off -H on -- "$programs/control_cxx"
report cxx -metrics i.heapalloccnt:name -functions
is "C++" "20 40 " "$(value cxx 'seen()' 1) $(value cxx 'seen_again()' 1) $(value cxx 'unseen()' 1)"
report cxx -sample_detail
contains "C++: the sample's name" ' manual: C\+\+$' cxx.txt
contains "Fortran: the sample's name" ' manual: Fortran$' cxx.txt

if have gfortran; then
	cat >program.f90 <<'END'
program control
	call collector_sample('from Fortran')
	call collector_pause()
	call collector_resume()
end program
END
	printf '#define COLLECTOR_FORTRAN\n#include <collectorAPI.h>\n' >fortran.c
	if gcc -c -I"$root/include" fortran.c && gfortran -o fortran program.f90 fortran.o; then
		record fortran -p off -- ./fortran
		report fortran -sample_detail
		contains "a Fortran program" ' manual: from Fortran$' fortran.txt
	else
		not_ok "a Fortran program is built"
	fi
else
	skip "a Fortran program" "gfortran is not installed"
fi

# ---- JIT functions
record dynamic -p off -H on -- "$programs/dynamic_known"
is "dynamic_known runs" "0 calls 15" "$? $(cat dynamic.out)"
report dynamic -metrics i.heapalloccnt:name -functions
is "JIT functions have their names" "7 5 3" \
	"$(value dynamic first_maker 1) $(value dynamic second_maker 1) $(value dynamic third_maker 1)"
report dynamic -allocs
contains "and their lines" '^  second_maker \+ 0x00000005, line 11 in "maker.jit"' dynamic.txt
is "the code is kept" "554889e5ffd75dc3" "$(od -An -tx1 -N8 dynamic.er/dyntext | tr -d ' \n')"
report dynamic -metrics i.heapalloccnt:name -disasm second_maker
contains "its instructions are shown" '^## 5 +\[ +11\] +[0-9a-f]+: +callq +\*%rdi' dynamic.txt
is "unreadable code is announced without it" 1 "$(grep -c '<function name="unreadable" [^>]*generation="[0-9]*" time="[0-9]*"/>' dynamic.er/map.xml)"

# ---- many threads, handlers, children
record stress -p hi -H on -s all -i on -w on -- "$programs/control_stress" 2
is "control from all sides at once" "0 done" "$? $(cat stress.out)"
report stress -metrics i.heapalloccnt:name -functions
is "in the end events are recorded" 50 "$(value stress settled 1)"
is "and the experiment is sound" said "$(said_in stress.txt)$(cat stress.txt.err)"
report stress -sample_detail
contains "the last sample has its name" ' manual: settled$' stress.txt
if needs "the logs are well-formed" 1 xmllint; then
	xmllint --noout stress.er/log.xml && xmllint --noout stress.er/map.xml
	is "the logs are well-formed" 0 $?
fi

record children -p off -H on -F on -- "$programs/control_children"
is "control_children exits 0" 0 $?
report children -metrics i.heapalloccnt:name -functions
for expected in child_paused: child_resumed:20 executed_paused: executed_resumed:40 parent_paused: parent_resumed:60; do
	is "children: ${expected%:*}" "${expected#*:}" "$(value children "${expected%:*}" 1)"
done

# ---- signals
record toggled -p off -H on -y USR1 -l SIGUSR2 -- "$programs/control_signals" 10 12
is "-y, -l: the program's handler is called too, and no call is interrupted" "handled 3 interrupted 0" "$(tr '\n' ' ' <toggled.out | sed 's/ $//')"
report toggled -metrics i.heapalloccnt:name -functions
is "-y: it starts paused, and every signal changes that" " 20  40" \
	"$(value toggled one 1) $(value toggled two 1) $(value toggled three 1) $(value toggled four 1)"
report toggled -sample_detail
is "-l: a sample for each signal" 6 "$(grep -c ' manual: signal$' toggled.txt)"
record inverse -p off -H on -y 10,r -- "$programs/control_signals" 10 23
report inverse -metrics i.heapalloccnt:name -functions
is "-y ,r: it starts recording" "10  30 " \
	"$(value inverse one 1) $(value inverse two 1) $(value inverse three 1) $(value inverse four 1)"
for bad in KILL 61 NOSUCH 65 SEGV; do
	"$xcollect" -y $bad -o bad.er true 2>/dev/null
	is "-y $bad is refused" 125 $?
done
"$xcollect" -y USR1 -l USR1 -o bad.er true 2>/dev/null
is "one signal for two ends is refused" 125 $?
"$xcollect" -A off -F off -o unhandled.er -y USR1 bash -c 'kill -USR1 $$; kill -USR1 $$; (kill -USR1 $BASHPID); echo $?' >unhandled.out 2>/dev/null
is "a child that is not recorded takes the signal as it would" 138 "$(cat unhandled.out)"

# ---- paused from the start
"$xcollect" -A off -x -o stopped.er "$programs/exitcodes" exec 5 2>stopped.err &
pid=$!
for ((i = 0; i < 100; i++)); do
	state=$(sed 's/.*) //; s/ .*//' /proc/$pid/stat 2>/dev/null)
	[ "$state" = T ] && [ "$(cat /proc/$pid/comm)" = exitcodes ] && break
	sleep 0.05
done
is "-x: the process is stopped, as the program" "T exitcodes" "$state $(cat /proc/$pid/comm)"
absent "-x: the program has not begun" 'kind="exec"' stopped.er/log.xml
contains "-x: a message says what to do" "kill -CONT $pid" stopped.err
kill -CONT $pid
wait $pid
is "-x: it goes on, and what it executes does not stop" 5 $?

# ---- periodic samples of a process that sleeps, which nothing wakes
record asleep -S 0.1 -A off -- sh -c 'sleep 1.05'
report asleep -sample_detail
within "a sleeping process has its periodic samples" 9 26 "$(grep -c ' periodic$' asleep.txt)"
record sleeper -S 0.1 -p off -A off -- sleep 0.55
report sleeper -sample_detail -statistics
within "without clock profiling too" 5 8 "$(grep -c ' periodic$' sleeper.txt)"
is "each is of a tenth of a second, and of no CPU time but the first" "0" \
	"$(awk '/ periodic$/ && $1 > 2 && ($3 < 0.099 || $3 > 0.101 || $4 + $6 > 0.001) { n++ } END { print n + 0 }' sleeper.txt)"
record tree -S 0.1 -A off -- sh -c 'sleep 0.45; sleep 0.35; true'
report tree -sample_detail
is "descendants that sleep have theirs" "yes yes" \
	"$(awk '/^Experiment/ { name = $2 } / periodic$/ { n[name]++ } END { print(n["tree.er/_f1_x1.er"] >= 4 ? "yes" : "no", n["tree.er/_f2_x1.er"] >= 3 ? "yes" : "no") }' tree.txt)"
record usual -A off -- sh -c 'sleep 0.45; true'
report usual -sample_detail
absent "by the usual period a short sleep has none" ' periodic$' usual.txt

# The command `collector` in gdb: for a program that gdb starts, and for one that it attaches to.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/lib.sh"

if ! have gdb || ! gdb -nx -batch -ex 'python print(1)' >/dev/null 2>&1; then
	skip "collector in gdb" "no gdb with python"
	exit 0
fi
export XCOLLECT=$xcollect
debug() { limited 60 gdb -nx -batch -ex "source $root/share/xer.gdb" "$@" >gdb.out 2>gdb.err </dev/null; }

debug -ex 'collector heaptrace on' -ex 'collector profile off' -ex 'collector archive off' -ex 'collector store experiment started.er' \
	-ex 'collector enable' -ex 'break main' -ex run -ex 'collector sample record' -ex 'collector status' -ex continue --args "$programs/heap_known"
contains "started: gdb stops in main" '^Breakpoint 1, ' gdb.out
contains "started: status" '^heaptrace    on$' gdb.out
report started -metrics i.heapalloccnt:i.heapallocbytes:name -functions -sample_detail
is "started: exact numbers" "100 1000" "$(value started use_malloc 1) $(value started use_malloc 2)"
contains "started: a sample" ' manual: signal$' started.txt

rm -rf go go.ready
"$programs/attached" nothing 0 "$PWD/go" "$programs/plugin.so" >target.out 2>target.err &
target=$!
wait_for test -d go.ready
debug -p $target -ex 'collector heaptrace on' -ex 'collector profile hi' -ex 'collector archive off' -ex 'collector store experiment attached.er' -ex 'collector enable' \
	-ex "shell touch go" -ex "shell (sleep 1; kill -INT $target) &" -ex continue \
	-ex 'collector disable' -ex detach
contains "attached: it is recorded" '^Recording process ' gdb.out
contains "attached: and no more" '^The recording of process [0-9]+ has ended' gdb.out
rm -f go
wait $target
is "attached: the process ends rightly" "0 right" "$? $(sed 's/ [0-9]*$//' target.out)"
report attached -metrics i.heapalloccnt:i.heapallocbytes:name -functions
is "attached: exact numbers" "100 1000" "$(value attached known_malloc 1) $(value attached known_malloc 2)"

# ---- no command ends the program, and none does nothing in silence
# lasting NAME COMMAND...: the commands on a process that goes on: it lives afterwards. Output in gdb.out, gdb.err.
lasting()
{
	local name=$1
	shift
	debug -p "$target" "$@" -ex detach
	sleep 0.2
	if kill -0 "$target" 2>/dev/null && ! grep -q '^State:.Z' "/proc/$target/status"; then ok "$name: the process lives"; else not_ok "$name: the process has ended"; fi
}

sleep 1000 &
target=$!
lasting "not recorded" -ex 'collector sample record' -ex 'collector sample record late' -ex 'collector pause' -ex 'collector status'
is "not recorded: three times it is said" 3 "$(grep -c "process $target is not recorded" gdb.err)"
contains "not recorded: status" "^recording    off: process $target is not recorded$" gdb.out
lasting "recorded for a while" -ex 'collector store experiment first.er' -ex 'collector archive off' -ex 'collector enable' \
	-ex 'collector sample record "one word more"' -ex 'collector sample record second' -ex 'collector pause' -ex 'collector status' -ex 'collector enable' \
	-ex 'collector disable' -ex 'collector sample record' -ex 'collector status'
contains "recorded: status" "^recording    process $target, events paused$" gdb.out
contains "recorded: and where" '^experiment   /.*/first\.er$' gdb.out
contains "recorded: a second enable says so" "^Process $target is being recorded already: /.*/first\.er$" gdb.out
contains "recorded: after the end, samples are refused" "process $target is not recorded" gdb.err
report first -sample_detail
contains "recorded: samples have their names" ' manual: one word more$' first.txt
contains "recorded: each its own" ' manual: second$' first.txt
lasting "recorded again" -ex 'collector store experiment again.er' -ex 'collector archive off' -ex 'collector enable' -ex 'collector sample record again' \
	-ex 'collector disable'
contains "recorded again: it is" "^Recording process $target$" gdb.out
report again -sample_detail
contains "recorded again: with its sample" ' manual: again$' again.txt
"$xcollect" -P "$target" -o other.er -A off >/dev/null 2>other.err &
other=$!
for ((i = 0; i < 200; i++)); do
	! grep -q '^Attached' other.err || break
	sleep 0.05
done
lasting "recorded by somebody else, without signals" -ex 'collector sample record' -ex 'collector pause' -ex 'collector enable'
is "by somebody else: both are refused" 2 "$(grep -c 'takes no such signal' gdb.err)"
contains "by somebody else: enable says where" "^Process $target is being recorded already: /.*/other\.er$" gdb.out
kill -INT "$other"
wait "$other"
kill "$target"
wait "$target" 2>/dev/null
LD_PRELOAD=$BUILD/lib/xer/libcollector.so sleep 1000 &
target=$!
sleep 0.2
lasting "preloaded by hand" -ex 'collector store experiment hand.er' -ex 'collector archive off' -ex 'collector sample record' -ex 'collector enable' \
	-ex 'collector disable'
contains "preloaded by hand: it is recorded" "^Recording process $target$" gdb.out
kill "$target"
wait "$target" 2>/dev/null

debug -ex 'collector store experiment early.er' -ex 'collector archive off' -ex 'collector enable' -ex starti -ex 'collector sample record' -ex 'collector status' \
	-ex continue --args "$programs/exitcodes" 0
contains "before the first constructor: a sample is refused" 'has not begun yet' gdb.err
contains "before the first constructor: status" '^recording    process [0-9]*, from its first constructor on$' gdb.out
contains "and the program goes on" 'exited normally' gdb.out

# ---- the recorder's clock: gdb stops at no signal of it, and works as ever
debug -ex 'collector profile hi' -ex 'collector archive off' -ex 'collector store experiment clock.er' -ex 'collector enable' -ex 'break work_b' -ex run \
	-ex 'info signals SIGTRAP' -ex finish -ex delete -ex continue --args "$programs/burn50" 0.3 2
contains "under gdb: a breakpoint" 'Breakpoint 1, (0x[0-9a-f]+ in )?work_b ' gdb.out
contains "under gdb: SIGTRAP is gdb's" '^SIGTRAP +Yes' gdb.out
contains "under gdb: it goes on to its end" 'exited normally' gdb.out
absent "under gdb: it stops at no other signal" -i 'received signal' gdb.out
contains "under gdb: there are samples" 'count name="samples"' clock.er/log.xml
absent "under gdb: by timers" 'perf_samples' clock.er/log.xml

"$xcollect" -p hi -A off -o later.er "$programs/burn50" 60 >/dev/null 2>&1 &
target=$!
for ((i = 0; i < 200; i++)); do
	! grep -q 'kind="open"' later.er/log.xml 2>/dev/null || break
	sleep 0.05
done
sleep 0.3
if ! grep -q 'name="profile_clock" value="perf"' later.er/log.xml; then
	skip "gdb comes later" "perf events are refused here" 7
else
	# The recorder looks for a tracer once a second of CPU time.
	where=(-ex 'python print("finished:", gdb.selected_frame().name())')
	debug -p $target -ex 'info signals SIGTRAP' -ex 'break work_b' -ex continue -ex stepi -ex stepi -ex finish "${where[@]}" -ex delete \
		-ex "shell (for i in \$(seq 400); do ls -l /proc/$target/fd | grep -q perf_event || break; sleep 0.1; done; kill -INT $target) >/dev/null 2>&1 &" \
		-ex continue -ex 'info signals SIGTRAP' -ex 'break work_a' -ex continue -ex finish "${where[@]}" -ex delete -ex detach
	is "gdb comes later: SIGTRAP is hidden, until the recorder notices gdb" "No No No Yes Yes No" \
		"$(awk '$1 == "SIGTRAP" && NF > 4 { print $2, $3, $4 }' gdb.out | xargs)"
	contains "gdb comes later: a breakpoint" 'reakpoint 1, (0x[0-9a-f]+ in )?work_b ' gdb.out
	contains "gdb comes later: it goes on until it is interrupted" 'received signal SIGINT' gdb.out
	contains "gdb comes later: a breakpoint, again" 'reakpoint 2, (0x[0-9a-f]+ in )?work_a ' gdb.out
	is "gdb comes later: functions finish" 2 "$(grep -c '^finished: split$' gdb.out)"
	absent "gdb comes later: it stops at no signal of the recorder" -E 'received signal SIG(TRAP|61)' gdb.out
	sleep 0.3
	if kill -0 $target 2>/dev/null; then ok "gdb comes later: the process lives on"; else not_ok "gdb comes later: the process has ended"; fi
fi
{ kill $target; wait $target; } 2>/dev/null

# The thread in which the recorder began sleeps; those that work get no SIGTRAP.
"$xcollect" -p hi -A off -o sleeper.er "$programs/burn50" 60 2 >/dev/null 2>&1 &
target=$!
for ((i = 0; i < 200; i++)); do
	! grep -q 'kind="open"' sleeper.er/log.xml 2>/dev/null || break
	sleep 0.05
done
if ! grep -q 'name="profile_clock" value="perf"' sleeper.er/log.xml; then
	skip "gdb comes to threads" "perf events are refused here" 2
else
	# After its first second, one that works has a timer, too.
	for ((i = 0; i < 600; i++)); do
		! awk '{ exit $14 + $15 < 300 }' "/proc/$target/stat" || break
		sleep 0.1
	done
	debug -p $target -ex 'info signals SIGTRAP' \
		-ex "shell (for i in \$(seq 400); do ls -l /proc/$target/fd | grep -q perf_event || break; sleep 0.1; done; kill -INT $target) >/dev/null 2>&1 &" \
		-ex continue -ex "shell ls -l /proc/$target/fd" -ex detach
	is "gdb comes to threads: SIGTRAP is hidden" "No No No" "$(awk '$1 == "SIGTRAP" && NF > 4 { print $2, $3, $4 }' gdb.out)"
	absent "gdb comes to threads: one that works notices it" 'perf_event' gdb.out
fi
{ kill $target; wait $target; } 2>/dev/null

# ---- a program that gdb starts: what is chosen before and between runs
debug -ex 'collector store experiment twice.1.er' -ex 'collector heaptrace on' -ex 'collector profile off' -ex 'collector archive off' -ex 'collector enable' \
	-ex 'collector status' -ex run -ex 'collector status' -ex run -ex 'collector sample record' --args "$programs/heap_known"
is "no process: status says so, before and after" 2 "$(grep -c '^recording    off: there is no process$' gdb.out)"
contains "no process: a sample is refused" '^there is no process$' gdb.err
for run in 1 2; do
	report "twice.$run" -metrics i.heapalloccnt:name -functions
	is "run $run has an experiment of its own" 100 "$(value "twice.$run" use_malloc 1)"
done
debug -ex 'collector store experiment part.er' -ex 'collector heaptrace on' -ex 'collector profile off' -ex 'collector archive off' -ex 'collector dbxsample on' \
	-ex 'collector enable' -ex 'break use_calloc' -ex run -ex 'collector sample record here' -ex 'collector pause' -ex 'collector status' -ex finish \
	-ex 'collector resume' -ex 'collector status' -ex 'collector disable' -ex delete -ex continue --args "$programs/heap_known"
is "pause and resume around a function" "paused on" "$(awk '$1 == "recording" { print $NF }' gdb.out | xargs)"
contains "what gdb started is recorded to its end" '^Process [0-9]* is recorded to its end; .collector pause. pauses its events$' gdb.out
report part -metrics i.heapalloccnt:name -functions -sample_detail
is "only that function is missing" "100 - 40" "$(value part use_malloc 1) $(value part use_calloc 1 | grep . || echo -) $(value part use_realloc 1)"
is "samples at the stops, and one with a name" "2 1" "$(grep -c ' manual: signal$' part.txt) $(grep -c ' manual: here$' part.txt)"
debug -ex "set environment LD_PRELOAD $BUILD/lib/xer/libcollector.so" -ex 'collector store experiment preload.er' -ex 'collector profile hi' \
	-ex 'collector archive off' -ex 'break work_b' -ex run -ex 'collector enable' -ex delete -ex continue --args "$programs/burn50" 3 2
contains "preloaded in gdb: it is recorded" '^Recording process ' gdb.out
# Its first thread sleeps. Perf events would send SIGTRAP, which gdb keeps: then there were no samples at all.
report preload -functions
is "preloaded in gdb: all of its threads' time is in samples, from the attach on" "yes yes" \
	"$(awk -F '[()% ]+' '/^# quality:/ { print ($6 > 90 ? "yes" : $6), ($9 > 1 ? "yes" : $9) }' preload.txt)"
samples=$(sed -n 's/^# quality:.* \([0-9]*\) samples, .*/\1/p' preload.txt)
if [ "${samples:-0}" -ge 100 ]; then ok "preloaded in gdb: hundreds of samples"; else not_ok "preloaded in gdb: ${samples:-no} samples"; fi
absent "preloaded in gdb: none of perf events" 'perf_samples' preload.er/log.xml

# ---- gdb goes, the recording stays as it was
for state in on paused; do
	rm -rf go go.ready go.done
	"$programs/attached" nothing 0 "$PWD/go" "$programs/plugin.so" >target.out 2>target.err &
	target=$!
	wait_for test -d go.ready
	events=(-ex 'collector status')
	[ $state = on ] || events+=(-ex 'collector pause')
	debug -p $target -ex 'collector heaptrace on' -ex 'collector profile off' -ex 'collector archive off' -ex "collector store experiment left-$state.er" \
		-ex 'collector enable' -ex 'collector synctrace on' "${events[@]}" -ex detach
	mkdir go
	wait_for test -d go.done
	rmdir go
	wait $target
	is "gdb goes, events $state: the process ends rightly" "0 right" "$? $(sed 's/ [0-9]*$//' target.out)"
	report "left-$state" -metrics i.heapalloccnt:name -functions
done
contains "settings are for the next recording" '^This takes effect with the next recording$' gdb.out
is "gdb goes: events are recorded, if they were" "100 -" "$(value left-on known_malloc 1) $(value left-paused known_malloc 1 | grep . || echo -)"

if have java javac && [ -e "$root/tests/programs/JavaKnown.java" ]; then
	javac -d . -sourcepath "$root/share/java" "$root/tests/programs/JavaKnown.java"
	debug -ex 'collector store experiment java.er' -ex 'collector profile hi' -ex 'collector archive off' -ex 'collector enable' \
		-ex 'handle SIGSEGV nostop noprint pass' -ex run --args java -cp . JavaKnown split
	contains "Java in gdb: it ends" 'exited normally' gdb.out
	report java -name short -functions
	contains "Java in gdb: its methods are known" ' JavaKnown\.work_a$' java.txt
else
	skip "Java in gdb" "there is no JDK" 2
fi

# ---- arguments
debug -ex 'collector synctrace native' -ex 'collector show' -ex 'collector synctrace threshold 50' -ex 'collector synctrace native java' \
	-ex 'collector show synctrace' -ex 'collector synctrace off' -ex 'collector hwprofile list' -ex 'collector hwprofile counter page-faults' \
	-ex 'collector hwprofile addcounter context-switches' -ex 'collector hwprofile off' -ex 'collector hwprofile on' -ex 'collector show hwprofile'
is "synctrace native" "on,n 50,nj" "$(awk '$1 == "synctrace" { print $2 }' gdb.out | xargs)"
contains "hwprofile list" '^  page-faults ' gdb.out
contains "addcounter adds one" '^hwprofile    page-faults,context-switches$' gdb.out
wrong=('profile sometimes' 'profile timer' 'heaptrace' 'heaptrace perhaps' 'synctrace threshold' 'synctrace threshold often' 'hwprofile counter no-such-event'
	'hwprofile on' 'sample period never' 'sample record two words' 'sample' 'dbxsample' 'dbxsample maybe' 'limit small' 'archive some' 'store experiment'
	'store elsewhere x' 'enable now' 'pause it' 'duration long' 'jprofile on off' 'show everything' 'nonsense')
for words in "${wrong[@]}"; do commands+=(-ex "collector $words"); done
debug "${commands[@]}" -ex 'collector show'
is "wrong arguments: each is told" "${#wrong[@]}" "$(grep -c . gdb.err)"
is "and changes nothing" "" "$(<gdb.out)"

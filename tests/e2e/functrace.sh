# Function tracing: exact numbers of calls in several threads, in handlers, after fork and exec; files that llvm-xray can read.
sources=$(cd "$(dirname "$0")/../programs" && pwd)
. "$(dirname "$0")/lib.sh"

record known -p off --functrace -- "$programs/ft_known" 4 5000
counted "every call in 4 threads is there" known
absent "all of them are complete" '^# of the calls' known.txt
# A file whose creation takes a second, while all threads want to write to it.
if have strace && strace -f -o strace.log true 2>strace.err; then
	limited 100 strace -f -qq -o strace.log -e trace=renameat -e inject=renameat:delay_enter=1000000 \
		"$xcollect" -p off --functrace -o slow.er "$programs/ft_known" 4 100 >slow.out 2>slow.err
	counted "threads wait for a file that takes long to make" slow
	contains "and lose nothing" '^# quality: 2512 traced calls, 0 lost.* 0.0 % in unresolved' slow.txt
else
	skip "threads wait for a file that takes long to make" "strace is not installed, or may not trace"
fi
report known -metrics e.fcalls:i.ftime:name -functions -calltree -callers-callees
is "the other reports exit 0" 0 $?
is "functions has the calls too" 60000 "$(value known leaf 1)"

report known -filters 'LEAF IN FNAME("leaf")' -calls
is "a filter chooses calls" "60000 " "$(calls known leaf) $(calls known odd)"

# The nesting that the lines of ftrace show: worker { middle { leaf leaf leaf } middle { leaf leaf leaf odd } ...
record small -p off --functrace -- "$programs/ft_known" 1 3
report small -ftrace
is "ftrace shows the calls in order" "worker { middle { leaf leaf leaf } middle middle { leaf leaf leaf odd } middle middle { leaf leaf leaf } middle fib {" \
	"$(awk 'NF > 1 && $1 ~ /^[0-9.]+$/ { $1 = ""; if ($2 ~ /^[0-9.]+$/) $2 = ""; print }' small.txt | xargs | cut -d" " -f1-26)"
report small -ftrace depth=2
is "ftrace leaves out what is deeper" "fib middle worker" "$(grep -oE 'worker|middle|fib|leaf|odd' small.txt | sort -u | xargs)"
report small -time 0-100 -ftrace depth=2 -ftrace
contains "filters do not choose its lines, and that is told" '^# filters choose nothing here: ftrace tid=' small.txt
report known -ftrace tid=1
absent "and other threads" Thread known.txt

record plain -p off -- "$programs/ft_known" 1 100
[ ! -e plain.er/functrace ] && ok "without --functrace, nothing is traced" || not_ok "without --functrace, nothing is traced"

# A program without traceable functions: a message says what is needed.
record none -p on --functrace -- true
report none -calls -ftrace
is "a program without traced functions: what code needs is told, by both commands" "2 2" \
	"$(grep -c '^# no call was traced' none.txt) $(grep -c 'compiled with -finstrument-functions.*record with --functrace=returns=on' none.txt)"
record none_chosen -p off '--functrace=returns=on,nobody' -- "$programs/ft_known" 1 10
report none_chosen -calls
is "none chosen: the same" "1 0" "$(grep -c '^# no call was traced.*or not chosen' none_chosen.txt) $(grep -c 'returns=on' none_chosen.txt)"
record erased_all -p off --functrace=min=10s -- "$programs/ft_known" 1 10
report erased_all -calls -filters 'FNAME("nobody")' -calls
! grep -q 'no call was traced' erased_all.txt known.txt && ok "where calls were traced, or erased, there is no such word" ||
	not_ok "where calls were traced, or erased, there is no such word"

record signals -p off --functrace -- "$programs/ft_signals" 0.2
counted "calls in handlers that interrupt the recorder are there" signals
absent "and all are paired" '^# of the calls' signals.txt
record jump -p off --functrace -- "$programs/ft_signals" 0.2 jump
report jump -calls
within "jumps out of such handlers lose no calls in handlers" "$(awk '/in_handler/ { print $2 }' jump.out)" \
	"$(awk '/in_handler/ { print $2 }' jump.out)" "$(calls jump in_handler)"
busy=$(awk '/^busy/ { print $2 }' jump.out)
within "and only those interrupted calls that a jump cut off" $((busy - busy / 100 - 1000)) "$busy" "$(calls jump busy)"

# ---- pause and resume: nothing is recorded in between, and calls that were open at the pause do not spoil the rest
{ timeout 60 "$xcollect" -p off --functrace -y USR2 -o paused.er "$programs/ft_signals" 1 >paused.out 2>paused.err; } 2>/dev/null &
waited=$!
sleep 0.3
pid=$(sed -n 's/.*Process ID: \([0-9]*\).*/\1/p' paused.err)
for i in 1 2 3; do
	kill -USR2 "$pid"
	sleep 0.15
done
wait $waited
report paused -calls
within "a signal pauses and resumes tracing" 1 "$(awk '/^busy/ { print $2 - 1 }' paused.out)" "$(calls paused busy)"

# ---- fork: the child's functions have their names in its own experiment
record forked -p off --functrace -- sh -c "'$programs/ft_known' 1 10; '$programs/ft_known' 2 10"
report forked -calls
is "descendants are traced" "3 30 90" "$(calls forked worker) $(calls forked middle) $(calls forked leaf)"

# ---- choice of functions

# choices NAME PROGRAM: PROGRAM is ft_known
choices()
{
	local name=$1 program=$2
	is "$name: functions by name" "fib 354 leaf 600" "$(chosen "$name" 'l?af,f*' "$program" 2 100)"
	is "$name: functions left out" "fib 354 middle 200 worker 2" "$(chosen "$name" '!leaf,!o*' "$program" 2 100)"
	is "$name: both" "fib 354" "$(chosen "$name" 'leaf,fib,!l*' "$program" 2 100)"
	is "$name: objects by name" "fib 354 leaf 600 middle 200 odd 100 worker 2" "$(chosen "$name" "@$(basename "$program")" "$program" 2 100)"
	is "$name: objects left out" "" "$(chosen "$name" '!@*/*' "$program" 2 100)"
	is "$name: depth" "worker 2" "$(chosen "$name" depth=1 "$program" 2 100)"
	is "$name: depth counts chosen functions only" "fib 2 leaf 600" "$(chosen "$name" 'leaf,fib,depth=1' "$program" 2 100)"
	# A call during which the CPU changes is kept, and so are its callers.
	chosen "$name" min=10s "$program" 2 100 >/dev/null
	within "$name: all short calls are erased, but for those that change the CPU" 1200 1256 "$(erased "$name")"
	is "$name: erased and shown are all" 1256 "$(($(awk 'NF == 11 && $3 ~ /^[0-9]+$/ { sum += $3 } END { print sum + 0 }' "$name.txt") + $(erased "$name")))"
	contains "$name: the table says how many" "$(erased "$name") short calls" "$name.txt"
	is "$name: no call is that short" "fib 354 leaf 600 middle 200 odd 100 worker 2 " "$(chosen "$name" min=0.5ns "$program" 2 100) $(erased "$name")"
	chosen "$name" min=10us "$program" 2 1000 >/dev/null
	is "$name: what is not erased is there" 9356 "$(($(awk 'NF == 11 && $3 ~ /^[0-9]+$/ { sum += $3 } END { print sum + 0 }' "$name.txt") + $(erased "$name")))"
	absent "$name: and it is complete" '^# of the calls' "$name.txt"
	needs "$name: llvm-xray verifies what is left" 1 llvm-xray && succeeds "$name: llvm-xray verifies what is left" timeout 60 llvm-xray fdr-dump -verify "$name.er/functrace"
}
choices hooked "$programs/ft_known"
record limited -p off --functrace=depth=100 -- "$programs/ft_signals" 0.2
counted "handlers that interrupt the recorder of limited calls" limited
record limited_jump -p off --functrace=depth=100,min=1ns -- "$programs/ft_signals" 0.2 jump
report limited_jump -calls
within "jumps out of handlers use up no depth" "$(awk '/in_handler/ { print $2 }' limited_jump.out)" \
	"$(awk '/in_handler/ { print $2 }' limited_jump.out)" "$(calls limited_jump in_handler)"

# ---- sleds of clang
if have clang; then
	# xray NAME SOURCE OPTION...: build with sleds in every function
	xray()
	{
		local name=$1 source=$2
		shift 2
		clang -D_GNU_SOURCE -O2 -g -fxray-instrument -fxray-instruction-threshold=1 "$@" -o "$name" "$source" -lpthread 2>"$name.log"
	}
	if xray known_sleds "$sources/ft_known.c"; then
		record sleds -p off --functrace -- ./known_sleds 4 5000
		counted "every call by sleds in 4 threads is there" sleds
		report sleds -limit 100 -ftrace
		contains "ftrace shows arguments" 'middle\(0x5\) \{' sleds.txt
		record sleds_samples -p hi -H on --functrace -- ./known_sleds 2 5000
		counted "clock samples and heap events go with it" sleds_samples
		./known_sleds 4 5000 >unrecorded.out
		is "the output is that of the program alone" "$(cat unrecorded.out)" "$(cat sleds.out)"
		XRAY_OPTIONS="patch_premain=true xray_mode=xray-basic xray_logfile_base=taken." \
			limited 60 "$xcollect" -p off --functrace -o taken.er ./known_sleds 1 100 >taken.out 2>taken.err
		is "sleds that LLVM's runtime has patched are left alone" "0 0" "$? $(ls taken.er/functrace 2>/dev/null | wc -l)"
		contains "and the log says so" 'sleds that others have patched' taken.er/log.xml
		if needs "llvm-xray reads the trace of sleds" 2 llvm-xray; then
			succeeds "llvm-xray verifies the trace of sleds" timeout 60 llvm-xray fdr-dump -verify sleds.er/functrace
			record one -p off --functrace -- ./known_sleds 1 1000
			limited 60 llvm-xray account -m known_sleds one.er/functrace >one.txt 2>one.txt.err
			is "llvm-xray account -m prints names and counts" "fib 177 leaf 3000 middle 1000 odd 500 worker 1" \
				"$(awk '$1 ~ /^[0-9]+$/ { print $NF, $2 }' one.txt | sort | xargs)"
		fi
		choices sleds_chosen ./known_sleds
		xray signals_sleds "$sources/ft_signals.c"
		record signals_sleds -p off --functrace -- ./signals_sleds 0.2
		counted "handlers that interrupt the recorder in sleds" signals_sleds
	else
		skip "sleds" "clang cannot link with -fxray-instrument here"
	fi
	# clang 14 generates correct code for event sleds only without optimization and without the red zone.
	for compiler in clang clang-19 clang-22; do
		have $compiler || { skip "events of $compiler" "it is not there"; continue; }
		options="-O2"
		[ "$($compiler -dumpversion 2>/dev/null | cut -d. -f1)" -gt 16 ] 2>/dev/null || options="-O0 -mno-red-zone"
		$compiler -D_GNU_SOURCE $options -g -fxray-instrument -fxray-instruction-threshold=1 -o events \
			"$sources/ft_events.c" 2>events.log || { skip "events of $compiler" "it cannot link"; continue; }
		rm -rf events.er
		record events -p off --functrace -- ./events 1000
		is "$compiler: the program has its registers back" 0 $?
		counted "$compiler: calls around events" events
		contains "$compiler: events are counted" "^# 2001 events of the program's own" events.txt
		report events -limit 4 -ftrace
		is "$compiler: ftrace shows events where they are" 'giver { event: "hello" event 7: "abc" } giver' \
			"$(sed -nE 's/^ +[0-9.]+ +([0-9.]+ +)?//p' events.txt | tail -4 | xargs -d '\n')"
		report events -ftrace
		is "$compiler: a long one is cut" 65520 "$(sed -n 's/.*event: "\(x*\)"\.\.\.$/\1/p' events.txt | tr -d '\n' | wc -c)"
		needs "$compiler: llvm-xray reads events" 2 llvm-xray || continue
		succeeds "$compiler: llvm-xray verifies events" timeout 60 llvm-xray fdr-dump -verify events.er/functrace
		limited 60 llvm-xray convert -f yaml events.er/functrace -o events.yaml
		is "$compiler: they are custom events there, with the program's bytes" "1000 1000 65520" \
			"$(grep -c 'kind: custom-event,.*data: "hello[\\0]*"' events.yaml) $(grep -c 'kind: custom-event,.*data: "abc[\\0]*"' events.yaml) $(sed -n 's/.*kind: custom-event,.*data: \(xx*\) }/\1/p' events.yaml | tr -d '\n' | wc -c)"
	done
	if xray plugin.so "$sources/ft_plugin.c" -fPIC -shared -fnoxray-link-deps; then
		record plugin -p off --functrace -- "$programs/ft_host" ./plugin.so
		counted "a shared object that comes and goes is traced" plugin
		is "its functions by name" "plugged 30" "$(chosen plugin_chosen plugged "$programs/ft_host" ./plugin.so)"
		record stays -p off --functrace -- "$programs/ft_host" ./plugin.so keep
		counted "one that stays is traced, and its functions have names" stays
	else
		skip "sleds of shared objects" "clang cannot link them here"
	fi
else
	skip "sleds" "clang is not installed"
fi
gcc -O2 -fPIC -shared -finstrument-functions -o hooks.so "$sources/ft_plugin.c"
record hooks -p off --functrace -- "$programs/ft_host" ./hooks.so
counted "so is one with calls of -finstrument-functions" hooks

# ---- llvm-xray
have llvm-xray || { skip "llvm-xray reads the traces" "llvm-xray is not installed"; exit 0; }
for name in known signals jump; do
	succeeds "llvm-xray verifies the trace of $name" timeout 60 llvm-xray fdr-dump -verify $name.er/functrace
done
record single -p off --functrace -- "$programs/ft_known" 1 200000
# Extents have 4 KiB to 1 MiB, so 10 MiB are at least 17 extents.
within "8 bytes an event, and more than 16 buffers" $((10 << 20)) 15728640 "$(stat -c %s single.er/functrace)"

llvm_xray=llvm-xray
# accounted CLAIM FILE PROGRAM-OUTPUT: the counts of llvm-xray account are those of the program
accounted()
{
	limited 100 $llvm_xray account "$2" >account.txt 2>account.err
	[ -s "$3" ] || not_ok "$1: $3 is empty"
	is "$1" "$(awk '{ print $2 }' "$3" | sort -n | xargs)" "$(awk '$1 ~ /^[0-9]+$/ { print $2 }' account.txt | sort -n | xargs)"
}
accounted "llvm-xray account of one thread" single.er/functrace single.out
limited 100 llvm-xray convert -f yaml known.er/functrace -o known.yaml
accounted "llvm-xray account of 4 threads, converted to yaml" known.yaml known.out
# Newer versions, where they are installed.
for llvm_xray in llvm-xray-15 llvm-xray-16 llvm-xray-19 llvm-xray-22; do
	have $llvm_xray || { skip "$llvm_xray reads the traces" "it is not installed"; continue; }
	for name in known signals jump; do
		succeeds "$llvm_xray verifies the trace of $name" timeout 60 $llvm_xray fdr-dump -verify $name.er/functrace
	done
	accounted "$llvm_xray account of one thread" single.er/functrace single.out
	limited 100 $llvm_xray convert -f yaml known.er/functrace -o known.yaml
	accounted "$llvm_xray account of 4 threads, converted to yaml" known.yaml known.out
done

# Exceptions, jumps, coroutines, tail calls, cancelled threads, deep recursion, children, an exit inside a call; then comparing
# runs.
for compiler in "g++ -finstrument-functions" "clang++ -fxray-instrument -fxray-instruction-threshold=1"; do
	name=hard_${compiler%%[+ ]*}
	# shellcheck disable=SC2086
	if ! have "${compiler%% *}" || ! $compiler -D_GNU_SOURCE -O2 -g -fno-inline-functions -o "$name" "$sources/ft_hard.cc" -lpthread >"$name.log" 2>&1; then
		skip "$name: what is hard" "$compiler does not work"
		continue
	fi
	record "$name" -p off --functrace -- "./$name"
	is "$name: the program finds nothing wrong" 0 $?
	counted "$name: every call is there" "$name"
	contains "$name: calls that exceptions and jumps have left are counted" '^# of the calls, [1-9][0-9]* were left without an exit' "$name.txt"
	contains "$name: functions without a complete call have no distribution" '^.* 6 +- +- +- +- +- +- +-  leave$' "$name.txt"
	record "$name.data" -p hi -H on -s all -i on --functrace=depth=100,min=100ns -- "./$name"
	is "$name: the same with samples, other events and limits" 0 $?
done
record twice -p off --functrace -- "$programs/ft_known" 2 100
record thrice -p off --functrace -- "$programs/ft_known" 2 200
limited 60 "$xer_print" -compare on -metrics i.fcalls:name -functions twice.er thrice.er >both.txt 2>&1
contains "traces are compared by function" '^ *600 +1200 .*leaf' both.txt
limited 60 "$xer_print" -compare delta -printmode csv -calls twice.er thrice.er >both.csv 2>&1
is "and so are their calls" "600 1200 600" "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
	$1 ~ /^leaf/ { print $at["count[1]"], $at["count[2]"], $at["count[2].delta"] }' both.csv)"

# Counter profiling: events of known places and numbers, intervals, descendants, attach, names; counters that this machine does
# not have; and processor counters, for which page faults stand in.
. "$(dirname "$0")/lib.sh"

# count COUNTER NAME: the counter in NAME.er, once the helper, which is some milliseconds late, has written it
count()
{
	local helper=${1#lost_}

	for _ in $(seq 200); do
		grep -q "name=\"${helper%%_*}_samples\"" "$2.er/log.xml" && break
		sleep 0.05
	done
	sed -nE "s/.*<count name=\"$1\" value=\"([0-9]+)\".*/\1/p" "$2.er/log.xml"
}
# printed NAME WORD: the number that the program printed
printed() { sed -n "s/^$2 //p" "$1.out"; }
# of FUNCTION NAME: the first number of the function's row
of() { awk -v name="$1" '$NF == name { print $1 }' "$2.txt"; }

# whole NAME COMMAND CLAIM...: the claim, unless samples of NAME were lost: a user's ring buffers are small, and the helper
# may be late
whole()
{
	local name=$1
	shift
	if [ "$(id -u)" != 0 ] && grep -qE '<count name="lost_counter[0-9]" value="[1-9]' "$name.er/log.xml"; then
		skip "$2 (1 claims)" "the rings of a user are small: samples were lost"
	else
		"$@"
	fi
}

"$xcollect" -h >list.txt
is "-h alone lists the events" 0 $?
contains "and says which work" '^  page-faults ' list.txt
record none -h unheard-of -- true
is "an unknown event is refused" 125 $?
contains "by its name" "there is no event 'unheard-of'" none.err
record none -h page-faults,0 -- true
is "an interval of nothing is refused" 125 $?
record none -h page-faults,minor-faults,major-faults,context-switches,cpu-migrations,alignment-faults,emulation-faults,cycles,instructions -- true
is "nine events are refused" 125 $?

if ! "$xcollect" -o try.er -p off -A off -h page-faults,1000 true >/dev/null 2>try.err || grep -q 'not recorded' try.err; then
	skip "counters (38 claims)" "$(grep -v "^Creating" try.err | tail -1)"
	exit 0
fi

# The memory that the kernel allows a user for all CPUs is used up by the ring buffer of the first one.
if [ "$(id -u)" = 0 ] && have setpriv && [ "$(cat /proc/sys/kernel/perf_event_mlock_kb)" = 516 ]; then
	for_everyone
	(ulimit -l 0 && cd "$everyones" && exec setpriv --reuid 61234 --regid 61234 --clear-groups bin/xcollect -o few.er -p off -A off -h page-faults,1 true) >few.out 2>few.err
	if grep -q 'ermi' few.err; then
		skip "counters of a user" "$(tail -1 few.err)"
	else
		absent "rings share what a user may lock in memory" 'Cannot allocate memory' few.err
		is "and there are some" "$(getconf _NPROCESSORS_ONLN)" "$(ls "$everyones/few.er/counter0" | grep -c '^cpu[0-9]*\.fxt$')"
	fi
else
	skip "rings share what a user may lock in memory" "not root, no setpriv, or another limit"
fi

record every -p off -h page-faults,1 -- "$programs/faults"
is "the exit status" 0 $?
counted=$(count counter0_counted every)
lost=$(count lost_counter0 every)
within "all faults are counted, also those of the child and of the archiving" "$(printed every minor_faults)" 100000 "$counted"
whole every is "none is lost" 0 "$lost"
report every -metrics e.page-faults:i.page-faults:name -functions
whole every is "the faults are where they happened" 4000 "$(of touch every)"
report every -metrics i.page-faults:name -functions
whole every is "in part_a" 3000 "$(of part_a every)"
whole every is "in part_b" 1000 "$(of part_b every)"
whole every is "in main" 1 "$(awk '$NF == "main" { print ($1 >= 4000 && $1 < 4200) }' every.txt)"
report every -metrics e.hwc:name -threads
whole every contains "by thread" '^ *4[0-9][0-9][0-9] .*Thread 1' every.txt
report every -header all
contains "the header tells what was counted" "^Counter +page-faults: every 1, [0-9]+ counted, [0-9]+ in samples( \([0-9]+ of xer_archive, left out of tables\))?, $lost samples lost" every.txt
within "faults of the archiver are shown separately" 1 100000 "$(count counter0_archiver_samples every)"
told=$(awk '$1 == "Counter" { for (i = 1; i < NF; i++) { if ($(i + 1) == "in" && $(i + 2) == "samples") all = $i; if ($(i + 1) == "of" && $(i + 2) ~ /^xer_archive/) archive = substr($i, 2) }; print all - archive }' every.txt)
report every -metrics i.page-faults:name -functions
# (But for what xcollect's own process has until it executes xer_archive, and the process that waits for it.)
rest=$(of '<Total>' every)
within "the rest is what the tables have" "$rest" $((rest + 30)) "$told"
report every -filters 'FNAME("part_a") IN STACK' -metrics e.page-faults:name -functions
whole every is "filters" 3000 "$(of touch every)"
report every -filters 'HWCTAG == "page-faults" && HWCINT == 1' -metrics e.page-faults:name -functions
whole every is "filters by the counter's name and interval" 4000 "$(of touch every)"
report every -filters 'HWCTAG != "page-faults" || HWCINT > 1' -metrics e.page-faults:name -functions
is "and no sample is of another" "" "$(of touch every)"
printf 'indxobj_define counter HWCTAG\nmetrics e.page-faults\ncounter\n' >counter.txt
report every -script counter.txt
whole every contains "a table of counters has their names" '^ *4[0-9][0-9][0-9] .*page-faults$' every.txt
report every -describe
contains "describe has the words of counters" '^HWCTAG +text +counters ' every.txt
report every -printmode json -metrics i.page-faults:name -functions
contains "JSON" '"i\.page-faults"' every.txt
report every -export folded out.folded
contains "exports" 'part_b;touch' out.folded

record tenth -p off -h minor-faults -- "$programs/faults"
count counter0_samples tenth >/dev/null
report tenth -metrics e.minor-faults:name -functions
whole tenth within "every tenth fault stands for ten" 3980 4020 "$(of touch tenth)"

if grep -q '^  context-switches ' <(sed '/^Not here/,$d' list.txt); then
	record switch -p off -h context-switches,1,page-faults,hi -- "$programs/faults"
	count counter0_samples switch >/dev/null
	report switch -metrics i.context-switches:name -functions
	within "context switches are where they happened" 400 5000 "$(of wait_for switch)"
	within "and as many as there were" $(($(printed switch switches) * 9 / 10)) $(($(printed switch switches) + 2000)) "$(of '<Total>' switch)"
fi

# One helper for each counter: no counter counts what the helpers do.
record several -p off -h page-faults,1,minor-faults,1,major-faults,1 -- "$programs/faults"
all=$(count counter0_counted several)
is "several counters at once: page faults are the minor and the major ones" "$all" \
	$(($(count counter1_counted several) + $(count counter2_counted several)))
# Each helper has written its counts, though they all end at the same time.
for turn in 1 2 3 4 5 6; do
	rm -rf together.er
	record together -p off -h page-faults,minor-faults,major-faults,cpu-migrations -- true
	for counter in counter0 counter1 counter2 counter3; do
		count ${counter}_samples together
	done
done >told
# Migrations happen in the kernel, which a user may not be allowed to observe.
counters=$((4 - $(grep -c 'cpu-migrations is not recorded: it happens in the kernel' together.err)))
is "counters that end together all write their counts" $((6 * counters)) "$(grep -c . told)"
report several -metrics e.page-faults:e.minor-faults:name -functions
whole several is "and each has its samples" "4000 4000" "$(awk '$NF == "touch" { print $1, $2 }' several.txt)"

record twice -p off -h page-faults,1 -- sh -c "$programs/faults; $programs/faults"
count counter0_samples twice >/dev/null
report twice -metrics e.page-faults:name -functions
whole twice is "descendants are counted too" 8000 "$(of touch twice)"
"$xer_print" -compare on -metrics i.page-faults:name -functions every.er twice.er >both.txt 2>&1
whole twice is "experiments are compared by the names of counters" "3000 6000" "$(awk '$NF == "part_a" { print $1, $2 }' both.txt)"

record missing -h cycles,page-faults,1 -- "$programs/faults"
is "a counter that there is not is no reason to fail" 0 $?
if grep -q 'cycles is not recorded' missing.err; then
	contains "it is said why" 'cycles is not recorded: ' missing.err
	count counter0_samples missing >/dev/null
	report missing -metrics e.page-faults:name -functions
	whole missing is "and the other one is recorded" 4000 "$(of touch missing)"

	# Page faults stand in for cycles and instructions.
	limited 60 "$programs/fake_pmu" asked "$xcollect" -o fake.er -p off -A off -h cycles,1,insts,1,branch-misses,7 "$programs/faults" >fake.out 2>fake.err
	is "counters of a processor: the exit status" 0 $?
	contains "cycles, as asked for" '^0 0 1$' asked
	contains "instructions, by another name" '^0 1 1$' asked
	contains "branch-misses, which there are not" '^0 5 7$' asked
	contains "and it is said" 'branch-misses is not recorded' fake.err
	count counter0_samples fake >/dev/null
	count counter1_samples fake >/dev/null
	report fake -metrics e.cycles:e.instructions:e.ipc:e.cpi:name -functions
	whole fake is "their samples, and instructions a cycle" "4000 4000 1.000 1.000" "$(awk '$NF == "touch" { print $1, $2, $3, $4 }' fake.txt)"
	report every -metrics e.ipc:name -functions
	is "no such metric without both" 2 $?
else
	skip "counters of a processor by substitutes" "this one has them"
fi

# The clock of samples: what xcollect and the reports say where perf events are refused, and where they are not.
. "$(dirname "$0")/lib.sh"

# logged NAME ATTRIBUTES: the value that follows these attributes in NAME.er/log.xml, the last one
logged() { sed -n "s/.*$2=\"\([^\"]*\)\".*/\1/p" "$1.er/log.xml" | tail -1; }
setting() { logged "$1" 'name="profile_clock" value'; }
told='^# clock: samples at the kernel.s ticks \([0-9]+ a second\): shares of phases below [0-9.]+ ms are uncertain'

record free -p hi -A off -- "$programs/burn50" 0.3 0
tick=$(logged free tick_ns)
within "the kernel's tick is recorded" 100000 20000000 "$tick"
period=$((tick / 2000))u
report free -functions
if [ "$(setting free)" = perf ]; then
	within "perf events: nearly all samples are theirs" "$(awk -v n="$(logged free 'name="samples" value')" 'BEGIN { print 0.9 * n }')" 100000 \
		"$(logged free 'name="perf_samples" value')"
	absent "perf events: xcollect has nothing to say" 'ticks' free.err
	absent "perf events: nor have the reports" '^# clock' free.txt
	succeeds "perf events: a dry run" "$xcollect" -n -p hi true
	contains "perf events: it names them" '^clock +997 us \(perf events\)$' command.out
	record many -p "$period" -A off -- sh -c "'$programs/burn50' 0.1 0; '$programs/burn50' 0.1 0"
	report many -functions
	absent "perf events: nor have the reports of descendants" '^# clock' many.txt
	# Only its end is recorded, as time without a sample.
	record brief -p hi -A off -- true
	report brief -functions
	absent "perf events: nor those of short programs" '^# clock' brief.txt
else
	skip "perf events" "refused here" 7
fi

"$programs/refuse" perf 1 true
if [ $? != 0 ]; then
	skip "refusal" "no seccomp filters here" 30
	exit 0
fi

# refused NAME ERRNO OPTION...: record a program that spins
refused()
{
	local name=$1 errno=$2
	shift 2
	limited 60 "$programs/refuse" perf "$errno" "$xcollect" -o "$name.er" -A off "$@" "$programs/burn50" 0.3 0 >"$name.out" 2>"$name.err"
	is "$name: exit status" 0 $?
	report "$name" -functions
}

refused short 13 -p "$period"
if [ "$(setting short)" = kernel ]; then
	skip "refusal" "the kernel is too old to refuse" 29
	exit 0
fi
contains "refused: xcollect says what rate there is" "^xcollect: clock samples come at the kernel's ticks, [0-9]+ a second, not [0-9]+: perf events are refused \(" short.err
is "refused: in one line" 1 "$(grep -c ticks short.err)"
is "refused: the log has the reason" paranoid "$(setting short)"
contains "refused: the reports say so" "$told; perf_event_paranoid <= 2 mends it$" short.txt
within "refused: the whole CPU time is there all the same" 99 101 "$(sed -n 's/.*CPU time covered \([0-9.]*\) %.*/\1/p' short.txt)"
report short -header all
contains "refused: so does the header" "^  samples at the kernel's ticks " short.txt
report short -printmode json -functions
contains "refused: and the form for programs" '"key": "tick_hz"' short.txt
report short -overview
contains "refused: and the overview" "$told" short.txt

refused seccomp 1 -p "$period"
contains "by a filter: xcollect says what helps" 'Operation not permitted\); in a container, a seccomp profile' seccomp.err
contains "by a filter: the reports, too" "$told; perf_event_paranoid <= 2 mends it, in a container a seccomp profile" seccomp.txt

refused deadly kill -p hi
is "a filter that kills for perf events: they are not tried" refused "$(setting deadly)"

record inner -A off -p hi -- "$programs/refuse" perf kill "$programs/burn50" 0.1 2
is "a filter that the program installs before it executes another one" 0 $?

# Longer than a tick: the rate is the one that was asked for; the phases are uncertain.
refused longer 13 -p $((tick * 2 / 1000))u
absent "two ticks: xcollect has nothing to say" 'ticks' longer.err
contains "two ticks: the reports have" "$told" longer.txt
refused long 13 -p $((tick * 5 / 1000))u
absent "five ticks: nothing is said" 'ticks' long.err
absent "nor in the reports" '^# clock' long.txt
refused none 13 -p off
absent "no clock samples: nothing is said" 'ticks' none.err

limited 60 "$programs/refuse" perf 13 "$xcollect" -n -p "$period" true >dry.out 2>dry.err
contains "a dry run says that, too" "^xcollect: clock samples come at the kernel's ticks" dry.err
contains "and names the clock" '^clock +[0-9]+ us \(CPU timers\)$' dry.err

# A recording by an older recorder, and one that has not ended.
sed -i 's/ tick_ns="[0-9]*"//; s/<setting name="profile_clock" value="[a-z]*"\/>//' longer.er/log.xml
report longer -functions
absent "an older recording: nothing is said" 'ticks' longer.txt
sed -i 's/name="profile_clock" value="[a-z]*"/name="profile_clock" value="perf"/; s/<count [^>]*>//g' seccomp.er/log.xml
report seccomp -functions
absent "without counts it is not known" '^# clock' seccomp.txt
sed -i 's/name="profile_clock" value="perf"/name="profile_clock" value="kernel"/' seccomp.er/log.xml
report seccomp -functions
contains "unless there can be no others" "$told; Linux 5.18 mends it$" seccomp.txt

# Together they are judged by all their samples.
if [ "$(setting free)" = perf ]; then
	limited 60 "$xer_print" -functions free.er short.er >both.txt 2>&1
	absent "together with more samples by perf events: nothing is said" '^# clock' both.txt
	limited 60 "$xer_print" -compare on -functions free.er short.er >both.txt 2>&1
	is "compared: of the one it is said" 1 "$(grep -cE "$told" both.txt)"
else
	skip "together with more samples by perf events" "refused here" 2
fi

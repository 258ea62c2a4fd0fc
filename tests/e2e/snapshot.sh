# xcollect --snapshot: what is recorded of a running tree of processes, copied while it goes on.
. "${0%/*}/lib.sh"

# begin NAME CHILDREN OPTION...: record `phases` in the background ($recorded is its process) until all its blocks of the middle are
# there
begin()
{
	rm -rf "$1.er" "$1.ready" "$1.go"
	"$xcollect" -p off -H on -A off -o "$1.er" "${@:3}" "$programs/phases" "$PWD/$1" "$2" >"$1.out" 2>"$1.err" &
	recorded=$!
	wait_for test -e "$1.ready"
}

# finish NAME: let it run to its end; its exit status is in $status
finish()
{
	touch "$1.go"
	wait $recorded
	status=$?
}

# snapshot NAME OPTION...: make NAME.er
snapshot()
{
	rm -rf "$1.er"
	limited 60 "$xcollect" --snapshot "$recorded" -A off -o "$1.er" "${@:2}" >"$1.out" 2>"$1.err"
	status=$?
}

# number TEXT FILE: the number behind it
number() { sed -nE "s/^ *$1 +([0-9]+)\$/\1/p" "$2" | head -1; }

# is_middle WHAT NAME PROCESSES: NAME.er is a snapshot of the middle of so many processes
is_middle()
{
	report "$2" -header -heapstat -leaks
	is "$1: the blocks of the middle, all of them" "$(($3 * 1000))" "$(number 'Total allocations' "$2.txt")"
	is "$1: their bytes" "$(($3 * 24000))" "$(number 'Total bytes' "$2.txt")"
	contains "$1: of the function of the middle" '^  middle_phase \+ ' "$2.txt"
	absent "$1: not of what came later" -E 'end_phase|last_phase' "$2.txt"
	absent "$1: nothing is wrong" -E "$2.er: |[1-9][0-9]* lost" "$2.txt"
	is "$1: no message" 0 "$(wc -c <"$2.err.print")"
}
report() { limited 60 "$xer_print" "${@:2}" "$1.er" >"$1.txt" 2>"$1.err.print"; }

# ---- a process, with --keep and without
for keep in '' --keep=1MB; do
	with=${keep:-"without --keep"}
	begin run 0 $keep
	snapshot middle
	is "$with: a snapshot is made" 0 $status
	contains "$with: it is said what it is, and how to read it" "^middle.er: process $recorded in .*/run.er as it was at [0-9.]+ s, .*xer_print -overview middle.er\$" middle.err
	is_middle "$with" middle 1
	contains "$with: it is said that it ran then" '^Status     running then, when the snapshot was made' middle.txt
	contains "$with: and of what it is a snapshot" "^Snapshot   of .*/run.er at [0-9.]+ seconds, 2.* UTC, for process $recorded\$" middle.txt
	contains "$with: the notes tell it, too" "^Snapshot of .*/run.er for process $recorded, 2" middle.er/notes
	is "$with: what is read from it has an end" 1 "$(awk -F '[ s]+' '/^Duration/ { d = $2 } /^Snapshot/ { for (i = 1; i <= NF; i++) if ($i == "at") t = $(i + 1) } END { print d == t }' middle.txt)"
	finish run
	is "$with: the program ends as it does" 0 $status
	report run -header -heapstat -leaks
	contains "$with: the experiment goes on to its end" '^Status     ended, exit code 0' run.txt
	contains "$with: and has the end's blocks" '^Leak #[12], Instances = 500, Bytes Leaked = 20000$' run.txt
	if [ "$keep" ]; then
		absent "$with: those of the middle have gone from it" 'middle_phase' run.txt
	else
		is "$with: those of the middle are in it, too" 201500 "$(number 'Total allocations' run.txt)"
	fi
	is_middle "$with, when the program has ended" middle 1
done

# ---- a tree
begin tree 3 --keep=4MB
snapshot trees -C "in the middle"
is_middle "a tree" trees 4
is "each process has an experiment" 4 "$(find trees.er -name log.xml | wc -l)"
contains "-C is in its notes" '^in the middle$' trees.er/notes
child=$(pgrep -P $recorded | head -1)
limited 60 "$xcollect" --snapshot "$child" -A off -o child.er >child.out 2>child.err
is_middle "by a child's number, the same tree" child 4
contains "it is said for which" ", for process $child\$" child.txt
limited 60 "$xcollect" --snapshot="$recorded" -A off -d . >counted.out 2>&1
limited 60 "$xcollect" --snapshot="$recorded" -A off >>counted.out 2>&1
is "names are counted" "snapshot.1.er snapshot.2.er" "$(echo snapshot.*.er)"
limited 60 "$xcollect" --snapshot="$recorded" -n >dry.out 2>&1
contains "what would be made is said" '^snapshot.3.er: a snapshot of .*/tree.er$' dry.out
is "and not made" "snapshot.1.er snapshot.2.er" "$(echo snapshot.*.er)"
limited 60 "$xcollect" --snapshot="$recorded" -o archived.er >archived.out 2>&1
limited 60 "$xer_archive" -verify archived.er >verified.txt 2>&1
is "a snapshot is archived, and complete" 0 $?
contains "with its objects" '^0 missing; archived: [1-9]' verified.txt
snapshot trees -O trees.er
is_middle "-O overwrites it" trees 4
snapshots=$(cd trees.er && find . -name '*.xml' | wc -l)
is "of a snapshot" 8 "$snapshots"
finish tree
is "the tree ends as it does" 0 $status

# ---- while the program writes as fast as it can
setsid "$xcollect" -p off -H on -A off -o fast.er --keep=16MB "$programs/newest" 1000000000 2 >fast.out 2>&1 &
wait_for test -s fast.er/_f2.er/heaptrace
recorded=$(sed -nE 's/.*<process pid="([0-9]+)".*/\1/p' fast.er/log.xml)
sleep 0.5
wrong='' open=0
for i in 1 2 3 4 5 6; do
	snapshot fast$i
	[ $status = 0 ] || wrong+=" status $status"
	report fast$i -heapstat
	allocations=$(number 'Total allocations' fast$i.txt) frees=$(number 'Total frees' fast$i.txt)
	[ "${allocations:-0}" -gt 1000 ] || wrong+=" few: ${allocations:-none}"
	grep -q 'fast[0-9].er: ' fast$i.txt fast$i.err.print && wrong+=" damaged"
	[ $((allocations - frees)) -le 3 ] && [ $((frees - allocations)) -le 3 ] || wrong+=" $allocations and $frees"
	leaks=$(number 'Total leaks' fast$i.txt)
	[ "${leaks:-9}" -le 3 ] || wrong+=" leaks $leaks"
	open=$((open + 1))
done
is "all $open snapshots have events of one moment: a block of a process at most is not freed" '' "$wrong"

# ---- a snapshot that is killed disturbs nobody, and is no experiment
half=0 whole=0
for delay in 0 0.002 0.004 0.008 0.016 0.03; do
	rm -rf killed.er
	"$xcollect" --snapshot "$recorded" -A off -o killed.er >killed.out 2>&1 &
	killer=$!
	sleep $delay
	kill -9 $killer 2>/dev/null
	wait $killer 2>/dev/null
	[ -d killed.er ] || continue
	if [ -e killed.er/log.xml ]; then
		whole=$((whole + 1))
		limited 60 "$xer_print" -heapstat killed.er >killed.txt 2>&1 || half=9
	else
		limited 60 "$xer_print" -heapstat killed.er >killed.txt 2>&1
		grep -qE 'killed.er: (empty directory|not an experiment)' killed.txt || half=9
	fi
done
is "a snapshot that is killed is whole or no experiment" 0 $half
is "the program does not notice" R "$(sed -nE 's/^State:\s+([RSD]).*/\1/p' "/proc/$recorded/status" | tr SD RR)"
"$xcollect" --snapshot "$recorded" -A off -o ended.er >ended.out 2>&1 &
killer=$!
kill -INT $killer 2>/dev/null
wait $killer
status=$?
there=$(find . -maxdepth 1 -name ended.er | wc -l)
is "a snapshot that is ended is there and whole, or leaves nothing" ok "$(case "$status $there" in '0 1' | '125 0' | '130 0') echo ok ;; *) echo "$status $there" ;; esac)"
kill -9 -- "-$recorded"
wait 2>/dev/null

# ---- the program asks for it
self_is()
{
	report "$2" -heapstat
	is "$1" "$3" "$(number 'Total allocations' "$2.txt")"
	absent "$1: nothing is wrong" -E "$2.er: |[1-9][0-9]* lost" "$2.txt"
}
mkdir self && cd self || exit 1
record self -p off -H on -A off --keep=2MB -- "$programs/snapshot_self" mid.er
is "collector_snapshot makes two, and fails if the name exists; the program notices nothing else" "0 0 -1 unchanged 0 none" "$(cat self.out)"
self_is "the first has the middle" mid 1000
self_is "the second, beside the experiment, has the end" snapshot.1 1500
contains "why there is no third one is in the log" 'kind="warning".*no snapshot was made' self.er/log.xml
report self -heapstat
within "the experiment has all" 1500 1502 "$(number 'Total allocations' self.txt)"
rm -rf ./*.er
record self -p off -H on -A off --snapshot-signal=USR1 -- "$programs/snapshot_self" mid.er 10
is "--snapshot-signal: a signal makes one" "0 0 -1 unchanged 0 none" "$(cat self.out)"
self_is "of that moment" snapshot.1 1500
report self -header
contains "the signal is among the settings" 'signal (10|SIGUSR1|USR1) makes a snapshot' self.txt
is "bare, there is none" "-1 -1 -1 unchanged 0 none" "$("$programs/snapshot_self" bare.er)"
rm -rf ./*.er
record waits -p off -s on -A off --snapshot-wait=200ms -- "$programs/lock_wait" 300 snapshot.1.er/log.xml
report snapshot.1 -header -syncwaits
contains "--snapshot-wait: a wait that lasts makes a snapshot, which tells it" '^Thread [0-9]+ has waited 200 ms for a lock$' snapshot.1.txt
contains "with the wait, which has not ended" 'wait_here' snapshot.1.txt
is "in the next minute, there is no other one" 1 "$(find . -maxdepth 1 -name 'snapshot.*.er' | wc -l)"
rm -rf ./*.er
record waits -p off -s on -A off --snapshot-wait=5s -- "$programs/lock_wait" 300
is "a shorter one makes none" 0 "$(find . -maxdepth 1 -name 'snapshot.*.er' | wc -l)"
rm -rf ./*.er
record jump -p off -s on -A off --snapshot-wait=60ms -- "$programs/lock_jump"
is "a handler that jumps out of the wait takes the timer with it: no sleep is cut short" "siglongjmp whole longjmp whole _longjmp whole" "$(xargs <jump.out)"
rm -rf ./*.er
record crash -p off -S off -H on -A off --snapshot-crash=on -- "$programs/killed_children"
wait_for test -e snapshot.1.er/log.xml
report snapshot.1 -header -exp_list
contains "--snapshot-crash: a child that crashes makes a snapshot, which tells it" '^Process [0-9]+ was killed by signal 6$' snapshot.1.txt
contains "with the child, and the signal" ' killed by SIGABRT +_f1: ' snapshot.1.txt
is "in the next minute, there is no other one" 1 "$(find . -maxdepth 1 -name 'snapshot.*.er' | wc -l)"
limited 20 "$xcollect" -n --snapshot-wait=1s true >refused.txt 2>&1
is "waits must be recorded" 125 $?
limited 20 "$xcollect" -n -l USR1 --snapshot-signal=USR1 true >refused.txt 2>&1
is "a signal has one meaning" 125 $?
cd .. || exit 1

# ---- what cannot be
refused()
{
	limited 20 "$xcollect" "${@:3}" -A off -o refused.er >refused.txt 2>&1
	is "refused: $1" "$2 0" "$? $(find . -maxdepth 1 -name refused.er | wc -l)"
}
refused "a process that is not there" 127 --snapshot 4194303
contains "it is said" '^xcollect: there is no process 4194303$' refused.txt
refused "a process that has ended" 127 --snapshot "$recorded"
sleep 30 &
sleeper=$!
refused "a process that is not recorded" 125 --snapshot $sleeper
contains "it is said, and what to do" "^xcollect: process $sleeper is not being recorded; xcollect -P $sleeper records it" refused.txt
kill $sleeper
refused "no number" 125 --snapshot server
refused "nothing" 125 --snapshot
refused "with a program" 125 --snapshot 1 true
refused "with -P" 125 --snapshot 1 -P 1
if [ "$(id -u)" = 0 ]; then
	begin own 0
	for_everyone
	limited 20 setpriv --reuid 65534 --clear-groups "$everyones/bin/xcollect" --snapshot "$recorded" -A off -o /tmp/refused.er >refused.txt 2>&1
	is "another user's process is refused" 126 $?
	contains "it is said" "^xcollect: process $recorded may not be looked at: it belongs to another user" refused.txt
	rm -rf own.er
	refused "a process whose experiment was deleted" 125 --snapshot "$recorded"
	contains "that is said" 'an experiment that was deleted$' refused.txt
	finish own
else
	skip "another user's process is refused" "needs root" 4
fi

# What the threads of a running process wait for already when the recorder comes in: a process that is stuck is in nothing else.
. "$(dirname "$0")/lib.sh"

if ! traces; then
	skip "a process that is stuck" "no tracing here" 23
	exit
fi

columns=total:blocked:lock:cond:join:sleep:pipe:socket:poll:child:signal:other

# seconds_of FUNCTION METRIC: in the table of NAME.txt, inclusive
seconds_of() { awk -v name="$1" -v column="$(awk -v RS=: -v name="$2" '$1 == name { print NR }' <<<"$columns")" '$NF == name { print $column; exit }' "$name.txt"; }

# stuck NAME SECONDS [OPTION...]: attach to a process that is stuck for so long
stuck()
{
	name=$1
	"$programs/stuck" "$2" >"$name.out" 2>&1 &
	target=$!
	wait_for grep -q ready "$name.out"
	"$xcollect" -o "$name.er" -A off -w on "${@:3}" -P "$target" -- >"$name.attach" 2>&1
	report "$name" -metrics "i.${columns//:/:i.}:name" -functions
	duration=$("$xer_print" -header "$name.er" | awk '$1 == "Duration" { print $2 }')
}

# each_waits: each function waits in its state, from the first look to the end
each_waits()
{
	local function state
	while read -r function state; do
		within "$name: $function is in $state all the time" "$(awk -v d="$duration" 'BEGIN { print d - 0.3 }')" "$duration" "$(seconds_of "$function" "$state")"
	done <<-END
		wait_holding sleep
		wait_lock lock
		wait_cond cond
		wait_sem cond
		wait_poll poll
		wait_epoll poll
		wait_pipe pipe
		wait_accept socket
		wait_child child
		wait_signal signal
		main join
	END
}

# ---- the recording ends first
stuck early 4 -t 1.5
each_waits
within "early: all time is explained" 99 100.1 "$(sed -n 's/.*wall-clock time explained \([0-9.]*\) %.*/\1/p' early.txt)"
"$xer_print" -limit 0 -waits early.er >early.waits 2>&1
is "early: what has not ended is said so, and that it began before" "yes" \
	"$(grep -q 'pthread_mutex_lock(.*), began before the recording, has not ended' early.waits && echo yes)"
contains "early: the holder of the lock is named" 'held when that began by thread' early.waits
contains "early: and what it was in meanwhile" 'wait_holding' early.waits
is "early: no stack is cut" 0 "$("$xer_print" -calltree early.er | grep -c 'Truncated')"
contains "early: threads without a sample have names" 'Thread 1[0-9], stuck' <("$xer_print" -threads early.er)
wait "$target"
is "early: the program has not noticed" "wrong 0" "$(grep wrong early.out)"

# ---- the program ends first; one thread leaves its wait meanwhile
stuck late 3
is "late: the program has not noticed" "wrong 0" "$(grep wrong late.out)"
wait "$target"
begun=$(sed -n 's/.*<event kind="attach" time="\([0-9]*\)".*/\1/p' late.er/log.xml)
left=$(awk -v ticks="$begun" '/<clock / && !hz { match($0, /hz="[0-9]+"/); hz = substr($0, RSTART + 4, RLENGTH - 5)
		match($0, / ticks="[0-9]+"/); at = substr($0, RSTART + 8, RLENGTH - 9)
		match($0, /real_ns="[0-9]+"/); real = substr($0, RSTART + 9, RLENGTH - 10) }
	/^left/ { printf "%.3f", ($2 - real) / 1e9 - (ticks - at) / hz }' late.er/log.xml late.out)
again=1.5 # seconds that it sleeps again, in a wait that is recorded
within "late: a wait that ends is as long as it was, without the time in which its thread computes" \
	"$(awk -v x="$left" -v again=$again 'BEGIN { print x + again - 0.02 }')" "$(awk -v x="$left" -v again=$again -v patience="$patience" 'BEGIN { print x + again + 0.06 * patience }')" \
	"$(seconds_of wait_leave sleep)"
within "late: all time is explained" 98 100.1 "$(sed -n 's/.*wall-clock time explained \([0-9.]*\) %.*/\1/p' late.txt)"
within "late: the others wait until they are let go" "$(awk -v d="$duration" 'BEGIN { print d - 0.4 }')" "$duration" "$(seconds_of wait_cond cond)"

# ---- nothing of it where wall-clock time is not asked for
"$programs/stuck" 2 >plain.out 2>&1 &
target=$!
wait_for grep -q ready plain.out
"$xcollect" -o plain.er -A off -t 0.5 -P "$target" -- >plain.attach 2>&1
is "without -w, no file of waits" 1 "$(test -e plain.er/walltrace; echo $?)"
wait "$target"

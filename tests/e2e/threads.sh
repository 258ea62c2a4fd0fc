# Programs with many threads: what a thread costs does not grow with their number, in mappings, memory and time. Each program runs
# with few threads and with many.
. "$(dirname "$0")/lib.sh"

few=500
many=6000
everything=(-p hi -H on -s all -i on -S 0.1 -A off)

# printed NAME WORD: the number behind WORD in NAME.out; nothing if it is not there
printed() { sed -n "s/^$2 //p" "$1.out"; }

# less NAME OTHER WORD: the difference of what the two printed
less() { awk -v a="$(printed "$1" "$3")" -v b="$(printed "$2" "$3")" 'BEGIN { print (a == "" || b == "" ? "" : a - b) }'; }

# over A B: the ratio
over() { awk -v a="${1:-0}" -v b="${2:-0}" 'BEGIN { print (b > 0 ? a / b : "") }'; }

for count in $few $many; do
	"$programs/many_threads" "$count" 300 >bare$count.out 2>bare$count.err
	record all$count "${everything[@]}" -- "$programs/many_threads" "$count" 300
	is "$count threads with everything on: all are there" "$count" "$(printed all$count created)"
	record on$count -A off -- "$programs/many_threads" "$count" 300
	is "$count threads by default: all are there" "$count" "$(printed on$count created)"
done

# ---- mappings, memory
for way in on all; do
	within "$way: mappings more than bare, with many threads" 0 120 "$(less $way$many bare$many mappings)"
	within "$way: mappings that come with further threads" -20 20 \
		$(($(less $way$many bare$many mappings) - $(less $way$few bare$few mappings)))
	within "$way: memory added, kB, with many threads" 0 $((64 * 1024 + 4 * many)) "$(less $way$many bare$many resident_kb)"
	within "$way: memory added for each further thread, kB" 0 7.5 \
		"$(over $(($(less $way$many bare$many resident_kb) - $(less $way$few bare$few resident_kb))) $((many - few)))"
done

# ---- time: of the process, so that other programs do not count
for way in on all; do
	within "$way: a thread costs no more when there are many: making them" 0 2.5 \
		"$(over "$(printed $way$many create_us)" "$(printed $way$few create_us)")"
	within "$way: and another one, while they live" 0 2.5 "$(over "$(printed $way$many churn_us)" "$(printed $way$few churn_us)")"
	within "$way: a thread that ticks is not held up by the others" 0 1.5 \
		"$(over "$(printed $way$many round_ns)" "$(printed $way$few round_ns)")"
done

# ---- data: nothing is lost, and each thread has its own
report all$many -metrics i.heapalloccnt:name -functions
is "all: every block is recorded" $((many + 200)) "$(value all$many work 1)"
absent "all: nothing was lost" 'name="lost_' "all$many.er/log.xml"
report all$many -limit 0 -threads
is "all: every thread is listed" $((many + 201)) "$(grep -c ', Thread [0-9]' all$many.txt)"
is "all: and its files are sound" "" "$(<all$many.txt.err)"

# ---- timers, which count as pending signals of the user
nobody=() there=$PWD from=$BUILD
[ "$(id -u)" != 0 ] || { have setpriv && for_everyone && there=$everyones from=$everyones && nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups); }
cp "$programs/queued" "$there"
if [ "$(id -u)" = 0 ] && [ ${#nobody[@]} = 0 ]; then
	skip "signals that threads may queue" "setpriv cannot be run" 3
else
	(cd "$there" && ulimit -i 64 && timeout 20 "${nobody[@]}" "$from/bin/xcollect" -A off -p hi -o queued.er ./queued 100 20) >queued.out 2>queued.err
	[ "$there" = "$PWD" ] || mv "$there/queued.er" .
	is "100 threads, of a user who may have 64 signals pending, can queue some" "queued 20" "$(<queued.out)"
	report queued -header all
	within "CPU time is covered all the same" 80 120 "$(sed -n 's/.*CPU time covered \([0-9.]*\) %.*/\1/p' queued.txt)"
	recorded "a thread has a timer or the log says so" queued &&
		if [ "$(sed -n 's/.*name="lost_threads" value="\([0-9]*\)".*/\1/p' queued.er/log.xml)" -gt 0 ] 2>/dev/null; then
			contains "a thread has a timer or the log says so" 'ulimit -i' queued.er/log.xml
		else
			ok "a thread has a timer or the log says so"
		fi
fi

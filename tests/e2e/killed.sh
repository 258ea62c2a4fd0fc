# SIGKILL at any moment: the experiment is readable up to the last complete event.
. "$(dirname "$0")/lib.sh"

metrics=(-metrics i.heapalloccnt:i.heapallocbytes:name -functions)

# The program kills itself after a known number of events in 8 threads: all of them are there.
record own -p off -H on -- "$programs/crash" 10000 8
is "the program dies as it would" 137 $?
report own "${metrics[@]}"
is "xer_print of a killed experiment exits 0" 0 $?
is "every event before the kill is there" "80000 3200000" "$(value own allocate 1) $(value own allocate 2)"
report own -header all
contains "the header says that it died" 'died|killed' own.txt
report own -functions
is "and again" 0 $?

# CPU time after the last usage sample cannot count as covered or not; the quality line says how much it is.
record late -p hi -S off -l USR2 -- bash -c 'for i in {1..100000}; do :; done; kill -USR2 $$; for i in {1..300000}; do :; done; kill -KILL $$'
report late -metrics e.totalcpu:name -functions
contains "CPU time after the last usage sample is shown separately" '^# quality: CPU time covered [0-9.]+ % \([0-9.]+ of [0-9.]+ s\), [0-9.]+ s more after the last usage sample, ' late.txt
total=$(value late '<Total>' 1)
within "and makes up the total with what was before" "$(awk -v t="$total" 'BEGIN { print t - 0.011 }')" "$(awk -v t="$total" 'BEGIN { print t + 0.011 }')" \
	"$(sed -nE 's/^# quality: .* \(([0-9.]+) of [0-9.]+ s\), ([0-9.]+) s more.*/\1 \2/p' late.txt | awk '{ print $1 + $2 }')"

# Killed from outside, at many moments.
bad=0
for i in $(seq 1 12); do
	"$xcollect" -O "kill.$i.er" -A off -p hi -H on -S 0.05 "$programs/crash" 100000000 8 >/dev/null 2>&1 &
	pid=$!
	sleep 0.0$((i * 7 % 10))$i
	kill -KILL $pid
	{ wait $pid; } 2>/dev/null
	[ -e "kill.$i.er/heaptrace" ] || continue
	limited 60 "$xer_print" -functions "kill.$i.er" >kill.txt 2>kill.err || { bad=$((bad + 1)); cat kill.err; }
	! have xmllint || xmllint --noout "kill.$i.er/log.xml" "kill.$i.er/map.xml" 2>&1 || bad=$((bad + 1))
	! have llvm-xray || limited 60 llvm-xray fdr-dump -verify "kill.$i.er/heaptrace" >/dev/null 2>xray.err || { bad=$((bad + 1)); cat xray.err; }
	[ ! -s kill.err ] || { bad=$((bad + 1)); cat kill.err; }
	rm -rf "kill.$i.er"
done
for reader in llvm-xray xmllint; do have $reader || skip "$reader reads what is left" "it is not installed" 0; done
is "12 kills at random instants leave sound experiments" 0 $bad

# Read while it runs.
"$xcollect" -o running.er -p hi -H on "$programs/deep" 30 20 >/dev/null 2>&1 &
pid=$!
sleep 0.7
report running -functions
is "a running experiment gives its tables" 0 $?
contains "its functions are named" 'bottom' running.txt
report running -header all
contains "the header says that it runs" 'running' running.txt
kill -KILL $pid
wait $pid 2>/dev/null
report running -header all
contains "and then that it died" 'died|killed' running.txt

# The heap, sampled: estimates lie within computed bounds around exactly known numbers; what is chosen is followed to its end, in
# threads, children, libraries that are unloaded, processes that run already, and C++.
. "$(dirname "$0")/lib.sh"

metrics=(-metrics i.heapalloccnt:i.heapallocbytes:i.heapleakcnt:i.heapleakbytes:name -functions)

# near CLAIM TRUTH SHOWN SIZE MEAN: an estimate of TRUTH (bytes, or blocks if UNIT is "block") from blocks of SIZE bytes, one in MEAN
# bytes chosen, is within 5 standard deviations: once in two million it is not
near()
{
	local low high
	read -r low high < <(awk -v truth="$2" -v size="$4" -v mean="$5" -v unit="${6:-bytes}" 'BEGIN {
		chance = 1 - exp(-size / mean)
		each = unit == "block" ? 1 : size
		reach = 5 * sqrt(truth * each * (1 - chance) / chance) + 1
		printf "%.0f %.0f\n", truth - reach, truth + reach
	}')
	within "$1" "$low" "$high" "${3:-0}"
}

# ---- a program of known allocations; the size of what grows is between 1,000 and 8,000 bytes: the wider bound
MEAN=16384
record known -p off -A off -H sampled:16K -- "$programs/sampled_known" "$programs/plugin.so"
is "the program is not disturbed" "0 done" "$? $(cat known.out)"
report known "${metrics[@]}"
while read -r function size blocks leaks; do
	near "$function: bytes" $((size * blocks)) "$(value known "$function" 2)" "$size" $MEAN
	near "$function: blocks" "$blocks" "$(value known "$function" 1)" "$size" $MEAN block
	near "$function: leaks" "$leaks" "$(value known "$function" 3)" "$size" $MEAN block
	near "$function: bytes leaked" $((size * leaks)) "$(value known "$function" 4)" "$size" $MEAN
done <<-'END'
	leak_small 100 160000 160000
	leak_half 1000 40000 20000
	churn 160 500000 0
	shrink_fails 8000 2000 2000
	aligned 1024 20000 0
	in_thread 100 200000 0
	in_child 100 100000 100000
END
near "what grows: bytes" 36000000 "$(value known grow 2)" 1000 $MEAN
is "what grows and is freed is no leak" "0 0" "$(value known grow 3) $(value known grow 4)"
is "large blocks are all there" "20 20971520 5 5242880" "$(value known leak_large 1) $(value known leak_large 2) $(value known leak_large 3) $(value known leak_large 4)"

# ---- what is said of it
contains "tables say that they are estimates" '^# heap: sampled every 16 KiB: 1[0-9]{4} blocks stand for [0-9]+ allocations of 2[0-9]{2} MiB; a sum of 6 MiB is known to \+-10 % \(95 of 100 times\)' known.txt
report known -header -heapstat
contains "the header says it" '^Heap +sampled every 16 KiB: ' known.txt
absent "temporary allocations are not known" 'Temporary allocations' known.txt
absent "nothing is less than nothing" -E '18446744[0-9]{12}|-[0-9]{4}' known.txt
contains "heapstat names the smallest and the largest block" '^ +Largest bytes +1048576$' known.txt
report known -leaks
leaked=$(sed -n 's/^Summary Results: .* Total Bytes Leaked = //p' known.txt)
within "the leaks are summed up" 60000000 75000000 "$leaked"
"$xer_print" -printmode json -functions known.er >known.json 2>/dev/null
contains "for programs, it is a field of the quality" '"key": "heap_sampled_every"' known.json
"$xer_print" -printmode csv -metrics i.~heapallocbytes:i.~heapalloccnt -functions known.er >known.csv 2>/dev/null
is "bytes have an interval that holds the estimate, numbers of blocks have none" 1 "$(awk -F, '$1 == "churn" || $NF == "churn" {
	for (i = 1; i <= NF; i++) if ($i + 0 > 1000000) v[n++] = $i
	print (v[1] < v[0] && v[0] < v[2] && v[2] - v[1] < 0.2 * v[0] && $0 ~ /,,/)
}' known.csv)"
limited 60 "$xer_print" -check 'heapleakbytes < 60 MB; heapleakbytes > 60 MB; heapalloccnt > 900000' known.er >check.txt 2>&1
is "checks see the estimates; of numbers of blocks, the error is not known" "3 1 1 1" "$? $(grep -c '^FAILED' check.txt) $(grep -c '^holds' check.txt) $(grep -c '^undecided' check.txt)"

# ---- with one byte marked in one, all blocks of some size are chosen: every wrapper, exactly
record all -p off -A off -H sampled:1 -- "$programs/sampled_known" "$programs/plugin.so"
report all "${metrics[@]}"
for expected in leak_small:160000:16000000:160000:16000000 churn:500000:80000000:0:0 grow:8000:36000000:0:0 \
	shrink_fails:2000:16000000:2000:16000000 aligned:20000:20480000:0:0 in_thread:200000:20000000:0:0 in_child:100000:10000000:100000:10000000 \
	plugin_work:150:3600:100:2400; do
	IFS=: read -r function count bytes leaks leaked <<<"$expected"
	is "all: $function" "$count $bytes $leaks $leaked" \
		"$(value all "$function" 1) $(value all "$function" 2) $(value all "$function" 3) $(value all "$function" 4)"
done
record objects -p off -A off -H sampled:1 -- "$programs/newdelete"
report objects "${metrics[@]}"
is "objects of C++" "80 4960 0" "$(value objects 'make_objects()' 1) $(value objects 'make_objects()' 2) $(value objects 'make_objects()' 3)"
is "objects of C++ that are not deleted" "6 144" "$(value objects 'leaky::leak_objects(int)' 3) $(value objects 'leaky::leak_objects(int)' 4)"

# ---- rarely chosen, it is hardly there
record rare -p off -A off -H sampled -- "$programs/heap_cost" 1000000 5
within "of a million small pairs, few are recorded" 1 2000 "$(report rare -functions && sed -n 's/^# quality: \([0-9]*\) heap events.*/\1/p' rare.txt)"

# ---- a process that runs already
if traces; then
	rm -rf go go.ready go.done
	"$programs/attached" heap 4 "$PWD/go" "$programs/plugin.so" >target.out 2>&1 &
	target=$!
	wait_for test -d go.ready
	env --default-signal=INT timeout -k 5 $((60 * patience)) "$xcollect" -P "$target" -A off -o later.er -p off -H sampled:1 >later.out 2>later.err &
	recorder=$!
	wait_for grep -q '^Attached to process' later.err
	touch go
	wait_for test -d go.done
	kill -INT "$recorder"
	wait "$recorder"
	rm -f go
	wait_for eval "! kill -0 $target 2>/dev/null"
	kill -9 "$target" 2>/dev/null
	is "a process that runs already goes on" "right 0" "$(cat target.out)"
	report later "${metrics[@]}"
	is "from the attach on its blocks are chosen" "7 7000 7 7000" "$(value later known_leak 1) $(value later known_leak 2) $(value later known_leak 3) $(value later known_leak 4)"
	is "and those of libraries that come later" "30 720 20 480" "$(value later plugin_work 1) $(value later plugin_work 2) $(value later plugin_work 3) $(value later plugin_work 4)"
else
	skip "a process that runs already" "no tracing here" 3
fi

# Heap tracing: exact numbers from programs whose sources say how much they allocate.
. "$(dirname "$0")/lib.sh"

metrics=(-metrics i.heapalloccnt:i.heapallocbytes:i.heapleakcnt:i.heapleakbytes:name -functions)

# row NAME FUNCTION COUNT BYTES LEAKS LEAKED
row()
{
	is "$1: $2" "$3 $4 $5 $6" "$(value "$1" "$2" 1) $(value "$1" "$2" 2) $(value "$1" "$2" 3) $(value "$1" "$2" 4)"
}

record known -p off -H on -- "$programs/heap_known"
is "heap_known exits 0" 0 $?
report known "${metrics[@]}"
is "xer_print exits 0" 0 $?
row known use_malloc 100 1000 0 0
row known use_calloc 50 5000 0 0
row known use_realloc 40 1600 0 0
row known use_reallocarray 10 640 0 0
row known use_strdup 30 390 0 0
row known leak_malloc 7 7000 7 7000
row known leak_calloc 3 1500 3 1500
row known zero_malloc 4 0 0 0
is "known: use_aligned: calls" 25 "$(value known use_aligned 1)"
is "known: use_aligned: leaks" 0 "$(value known use_aligned 3)"
is "known: main" "269 10 8500" "$(value known main 1) $(value known main 3) $(value known main 4)"
report known -leaks
contains "leaks are summed up" '10' known.txt
contains "leaks name their function" 'leak_malloc' known.txt
contains "leaks name the line" 'heap_known\.c' known.txt
report known -metrics i.heaptempcnt:name -functions
is "known: what the next call frees" "100 50 40 30" "$(value known use_malloc 1) $(value known use_calloc 1) $(value known use_realloc 1) $(value known use_strdup 1)"
report known -peak
contains "the peak is what was never freed" 'Peak Stacks = 2, Total Instances = 10, Total Bytes Live = 8500$' known.txt

record objects -p off -H on -- "$programs/newdelete"
report objects "${metrics[@]}"
row objects 'make_objects()' 80 4960 0 0
row objects 'leaky::leak_objects(int)' 6 144 6 144

record deep -p off -H on -- "$programs/deep" 200 0.2
report deep "${metrics[@]}"
rounds=$(awk '/^rounds/ { print $2 }' deep.out)
row deep bottom "$rounds" $((rounds * 32)) 0 0
is "recursion counts once" "$rounds" "$(value deep descend 1)"

record threads -p off -H on -- "$programs/crash" 20000 8 exit
report threads "${metrics[@]}"
row threads allocate 160000 6400000 160000 6400000

record fork -p off -H on -- "$programs/fork_known"
is "fork_known exits 0" 0 $?
report fork "${metrics[@]}"
row fork parent_allocate 10 1000 10 1000
row fork child_allocate 3000 150000 3000 150000
for child in _f1 _f2 _f3; do
	"$xer_print" "${metrics[@]}" fork.er/$child.er >$child.txt 2>&1
	row $child child_allocate 1000 50000 1000 50000
	is "$child has what it did itself" "" "$(value $child parent_allocate 1)"
done

record kept -p off -H on -- "$programs/deep" 10 0.1
report kept -leaks
contains "buffers of stdio are no leaks" '^Summary Results: Distinct Leaks = 0, Total Instances = 0, Total Bytes Leaked = 0$' kept.txt
contains "they are kept by the C library" '^Kept by the C library: Distinct Kept Blocks = 1, Total Instances = 1, ' kept.txt

record mapped -p off -H on -- "$programs/mapped" 100
report mapped -header all -heapstat
contains "the header warns of memory that is not seen" '^  the process grew by (99|1[0-9][0-9]) MiB, heap events account for 0 MiB: ' mapped.txt
contains "so does heapstat" '^# warning: experiment 1: the process grew by ' mapped.txt
record seen -p off -H on -- "$programs/mapped" 100 mmap
report seen -heapstat
absent "memory that was mapped before our eyes is no reason to warn" '^# warning' seen.txt

record inherited -p off -H on -- "$programs/mapped" 100 fork
is "mapped exits 0" 0 $?
report inherited -header all
is "what a child has of its parent is no growth of the child" 1 "$(grep -c '^  the process grew by ' inherited.txt)"

map_metrics=(-metrics i.heapmapcnt:i.heapmapbytes:i.heapmaplive:name -functions)
record maps -p off -H on -- "$programs/mapped_known" "$programs/mapped_known"
is "mapped_known exits 0" 0 $?
report maps "${map_metrics[@]}"
for expected in whole:50:819200:0 parts:1:409600:245760 over:2:163840:122880 move:20:409600:0 shrink:2:225280:61440 \
	covered:1:24576:16384 grow_break:1:262144:196608; do
	IFS=: read -r function count bytes live <<<"$expected"
	is "maps: $function" "$count $bytes $live" "$(value maps "$function" 1) $(value maps "$function" 2) $(value maps "$function" 3)"
done
is "maps of files are not the heap's" "" "$(value maps map_file 1)"
is "calls that fail map nothing" "" "$(value maps refused 1)"
within "small blocks make the program break grow" 4000000 4300000 "$(value maps small_blocks 3)"
report maps -heapmaps
contains "heapmaps lists the stacks" '^Mapping #1, Instances = [0-9]*, Bytes Mapped = ' maps.txt
contains "its innermost function is the program's" '^  move \+ ' maps.txt
absent "and never the recorder" '<Recorder>' maps.txt

record fixed -p off -H on -A off -- "$programs/fixed"
report fixed "${metrics[@]}"
row fixed allocate 3 30 3 30
report fixed -header all
contains "a program at a fixed address has no malloc of its own" '^Warnings +none' fixed.txt

# The name of a function without a symbol can be copied out of a stack and looked up, although frames have the addresses of calls.
if have strip && cp "$programs/heap_known" stripped && strip stripped; then
	record stripped -p off -H on -- ./stripped
	report stripped -limit 0 -allocs
	refused=
	for frame in $(sed -nE 's/^ +(stripped\+0x[0-9a-f]+)( .*)?$/\1/p' stripped.txt | sort -u); do
		limited 20 "$xer_print" -csingle "$frame" stripped.er >single.txt 2>&1 && grep -qE '\*stripped\+0x' single.txt || refused="$refused $frame"
	done
	is "frames without names are taken by csingle" "" "$refused"
	contains "and there are some" '^ +stripped\+0x' stripped.txt
else
	skip "frames without names" "strip is missing"
fi

# Stacks of contexts begin where makecontext and libraries for fibers put an address.
if [ "$(uname -m)" = x86_64 ]; then
	record contexts -p off -H on -A off -- "$programs/contexts"
	is "contexts: the program runs" ok "$(cat contexts.out)"
	report contexts -metrics i.heapalloccnt:name -functions
	is "every call is counted" 1010 "$(value contexts leaf 1)"
	contains "and no stack counts as cut off" ' 0 truncated stacks ' contexts.txt
else
	skip "contexts" "it wants x86-64" 3
fi

# Deep stacks that have no frame in common: the first ones are whole, and then an event costs no more than some thousand frames.
(ulimit -s unlimited && record redescend -p off -H on -A off -- "$programs/redescend" 60000 300)
report redescend -metrics i.heapalloccnt:name -functions -header all
is "deep stacks that change: each allocation is seen" 300 "$(value redescend bottom 1)"
within "the first stacks are whole" 1 60 "$(value redescend main 1)"
contains "that others are cut is told" 'some stacks are so deep' redescend.txt
record shallow -p off -H on -A off -- "$programs/redescend" 1000 300
report shallow -metrics i.heapalloccnt:name -functions -header all
is "stacks of 1,000 frames that change are whole" 300 "$(value shallow main 1)"
absent "and nothing is told" 'some stacks are so deep' shallow.txt

# The frame of a signal has a name, whether or not the C library has symbols.
record handled -p off -H on -A off -- "$programs/handled"
report handled "${metrics[@]}"
row handled keep 3 300 3 300
report handled -leaks
contains "the frame between a handler and what it interrupted is named" '^  (<signal handler called>|__restore_rt) ' handled.txt
is "in its place" "handle signal ask" "$(awk '/^  (handle|ask) / { print $1 } /^  (<signal|__restore)/ { print "signal" }' handled.txt | head -3 | paste -sd' ')"

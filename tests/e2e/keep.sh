# xcollect --keep: recording goes on, the directory has a bound, and the newest is there.
. "${0%/*}/lib.sh"

# watch NAME COMMAND...: run it, and have in $highest how many KiB of the disk NAME.er took at most, and in $looks how often
# that was seen. While du looks, one file may become smaller that it has counted, and another one larger that it has not: only
# what it sees twice in a row was there.
watch()
{
	local now pid before=0 both
	highest=0 looks=0
	"${@:2}" &
	pid=$!
	while kill -0 $pid 2>/dev/null; do
		now=$(du -sk "$1.er" 2>/dev/null | cut -f1)
		now=${now:-0} both=$((now < before ? now : before)) before=$now
		[ $both -le $highest ] || highest=$both
		looks=$((looks + 1))
		sleep 0.01
	done
	wait $pid
	status=$?
}

# sum_of_last N BLOCKS: bytes of the last N blocks of `newest BLOCKS`
sum_of_last() { awk -v n="$1" -v blocks="$2" 'BEGIN { for (i = blocks - n; i < blocks; i++) sum += 1 + i * 7919 % 60013; printf "%.0f\n", sum }'; }

# number TEXT FILE: the number behind it
number() { sed -nE "s/^ *$1 +([0-9]+)\$/\1/p" "$2" | head -1; }

# ---- a size
kept()
{
	rm -rf one.er
	watch one record one -p off -H on -A off --keep="$1MB" -- "$programs/newest" "$2"
	is "$1 MB: the program ends as it does" 0 $status
	report one -header -heapstat
	count=$(number 'Total allocations' one.txt)
	within "$1 MB: the directory takes that room at most: KiB, seen $looks times" $(($1 * 1024 * 3 / 4)) $(($1 * 1024)) "$highest"
	within "$1 MB: so many of the blocks are there" $(($1 * 11000)) $(($1 * 16000)) "$count"
	is "$1 MB: they are the last ones, all of them: bytes" "$(sum_of_last "$count" "$2")" "$(number 'Total bytes' one.txt)"
	within "$1 MB: nearly all are freed" "$count" $((count + 1)) "$(number 'Total frees' one.txt)"
	is "$1 MB: none is a leak" 0 "$(number 'Total leaks' one.txt)"
	contains "$1 MB: nothing is lost" 'heap events, 0 lost' one.txt
	contains "$1 MB: nothing is wrong" '^Warnings   none$' one.txt
	contains "$1 MB: it is said from when on all is there" "^Kept       the newest $1 MiB: all from [0-9.]+ s on; [0-9.]+ MiB before were dropped\$" one.txt
	contains "$1 MB: and what that means for the heap" '^# kept: .*blocks allocated before are not seen' one.txt
}
kept 2 2000000
kept 8 4000000
record short -p off -H on -A off --keep=8MB -- "$programs/newest" 1000
report short -header -heapstat
contains "before the size is reached, nothing is dropped" 'the newest 8 MiB: nothing was dropped' short.txt
is "and all are there" 1000 "$(number 'Total allocations' short.txt)"

# ---- a tree of processes
watch tree record tree -p off -H on -A off --keep=8MB -- "$programs/newest" 60000 50
is "50 children end as they do" 0 $status
is "each has an experiment" 51 "$(find tree.er -name log.xml | wc -l)"
within "together they have the size: KiB, seen $looks times" $((5 * 1024)) $((8 * 1024)) "$highest"
report tree -heapstat
contains "nothing of them is lost" 'heap events, 0 lost' tree.txt
absent "nothing of them is damaged" 'tree.er: ' tree.err

# ---- stacks
record stacks -p off -H on -A off --keep=4MB -- "$programs/many_stacks" 16
report stacks -header -functions
contains "stacks that no event needs are dropped" 'MiB before were dropped' stacks.txt
within "with them, the size is what was asked for: KiB" 3072 4096 "$(du -sk stacks.er | cut -f1)"
absent "each event has its stack" '<Unknown>|<Truncated>' stacks.txt
contains "each, to its end" '_start$' stacks.txt

# ---- all kinds together
record kinds -p hi -H on -s all -i on -w on -A off --keep=4MB -S 0.05 -- "$programs/wall_known" 0.2
report kinds -header -functions
contains "with all kinds of data, nothing is lost" ' 0 lost' kinds.txt
absent "and nothing is damaged" 'kinds.er: ' kinds.err

# ---- killed at any time, and read meanwhile
said=0 high=0
for delay in 0.05 0.11 0.17 0.23 0.29 0.35 0.41; do
	rm -rf killed.er
	record killed -p off -H on -A off --keep=1MB -- "$programs/newest" 1000000000 2 &
	waited=0
	until [ -s killed.er/_f1.er/heaptrace ] || [ $((waited += 1)) -gt 500 ]; do sleep 0.01; done
	sleep $delay
	pid=$(sed -nE 's/.*<process pid="([0-9]+)".*/\1/p' killed.er/log.xml)
	limited 20 "$xer_print" -heapstat killed.er >running.txt 2>&1 || said=$((said + 1))
	grep -qE 'killed.er|[1-9][0-9]* lost' running.txt && said=$((said + 1))
	kill -9 -- "-$(ps -o pgid= -p "$pid" | tr -d ' ')"
	wait
	limited 20 "$xer_print" -heapstat killed.er >killed.txt 2>&1 || said=$((said + 1))
	grep -qE 'killed.er|[1-9][0-9]* lost' killed.txt && said=$((said + 1))
	now=$(du -sk killed.er | cut -f1)
	[ "$now" -le $high ] || high=$now
done
is "while it runs, and after SIGKILL, whatever the moment, it is readable" 0 $said
within "and not larger: KiB" 512 1024 $high

# ---- a time
record time -p hi -H on -A off --keep=0.5s -- "$programs/heap_cost" 12000000 5
report time -header -functions
last=$(sed -nE 's/^Duration +([0-9.]+) .*/\1/p' time.txt)
from=$(sed -nE 's/^Kept .* all from ([0-9.]+) s on.*/\1/p' time.txt)
within "of the last half second all is there, and at most as much more: ms" 490 1300 "$(awk -v last="$last" -v from="${from:-0}" 'BEGIN { printf "%d", (last - from) * 1e3 }')"
contains "nothing of it is lost" ' 0 lost' time.txt

# ---- what makes no sense
refused()
{
	limited 20 "$xcollect" "${@:2}" -o refused.er true >refused.txt 2>&1
	is "refused: $1" "125 0" "$? $(find . -maxdepth 1 -name refused.er | wc -l)"
}
refused "a number without a unit" --keep=200
contains "and it is said what is missing" 'SIZE\|TIME' refused.txt
refused "two sizes" --keep=5MB,6MB
refused "too little" --keep=100K
refused "no time" --keep=0s
refused "with -L" --keep=5MB -L 5
contains "and it is said why" 'do not go together' refused.txt
limited 20 "$xcollect" -n -o dry.er --keep=200MB,5m true 2>dry.txt
contains "a size and a time can be given" '^keep +the newest 200 MiB$' dry.txt
contains "both are taken" '^keep +the last 300 s$' dry.txt

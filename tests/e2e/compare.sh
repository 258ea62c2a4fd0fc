# Comparing two builds of a program: rows are put together by names, and the differences are the known ones.
. "$(dirname "$0")/lib.sh"

record before -p off -S off -H on -- "$programs/grown"
record after -p off -S off -H on -- "$programs/grown_later"
record again -p off -S off -H on -- "$programs/grown"

# compared NAME MODE COMMAND...: before and after with the commands; output to NAME.txt
compared()
{
	timeout -k 5 60 "$xer_print" -metrics i.heapallocbytes:e.heapalloccnt -compare "$2" "${@:3}" before.er after.er >"$1.txt" 2>"$1.err"
}

# row NAME FUNCTION: the numbers of its first row
row() { awk -v name="$2" 'substr($0, length($0) - length(name)) == " " name { NF--; $1 = $1; print; exit }' "$1.txt"; }

compared on on -functions
is "compare on" 0 $?
is "the groups have names" "before after before after" "$(awk '/^before / { $1 = $1; print; exit }' on.txt)"
is "keep: both values" "1000 3000 10 30" "$(row on keep)"
is "what is gone has 0" "7000 0 7 0" "$(row on drop)"
is "what is new had 0" "0 1000 0 5" "$(row on fresh)"
is "what stayed stayed, at another address" "128 128 2 2" "$(row on shared)"
is "the programs are one, by whatever name" "8128 4128 0 0" "$(row on main)"
is "totals come first" "<Total>" "$(awk '/^[ 0-9]/ && NF > 4 { print $NF; exit }' on.txt)"
compared delta delta -functions
is "delta: up" "1000 +2000 10 +20" "$(row delta keep)"
is "delta: down" "7000 -7000 7 -7" "$(row delta drop)"
is "delta: none" "128 0 2 0" "$(row delta shared)"
is "the greatest difference first, up or down" "drop keep fresh shared" \
	"$(awk '$NF ~ /^(drop|keep|fresh|shared)$/ { printf "%s%s", gap, $NF; gap = " " }' delta.txt)"
compared ratio ratio -functions
is "ratio" "1000 x3.000 10 x3.000" "$(row ratio keep)"
is "ratio: new" "0 new 0 new" "$(row ratio fresh)"
is "ratio: gone" "7000 x0.000 7 x0.000" "$(row ratio drop)"

compared tree delta -calltree
is "calltree has columns" "1000 +2000 10 +20" "$(awk '/\+-keep$/ { NF--; $1 = $1; print }' tree.txt)"
compared callers delta -csingle main
is "callees have columns" "128 0 2 0" "$(row callers shared)"
compared callers delta -csingle keep
is "the function, too" "1000 +2000 10 +20" "$(awk '/\*keep$/ { NF--; $1 = $1; print; exit }' callers.txt)"
compared lines on -lines
contains "lines of one number are one row" '^ *1000 +3000 +10 +30 +keep, line [0-9]+ in "grown\.c"$' lines.txt
compared pcs on -pcs
is "instructions of a function that did not change are one" "128 128 0" \
	"$(awk '/ shared \+ 0x/ { first += $1; second += $2; apart += $1 != $2 } END { print first, second, apart }' pcs.txt)"
compared source delta -source keep
contains "source lines have columns" '^## *1000 +\+2000 +10 +\+20 ' source.txt
compared single delta -fsingle keep
contains "fsingle has columns" 'Inclusive Bytes Allocated: +1000 \([ 0-9.]+ %\) +\+2000 \( *[-+0-9.]+ %\)$' single.txt
compared leaks delta -leaks
contains "stacks of one function and line are one" '^after: Leak #1, Instances = 30, Bytes Leaked = 3000$' leaks.txt
contains "with both values" '^before: Leak #1, Instances = 10, Bytes Leaked = 1000$' leaks.txt
contains "and sums" '^after: Summary Results: Distinct Leaks = 3, Total Instances = 37, Total Bytes Leaked = 4128$' leaks.txt
compared heapstat on -heapstat -overview -disasm keep
is "other reports come once for each group" 6 "$(grep -c '^# compare: \[[12]\]' heapstat.txt)"
contains "with its own numbers" '^  Total allocations +37$' heapstat.txt
contains "disassembly is that of the group's own build" 'Load Object: .*/grown_later$' heapstat.txt

compared json delta -printmode json -functions
is "json has a column for each" "i.heapallocbytes[1] i.heapallocbytes[2] i.heapallocbytes[2].delta" \
	"$(grep -oE '"i\.heapallocbytes[^"]*"' json.txt | tr -d '"' | tr '\n' ' ' | sed 's/ $//')"

"$xer_print" -compare delta -metrics i.heapallocbytes:i.heapalloccnt -functions before.er again.er >same.txt 2>&1
is "the same program twice differs nowhere" 0 "$(awk '/<Total>$/ { rows = 1 } rows && NF && !/^#/ && ($2 != "0" || $4 != "0")' same.txt | wc -l)"
printf '#analyzer experiment group\nbefore.er\nagain.er\n' >both.erg
"$xer_print" -compare on -metrics i.heapallocbytes -functions both.erg after.er >groups.txt 2>&1
is "a group file is one group" "2000 3000" "$(row groups keep)"
contains "with its name" '^both +after' groups.txt
"$xer_print" -compare on -metrics i.heapallocbytes -functions before.er after.er again.er >three.txt 2>&1
is "three groups have three columns" "1000 3000 1000" "$(row three keep)"
"$xer_print" -compare on -functions before.er >alone.txt 2>alone.err
is "one group alone is no fault" 0 $?
contains "but said" 'nothing to compare it with' alone.err
printf '%s\n' 'metrics i.heapallocbytes' 'compare on' 'add_exp after.er' functions 'compare off' functions 'compare delta' 'drop_exp after.er' functions |
	"$xer_print" before.er >script.txt 2>/dev/null
is "comparing follows what is open" "1000 3000|3000|1000|1000|" "$(awk '$NF == "keep" { NF--; $1 = $1; printf "%s|", $0 }' script.txt)"
"$xer_print" -compare sideways before.er >/dev/null 2>bad.err
is "a wrong form is a usage error" 2 $?

# ---- files, descriptors and locks, by name

mkdir io
for threads in 1 3; do
	record "io$threads" -p off -S off -i on -- "$programs/io_known" io "$threads"
	record "sync$threads" -p off -S off -s all -- "$programs/sync_known" "$threads"
done
"$xer_print" -metrics ioreadcnt:iowritebytes -compare delta -ioactivity io1.er io3.er >files.txt 2>&1
contains "ioactivity: the file that both have" '^ *76 +0 +895 +0 +.*/io/file0$' files.txt
contains "and one that is new" '^ *0 +\+76 +0 +\+895 +.*/io/file1$' files.txt
is "sockets are one name, whatever their numbers" 1 "$(grep -c ' socket$' files.txt)"
"$xer_print" -compare on -metrics ioreadcnt -iodetail io1.er io3.er >files.txt 2>&1
contains "iodetail has descriptors with their files" '^ *76 +(76|0) +[0-9]+ .*/io/file0$' files.txt
"$xer_print" -compare on -metrics syncn -locks sync1.er sync3.er >locks.txt 2>&1
is "locks of one variable are one" "" "$(awk '/ (mutex|condition|rwlock|semaphore|barrier) [a-z_]+$/ { print $NF }' locks.txt | sort | uniq -d)"
contains "locks: both columns" '^ *[1-9][0-9]* +[1-9][0-9]* +mutex ' locks.txt
is "no row tells an address" 0 "$(grep -cE '0x[0-9a-f]+' locks.txt)"

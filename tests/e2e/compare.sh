# Comparing two builds of a program: rows are matched by name, and the differences are the known ones.
. "$(dirname "$0")/lib.sh"

record before -p off -S off -H on -- "$programs/grown"
record after -p off -S off -H on -- "$programs/grown_later"
record again -p off -S off -H on -- "$programs/grown"

# compared NAME MODE COMMAND...: before and after with the commands; output to NAME.txt
compared()
{
	limited 60 "$xer_print" -metrics i.heapallocbytes:e.heapalloccnt -compare "$2" "${@:3}" before.er after.er >"$1.txt" 2>"$1.err"
}

# row NAME FUNCTION: the numbers of the function's first row
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
compared mapped on -heapmaps
contains "mappings have a line for each group" '^after: Mapping #1, Instances = 1, Bytes Mapped = 135168' mapped.txt

# ---- facts and statistics
compared heapstat on -heapstat
contains "heapstat: both totals in a line" '^  Allocations +19 +37$' heapstat.txt
contains "sizes by size" '^ *64 +128 +12 +32$' heapstat.txt
contains "also sizes that only one of the two has" '^ *512 +1024 +7 +0$' heapstat.txt
compared heapstat delta -heapstat
contains "heapstat: differences" '^  Allocations +19 +\+18$' heapstat.txt
is "but not between ids" 1 "$(grep -cE '^  Experiment Id +1 +2$' heapstat.txt)"
compared heapstat ratio -heapstat
contains "heapstat: ratios" '^ *512 +1024 +7 +x0.000$' heapstat.txt
contains "and what is new" '^ *128 +256 +0 +new$' heapstat.txt
compared heapstat delta -printmode json -heapstat
is "for programs a record has all three" "8128 4128 -4000" "$(python3 -c '
import json
text = open("heapstat.txt").read()
for table in json.loads(text[text.index("{"):])["tables"]:
    if table["name"] == "totals":
        row = dict(zip([c["key"] for c in table["columns"]], table["rows"][0]))
        print(row["bytes[1]"], row["bytes[2]"], round(row["bytes[2].delta"]))')"
compared overview ratio -overview
contains "overview: totals" '^  Bytes Allocated +8128 +x0.508$' overview.txt
contains "and what stands out" '^7000 +86\.12 +x0\.000 +0\.00 +drop$' overview.txt
"$xer_print" -printmode json -overview before.er >single.json
is "for programs it has what stands out" "drop 7000" "$(python3 -c '
import json
for table in json.load(open("single.json"))["tables"]:
    if table["name"] == "top.heapallocbytes":
        print(table["rows"][1][0], table["rows"][1][1])')"
is "the experiments of each group below its name" "before: after:" "$(awk '/^(before|after):$/ { printf "%s%s", gap, $0; gap = " " }' overview.txt)"

# ---- lines and instructions
compared csource delta -csource main
contains "csource: calls have columns" '^(##)? *1000 +\+2000 +-> keep$' csource.txt
contains "calls that only one makes too" '^ *\+1000 +-> fresh$' csource.txt
if "$xer_print" -disasm keep before.er 2>&1 | grep -q 'the library capstone, which disassembles'; then
	skip "disassembly side by side" "no capstone"
else
	compared disasm delta -disasm main
	contains "disasm: a call that both builds have is one" '^(##)? *1000 +\+2000 +\[.*<keep>$' disasm.txt
	contains "one that only the base has" '^(##)? *7000 +-7000 +- .*<drop>$' disasm.txt
	contains "one that is new" '^ *\+1000 +\+ .*<fresh>$' disasm.txt
	absent "a metric without values is left out" Allocations disasm.txt
	is "nothing else differs" 2 "$(grep -cE ' [-+] {3,}\[' disasm.txt)"
	contains "and the load object of each" '^Load Object of after: .*/grown_later$' disasm.txt
	compared disasm on -disasm fresh
	contains "what one build alone has is shown" 'before has no data of this code' disasm.txt
	compared disasm on -disasm grown.c
	is "all functions of a file, each once" "drop fresh keep main shared" \
		"$(sed -n 's/.*<Function: \([a-z]*\)>$/\1/p' disasm.txt | sort | tr '\n' ' ' | sed 's/ $//')"
fi

# ---- index objects, matched by what they are within their own run
compared processes delta -processes
contains "a process is the same whatever its id and program" '^ *8128 +-4000 +19 +\+18 +Founder$' processes.txt
compared threads delta -threads
contains "so is a thread" '^ *8128 +-4000 +19 +\+18 +Founder, Thread 1$' threads.txt
compared sizes on -datasize
contains "sizes have columns" '^ *7000 +0 +7 +0 +512 B +to < +1 KiB$' sizes.txt
compared own on -indxobj_define sz HSIZE -indxobj sz
contains "so have one's own" '^ *0 +1000 +0 +5 +sz 200$' own.txt
compared each on -memobj page
is "pages are of one run: one group after the other" 2 "$(grep -c '^# compare: \[[12]\]' each.txt)"

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
contains "and a message says so" 'nothing to compare it with' alone.err
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
contains "ioactivity: the file that both have" '^ *77 +0 +895 +0 +.*/io/file0$' files.txt
contains "and one that is new" '^ *0 +\+77 +0 +\+895 +.*/io/file1$' files.txt
is "sockets are one name, whatever their numbers" 1 "$(grep -c ' socket$' files.txt)"
"$xer_print" -compare on -metrics ioreadcnt -iodetail io1.er io3.er >files.txt 2>&1
contains "iodetail has descriptors with their files" '^ *76 +[0-9]+ +[0-9]+ .*/io/file0$' files.txt
"$xer_print" -compare on -metrics syncn -locks sync1.er sync3.er >locks.txt 2>&1
is "locks of one variable are one" "" "$(awk '/ (mutex|condition|rwlock|semaphore|barrier) [a-z_]+$/ { print $NF }' locks.txt | sort | uniq -d)"
is "locks: the name stands beside the headings" 1 "$(grep -cE '^Sync Waits +Sync Waits +Name$' locks.txt)"
is "locks: its note stands below the qualities" 1 "$(grep -A1 '^# quality of sync3' locks.txt | grep -c '^# Waits of less\|^Objects waited for')"
contains "locks: both columns" '^ *[1-9][0-9]* +[1-9][0-9]* +mutex ' locks.txt
"$xer_print" -compare delta -iostat io1.er io3.er >iostat.txt 2>&1
contains "iostat: classes" '^  Calls +113 +\+212$' iostat.txt
contains "functions by name" '^pread +20 +\+40 ' iostat.txt
contains "errors too" '^ENOENT +9 +\+18$' iostat.txt
absent "no row shows an address" -E '0x[0-9a-f]+' locks.txt

# Reports with their own tables: columns for each group, rows by keys. (Traced calls: functrace.sh.)
record few -p off -S off -- "$programs/user_work" 2 3
record many -p off -S off -- "$programs/user_work" 2 6
"$xer_print" -compare delta -hooks few.er many.er >hooks.txt 2>&1
is "hooks: what was logged by both" "Events 6 +6" "$(awk '/: 020, 0001$/ { on = 1 } on && /Events/ { $1 = $1; print; exit }' hooks.txt)"
absent "moments have no difference" -E '^  (First|Last) .*[+-]' hooks.txt
"$xer_print" -compare on -limit 1 -printmode csv -hooks few.er many.er >hooks.csv 2>&1
is "limit counts rows of all groups" "2 020,0001,6,12" "$(grep -c , hooks.csv) $(sed -n '2s/^\([^,]*,[^,]*,[^,]*,[^,]*\),.*/\1/p' hooks.csv)"
"$xer_print" -compare ratio -hookpairs "020:1 020:2" few.er many.er >pairs.txt 2>&1
contains "pairs of hooks too" '^  Pairs +6 +x2\.000$' pairs.txt
"$xer_print" -compare on -hookpairs "020:1" few.er many.er >pairs.txt 2>pairs.err
is "an error is told once" "2 1" "$? $(grep -c . pairs.err)"
"$xer_print" -compare delta -metrics i.heapallocbytes:i.heapalloccnt -printmode json -functions before.er after.er >units.json 2>&1
is "differences have the units of what they are of" "bytes count" \
	"$(sed -n 's/.*"key": "[^"]*\.delta".*"unit": "\([^"]*\)".*/\1/p' units.json | paste -sd' ')"

# The program's name is that of the mapped file, not of the link that it was called by.
mkdir one other && cp "$programs/grown" one/grown-1 && cp "$programs/grown_later" other/grown-2
ln -s grown-1 one/grown && ln -s grown-2 other/grown
record linked1 -p off -S off -H on -- one/grown
record linked2 -p off -S off -H on -- other/grown
"$xer_print" -metrics i.heapallocbytes:e.heapalloccnt -compare on -functions linked1.er linked2.er >linked.txt 2>&1
is "programs called by links are one too" "1000 3000 10 30" "$(row linked keep)"

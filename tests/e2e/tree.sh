# Experiments of whole process trees, and of several runs: opened, listed, selected, grouped, read while they grow.
. "$(dirname "$0")/lib.sh"

# total NAME: the number of all allocations, by the table in NAME.txt
total() { value "$1" '<Total>' 1; }

cp "$programs/heap_known" known
record one -p off -S off -H on -- ./known
report one -metrics i.heapalloccnt -functions
one=$(total one)
within "one run allocates" 100 100000 "$one"

# ---- a tree

record tree -F on -p off -S off -H on -- sh -c './known >/dev/null; (./known; exit 3) >/dev/null; exit 5'
is "the shell's exit status passes through" 5 $?
report tree -exp_list
contains "exp_list shows the founder" '^ +1  yes .* ended, exit code 5 +tree\.er: sh -c ' tree.txt
is "and both runs of the program" 2 "$(grep -cE 'ended, exit code 0 +_[fcx0-9_]+: \./known' tree.txt)"
contains "indented by their depth" 'ended, exit code 0    (  )+_[fcx0-9_]+: ' tree.txt

ids=$(awk '/: \.\/known$/ { print $1 }' tree.txt | tr '\n' ' ')
set -- $ids
lineage=$(awk -v id="$1" '$1 == id { sub(/:$/, "", $(NF - 1)); print $(NF - 1) }' tree.txt)
report tree -metrics i.heapalloccnt -exp_select "$1,$2" -functions
is "both runs together allocate twice as much as one" $((2 * one)) "$(total tree)"
is "leak_malloc is there twice" "$((2 * $(value one leak_malloc 1)))" "$(value tree leak_malloc 1)"
report tree -metrics i.heapalloccnt -exp_select "$2" -functions
is "one of them alone allocates as much as one" "$one" "$(total tree)"
rm -f known
"$xer_print" -metrics i.heapalloccnt -functions "tree.er/$lineage.er" >alone.txt 2>alone.err
is "a descendant opens by its own path" "$one" "$(total alone)"
contains "and has names from its founder's archive" ' leak_malloc$' alone.txt
ln -s "tree.er/$lineage.er" link.er
"$xer_print" -metrics i.heapalloccnt -functions link.er >alone.txt 2>alone.err
is "by a link, too" "$one" "$(total alone)"
contains "with its names" ' leak_malloc$' alone.txt
(cd "tree.er/$lineage.er" && "$xer_print" -metrics i.heapalloccnt -functions .) >alone.txt 2>alone.err
is "and from inside" "$one" "$(total alone)"
contains "with its names" ' leak_malloc$' alone.txt
is "objects are archived once, in the founder" 0 "$(ls -d tree.er/_*/archives 2>/dev/null | wc -l)"

report tree -metrics i.heapalloccnt -functions
whole=$(total tree)
"$xer_print" -metrics i.heapalloccnt -functions "tree.er/$lineage.er" tree.er link.er ./tree.er/. >twice.txt 2>&1
is "what is named again does not count again" "$whole" "$(total twice)"
"$xer_print" -metrics i.heapalloccnt -functions one.er tree.er >both.txt 2>&1
is "several experiments add up" $((whole + one)) "$(total both)"

# ---- processes that are not recorded, and what other programs read

cp "$programs/static" static
cp "$programs/heap_known" known
record parts -F on -p off -S off -H on -- sh -c './static 3; ./known >/dev/null; exit 0'
report parts -exp_list
contains "a child that is not recorded is listed with the reason" '^  -  - .* not recorded +_f1_x1: .*static \(it is statically linked; --sampler samples it from outside\)$' parts.txt
is "and once" 1 "$(grep -c '_f1' parts.txt)"
report parts -printmode json -exp_list
if have python3; then
	is "json has the tree" "0 0 1" "$(python3 -c '
import json
tables = {table["name"]: table for table in json.load(open("parts.txt"))["tables"]}
keys = [column["key"] for column in tables["exp_list"]["columns"]]
rows = [dict(zip(keys, row)) for row in tables["exp_list"]["rows"]]
known = [row for row in rows if row["command"] == "./known"]
print(rows[0]["exit_code"], known[0]["exit_code"], sum("static" in row[2] for row in tables["unrecorded"]["rows"]))')"
else
	skip "json has the tree" "python3 is not installed"
fi

# ---- in a script

printf '%s\n' 'metrics i.heapalloccnt' 'add_exp one.er' 'drop_exp tree.er' functions 'open_exp tree.er' "exp_select $1" functions \
	'drop_exp nowhere.er' | "$xer_print" tree.er >script.txt 2>script.err
is "a wrong drop_exp is a usage error" 2 $?
is "open, add, drop and select" "$one $one" "$(awk '/ <Total>$/ { print $1 }' script.txt | tr '\n' ' ' | sed 's/ $//')"
contains "drop_exp names what is not open" 'drop_exp: nowhere\.er is not open' script.err

# ---- a damaged experiment leaves the others readable

cp -r tree.er hurt.er
mkdir hurt.er/_c99.er hurt.er/_c98.er
cp "hurt.er/$lineage.er/log.xml" hurt.er/_c98.er/
"$xer_print" -metrics i.heapalloccnt -functions hurt.er >hurt.txt 2>hurt.err
is "an empty descendant is a fault" 1 $?
contains "that is named" 'hurt\.er/_c99\.er: nothing is recorded: the process was killed before its log existed' hurt.err
is "one that only has a log is no fault" 1 "$(wc -l <hurt.err)"
is "and all others are read" "$whole" "$(total hurt)"

# ---- groups

cp "$programs/heap_known" known
for run in 1 2; do
	"$xcollect" -g runs.erg -p off -S off -H on ./known >/dev/null 2>group.err
	is "xcollect -g names the experiment after the group" "Creating experiment directory runs.$run.er" "$(cut -d'(' -f1 group.err | sed 's/ $//')"
done
"$xer_print" -metrics i.heapalloccnt -functions runs.erg >group.txt 2>group.err
is "a group opens all of its experiments" $((2 * one)) "$(total group)"
mkdir moved && mv runs.erg runs.1.er runs.2.er moved/
"$xer_print" -metrics i.heapalloccnt -functions moved/runs.erg >group.txt 2>group.err
is "also when it is moved with them" $((2 * one)) "$(total group)"
"$xcollect" -g moved/runs.erg -o here.er -p off -S off -H on ./known >/dev/null 2>&1
is "an experiment elsewhere is named by its path" "$PWD/here.er" "$(tail -1 moved/runs.erg)"
echo gone.er >>moved/runs.erg
"$xer_print" -metrics i.heapalloccnt -functions moved/runs.erg >group.txt 2>group.err
is "a bad line is a fault" 1 $?
contains "that is named with its place" 'moved/runs\.erg: line 5: not opened' group.err
is "and the others are read" $((3 * one)) "$(total group)"
echo hello >text.erg
"$xcollect" -g text.erg ./known >/dev/null 2>group.err
is "xcollect leaves other files alone" "125 hello" "$? $(cat text.erg)"
"$xcollect" -g fails.erg ./nothing-of-this-name >/dev/null 2>&1
is "what does not start joins no group" "" "$(ls -d fails* 2>/dev/null)"

# ---- objects instead of functions

"$xer_print" -object_hide known -metrics e.heapalloccnt -functions here.er >hidden.txt 2>&1
"$xer_print" -name long:soname -metrics e.heapalloccnt -functions here.er >shown.txt 2>&1
is "a hidden object has all of its functions' values" "$(awk '/ \(known\)$/ { sum += $1 } END { print sum }' shown.txt)" "$(value hidden known 1)"
absent "and they have no rows" ' leak_malloc$' hidden.txt
"$xer_print" -object_select known -calltree here.er >hidden.txt 2>&1
contains "object_select hides all others" '\+-libc\.so\.6$' hidden.txt
contains "and shows these" '\+-leak_malloc$' hidden.txt
"$xer_print" -object_hide libx.so here.er >/dev/null 2>hidden.err
is "an unknown object is a usage error" 2 $?
contains "with the nearest name" "no load object 'libx\.so' \(did you mean '" hidden.err

# ---- while the tree grows

mkfifo more
"$xcollect" -o live.er -F on -p off -S off -H on sh -c './known >/dev/null; echo ready; read line <more; ./known >/dev/null; echo ready; read line <more; exit 7' >live.out 2>live.err &
waiting=$!
# await COUNT: wait until the shell has printed "ready" COUNT times
await()
{
	for ((i = 0; i < 200; i++)); do
		[ "$(grep -c ready live.out)" -ge "$1" ] && return
		sleep 0.05
	done
	not_ok "the recorded shell gets ready in 10 s"
}
# seen COUNT OUTPUT: a table shows COUNT runs of the program
leaks=$(value one leak_malloc 1)
seen() { is "$1" "$2" "$(($(value "$3" leak_malloc 1) / leaks))"; }
await 1
exec 8>more
report live -metrics i.heapalloccnt -functions -exp_list
is "a running tree is read" 0 $?
seen "what is there so far counts" 1 live
contains "and is listed as running" '  running +live\.er: sh -c' live.txt
mkfifo commands
"$xer_print" live.er <commands >follow.txt 2>follow.err 8>&- &
follower=$!
exec 9>commands
echo 'metrics i.heapalloccnt' >&9
{ echo 'outfile list.txt'; echo exp_list; echo 'outfile -'; } >&9
for ((i = 0; i < 200; i++)); do
	[ -s list.txt ] && break
	sleep 0.05
done
echo next >&8
await 2
{ echo 'outfile before.txt'; echo functions; echo reload; echo 'outfile after.txt'; echo functions; echo 'outfile -'; } >&9
for ((i = 0; i < 200; i++)); do
	grep -q 'leak_malloc$' after.txt 2>/dev/null && break
	sleep 0.05
done
seen "tables show the moment of reading" 1 before
seen "reload shows what has come" 2 after
exec 8>&-
wait $waiting
is "the program is not disturbed by readers" 7 $?
{ echo reload; echo 'outfile last.txt'; echo functions; echo exp_list; } >&9
exec 9>&-
wait $follower
is "the reader is content" 0 $?
seen "and at the end all is there" 2 last
contains "with its exit status" 'ended, exit code 7 +live\.er: sh -c' last.txt

# ---- hundreds of processes

record many -F on -p off -S off -H off -- bash -c 'for ((i = 0; i < 300; i++)); do /bin/true; done'
count=$(ls -d many.er/_*.er | wc -l)
is "300 children have experiments" 300 "$count"
TIMEFORMAT='%U %S'
{ time "$xer_print" -exp_list many.er >many.txt 2>many.err; } 2>many.time
is "and rows" 301 "$(grep -c ' ended, exit code 0 ' many.txt)"
within "exp_list takes little CPU time (s)" 0 1.0 "$(awk 'END { print $1 + $2 }' many.time)"
(ulimit -Sn 64; "$xer_print" -exp_list many.er 2>&1) | cmp -s - many.txt
is "few descriptors are enough" 0 $?

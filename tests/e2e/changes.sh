# What has certainly changed between groups of runs: exact counts, CPU time of a function that became slower, and nothing where
# nothing has changed.
. "$(dirname "$0")/lib.sh"

# recorded NAME ARGUMENT...: xcollect with the arguments
recorded() { timeout -k 5 100 "$xcollect" -S off -A off "${@:2}" >"$1.out" 2>"$1.err" </dev/null; }

# changed NAME METRICS GROUP...: the changes between groups, in NAME.txt
changed() { timeout -k 5 60 "$xer_print" -metrics "$2" -changes "${@:3}" >"$1.txt" 2>"$1.err"; }

# row NAME FUNCTION: the first row of a function in NAME.txt, without its name
row() { awk -v name="$2" 'NF > 1 && $NF == name { NF--; $1 = $1; print; exit }' "$1.txt"; }

# ---- numbers of things
recorded counts -p off -H on --repeat=2 --versus -g old.erg -g new.erg "$programs/grown" -- "$programs/grown_later"
is "two programs are recorded in turn" 0 $?
changed counts i.heapalloccnt:e.heapallocbytes old.erg new.erg
is "are compared" 0 $?
contains "run by run" '^# old: 2 runs, new: 2 runs$' counts.txt
contains "counts need no test" '^# 0 rows were tested' counts.txt
is "what has more" "more 10 30 3.0000 20 20 20" "$(row counts keep)"
is "what is gone" "less 7 0 0.0000 -7 -7 -7" "$(row counts drop)"
is "what is new has no ratio" "more 0 5 - 5 5 5" "$(row counts fresh)"
is "what stayed" "same 2 2 1.0000 0 0 0" "$(row counts shared)"
is "changes come first" "more less same" "$(awk '/^(more|less|same) / { print $1 }' counts.txt | head -12 | uniq | awk '!seen[$0]++' | paste -sd' ')"
is "each metric has a table" 2 "$(grep -c ', mean of a run$' counts.txt)"
contains "which says so" '^Exclusive Bytes Allocated, mean of a run$' counts.txt
timeout 60 "$xer_print" -printmode json -metrics e.heapallocbytes -changes old.erg new.erg >counts.json 2>/dev/null
is "for programs, rows name their metric" "e.heapallocbytes more 1000.0 3000.0 2000.0 2000.0" "$(python3 -c '
import json
for table in json.load(open("counts.json"))["tables"]:
    if table["name"] == "changes":
        keys = [c["key"] for c in table["columns"]]
        for row in table["rows"]:
            row = dict(zip(keys, row))
            if row["function"] == "keep":
                print(row["metric"], row["change"], float(row["before"]), float(row["after"]), float(row["low"]), float(row["high"]))')"

# ---- CPU time: f_00 takes twice as long, the other functions do the same work
recorded time -p hi --repeat=4 --versus -g fast.erg -g slow.erg "$programs/twenty" 150 100 -- "$programs/twenty" 150 200
changed time e.totalcpu:i.totalcpu fast.erg slow.erg
is "what is slower is found" "more more" "$(awk '$NF == "f_00" { print $1 }' time.txt | paste -sd' ')"
is "before all that is not certain" "more" "$(awk '/^(more|less|within) / { print $1; exit }' time.txt)"
is "the interval is around the difference" 1 "$(row time f_00 | awk '{ print ($6 < $5 && $5 < $7) }')"
is "most other functions are within noise" 1 "$(awk '/f_(0[1-9]|1[0-9])$/ { tested++; within += $1 == "within" } END { print (within >= 0.8 * tested) }' time.txt)"

# ---- by source line
lines() { timeout -k 5 60 "$xer_print" "${@:2}" >"$1.txt" 2>"$1.err"; }
lines lines -metrics e.totalcpu -linechanges fast.erg slow.erg
is "the line of what is slower is found" 1 "$(grep -cE '^more .* f_00, line [0-9]+ in "twenty\.c"$' lines.txt)"
contains "with the number of rows that were tested" '^# [0-9]+ rows were tested; on average at most 0\.75 % of the changes are false$' lines.txt
lines counts.lines -metrics e.heapalloccnt -printmode csv -linechanges old.erg new.erg
is "numbers of things are exact" 1 "$(grep -cE '^e\.heapalloccnt,more,.*"?keep' counts.lines.txt)"
contains "for programs, rows have their line" '^metric,change,.*,line$' counts.lines.txt
lines alone -linechanges fast.erg
contains "of one group, none have changed" 'linechanges: there is one group only' alone.err

# ---- by load object: the program of the first group, and that of the second under its name
lines objects -metrics e.heapalloccnt:i.heapallocbytes -objectchanges old.erg new.erg
is "objects are compared, the programs as one" "more 19 37 1.9474 18 18 18" "$(row objects grown)"
contains "with rows for objects" '  Load Object$' objects.txt
is "whole stacks count once" 1 "$(grep -cE '^more +8128 +4128 .* grown$|^less +8128 +4128 .* grown$' objects.txt)"
lines cpu.objects -metrics e.totalcpu -objectchanges fast.erg slow.erg
is "the program is slower" more "$(row cpu.objects twenty | cut -d' ' -f1)"
lines data.objects -metrics e.heapalloccnt -printmode csv -objectchanges old.erg new.erg
is "for programs, rows have their object" 1 "$(grep -cE '^e\.heapalloccnt,more,19(\.0*)?,37.*,"?grown' data.objects.txt)"
lines alone -objectchanges fast.erg
contains "of one group, no object has changed" 'objectchanges: there is one group only' alone.err

# ---- runs that differ in length, by what the machine does or, here, by their input
echo 100 >rounds
cat >grows.sh <<EOF
rounds=\$(cat rounds)
echo \$((rounds + 150)) >rounds
exec "$programs/twenty" \$rounds
EOF
recorded lengths -p hi --repeat=4 -g lengths.erg sh grows.sh
lines lengths -metrics e.totalcpu -changes lengths.erg fast.erg
contains "runs that differ in length are told, and what compares their parts" '^# runs of one group differ by [1-9][0-9]\.[0-9] % in totalcpu; -per totalcpu compares their parts$' lengths.txt
lines parts -metrics e.totalcpu -per totalcpu -changes lengths.erg fast.erg
absent "with that, it is not told" '^# runs of one group' parts.txt
contains "and f_00 is known better" '^within noise.* f_00$' parts.txt
is "whose interval is shorter" 1 "$(cat <(row lengths f_00) <(row parts f_00) | awk '{ width[NR] = ($(NF) - $(NF - 1)) } END { print (width[2] < width[1]) }')"

# ---- for as much work: the second program calls keep's malloc three times as often
lines per -metrics e.heapalloccnt -per 'heapalloccnt(keep)' -changes old.erg new.erg
is "what is in proportion to the work is the same" "same 10 10 1.0000 0 0 0" "$(row per keep)"
is "what is not has changed by work" "less 2 0.666667 0.3333 -1.333333 -1.333333 -1.333333" "$(row per shared)"
contains "which the title says" '^Exclusive Allocations, mean of a run for as much work as one of the first group$' per.txt
lines numbers -metrics e.heapalloccnt -per 1,3 -changes old.erg new.erg
is "numbers do the same" "$(row per keep)|$(row per shared)" "$(row numbers keep)|$(row numbers shared)"
lines on -metrics e.heapalloccnt:e.heapallocbytes -per 'heapalloccnt(keep)' -compare on -functions old.erg new.erg
is "tables of a comparison, too" "20 20 2000 2000" "$(row on keep)"
contains "with a note" '^# per heapalloccnt\(keep\): values of new are those of as much work as the first did, times 0\.3333$' on.txt
lines delta -metrics e.heapalloccnt:e.heapallocbytes -per 2,3 -compare delta -functions old.erg new.erg
is "differences are of such values" "4 -1 256 -85" "$(row delta shared)"
lines json -printmode json -metrics e.heapalloccnt -per 'heapalloccnt(keep)' -compare ratio -functions old.erg new.erg
is "JSON has them" "20 20 1.0" "$(python3 -c '
import json
for table in json.load(open("json.txt"))["tables"]:
    if table["name"] == "functions":
        for row in table["rows"]:
            row = dict(zip([c["key"] for c in table["columns"]], row))
            if row["name"] == "keep":
                print(row["e.heapalloccnt[1]"], row["e.heapalloccnt[2]"], float(row["e.heapalloccnt[2].ratio"]))')"
lines none -metrics e.heapalloccnt -per 'heapalloccnt(fresh)' -compare on -functions old.erg new.erg
contains "a group that did no such work is said" '^# per heapalloccnt\(fresh\): old has none, its values are as measured$' none.txt
is "and nothing is multiplied" "20 60" "$(row none keep)"
lines runs -metrics e.heapalloccnt -per 'heapalloccnt(fresh)' -changes old.erg new.erg
is "also of each run" 4 "$(grep -c '^# per: run [12] of .* did no work that is counted$' runs.txt)"
lines setting -per 'heapalloccnt(keep)' -per off -compare on -metrics e.heapalloccnt -functions old.erg new.erg
is "off: as measured" "20 60" "$(row setting keep)"
for wrong in 'nosuch' '0' '1,,2' 'heapalloccnt(keep' 'size' '-1' 'e.heapalloccnt'; do
	lines wrong -per "$wrong" -functions old.erg
	is "per $wrong is refused" 2 $?
done

# ---- the same runs, as another group
cp fast.erg again.erg
grep -v '^#' fast.erg | while read -r name; do cp -r "$name" "again.$name"; done
sed -i '/^#/!s/^/again./' again.erg
changed same e.totalcpu:i.totalcpu fast.erg again.erg
is "where nothing has changed, nothing is named" 0 "$(grep -cE '^(more|less|same) ' same.txt)"
is "though rows were tested" 1 "$(awk '/rows were tested/ { print ($2 > 10) }' same.txt)"

# ---- what tells nothing of runs
first=$(grep -v '^#' fast.erg | head -1)
changed single e.totalcpu "$first" slow.erg
is "one run and several" 0 $?
changed single e.totalcpu "$first" "$(grep -v '^#' slow.erg | head -1)"
is "of one run each, no time is certain" 0 "$(grep -cE '^(more|less|same|within) ' single.txt)"
contains "which is said" '^# one run does not tell how runs differ: xcollect --repeat' single.txt
changed single i.heapalloccnt "$(grep -v '^#' old.erg | head -1)" "$(grep -v '^#' new.erg | head -1)"
is "but counts are" "more 10 30 3.0000 20 20 20" "$(row single keep)"
changed alone e.totalcpu fast.erg
is "one group is refused" 2 $?
contains "with the reason" 'changes: there is one group only' alone.err

changed apart i.heapalloccnt:e.totalcpu old.erg fast.erg
is "what one side did not record is not compared" 0 "$(grep -c 'mean of a run' apart.txt)"

# ---- what are runs
recorded first -p off -H on -g job.erg "$programs/grown" rank0
recorded second -p off -H on -g job.erg "$programs/grown" rank1
changed job i.heapalloccnt job.erg new.erg
contains "different commands are one run" '^# job: 1 run, new: 2 runs$' job.txt
is "whose values add up" "more 20 30" "$(row job keep | cut -d' ' -f1-3)"

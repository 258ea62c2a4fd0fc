# Filters, ranges of time and lists of threads, on programs whose facts are known.
. "$(dirname "$0")/lib.sh"

record burn -p hi -S 0.1 -- "$programs/burn50" 1 2
# exact COMMAND...: the totals that the commands print, together, in whole microseconds: text has as many digits as there are samples for
exact() { "$xer_print" -printmode csv -metrics e.totalcpu:name "$@" burn.er 2>exact.err | awk -F, '$1 == "<Total>" { s += $2 } END { printf "%.6f", s }'; }
all=$(exact -functions)
within "two threads use a second each" 1.9 2.5 "$all"
is "the threads make up the whole" "$all" "$(exact -thread_select 1 -functions -thread_select 2 -functions -thread_select 3 -functions)"
is "two halves of the time make up the whole" "$all" "$(exact -time 0-0.5 -functions -time 0.5- -functions)"
report burn -metrics e.totalcpu -functions
work=$(value burn work_b 1)
report burn -metrics e.totalcpu -filters 'LEAF == FNAME("work_b")' -functions
is "a leaf is chosen by name" "$work" "$(value burn '<Total>' 1)"
report burn -metrics e.totalcpu -filters '(FNAME("split"), FNAME("work_(b|c)")) ORDERED IN STACK && !(LEAF == FNAME("work_c"))' -functions
is "callers and callees are chosen in order" "$work" "$(value burn '<Total>' 1)"
report burn -metrics e.totalcpu -filters '(FNAME("work_b"), FNAME("split")) ORDERED IN STACK' -functions
is "and not in the other order" 0.000 "$(value burn '<Total>' 1)"

report burn -describe
is "describe leaves out the words of OpenMP and MPI without their data" "" "$(grep -oE '^(OMP|MPI)[A-Z]+' burn.txt | xargs)"
report burn -gcevents
is "gcevents of a program that is not Java's" "1 xer_print: gcevents: no Java data (record a program of a Java machine, with xcollect -j on)" "$? $(cat burn.txt.err)"
for slip in thread_select:thread_list lwp_select:lwp_list cpu_select:cpu_list sample_select:sample_list; do
	report burn "-${slip%:*}" 99999999 -functions -functions
	is "${slip%:*}: what is not there is no error" 0 $?
	is "${slip%:*}: one message, which says where to look" "xer_print: ${slip%:*} 99999999: no event is selected (${slip#*:} lists what there is)" "$(cat burn.txt.err)"
done
report burn -thread_select 1-3,9 -functions
is "a list of what is there needs no word" said "$(said_in burn.txt)$(cat burn.txt.err)"

report burn -filters 'LEAF == FNAME("work_b")' -source work_c -csingle work_c
is "a function that a filter leaves out is not said to be missing" \
	"xer_print: source: no function and no source file 'work_c' in what filters and selections leave of the recorded data
xer_print: csingle: no function 'work_c' in what filters and selections leave of the recorded data" "$(cat burn.txt.err)"

record heap -p off -H on -S off -- "$programs/heap_known"
report heap -leaks
count=$(sed -nE 's/.*Total Instances = ([0-9]+).*/\1/p' heap.txt)
report heap -filters 'HLEAKED > 0' -heapstat -filters 'HFREED > 0 || HSIZE == 0' -heapstat
contains "what leaks can be chosen" "^# selected: filters HLEAKED > 0, $count of [0-9]+ allocations" heap.txt
is "and what is freed" 0 "$(awk '$1 == "Total" && $2 == "leaks" { n = $3 } END { print n }' heap.txt)"
report heap -filters 'HSIZE >= 1K' -functions -filters 'HTYPE == "calloc"' -allocs
contains "no block is so large" ', 0 of [0-9]+ allocations' heap.txt

# io_known's source says how often a thread calls what: fsync once, fdatasync once, lseek 7 times, 4 opens that fail with ENOENT.
mkdir files
record io -p off -S off -i on -- "$programs/io_known" "$PWD/files" 2
is "io_known exits 0" 0 $?
calls() { report io -filters "$1" -header; report io -filters "$1" -iostat; sed -nE 's/^# selected: .*, ([0-9]+) of [0-9]+ I.O calls.*/\1/p' io.txt; }
is "calls are chosen by function" 14 "$(calls 'IOFUNC == "lseek"')"
is "and by error" 8 "$(calls 'IOFUNC == "open" && IOERROR == "ENOENT"')"
is "the classes of calls make up all" "$(calls 'IOFD >= -1')" \
	"$(($(calls 'IOTYPE == "read"') + $(calls 'IOTYPE == "write"') + $(calls 'IOTYPE == "other"') + $(calls 'IOTYPE == "error"')))"
is "calls are chosen by size and thread" 100 "$(calls 'IOFUNC == "write" && IONBYTE == 7 && THRID == 2')"
is "files are chosen by name" 0 "$(calls "IOFNAME == REGEX('/none/.*')")"
within "and found" 50 100000 "$(calls "IOFNAME == REGEX('$PWD/files/.*')")"
printf 'indxobj_define func IOFUNC\nmetrics i.ioothercnt:i.ioreadcnt\nfunc\n' >func.txt
report io -script func.txt
is "an index object of one's own counts them too" 14 "$(value io lseek 1)"

printf 'functions\n  filters THRIDX == 1\nthread_select\n' >script.txt
"$xer_print" -script script.txt burn.er >out.txt 2>err.txt
is "a wrong word: exit status" 2 $?
contains "file, line and column stand in the message" '^xer_print: script.txt:2:11: filters: unknown word .THRIDX. \(did you mean .THRID.\?\)$' err.txt
contains "a missing list too" '^xer_print: script.txt:3:' err.txt
while read -r status wrong; do
	# shellcheck disable=SC2086
	"$xer_print" $wrong -functions -header burn.er >out.txt 2>err.txt
	is "$wrong: a slip has an exit status, and no tables behind it" "$status said 0" "$? $(said_in err.txt) $(wc -c <out.txt)"
done <<'END'
2 -filters THRIDX==1
2 -metrics e.totalcpus
2 -time 5-3
2 -exp_select 7
2 -printmode jsom
1 -outfile nowhere/at_all
END

report burn -metrics e.totalcpu -threads
is "index objects: three threads" 3 "$(grep -c ', Thread [0-9]' burn.txt)"
is "whose total is the whole" "$all" "$(exact -threads)"
is "seconds in their order add up" "$all" "$("$xer_print" -printmode csv -metrics e.totalcpu:name -seconds burn.er |
	awk -F, '$1 ~ /^Second / { if ($1 != "Second " n++) exit 1; s += $2 } END { printf "%.6f", s }')"
report heap -metrics i.heapleakcnt -datasize
is "leaks are counted where they were allocated" "$count" "$(value heap '<Total>' 1)"

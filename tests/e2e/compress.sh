# Data files that are compressed: every view prints the same, whatever was killed when; and what stays plain.
. "$(dirname "$0")/lib.sh"
views=(-header all -overview -functions -fsummary -callers-callees -calltree -leaks -peak -heap -allocs -heapstat -heapmaps -waits -sync -locks -syncwaits
	-ioactivity -iodetail -iocallstack -iostat -calls -account -graph -lines -lsummary -pcs -exp_list -programs -objects -describe -thread_list -cpu_list
	-sample_list -datasize -duration -statistics all -threads -processes -seconds -timeline)

record first -p off -z on -A off -- true
if "$xer_archive" -z on -a off first.er 2>&1 | grep -q 'built without libzstd'; then
	skip "compressed data files" "this build has no libzstd" 53
	exit 0
fi

# files NAME: the data files, not copies of libraries, of an experiment and its descendants that are compressed
files() { (cd "$1" && find . -name '*.zst' ! -path '*/archives/*' | LC_ALL=C sort | xargs); }

# words NAME: all views of NAME.er, under another name
words()
{
	mv "$1.er" shown.er
	limited 100 "$xer_print" "${views[@]}" shown.er 2>&1
	mv shown.er "$1.er"
}

# same CLAIM NAME OTHER: both have data, and all views print the same
same()
{
	words "$2" >"$2.words"
	words "$3" >"$3.words"
	is "$1" "said " "$([ "$(wc -l <"$2.words")" -gt 100 ] && echo said) $(diff "$2.words" "$3.words" | head -5)"
}

# ---- by xer_archive

# plain_and_packed NAME FILE OPTION... -- PROGRAM...: record, compress a copy NAME.packed.er of it, compare all views
plain_and_packed()
{
	local name=$1 file=$2 before after
	shift 2
	record "$name" -p off -A off "$@"
	cp -r "$name.er" "$name.packed.er"
	succeeds "$file is compressed" limited 60 "$xer_archive" -a off -z on "$name.packed.er"
	is "$file.zst alone is there" "1 no" "$(files "$name.packed.er" | grep -cw "$file.zst") $([ -e "$name.packed.er/$file" ] || echo no)"
	same "$file: all views are the same" "$name" "$name.packed"
	before=$(stat -c %s "$name.er/$file")
	after=$(stat -c %s "$name.packed.er/$file.zst")
	within "$file: size in per cent" 0.1 30 "$(awk -v a="$after" -v b="$before" 'BEGIN { print a / b * 100 }')"
}

plain_and_packed heap heaptrace -H on -- "$programs/heap_cost" 20000 30 3
plain_and_packed sync synctrace -s all -- "$programs/sync_cost" 10000 3
plain_and_packed io iotrace -i on -- "$programs/io_cost" 5000
plain_and_packed calls functrace --functrace -- "$programs/ft_cost" 3 10000
plain_and_packed stacks frameinfo -H on -- "$programs/many_stacks" 11

# 60000 pairs of 3 threads: 24 bytes for a free with its header would be more than all there may be of it
"$xer_print" -overview heap.packed.er >heap.txt 2>&1
events=$(sed -n 's/^# quality: \([0-9]*\) heap events.*/\1/p' heap.txt)
within "heap events" 120000 120100 "$events"
within "bytes on the disk of a heap event" 0.5 8 "$(awk -v size="$(stat -c %s heap.packed.er/heaptrace.zst)" -v n="${events:-0}" 'BEGIN { if (n) print size / n }')"

# Others' programs make the plain file again.
if needs "zstd -d makes the plain files" 3 zstd; then
	cp -r heap.packed.er back.er
	succeeds "zstd -d takes heaptrace.zst" zstd -q -d --rm back.er/heaptrace.zst
	succeeds "it makes the very file" cmp back.er/heaptrace heap.er/heaptrace
	same "which reads as before" heap back
fi
sum=$(cat heap.packed.er/* 2>/dev/null | cksum)
"$xer_archive" -a off -z on heap.packed.er
is "what is compressed stays" "0 $sum" "$? $(cat heap.packed.er/* 2>/dev/null | cksum)"
mv heap.packed.er moved.er
same "moved, it reads the same" heap moved
is "-verify has nothing to say of it" "$("$xer_archive" -verify heap.er 2>&1 | tail -2)" "$("$xer_archive" -verify moved.er 2>&1 | tail -2)"
report heap -export chrome heap.json
report moved -export chrome moved.json
succeeds "the exports are the same" cmp <(sed 's/heap\.er/N/g' heap.json) <(sed 's/moved\.er/N/g' moved.json)

# ---- killed at any instant: everything is there, in one form or the other

wrong=
for i in 1 2 3 4 5 6 7 8; do
	rm -rf killed.er
	cp -r heap.er killed.er
	"$xer_archive" -a off -z on killed.er >/dev/null 2>&1 &
	pid=$!
	sleep "0.00$i"
	{ kill -9 "$pid" && wait "$pid"; } 2>/dev/null
	[ "$("$xer_print" -overview killed.er 2>&1 | grep -c "^# quality: $events heap events, 0 lost")" = 1 ] || wrong="$wrong $i"
done
is "xer_archive killed: all events are there" "" "$wrong"
"$xer_archive" -a off -z on killed.er
is "the next one goes on" "0 ./heaptrace.zst" "$? $(files killed.er | xargs -n1 | grep heaptrace)"
is "and leaves nothing else" "" "$(find killed.er -name '.tmp.*')"
cp heap.er/heaptrace killed.er/
head -c 100 killed.er/heaptrace.zst >short && mv short killed.er/heaptrace.zst
same "a plain file counts more than a compressed one" heap killed

# ---- by xcollect

record on -p off -H on -z on -A off -- "$programs/heap_cost" 20000 5
is "-z on compresses at the end" "0 ./heaptrace.zst" "$? $(files on.er)"
contains "log.xml says so" '<setting name="compress" value="on"/>' on.er/log.xml
"$xer_print" -header on.er >on.txt 2>&1
contains "and the header" 'compressed = on' on.txt
record usual -p off -- true
contains "as usual, only archives are" 'compressed = archives' <("$xer_print" -header usual.er 2>&1)
"$xer_print" -overview on.er >on.txt 2>&1
contains "all events are there" '^# quality: 4[0-9]{4} heap events, 0 lost' on.txt
record off -p off -H on -- "$programs/heap_cost" 20000 5
is "without -z nothing is compressed" "0 " "$? $(files off.er)"
record never -p off -H on -z off -- "$programs/heap_cost" 20000 5
is "nor with -z off" "0 " "$? $(files never.er)"
"$xcollect" -z high -o bad.er true 2>bad.err
is "-z takes on or off" "125 no" "$? $([ -e bad.er ] || echo no)"
"$xer_archive" -z high on.er 2>bad.err
is "so does xer_archive" 2 $?

# A tree: one archiver; what is small stays plain.
record tree -p off -H on -z on -- sh -c "for i in 1 2 3 4 5 6 7 8 9 10; do $programs/heap_cost 100 5; done; $programs/heap_cost 20000 5; :"
is "of a tree, the one large file is compressed" ./_f11_x1.er/heaptrace.zst "$(files tree.er)"
is "and 12 processes read" 12 "$("$xer_print" -processes tree.er 2>/dev/null | grep -cE 'heap_cost|sh')"

# A process that is killed compresses nothing; it can be done afterwards.
record died -p off -H on -L 16 -z on -A off -- sh -c "$programs/heap_cost 20000 5 >/dev/null; exec $programs/heap_cost 100000000 5" &
died=$!
wait_for test -s died.er/_x1.er/heaptrace
victim=$(sed -n 's/.*<process pid="\([0-9]*\)".*/\1/p' died.er/log.xml)
"$xer_print" -overview died.er >running.txt 2>&1
contains "while it runs, it can be read" 'heap events' running.txt
kill -9 "$victim"
wait "$died" 2>/dev/null
is "SIGKILL: nothing is compressed" "" "$(files died.er)"
cp -r died.er plain.er
"$xer_archive" -q -a off -z on died.er
is "xer_archive does it later" "./_f1_x1.er/heaptrace.zst ./_x1.er/heaptrace.zst" "$(files died.er)"
same "and all views are the same" plain died

# A daemon that has closed all descriptors, and sleeps while its parent ends, is not at its end.
record daemon -p off -H on -z on -A off -- "$programs/closes_all"
wait_for grep -q 'kind="exit"' daemon.er/_f1.er/log.xml
contains "a process that closes all descriptors and goes on loses nothing" '^# quality: 400[0-9]{3} heap events, 0 lost' <("$xer_print" -overview daemon.er)

# ---- with --keep

record kept -p off -H on -z on -A off --keep=2M -- "$programs/newest" 60000 2
contains "with --keep, too" heaptrace.zst <(files kept.er)
record newest -p off -H on -A off --keep=2M -- "$programs/newest" 60000 2
cp -r newest.er packed.er
"$xer_archive" -a off -z on packed.er
contains "or later" heaptrace.zst <(files packed.er)
same "the newest is there, in all views" newest packed

# ---- damage

cp -r moved.er damaged.er
truncate -s -1 damaged.er/heaptrace.zst
"$xer_print" -leaks damaged.er >damaged.txt 2>&1
contains "a file that was cut off" 'heaptrace: heaptrace\.zst: its table of frames is damaged or missing' damaged.txt
cp moved.er/heaptrace.zst damaged.er/
printf '\0\0\0\0\0\0\0\0' | dd of=damaged.er/heaptrace.zst bs=1 conv=notrunc seek=$(($(stat -c %s moved.er/heaptrace.zst) / 2)) 2>/dev/null
"$xer_print" -overview damaged.er >damaged.txt 2>&1
contains "a frame that is damaged" 'heaptrace: offset [0-9]+: cannot be decompressed' damaged.txt
within "costs only what is in it" 60000 119999 "$(sed -n 's/^# quality: \([0-9]*\) heap events.*/\1/p' damaged.txt)"

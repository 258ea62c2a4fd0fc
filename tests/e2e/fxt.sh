# FXT: files with every kind of record, written by this script, are dumped and checked; exports are read back.
fuzz=$(realpath "$(dirname "$0")/../fuzz")
golden=$(realpath "$(dirname "$0")/../golden")
. "$(dirname "$0")/lib.sh"
have python3 || { skip "FXT" "no python3"; exit 0; }

cat >make.py <<'END_PY'
import struct
def words(*values): return struct.pack("<%dQ" % len(values), *values)
def text(s): return s.encode() + bytes(-len(s.encode()) % 8)
def record(kind, bits, body, large=False):
    return words(kind | (1 + len(body) // 8) << 4 | bits) + body
def inline(s): return 0x8000 | len(s.encode())

magic = words(0x0016547846040010)
base = [magic, record(0, 1 << 16 | 7 << 20 | 4 << 52, text("cpu0")), record(1, 0, words(10**9)),
    record(2, 1 << 16 | 5 << 32, text("name1")), record(3, 9 << 16, words(42, 43))]
open("sound.fxt", "wb").write(b"".join(base + [
    record(4, 2 << 16 | 9 << 24 | 1 << 48, words(10)), record(4, 3 << 16 | 9 << 24 | 1 << 48, words(20)),
    record(4, 1 << 16 | 1 << 20 | inline("c") << 32 | 1 << 48, words(5, 42, 44) + text("c") + words(4 | 2 << 4 | 1 << 16, 2**63, 1)),
    record(9, 7 << 16 | 9 << 32, words(5) + text("a\x1b[2J\n\"")),
    record(7, 1 << 16 | 1 << 24, words(42)), record(0, 3 << 16 | 7 << 20, b""),
    record(15, 0, words(0, 5, 42, 43, 16, 0x1234, 0x5678))]))
for frames in 63, 64:
    open("deep%d.fxt" % frames, "wb").write(b"".join(base + [record(15, 0, words(0, 5, 42, 43, 8 * frames, *range(0x1000, 0x1000 + frames)))]))
for frames in 254, 255:
    open("deep%d.fxt" % frames, "wb").write(b"".join(base + [record(10, 2 << 16 | 9 << 20 | frames << 28, words(5, *range(0x1000, 0x1000 + frames)))]))
open("unended.fxt", "wb").write(b"".join(base + [record(4, 2 << 16 | 9 << 24 | 1 << 48, words(10))]))
open("crossed.fxt", "wb").write(b"".join(base + [record(4, 2 << 16 | 9 << 24 | 1 << 48, words(10)), record(4, 3 << 16 | 9 << 24, words(10))]))
open("tail.fxt", "wb").write(b"".join(base) + bytes(64))
open("region", "wb").write(record(15, 0, words(0, 5, 42, 43, 16, 0x1234, 0x5678)) * 3 + bytes(4000))
open("empty.fxt", "wb").write(b"")
# Like a zip bomb: every record would create a new provider.
open("providers.fxt", "wb").write(magic + b"".join(record(0, 1 << 16 | i << 20, b"") for i in range(1200000)))
END_PY
python3 make.py || not_ok "the files are made"

# dump FILE STATUS
dump()
{
	limited 20 "$xer_print" -fxt_dump "$1" >dump.txt 2>dump.err
	is "dump of $1" "$2 said" "$? $(said_in dump.txt dump.err)"
}
dump sound.fxt 0
contains "dump: an event" '^00000050 event kind duration begin time 10 thread 42/43 category "" name "name1"$' dump.txt
contains "dump: a counter" 'event kind counter time 5 thread 42/44 category "c" name "name1" arguments 1 "name1": uint64 9223372036854775808 id 1$' dump.txt
contains "dump: a message cannot command a terminal" 'log time 5 thread 42/43 message "a\\x1b\[2J\\x0a\\""$' dump.txt
contains "dump: a sample" 'large blob with metadata category "" name "" time 5 thread 42/43 size 16 0x1234 0x5678$' dump.txt
is "dump: the last line is the verdict" "# valid: 12 records, $(stat -c %s sound.fxt) bytes" "$(tail -1 dump.txt)"
limited 20 "$xer_print" -fxt_dump - <sound.fxt >piped.txt
is "dump: - is standard input" "0 said" "$(cmp piped.txt dump.txt >&2; echo $?) $(said_in piped.txt)"
dump region 0
contains "dump: a region's zeros are unused space" '^# valid, a region without the magic number: 3 records, 192 bytes, 4000 bytes unused$' dump.txt
head -c 4096 /dev/zero >idle
dump idle 0
contains "dump: nor has the region of an idle CPU any record" '^# valid, a region without the magic number: 0 records, 0 bytes, 4096 bytes unused$' dump.txt
dump tail.fxt 1
contains "dump: in a file they are a fault" 'tail.fxt: offset 80: a record of 0 words$' dump.err
dump unended.fxt 1
contains "dump: open durations" 'offset 96: the file ends, and durations are still open$' dump.err
dump crossed.fxt 1
contains "dump: crossed durations" 'offset 96: it ends a duration, but another one was begun last in its thread$' dump.err
dump empty.fxt 1
dump providers.fxt 1
contains "dump: tables are bounded" 'too many providers$' dump.err
dump /none 1
dump . 1

# ---- whatever the bytes are, the dump ends soon and says why
gcc -O1 -o mutate "$fuzz/mutate.c" || not_ok "the mutator is built"
bad=0
seed=${FUZZ_SEED:-$(date +%s)}
for ((i = 0; i < 300; i++)); do
	./mutate $((seed + i)) sound.fxt changed.fxt || continue
	limited 5 "$xer_print" -fxt_dump changed.fxt >dump.txt 2>dump.err
	status=$?
	{ [ $status = 0 ] && [ -s dump.txt ]; } || { [ $status = 1 ] && grep -q 'offset' dump.err; } || { bad=$((bad + 1)); echo "mutate $((seed + i)): $status"; }
done
is "dump of 300 damaged files from seed $seed" 0 $bad

# ---- exports: read by a reader made from the description of the format; both formats have the same content, with the totals of
# the tables
cat >read.py <<'END_PY'
import json, struct, sys
name = sys.argv[1]
def ok(claim, holds, detail=""):
    print(("ok " if holds else "not ok ") + f"{name}: {claim}" + ("" if holds else f": {detail}"))

data = open(name + ".fxt", "rb").read()
words = struct.unpack("<%dQ" % (len(data) // 8), data)
strings, names, events, samples, at = {0: ""}, {}, [], [], 0
def text(place, size): return data[place * 8:place * 8 + size].decode()
def arguments(place, count):
    result = {}
    for _ in range(count):
        head = words[place]
        kind, size, key = head & 15, head >> 4 & 0xfff, strings[head >> 16 & 0xffff]
        if kind in (4, 8): result[key] = words[place + 1]
        elif kind == 7: result[key] = hex(words[place + 1])
        elif kind == 6: result[key] = strings[head >> 32 & 0xffff]
        else: raise ValueError(kind)
        place += size
    return result, place
assert words[0] == 0x0016547846040010
while at < len(words):
    head = words[at]
    kind, size = head & 15, head >> 4 & (0xffffffff if head & 15 == 15 else 0xfff)
    assert size > 0 and size <= 4095
    if kind == 1: assert words[at + 1] == 10**9
    elif kind == 2: strings[head >> 16 & 0x7fff] = text(at + 1, head >> 32 & 0x7fff)
    elif kind == 7:
        found, _ = arguments(at + 2, head >> 40 & 15)
        owner = found["process"] if head >> 16 & 0xff == 2 else words[at + 1]
        names[head >> 16 & 0xff, owner, words[at + 1]] = strings[head >> 24 & 0xffff]
    elif kind == 4:
        assert head >> 24 & 0xff == 0
        found, end = arguments(at + 4, head >> 20 & 15)
        event = "iC--X"[head >> 16 & 15]
        finish = words[end] - words[at + 1] if event == "X" else 0
        events.append((event, words[at + 2], words[at + 3], words[at + 1], finish, strings[head >> 32 & 0xffff], strings[head >> 48], tuple(found.items())))
    elif kind == 15:
        assert size == 6 + words[at + 5] // 8
        samples.append((words[at + 3], words[at + 4], words[at + 6:at + size]))
    else: assert kind in (0, 10)
    at += size

chrome, chrome_names, tracks = [], {}, {}
for e in json.load(open(name + ".json"))["traceEvents"]:
    if e["ph"] == "M":
        chrome_names[1 if e["name"] == "process_name" else 2, e["pid"], e["tid"]] = e["args"]["name"]
        continue
    begin, duration = round(e["ts"] * 1000), round(e.get("dur", 0) * 1000)
    chrome.append((e["ph"], e["pid"], e["tid"], begin, duration, e["cat"], e["name"], tuple(e.get("args", {}).items())))
    if e["ph"] == "X": tracks.setdefault((e["pid"], e["tid"]), []).append((begin, -duration, e["name"]))
ok("both exports say the same", sorted(chrome) == sorted(events) and chrome_names == names, f"{len(chrome)} {len(events)}")
fault = ""
for track in tracks.values():
    ends = []
    for begin, duration, what in sorted(track):
        while ends and ends[-1] <= begin: ends.pop()
        if ends and begin - duration > ends[-1]: fault = f"{what} at {begin}"
        ends.append(begin - duration)
ok("durations nest in every thread", not fault, fault)
ok("every thread of an event has a name", all((2, e[1], e[2]) in names or e[0] == "C" for e in events))

table = [t for t in json.load(open(name + ".totals"))["tables"] if t["name"] == "functions"][0]
total = {c["key"][2:]: v for c, v in zip(table["columns"][1:], table["rows"][0][1:])}
count = lambda kind: sum(e[5] == kind for e in events)
for what, found, keys in (("clock samples", len(samples), ["samples"]), ("waits", count("sync"), ["syncn"]),
        ("calls for I/O", count("io"), ["ioreadcnt", "iowritecnt", "ioothercnt", "ioerrorcnt"]), ("traced calls", count("calls"), ["fcalls"]),
        ("user events", count("user"), ["userevents"]), ("allocations", count("heap"), ["heapalloccnt"])):
    expected = sum(total.get(key, 0) for key in keys)
    if expected or found: ok(f"{what} are all there", found == expected, f"{found} of {expected}")
written = sum(dict(e[7])["bytes"] for e in events if e[5] == "io" and e[6] in ("write", "pwrite", "writev", "fwrite", "fputs", "printf", "send", "sendfile", "copy_file_range", "splice") and "errno" not in dict(e[7]))
if "iowritebytes" in total: ok("bytes written add up", written == total["iowritebytes"], f"{written} of {total['iowritebytes']}")
print("processes:", " ".join(sorted(v for k, v in names.items() if k[0] == 1)), file=open(name + ".processes", "w"))
END_PY

# exported NAME: export NAME.er and check it
exported()
{
	limited 60 "$xer_print" -export fxt "$1.fxt" -export chrome "$1.json" "$1.er" >command.out 2>&1
	is "$1: is exported" "0 said" "$? $(said_in "$1.fxt")"
	limited 60 "$xer_print" -printmode json -metrics i.any -functions "$1.er" >"$1.totals" 2>totals.err
	python3 read.py "$1" 2>read.err || { not_ok "$1: is read back"; tail -3 read.err; }
	dump "$1.fxt" 0
}
for name in profile heap odd killed control dynamic; do
	cp -r "$golden/$name.er" . && exported $name
done
record calls -p hi -H on -i on -s on --functrace -- "$programs/ft_known" 4 500
exported calls
record user -i on -s on --hooks=on -- "$programs/user_work" 3 4
exported user
mkdir files
record io -p off -i on -s on -H on -- "$programs/io_known" "$PWD/files" 4
exported io
record sync -s on -- "$programs/sync_known"
exported sync
record tree -p on -i on -- sh -c "'$programs/ft_known' 1 10; '$programs/ft_known' 2 10 | cat"
exported tree
is "tree: processes are named" "cat ft_known ft_known sh" "$(sed 's/^processes: //' tree.processes | tr ' ' '\n' | grep -v '^sh$' | sort | paste -sd' ') sh"
limited 20 "$xer_print" -filters 'IOFD >= 0' -export chrome filtered.json io.er >command.out 2>&1
is "filters choose the events" "0 0" "$? $(grep -c '"cat":"sync"' filtered.json)"
succeeds "and leave what they let through" grep -q '"cat":"io"' filtered.json

# ---- import: an export is read as a profile again, with the same functions
record again -p on -- "$programs/burn50" 1 4
limited 20 "$xer_print" -export fxt again.fxt again.er >command.out 2>&1
for source in er fxt; do
	limited 20 "$xer_print" -limit 0 -metrics e.samples:i.samples:name -sort i.samples -functions again.$source 2>import.err >$source.txt
	is "again.$source: has a profile" "0 0 said" "$? $(wc -c <import.err) $(said_in $source.txt)"
	awk '$1 ~ /^[0-9]+$/ && $3 !~ /^<Total>|^libcollector|^<Truncated/' $source.txt | sort >$source.rows
done
for source in er fxt; do
	limited 20 "$xer_print" -metrics e.totalcpu:name -functions again.$source 2>import.err | awk '$2 == "<Total>" { print $1 }' >$source.cpu
done
within "and as much CPU time, of four threads" "$(awk '{ print $1 - 0.002 }' er.cpu)" "$(awk '{ print $1 + 0.002 }' er.cpu)" "$(cat fxt.cpu)"
is "the imported profile has the samples of the original" "0 said" "$(cmp er.rows fxt.rows >&2; echo $?) $(said_in er.rows)"
contains "and the known functions" '^ *[0-9]+ +[0-9]+ +work_a$' fxt.rows
limited 20 "$xer_print" -threads again.fxt >threads.txt 2>&1
contains "threads have their names" 'burn50' threads.txt
limited 20 "$xer_print" -calltree -header -exp_list -overview -statistics -pcs -callers-callees again.fxt >all.txt 2>import.err
is "again.fxt: other views work" "0 0 said" "$? $(wc -c <import.err) $(said_in all.txt)"
limited 20 "$xer_print" -metrics e.samples:name -functions sound.fxt >sample.txt 2>import.err
contains "a foreign file's samples are counted where nothing names them" '<Unknown>' sample.txt
for frames in 63 64 254 255; do
	limited 20 "$xer_print" -functions deep$frames.fxt >deep.txt 2>import.err
	is "a foreign stack of $frames frames, cut" $((frames == 64 || frames == 255)) "$(sed -n 's/.* \([01]\) truncated stacks.*/\1/p' deep.txt)"
done
limited 20 "$xer_print" -functions unended.fxt >command.out 2>&1
is "a file without samples is no experiment" 1 $?
contains "and that is said" 'an FXT file without samples' command.out
head -c 3001 again.fxt >cut.fxt
limited 20 "$xer_print" -functions cut.fxt >command.out 2>&1
is "a file that is cut off is damaged" 1 $?
bad=0
for ((i = 0; i < 100; i++)); do
	./mutate $((seed + i)) again.fxt changed.fxt || continue
	limited 10 "$xer_print" -functions -calltree -threads changed.fxt >dump.txt 2>dump.err
	status=$?
	{ [ $status = 0 ] && [ -s dump.txt ]; } || { [ $status = 1 ] && [ -s dump.err ]; } || { bad=$((bad + 1)); echo "mutate $((seed + i)): $status"; }
done
is "import of 100 damaged files from seed $seed" 0 $bad

# ---- inputs that might break the reader
bad=0
for input in "$fuzz"/fxt/*; do
	limited 10 "$xer_print" -fxt_dump "$input" >dump.txt 2>dump.err
	dumped=$?
	[ "$(said_in dump.txt dump.err)" = said ] || dumped=nothing
	limited 10 "$xer_print" -functions -calltree -lines "$input" >dump.txt 2>import.err
	opened=$?
	[[ $dumped == [01] ]] && [ $opened -le 1 ] || { bad=$((bad + 1)); echo "$input: $dumped $opened"; }
	[ $opened = 0 ] || [ -s import.err ] || { bad=$((bad + 1)); echo "$input: not a word"; }
done
is "kept inputs end well" 0 $bad

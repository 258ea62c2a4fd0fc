# FXT: files made by a writer of its own, of every record, are dumped and checked; exports are read back.
fuzz=$(realpath "$(dirname "$0")/../fuzz")
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
open("unended.fxt", "wb").write(b"".join(base + [record(4, 2 << 16 | 9 << 24 | 1 << 48, words(10))]))
open("crossed.fxt", "wb").write(b"".join(base + [record(4, 2 << 16 | 9 << 24 | 1 << 48, words(10)), record(4, 3 << 16 | 9 << 24, words(10))]))
open("tail.fxt", "wb").write(b"".join(base) + bytes(64))
open("region", "wb").write(record(15, 0, words(0, 5, 42, 43, 16, 0x1234, 0x5678)) * 3 + bytes(4000))
open("empty.fxt", "wb").write(b"")
# A zip bomb of its kind: every record would make a new provider.
open("providers.fxt", "wb").write(magic + b"".join(record(0, 1 << 16 | i << 20, b"") for i in range(1200000)))
END_PY
python3 make.py || not_ok "the files are made"

# dump FILE STATUS
dump()
{
	timeout 20 "$xer_print" -fxt_dump "$1" >dump.txt 2>dump.err
	is "dump of $1" "$2" $?
}
dump sound.fxt 0
contains "dump: an event" '^00000050 event kind duration begin time 10 thread 42/43 category "" name "name1"$' dump.txt
contains "dump: a counter" 'event kind counter time 5 thread 42/44 category "c" name "name1" arguments 1 "name1": uint64 9223372036854775808 id 1$' dump.txt
contains "dump: a message cannot command a terminal" 'log time 5 thread 42/43 message "a\\x1b\[2J\\x0a\\""$' dump.txt
contains "dump: a sample" 'large blob with metadata category "" name "" time 5 thread 42/43 size 16 0x1234 0x5678$' dump.txt
is "dump: the last line is the verdict" "# valid: 12 records, $(stat -c %s sound.fxt) bytes" "$(tail -1 dump.txt)"
timeout 20 "$xer_print" -fxt_dump - <sound.fxt >piped.txt
succeeds "dump: - is standard input" cmp piped.txt dump.txt
dump region 0
contains "dump: a region's zeros are unused space" '^# valid, a region without the magic number: 3 records, 192 bytes, 4000 bytes unused$' dump.txt
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

# ---- whatever the bytes are, the dump ends soon, with a word on why
gcc -O1 -o mutate "$fuzz/mutate.c" || not_ok "the mutator is built"
bad=0
seed=${FUZZ_SEED:-$(date +%s)}
for ((i = 0; i < 300; i++)); do
	./mutate $((seed + i)) sound.fxt changed.fxt || continue
	timeout 5 "$xer_print" -fxt_dump changed.fxt >dump.txt 2>dump.err
	status=$?
	[ $status = 0 ] || { [ $status = 1 ] && grep -q 'offset' dump.err; } || { bad=$((bad + 1)); echo "mutate $((seed + i)): $status"; }
done
is "dump of 300 damaged files from seed $seed" 0 $bad

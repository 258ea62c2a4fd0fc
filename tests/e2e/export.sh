# Exports: each format is read back, by its own reader where there is one, and holds the totals that tables show.
golden=$(realpath "$(dirname "$0")/../golden")
. "$(dirname "$0")/lib.sh"
cp -r "$golden/profile.er" "$golden/heap.er" "$golden/odd.er" "$golden/killed.er" .

for name in profile heap odd killed; do
	for format in folded speedscope pprof callgrind firefox dot fxt chrome; do
		timeout 60 "$xer_print" -export $format "$name.$format" "$name.er" >command.out 2>&1
		is "$name: $format is written" 0 $?
	done
done

# ---- folded: the sum of the lines is the total of the metric that tables are sorted by
is "folded: bytes allocated add up" 22610 "$(awk '{ sum += $NF } END { print sum }' heap.folded)"
contains "folded: a stack begins with its process and main calls the allocator's caller" '^heap_known [0-9]+;_start;.*;main;leak_malloc.* 7000$' heap.folded
timeout 20 "$xer_print" -sort heapleakbytes -export folded - heap.er >leaks.folded
is "folded: sort chooses the metric, - is standard output" 8500 "$(awk '{ sum += $NF } END { print sum }' leaks.folded)"
timeout 20 "$xer_print" -printmode json -export folded - heap.er >json.folded
succeeds "folded: printmode does not change it" cmp json.folded heap.folded

# ---- graphviz
if have dot; then
	for name in profile heap odd killed; do succeeds "dot: Graphviz draws $name" dot -Tsvg -o graph.svg "$name.dot"; done
	succeeds "dot: an edge from main to what it calls" awk '/label="main\\n/ { main = $1 } /label="leak_malloc\\n/ { leak = $1 }
		$2 == "->" { edge[$1, $3] = 1 } END { exit !((main, leak) in edge) }' heap.dot
else
	skip "dot: Graphviz draws them" "no dot"
fi

# ---- callgrind: exclusive and inclusive values by callgrind's own reader
if have callgrind_annotate; then
	for name in profile heap odd killed; do
		callgrind_annotate --inclusive=yes --threshold=100 --auto=no "$name.callgrind" >"$name.annotated" 2>annotate.err
		is "callgrind: callgrind_annotate reads $name" "0 0" "$? $(wc -c <annotate.err)"
	done
	callgrind_annotate --threshold=100 --auto=no --show=heapallocbytes --sort=heapallocbytes heap.callgrind >own.txt
	contains "callgrind: the total" '^22,610 .*PROGRAM TOTALS' own.txt
	callgrind_annotate --threshold=100 --auto=no --inclusive=yes --show=heapallocbytes --sort=heapallocbytes heap.callgrind >whole.txt
	contains "callgrind: main's inclusive value is everything" '^22,610 .*:main( |$)' whole.txt
	contains "callgrind: a function of known values" '^ *7,000 .*:leak_malloc( |$)' whole.txt
else
	skip "callgrind: callgrind_annotate reads them" "no callgrind_annotate"
fi

# ---- pprof
if have go; then
	for name in profile heap odd killed; do
		go tool pprof -top -nodecount=1000 "$name.pprof" >"$name.top" 2>&1
		is "pprof: go tool pprof reads $name" 0 $?
	done
	go tool pprof -top -unit=B -sample_index=heapallocbytes heap.pprof >top.txt 2>&1
	contains "pprof: main's bytes" '^ .* 22610B +100% +main$' top.txt
	go tool pprof -raw heap.pprof >raw.txt 2>&1
	contains "pprof: samples have their process" '^ +process:\[heap_known [0-9]+\]$' raw.txt
else
	skip "pprof: go tool pprof reads them" "no go"
fi

cat >check.py <<'END'
import gzip, json, sys
name = sys.argv[1]

def load(format):
    return json.load(open(f"{name}.{format}"))

def ok(claim, holds, detail=""):
    print(("ok " if holds else "not ok ") + claim + ("" if holds else f": {detail}"))

totals = {}
for document in [json.load(open(name + ".totals"))]:
    table = [t for t in document["tables"] if t["name"] == "functions"][0]
    for column, value in zip(table["columns"][1:], table["rows"][0][1:]):
        totals[column["heading"].replace("Inclusive ", "")] = round(value * 1e9) if column["unit"] == "s" else value

# speedscope: every frame that opens closes in order, times never fall, the values are the totals
scope, sums, fault = load("speedscope"), {}, ""
for profile in scope["profiles"]:
    stack, last = [], profile["startValue"]
    for event in profile["events"]:
        if event["at"] < last or not 0 <= event["frame"] < len(scope["shared"]["frames"]):
            fault = f"event {event}"
        last = event["at"]
        if event["type"] == "O":
            stack.append(event["frame"])
        elif not stack or stack.pop() != event["frame"]:
            fault = f"unbalanced {event}"
    if stack or last > profile["endValue"]:
        fault = "open at the end"
    metric = profile["name"].split(": ", 1)[1]
    sums[metric] = sums.get(metric, 0) + profile["endValue"]
ok(f"{name}: speedscope's events are sound", not fault, fault)
ok(f"{name}: speedscope has all totals", sums == {k: v for k, v in totals.items() if v}, f"{sums} {totals}")

# Firefox: all columns of a table are as long as it says, and indexes stay inside
fox, sums, fault = load("firefox"), {}, ""
for thread in fox["threads"]:
    for key in ("samples", "stackTable", "frameTable", "funcTable", "resourceTable", "markers", "nativeSymbols"):
        for column, values in thread[key].items():
            if isinstance(values, list) and len(values) != thread[key]["length"]:
                fault = f"{key}.{column}"
    sizes = [("samples", "stack", "stackTable"), ("stackTable", "frame", "frameTable"), ("frameTable", "func", "funcTable"),
             ("funcTable", "resource", "resourceTable")]
    for key, column, target in sizes:
        if any(v is not None and not 0 <= v < thread[target]["length"] for v in thread[key][column]):
            fault = f"{key}.{column} out of {target}"
    if any(p is not None and p >= i for i, p in enumerate(thread["stackTable"]["prefix"])):
        fault = "a stack stands before its prefix"
    for column in thread["funcTable"]["name"] + thread["resourceTable"]["name"]:
        if not 0 <= column < len(thread["stringArray"]):
            fault = "a string"
    if any(b < a for a, b in zip(thread["samples"]["time"], thread["samples"]["time"][1:])):
        fault = "time falls"
    metric = thread["name"].split(": ", 1)[1]
    scale = 1e6 if thread["samples"]["weightType"] == "tracing-ms" else 1
    sums[metric] = sums.get(metric, 0) + sum(round(w * scale) for w in thread["samples"]["weight"])
ok(f"{name}: Firefox's tables are sound", not fault, fault)
ok(f"{name}: Firefox has all totals", sums == {k: v for k, v in totals.items() if v}, f"{sums} {totals}")

# pprof: a small reader of protocol buffers
def fields(data):
    at = 0
    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        else:
            assert key & 7 == 2
            size = varint()
            yield key >> 3, data[at:at + size]
            at += size

def packed(data):
    values = []
    value = shift = 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            values.append(value)
            value = shift = 0
    return values

strings, types, sums, locations, used, functions, named = [], [], None, set(), set(), set(), set()
for field, value in fields(gzip.open(name + ".pprof").read()):
    if field == 6:
        strings.append(value.decode())
    elif field == 1:
        types.append(dict(fields(value))[1])
    elif field == 2:
        sample = dict(fields(value))
        sums = [a + b for a, b in zip(sums or [0] * len(types), packed(sample[2]))]
        used.update(packed(sample.get(1, b"")))
    elif field == 4:
        parts = list(fields(value))
        locations.add(dict(parts)[1])
        named.update(dict(fields(v))[1] for k, v in parts if k == 4)
    elif field == 5:
        functions.add(dict(fields(value))[1])
ok(f"{name}: pprof's first string is empty", strings[0] == "")
ok(f"{name}: pprof's locations and functions are all there", used <= locations and named <= functions)
keys = {c["key"][2:]: totals[c["heading"].replace("Inclusive ", "")] for c in table["columns"][1:]}
ok(f"{name}: pprof has all totals", dict(zip([strings[t] for t in types], sums)) == keys, f"{sums} {keys}")
END
have python3 || skip "speedscope, firefox and pprof obey their formats" "no python3"
for name in profile heap odd killed; do
	have python3 || break
	timeout 20 "$xer_print" -printmode json -metrics i.any -functions "$name.er" >$name.totals 2>totals.err
	python3 check.py $name 2>&1 || not_ok "$name: the exports are read"
done

# ---- inlined calls are frames of their own, in one location of pprof
cat >inlined.c <<'END'
#include <stdlib.h>
void *volatile kept[10];
static inline __attribute__((always_inline)) void inner(int i) { kept[i] = malloc(100); }
static inline __attribute__((always_inline)) void middle(int i) { inner(i); }
__attribute__((noinline)) void outer(void) { for (int i = 0; i < 10; i++) middle(i); }
int main(void) { outer(); return 0; }
END
cc -O2 -g -o inlined inlined.c && record inlined -p off -H on -S off -- ./inlined
timeout 60 "$xer_print" -export pprof inlined.pprof -export folded inlined.folded -export callgrind inlined.callgrind inlined.er
is "a new recording is exported" 0 $?
contains "folded: inlined calls are frames" '^inlined [0-9]+;.*;main;outer;middle;inner 1000$' inlined.folded
contains "callgrind: an inlined function has its line" '^c?fn=\([0-9]+\) inner$' inlined.callgrind
if have go; then
	go tool pprof -raw inlined.pprof >raw.txt 2>&1
	is "pprof: one location has them all" "inner middle outer" "$(awk '$3 ~ /^M=/ && $4 == "inner" { names = $4; while ((getline) > 0 && $2 !~ /^0x/) names = names " " $1; print names }' raw.txt)"
fi

# ---- errors
timeout 20 "$xer_print" -export flded out.x profile.er >command.out 2>&1
is "an unknown format is wrong usage" 2 $?
contains "and the nearest one is named" "did you mean 'folded'" command.out
timeout 20 "$xer_print" -export pprof >command.out 2>&1
is "a missing file is wrong usage" 2 $?
for format in folded speedscope pprof callgrind firefox dot fxt chrome; do
	timeout 20 "$xer_print" -export $format /dev/full profile.er >command.out 2>&1
	is "$format on a full disk fails" 1 $?
done
timeout 20 "$xer_print" -export dot /none/x profile.er >command.out 2>&1
is "a folder that is not there fails" 1 $?
printf 'export folded script file.folded\n' | timeout 20 "$xer_print" profile.er
succeeds "a script may name a file with blanks" cmp "script file.folded" profile.folded

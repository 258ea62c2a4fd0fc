# Exports: each format is read back, by its own reader where there is one, and has the totals that the tables show.
golden=$(realpath "$(dirname "$0")/../golden")
. "$(dirname "$0")/lib.sh"
cp -r "$golden/profile.er" "$golden/heap.er" "$golden/odd.er" "$golden/killed.er" "$golden/user.er" .

# Threads in processes: 4 allocations of 100 bytes in thread 1, 5 of 200 in thread 2, in a child 6 of 300 and 7 of 400. Each
# thread allocates by early(), sleeps 0.1 s, and allocates the same again by late().
cat >many.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
void *volatile kept;
__attribute__((noinline)) void early(int count, int size) { for (int i = 0; i < count; i++) kept = malloc(size); }
__attribute__((noinline)) void late(int count, int size) { for (int i = 0; i < count; i++) kept = malloc(size); }
static void work(int count, int size) { early(count, size); usleep(100000); late(count, size); }
static void *run(void *n) { work(5 + 2 * (n != NULL), 200 + 200 * (n != NULL)); return NULL; }
int main(void)
{
	pthread_t thread;
	int is_child = fork() == 0;
	pthread_create(&thread, NULL, run, is_child ? &thread : NULL);
	pthread_join(thread, NULL);
	work(4 + 2 * is_child, 100 + 200 * is_child);
	if (!is_child) wait(NULL);
	return 0;
}
END
cc -O2 -g -fno-optimize-sibling-calls -o many many.c -lpthread && record many -p off -H on -S off -F on -- ./many
is "threads in processes are recorded" 0 $?
record traced -p off --functrace -- "$programs/ft_known" 2 50 >/dev/null
is "a function trace is recorded" 0 $?

for name in profile heap odd killed many user traced; do
	for format in folded folded-threads speedscope pprof callgrind firefox dot fxt chrome; do
		limited 60 "$xer_print" -export $format "$name.$format" "$name.er" >command.out 2>&1
		is "$name: $format is written" "0 said" "$? $(said_in "$name.$format")"
	done
done

# ---- folded: the sum of the lines is the total of the metric that the tables are sorted by
is "folded: bytes allocated add up" 22610 "$(awk '{ sum += $NF } END { print sum }' heap.folded)"
contains "folded: a stack begins with its program and main calls the allocator's caller" '^heap_known;_start;.*;main;leak_malloc.* 7000$' heap.folded
limited 20 "$xer_print" -folded-root pid -export folded pid.folded heap.er
contains "folded: or with its process" '^heap_known [0-9]+;_start;.*;main;leak_malloc.* 7000$' pid.folded
# Two runs of a program, in processes of other ids.
for run in 1 2; do record run$run -p off -H on -S off -A off -- "$programs/heap_known" >/dev/null; "$xer_print" -export folded run$run.folded run$run.er; done
is "folded: stacks of two runs have the same names" "0 said" "$(diff <(sed 's/ [0-9]*$//' run1.folded | sort) <(sed 's/ [0-9]*$//' run2.folded | sort) >&2; echo $?) $(said_in run1.folded)"
limited 20 "$xer_print" -sort heapleakbytes -export folded - heap.er >leaks.folded
is "folded: sort chooses the metric, - is standard output" 8500 "$(awk '{ sum += $NF } END { print sum }' leaks.folded)"
limited 20 "$xer_print" -printmode json -export folded - heap.er >json.folded
is "folded: without clock samples another metric is taken" 47 "$(awk '{ sum += $NF } END { print sum }' user.folded)"
succeeds "folded: printmode does not change it" cmp json.folded heap.folded

# ---- graphviz
if have dot; then
	for name in profile heap odd killed many user traced; do succeeds "dot: Graphviz draws $name" dot -Tsvg -o graph.svg "$name.dot"; done
	limited 20 "$xer_print" -thread_select 2 -export dot thread.dot many.er >command.out 2>&1
	dot -Tplain -o graph.txt thread.dot && dot -Tcanon thread.dot >canon.txt
	contains "dot: thread_select chooses a thread" 'Bytes Allocated: 7600 in all' canon.txt
	succeeds "dot: an edge from main to what it calls" awk '/label="main\\n/ { main = $1 } /label="leak_malloc\\n/ { leak = $1 }
		$2 == "->" { edge[$1, $3] = 1 } END { exit !((main, leak) in edge) }' heap.dot
else
	skip "dot: Graphviz draws them" "no dot"
fi

# ---- callgrind: exclusive and inclusive values as callgrind's own reader has them
if have callgrind_annotate; then
	for name in profile heap odd killed many user traced; do
		callgrind_annotate --inclusive=yes --threshold=100 --auto=no "$name.callgrind" >"$name.annotated" 2>annotate.err
		is "callgrind: callgrind_annotate reads $name" "0 0" "$? $(wc -c <annotate.err)"
	done
	callgrind_annotate --threshold=100 --auto=no --show=heapallocbytes --sort=heapallocbytes heap.callgrind >own.txt
	limited 20 "$xer_print" -thread_select 2 -export callgrind thread.callgrind many.er >command.out 2>&1
	callgrind_annotate --threshold=100 --auto=no --show=heapallocbytes --sort=heapallocbytes thread.callgrind >thread.txt 2>&1
	contains "callgrind: thread_select chooses a thread" '^7,600 .*PROGRAM TOTALS' thread.txt
	contains "callgrind: with what it did itself" '^3,800 .*:late( |$)' thread.txt
	contains "callgrind: the total" '^22,610 .*PROGRAM TOTALS' own.txt
	callgrind_annotate --threshold=100 --auto=no --inclusive=yes --show=heapallocbytes --sort=heapallocbytes heap.callgrind >whole.txt
	contains "callgrind: main's inclusive value is everything" '^22,610 .*:main( |$)' whole.txt
	contains "callgrind: a function of known values" '^ *7,000 .*:leak_malloc( |$)' whole.txt
else
	skip "callgrind: callgrind_annotate reads them" "no callgrind_annotate"
fi

# ---- pprof
if have go; then
	for name in profile heap odd killed many user traced; do
		go tool pprof -top -nodecount=1000 "$name.pprof" >"$name.top" 2>&1
		is "pprof: go tool pprof reads $name" 0 $?
	done
	go tool pprof -top -unit=B -sample_index=heapallocbytes heap.pprof >top.txt 2>&1
	go tool pprof -tags -unit=B -sample_index=heapallocbytes many.pprof >tags.txt 2>&1
	contains "pprof: a tag for each thread" '^ *7600.0B .*: Thread 2, many$' tags.txt
	contains "pprof: tid is a tag" '^ tid: Total' tags.txt
	go tool pprof -top -unit=B -sample_index=heapallocbytes '-tagfocus=thread=Thread 2' many.pprof >focus.txt 2>&1
	contains "pprof: which can be focused on" '^ +3800B .*late$' focus.txt
	contains "pprof: main's bytes" '^ .* 22610B +100% +main$' top.txt
	go tool pprof -raw heap.pprof >raw.txt 2>&1
	contains "pprof: samples have their process" '^ +process:\[heap_known [0-9]+\] thread:\[Thread 1, heap_known\]$' raw.txt
else
	skip "pprof: go tool pprof reads them" "no go"
fi

cat >check.py <<'END'
import gzip, json, re, sys
name = sys.argv[1]

def load(format):
    return json.load(open(f"{name}.{format}"))

def ok(claim, holds, detail=""):
    print(("ok " if holds else "not ok ") + claim + ("" if holds else f": {detail}"))

def read_table(file, wanted):
    table = [t for t in json.load(open(f"{name}.{file}"))["tables"] if t["name"] == wanted][0]
    rows = {}
    for row in table["rows"]:
        for column, value in zip(table["columns"][1:], row[1:]):
            if column["key"].endswith((".low", ".high")):
                continue
            heading = column["heading"].replace("Inclusive ", "").replace("Exclusive ", "")
            rows[row[0], heading] = round(value * 1e9) if column["unit"] == "s" else value
    return table, rows

table, rows = read_table("totals", "functions")
totals = {heading: value for (row, heading), value in rows.items() if row == "<Total>"}

# What each thread has of each metric, without zeros; threads of several processes may have the same name.
def by_thread(pairs):
    found = {}
    for key, value in pairs:
        if value:
            found.setdefault(key, []).append(value)
    return {key: sorted(values) for key, values in found.items()}

# Times that are recorded in ticks are rounded to ns for each row, and each stack is a row of an export.
def same(found, wanted, slack=200 if name == "traced" else 0):
    lists = lambda value: value if isinstance(value, list) else [value]
    return found.keys() == wanted.keys() and all(
        len(lists(found[key])) == len(lists(wanted[key])) and
        all(abs(x - y) <= (slack if "Traced Time" in str(key) else 0) for x, y in zip(lists(found[key]), lists(wanted[key])))
        for key in wanted)

headings = {column["key"][2:]: column["heading"].replace("Inclusive ", "") for column in table["columns"][1:] if not column["key"].endswith((".low", ".high"))}
threads = by_thread(((re.sub("^Process [0-9]+, (t?)", lambda m: m[1].upper(), row), heading), value)
                    for (row, heading), value in read_table("threads", "threads")[1].items() if row != "<Total>")

# speedscope: every frame that opens is closed in order, times never decrease, the values are the totals
scope, sums, found, fault = load("speedscope"), {}, [], ""
merged = {}
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
    thread, metric = profile["name"].rsplit(": ", 1)
    if thread == "All threads":
        if found or metric in merged:
            fault = "a profile of all threads behind others"
        merged[metric] = profile["endValue"]
        continue
    sums[metric] = sums.get(metric, 0) + profile["endValue"]
    found.append(((thread.split(", ", 1)[1], metric), profile["endValue"]))
ok(f"{name}: speedscope's events are sound", not fault, fault)
ok(f"{name}: speedscope has all totals", same(sums, {k: v for k, v in totals.items() if v}), f"{sums} {totals}")

ok(f"{name}: speedscope begins with the totals of all threads", same(merged, {k: v for k, v in totals.items() if v}), f"{merged} {totals}")
ok(f"{name}: speedscope has the threads' totals", same(by_thread(found), threads), f"{by_thread(found)} {threads}")

# Firefox: all columns of a table are as long as its length says, and indexes stay inside
# A thread is one track, of the metric that is sorted by, with its CPU time; the same of allocations.
fox, found, cpu, heap, fault = load("firefox"), [], [], [], ""
main = next(metric for metric in ("Total CPU Time", "Bytes Allocated", "Traced Time", "User Events") if totals.get(metric))
categories, schemas = fox["meta"]["categories"], {schema["name"]: [field["key"] for field in schema["data"]] for schema in fox["meta"]["markerSchema"]}
for thread in fox["threads"]:
    heaps = thread.get("nativeAllocations", {"length": 0, "stack": [], "weight": [], "time": []})
    thread["nativeAllocations"] = heaps
    for key in ("samples", "nativeAllocations", "stackTable", "frameTable", "funcTable", "resourceTable", "markers", "nativeSymbols"):
        for column, values in thread[key].items():
            if isinstance(values, list) and len(values) != thread[key]["length"]:
                fault = f"{key}.{column}"
    sizes = [("samples", "stack", "stackTable"), ("nativeAllocations", "stack", "stackTable"), ("stackTable", "frame", "frameTable"), ("frameTable", "func", "funcTable"),
             ("funcTable", "resource", "resourceTable")]
    for key, column, target in sizes:
        if any(v is not None and not 0 <= v < thread[target]["length"] for v in thread[key][column]):
            fault = f"{key}.{column} out of {target}"
    if any(p is not None and p >= i for i, p in enumerate(thread["stackTable"]["prefix"])):
        fault = "a stack stands before its prefix"
    for column in thread["funcTable"]["name"] + thread["resourceTable"]["name"] + thread["markers"]["name"]:
        if not 0 <= column < len(thread["stringArray"]):
            fault = "a string"
    if any(b < a for a, b in zip(thread["samples"]["time"], thread["samples"]["time"][1:])):
        fault = "time falls"
    if thread["samples"]["time"] and thread["samples"]["time"][0] < thread["registerTime"] - 1:
        fault = "a sample before its thread"
    marks = thread["markers"]
    for phase, start, end, category, data in zip(marks["phase"], marks["startTime"], marks["endTime"], marks["category"], marks["data"]):
        if (phase, end is None) not in ((0, True), (1, False)) or (end or start) < start or not 0 <= category < len(categories):
            fault = f"a marker at {start}"
        if not set(data) - {"type", "cause"} <= set(schemas[data["type"]]):
            fault = f"fields {data}"
        if "cause" in data and not 0 <= data["cause"]["stack"] < thread["stackTable"]["length"]:
            fault = "a marker's stack"
    scale = 1e6 if thread["samples"]["weightType"] == "tracing-ms" else 1
    found.append(((thread["name"], main), sum(round(w * scale) for w in thread["samples"]["weight"])))
    cpu.append(((thread["name"], "Total CPU Time"), sum(thread["samples"].get("threadCPUDelta", []))))
    heap.append(((thread["name"], "Bytes Allocated"), sum(heaps["weight"]) if main != "Bytes Allocated" else found[-1][1]))
if len({(thread["pid"], thread["tid"]) for thread in fox["threads"]}) != len(fox["threads"]):
    fault = "two threads have one tid"
ok(f"{name}: Firefox's tables are sound", not fault, fault)
of = lambda metric: {key: value for key, value in threads.items() if key[1] == metric}
ok(f"{name}: Firefox has the threads' totals", same(by_thread(found), of(main)), f"{by_thread(found)} {of(main)}")
ok(f"{name}: Firefox has the threads' CPU time", same(by_thread(cpu), of("Total CPU Time")), f"{by_thread(cpu)} {of('Total CPU Time')}")
ok(f"{name}: Firefox has what threads allocated", same(by_thread(heap), of("Bytes Allocated")), f"{by_thread(heap)} {of('Bytes Allocated')}")
begins = sum(t["stringArray"][n] == "process begin" for t in fox["threads"] for n in t["markers"]["name"])
ok(f"{name}: Firefox has the begin of each process", begins == len({t["pid"] for t in fox["threads"]}), begins)

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

strings, types, labels, sums, locations, used, functions, named, mappings = [], [], [], None, set(), set(), set(), set(), []
for field, value in fields(gzip.open(name + ".pprof").read()):
    if field == 6:
        strings.append(value.decode())
    elif field == 1:
        types.append(dict(fields(value))[1])
    elif field == 2:
        parts = list(fields(value))
        sample = dict(parts)
        labels.append((packed(sample[2]), [dict(fields(v)) for k, v in parts if k == 3]))
        sums = [a + b for a, b in zip(sums or [0] * len(types), packed(sample[2]))]
        used.update(packed(sample.get(1, b"")))
    elif field == 4:
        parts = list(fields(value))
        locations.add(dict(parts)[1])
        named.update(dict(fields(v))[1] for k, v in parts if k == 4)
    elif field == 5:
        functions.add(dict(fields(value))[1])
    elif field == 3:
        mappings.append(dict(fields(value))[5])
program = re.search(r"<process[^>]* program=\"[^\"]*?([^/\"]*)\"", open(f"{name}.er/log.xml", errors="replace").read())[1]
# User events have no stacks, and so the export names no program.
ok(f"{name}: pprof's first mapping is the program", name == "user" or strings[mappings[0]].endswith("/" + program), [strings[m] for m in mappings])
ok(f"{name}: pprof's first string is empty", strings[0] == "")
ok(f"{name}: pprof's locations and functions are all there", used <= locations and named <= functions)
keys = {headings[key]: totals[headings[key]] for key in headings}
found = {}
for values, pairs in labels:
    label = {strings[pair[1]]: strings[pair[2]] if pair.get(2) else pair[3] for pair in pairs}
    for type, value in zip(types, values):
        key = label["pid"], label["thread"], headings[strings[type]]
        found[key] = found.get(key, 0) + value
found = by_thread((key[1:], value) for key, value in found.items())
ok(f"{name}: pprof has the threads' totals", same(found, threads), f"{found} {threads}")
ok(f"{name}: pprof has all totals", same(dict(zip([headings[strings[t]] for t in types], sums)), keys), f"{sums} {keys}")
END
have python3 || skip "speedscope, firefox and pprof obey their formats" "no python3"
# The C library allocates something for each thread, too.
limited 20 "$xer_print" -folded-root pid -export folded-threads many.folded-threads many.er
awk -F';' '/;(early|late) / { sub(/.* /, "", $NF); sum[$1 ";" $2] += $NF } END { for (thread in sum) print sum[thread] }' many.folded-threads | sort -n >sums.txt
is "folded-threads: the second frame is the thread" "800 2000 3600 5600" "$(paste -sd' ' sums.txt)"
for name in profile heap odd killed many user traced; do
	have python3 || break # skipped, with a message
	limited 20 "$xer_print" -printmode json -metrics e.any -threads "$name.er" >$name.threads 2>threads.err
	limited 20 "$xer_print" -printmode json -metrics i.any -functions "$name.er" >$name.totals 2>totals.err
	python3 check.py $name 2>&1 || not_ok "$name: the exports are read"
done

# ---- times
cat >times.py <<'END'
import json, sys
# For each thread that called early() and late(): when each began and ended.
for thread in json.load(open(sys.argv[1]))["threads"]:
    names = [thread["stringArray"][name] for name in thread["funcTable"]["name"]]
    when = {}
    for stack, time in zip(thread["samples"]["stack"], thread["samples"]["time"]):
        function = names[thread["frameTable"]["func"][thread["stackTable"]["frame"][stack]]]
        when.setdefault(function, []).append(time)
    if "late" in when and "early" in when:
        print("apart" if 99 <= min(when["late"]) - max(when["early"]) <= 2000 else when)
END
if needs "Firefox: each thread slept 0.1 s between its stacks" 1 python3; then
	python3 times.py many.firefox >times.txt 2>&1
	is "Firefox: each thread slept 0.1 s between its stacks" "apart apart apart apart" "$(paste -sd' ' times.txt)"
fi

# So many stacks in a short time that the time slices become wider: 1024 stacks in about 500 milliseconds.
cat >wide.c <<'END'
#include <stdlib.h>
#include <unistd.h>
void *volatile kept;
__attribute__((noinline)) void leaf(void) { kept = malloc(8); free(kept); }
__attribute__((noinline)) void left(int bits);
__attribute__((noinline)) void right(int bits);
__attribute__((noinline)) void choose(int bits) { if (bits == 1) leaf(); else if (bits & 1) left(bits >> 1); else right(bits >> 1); __asm__(""); }
void left(int bits) { choose(bits); __asm__(""); }
void right(int bits) { choose(bits); __asm__(""); }
int main(void)
{
	for (int round = 0; round < 500; round++) {
		for (int path = 1024; path < 2048; path++) choose(path);
		usleep(1000);
	}
	return 0;
}
END
cc -O2 -g -fno-optimize-sibling-calls -fno-inline -o wide wide.c && record wide -p off -H on -S off -- ./wide
limited 60 "$xer_print" -sort heapallocbytes -export firefox wide.firefox wide.er 2>command.out
is "Firefox: many stacks at many times are written" "0 said" "$? $(said_in wide.firefox)"
if needs "Firefox: coarser times" 1 python3; then
	python3 - >wide.txt <<'END'
import json
for thread in json.load(open("wide.firefox"))["threads"]:
    times, weights = thread["samples"]["time"], thread["samples"]["weight"]
    print(sum(weights) - sum(weights) % 4096000, len(times) > 20000, len(times) < 524288, times == sorted(times), all(time % 8 == 0 for time in times))
END
	is "Firefox: then its times are coarser and its totals whole" "4096000 True True True True" "$(cat wide.txt)"
fi

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
limited 60 "$xer_print" -export pprof inlined.pprof -export folded inlined.folded -export callgrind inlined.callgrind inlined.er
is "a new recording is exported" "0 said" "$? $(said_in inlined.pprof)"
contains "folded: inlined calls are frames" '^inlined;.*;main;outer;middle;inner 1000$' inlined.folded
contains "callgrind: an inlined function has its line" '^c?fn=\([0-9]+\) inner$' inlined.callgrind
if needs "pprof: one location has them all" 1 go; then
	go tool pprof -raw inlined.pprof >raw.txt 2>&1
	is "pprof: one location has them all" "inner middle outer" "$(awk '$3 ~ /^M=/ && $4 == "inner" { names = $4; while ((getline) > 0 && $2 !~ /^0x/) names = names " " $1; print names }' raw.txt)"
fi

# ---- errors
limited 20 "$xer_print" -export flded out.x profile.er >command.out 2>&1
is "an unknown format is wrong usage" 2 $?
contains "and the nearest one is named" "did you mean 'folded'" command.out
limited 20 "$xer_print" -export pprof >command.out 2>&1
is "a missing file is wrong usage" 2 $?
for format in folded folded-threads speedscope pprof callgrind firefox dot fxt chrome; do
	limited 20 "$xer_print" -export $format /dev/full profile.er >command.out 2>&1
	is "$format on a full disk fails" "1 said" "$? $(said_in command.out)"
done
limited 20 "$xer_print" -metrics i.user -sort i.user -export folded - profile.er >sorted.folded 2>command.err
is "standard output is the export alone, whatever was set before" "0 0 said" "$? $(grep -vcE ' [0-9]+$' sorted.folded) $(said_in sorted.folded)"
limited 20 "$xer_print" -export dot /none/x profile.er >command.out 2>&1
is "a folder that is not there fails" "1 said" "$? $(said_in command.out)"
printf 'export folded script file.folded\n' | limited 20 "$xer_print" profile.er
succeeds "a script may name a file with blanks" cmp "script file.folded" profile.folded

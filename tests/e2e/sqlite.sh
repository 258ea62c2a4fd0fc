# export sqlite: the views of the database, and sums over its tables, are what xer_print's own tables say, to the digit, for every
# experiment that is kept; with filters and without; and a file is written whole or not at all.
golden=$(realpath "$(dirname "$0")/../golden")
house=$(realpath "$(dirname "$0")/../..")
. "$(dirname "$0")/lib.sh"
cp -r "$golden"/*.er .

limited 60 "$xer_print" -export sqlite heap.db heap.er >command.out 2>&1
is "a database is written, and nothing is said" "0 0" "$? $(wc -c <command.out)"
is "it is one of SQLite" "SQLite format 3" "$(head -c 15 heap.db)"
is "nothing else is left beside it" heap.db "$(echo heap.db*)"

# ---- whole or not at all
fails() # CLAIM MESSAGE COMMAND...: exit status 1 or 2, and a message
{
	limited 20 "${@:3}" >command.out 2>&1
	local status=$?
	is "$1" "fails says" "$([ $status = 1 ] || [ $status = 2 ] && echo fails) $(grep -qE "$2" command.out && echo says)"
}
fails "standard output is no database" 'sqlite needs a file' "$xer_print" -export sqlite - heap.er
fails "a folder that is not there" 'none/x.db: No such file' "$xer_print" -export sqlite none/x.db heap.er
mkdir folder
fails "a folder is no file" 'folder: not a regular file' "$xer_print" -export sqlite folder heap.er
fails "nor is a device" '/dev/null: not a regular file' "$xer_print" -export sqlite /dev/null heap.er
is "which stays what it is" "character special file" "$(stat -c %F /dev/null)"
echo before >full.db
(ulimit -f 32; trap '' XFSZ; fails "a file that is too large" 'full.db: cannot be written' "$xer_print" -export sqlite full.db heap.er)
is "the file that was there stays, and no other is left" "before full.db" "$(cat full.db) $(echo full.db*)"
chmod 640 full.db && ln -s full.db link.db
limited 20 "$xer_print" -export sqlite link.db heap.er >command.out 2>&1
is "a file that a link leads to is replaced, with its rights" "0 640 link SQLite" "$? $(stat -c %a full.db) $([ -L link.db ] && echo link) $(head -c 6 full.db)"

if ! have python3 || ! python3 -c 'import sqlite3' 2>/dev/null; then
	skip "the tables are those of xer_print" "no python3 with sqlite3" 100
	exit 0
fi

cat >check.py <<'END_OF_CHECK'
import json, os, sqlite3, subprocess, sys
xer_print, name, *choices = sys.argv[1:]
experiments = os.environ.get("EXPERIMENTS", f"{name}.er").split()
database = sqlite3.connect(f"file:{name}.db?mode=ro", uri=True)

def ok(claim, holds, detail=""):
    print(("ok " if holds else "not ok ") + f"{name}: {claim}" + ("" if holds else f": {detail}"))

def sql(text):
    return database.execute(text).fetchall()

def table(wanted, *arguments):
    """Rows of a table of xer_print, as dictionaries by key, without <Total>."""
    text = subprocess.run([xer_print, "-limit", "0", "-printmode", "json", *choices, *arguments, *experiments], capture_output=True, timeout=120,
                          stdin=subprocess.DEVNULL).stdout.decode(errors="replace")
    found, text = [], text.strip()
    while text:
        document, end = json.JSONDecoder().raw_decode(text)
        text = text[end:].strip()
        for one in document["tables"]:
            if one["name"] == wanted:
                keys = [column["key"] for column in one["columns"]]
                found += [dict(zip(keys, row)) for row in one["rows"]]
    return found

def view(text):
    cursor = database.execute(text)
    keys = [column[0] for column in cursor.description]
    return [dict(zip(keys, row)) for row in cursor.fetchall()]

def same(claim, found, wanted):
    """Equal rows, whatever their order."""
    found, wanted = sorted(map(repr, found)), sorted(map(repr, wanted))
    ok(f"{claim} ({len(wanted)} rows)", found == wanted,
       f"only in the database {[x for x in found if x not in wanted][:3]}, only in the table {[x for x in wanted if x not in found][:3]}")

def metrics(rows, prefixes):
    """The columns of metrics: of the table `e.totalcpu`, of the view `e_totalcpu`."""
    return [(row["name"], sorted((key[:1] + "." + key[2:], float(value)) for key, value in row.items() if key[:2] in prefixes and "%" not in key and
             not key.endswith((".low", ".high", ".ipc", ".cpi")) and value is not None)) for row in rows if row["name"] != "<Total>"]

def columns(rows, *keys):
    return [tuple(row[key] for key in keys) for row in rows]

def near(claim, found, wanted, slack):
    """Equal rows, but that times in seconds may differ by `slack` ns: those recorded in ticks are rounded to ns for each event or stack."""
    order = lambda row: tuple((str(x), 0) if not isinstance(x, float) else ("", round(x, 5)) for x in row)
    found, wanted = sorted(found, key=order), sorted(wanted, key=order)
    bad = [(x, y) for x, y in zip(found, wanted) if any(abs(a - b) > slack * 1.01e-9 if isinstance(a, float) and isinstance(b, float) else a != b for a, b in zip(x, y))]
    ok(f"{claim} ({len(wanted)} rows)", len(found) == len(wanted) and not bad, f"{len(found)} rows, {bad[:2]}")

ok("the database is sound", sql("PRAGMA integrity_check") == [("ok",)])
ok("what refers to a row refers to one that is there", sql("PRAGMA foreign_key_check") == [], sql("PRAGMA foreign_key_check")[:3])

any_value = lambda rows: [row for row in rows if any(value for key, value in row[1])]
functions = table("functions", "-metrics", "e.any:i.any:name", "-functions")
same("functions", metrics(view("SELECT * FROM functions"), ("e_", "i_")), any_value(metrics(functions, ("e.", "i."))))
same("lines", metrics(view("SELECT * FROM lines"), ("e_", "i_")), any_value(metrics(table("lines", "-metrics", "e.any:i.any:name", "-lines"), ("e.", "i."))))
total = dict(metrics([{**row, "name": "all"} for row in functions if row["name"] == "<Total>"], ("i.",))[0][1]) if functions else {}
same("totals", [(f"i.{keyword}", value / 1e9 if unit == "ns" else float(value)) for keyword, _, value, unit in sql("SELECT * FROM totals") if value],
     [row for row in total.items() if row[1]])
same("threads", metrics(view("SELECT * FROM threads"), ("e_",)), any_value(metrics(table("threads", "-metrics", "e.any:name", "-threads"), ("e.",))))
# What sampled blocks stand for is rounded to blocks, likewise.
sampled = sql("SELECT COUNT(*) FROM process WHERE heap_sampled_every")[0][0]
flat = lambda rows: [(row, key, value) for row, values in rows for key, value in values]
near("processes", flat(metrics(view("SELECT * FROM processes"), ("e_",))), flat(any_value(metrics(table("processes", "-metrics", "e.any:name", "-processes"), ("e.",)))), 20 if not sampled else 5e9)

attributed = lambda rows: [(row["depth"], *one) for row, one in zip(rows, metrics(rows, ("i_", "a.")))]
inclusive = lambda rows: [(depth, name, [(key[2:], value) for key, value in values]) for depth, name, values in rows if any(value for key, value in values)]
same("calltree", inclusive(attributed(view("SELECT * FROM calltree"))),
     inclusive(attributed([row for row in table("calltree", "-metrics", "i.any:name", "-calltree") if row["name"] != "<Total>"])))
for tree in ("stack", "call_path"):
    bad = sql(f"SELECT below.id FROM {tree} AS below JOIN {tree} AS up ON up.id = below.parent WHERE below.id NOT BETWEEN up.id + 1 AND up.last OR below.last > up.last OR below.depth != up.depth + 1")
    ok(f"each {tree} is within the range of its parent", bad == [], bad[:5])

bad = sql("""SELECT m.stack, m.inclusive, SUM(below.exclusive) AS sum FROM stack_metric AS m JOIN stack ON stack.id = m.stack
    JOIN stack_metric AS below ON below.process = m.process AND below.metric = m.metric AND below.stack BETWEEN stack.id AND stack.last
    GROUP BY m.process, m.metric, m.stack HAVING sum != m.inclusive""")
ok("an inclusive value is the sum over the range of ids below a stack", bad == [], bad[:5])

# Samples, one by one.
cpu = dict(sql("SELECT keyword, SUM(value) FROM thread_metric JOIN metric ON metric.id = metric GROUP BY metric"))
ok("samples add up to the CPU time", (sql("SELECT SUM(cpu_ns) FROM sample")[0][0] or 0) == cpu.get("totalcpu", 0))
same("samples are of the threads", sql("SELECT thread, SUM(cpu_ns) FROM sample GROUP BY thread HAVING SUM(cpu_ns) > 0"),
     sql("SELECT thread, value FROM thread_metric JOIN metric ON metric.id = metric WHERE keyword = 'totalcpu'"))
same("and of the stacks", sql("SELECT process, stack, SUM(cpu_ns) FROM sample JOIN thread ON thread.id = thread WHERE stack IS NOT NULL GROUP BY process, stack HAVING SUM(cpu_ns) > 0"),
     sql("SELECT process, stack, exclusive FROM stack_metric JOIN metric ON metric.id = metric JOIN stack ON stack.id = stack JOIN function ON function.id = stack.function "
         "WHERE keyword = 'totalcpu' AND exclusive > 0 AND NOT (parent IS NULL AND function.name = '<Unknown>')"))

have = {row[0] for row in sql("SELECT name FROM sqlite_schema WHERE type = 'view'")}
count = lambda table: sql(f"SELECT COUNT(*) FROM {table}")[0][0]
value = lambda keyword: cpu.get(keyword, 0)

# Lists of stacks, and of the heap the same from the blocks.
for command in sorted(have & {"leaks", "allocs", "peak", "sync", "iocallstack"}):
    if not sampled:
        wanted = table(command, f"-{command}")
        keys = [key for key in (wanted[0] if wanted else []) if key not in ("number", "longest", "stack")]
        same(command, [(*row[:-1], row[-1].split("\n")) for row in columns(view(f"SELECT * FROM {command}"), *keys, "stack")], columns(wanted, *keys, "stack"))
if "leaks" in have and not sampled:
    same("blocks are the allocations of the stacks",
         sql("SELECT stack, COUNT(*), SUM(size), SUM(freed_ns IS NULL), SUM(CASE WHEN freed_ns IS NULL THEN size ELSE 0 END) FROM block WHERE stack IS NOT NULL GROUP BY stack"),
         sql("SELECT id, heapalloccnt, heapallocbytes, heapleakcnt, heapleakbytes FROM allocs"))
elif "leaks" in have:
    same("blocks stand for the allocations of the stacks",
         sql("SELECT stack, CAST(ROUND(SUM(stands_for_units) / 1024.0) AS INTEGER), SUM(stands_for_bytes) FROM block WHERE stack IS NOT NULL GROUP BY stack"),
         sql("SELECT id, heapalloccnt, heapallocbytes FROM allocs"))
if "leaks" in have:
    same("mappings are those of the threads", sql("SELECT thread, COUNT(*), SUM(size) FROM mapping GROUP BY thread"),
         sql("SELECT id, e_heapmapcnt, e_heapmapbytes FROM threads WHERE e_heapmapcnt > 0"))
    ok("a block is freed after it was allocated", count("block WHERE freed_ns < time_ns") == 0)

# Waits.
if "locks" in have:
    keys = ("experiment", "tid", "thread", "wait", "end", "function", "object", "where")
    near("syncwaits", columns(view("SELECT * FROM syncwaits"), *keys), columns(table("syncwaits", "-syncwaits"), *keys), 1)
    keys = ("experiment", "kind", "object", "waits", "failed", "threads", "longest", "wait")
    near("locks", columns(view("SELECT * FROM locks"), *keys), columns(table("locks", "-locks"), *keys), 20)
if "waits" in have:
    # A wait that a range of time cuts is there as a whole, and counts where it ends.
    ok("waits are counted as by the metric", "-time" in choices or (sql("SELECT SUM(waits) FROM wait")[0][0] or 0) == value("waits"))
    keys = ("experiment", "tid", "thread", "state", "wait", "span", "end", "function", "object", "where", "owner_kind", "owner_site")
    wanted = [{**row, "owner_kind": row["owner_kind"] or None, "owner_site": row["owner_site"] or None} for row in table("waits", "-waits")]
    found = view("SELECT * FROM waits")
    near("waits", columns(found, *keys), columns(wanted, *keys), 1)
    ok("states of a thread do not overlap", sql("SELECT COUNT(*) FROM state AS a JOIN state AS b ON b.thread = a.thread AND b.rowid = a.rowid + 1 WHERE b.begin_ns < a.end_ns")[0][0] == 0)
    ok("there are states", count("state") > 0)

# Input and output.
if "ioactivity" in have:
    keys = ("file", "type", "reads", "read_bytes", "read_time", "writes", "write_bytes", "write_time", "others", "other_time", "errors", "error_time")
    rows = lambda found: [row for row in found if row["file"] != "<Total>"]
    near("ioactivity", columns(view("SELECT * FROM ioactivity"), *keys), columns(rows(table("ioactivity", "-ioactivity")), *keys), 20)
    near("iodetail", columns(view("SELECT * FROM iodetail"), "experiment", "fd", *keys), columns(rows(table("iodetail", "-iodetail")), "experiment", "fd", *keys), 20)

# What else there is.
if "calls" in have:
    keys = ("name", "count", "total", "min", "max", "mean")
    near("calls", columns(view("SELECT * FROM calls"), *keys), columns(table("calls", "-calls"), *keys), 200)
if "mpifunctions" in have:
    keys = ("function", "calls", "failed", "time", "longest", "sent", "received")
    near("mpifunctions", columns(view("SELECT * FROM mpifunctions"), *keys), columns(table("mpifunctions", "-mpifunctions"), *keys), 50)
if "hooks" in have:
    keys = ("hook", "subhook", "count", "first", "last")
    near("hooks", columns(view("SELECT * FROM hooks"), *keys), columns(table("hooks", "-hooks"), *keys), 2)
    ok("user events are counted as by the metric", count("user_event") == value("userevents"))
if count("omp"):
    same("constructs of OpenMP", sql("SELECT construct, COUNT(*) FROM omp WHERE construct NOT LIKE '%parallel region' GROUP BY construct"),
         [(kind, sum(row["count"] for row in table("ompconstructs", "-ompconstructs") if row["construct"] == kind)) for kind in {row["construct"] for row in table("ompconstructs", "-ompconstructs")}])
if count("counter_sample"):
    same("counters", sql("SELECT keyword, SUM(count) FROM counter_sample JOIN metric ON metric.id = metric GROUP BY metric"),
         [(keyword, total) for keyword, total in cpu.items() if keyword in {row[0] for row in sql("SELECT keyword FROM counter_sample JOIN metric ON metric.id = metric")}])
END_OF_CHECK

# ask DATABASE QUESTION: the first value of the answer
ask() { python3 -c 'import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone()[0])' "$@"; }

# check NAME CHOICE...: export NAME.er with these choices, and compare
check()
{
	# shellcheck disable=SC2086
	limited 60 "$xer_print" "${@:2}" -export sqlite "$1.db" ${EXPERIMENTS:-$1.er} >command.out 2>&1
	is "$1${2:+ with ${*:2}}: it is exported" 0 $?
	limited 300 python3 check.py "$xer_print" "$1" "${@:2}" 2>&1
}

for path in *.er; do
	if [ "$path" = damaged.er ]; then continue; fi
	check "${path%.er}"
done

# The page about the tables is what the databases say of themselves.
"$house/doc/make-sqlite" ./*.db >page.md
is "doc/sqlite.md is as doc/make-sqlite writes it" "" "$(diff "$house/doc/sqlite.md" page.md | head -5)"

# The questions of the guide.
cat >ask.py <<'END_OF_ASK'
import re, sqlite3, sys
questions = re.findall(r"^\| [^|]+\? \| `(.*)` \|$", open(sys.argv[1]).read(), re.M)
for question in questions:
    for name in ("heap", "profile", "waits"):
        sqlite3.connect(f"file:{name}.db?mode=ro", uri=True).execute("SELECT " + question).fetchall()
print(len(questions))
END_OF_ASK
is "each question of the guide has an answer" 7 "$(limited 60 python3 ask.py "$house/doc/guide/sql.md" 2>&1)"

# What filters, a range of time, and names chosen differently leave.
check heap -filters 'HSIZE > 500'
check heap -filters 'FNAME("leak_malloc") IN STACK' -name mangled
check profile -time 0.1-0.2
check wall -time 0.3-0.6
check waits -thread_select 2
check mpi -filters 'EXPID == 3'
check java -viewmode expert
check children -viewmode machine

# Several experiments in one database; sampled blocks; counters, whose names are names of columns.
EXPERIMENTS="heap.er killed.er profile.er" check several
record sampled -p off -S off -H sampled:4096 -A off -- "$programs/heap_cost" 20000 5 >/dev/null
is "a program's blocks are sampled" 0 $?
check sampled
is "its blocks stand for others" 1 "$(ask sampled.db 'SELECT COUNT(*) > 10 AND MAX(stands_for_units) > 1024 FROM block')"
if record faults -p off -S off -h page-faults -A off -- "$programs/burn50" 0.2 >/dev/null 2>&1; then
	check faults
	is "there are samples of the counter" 1 "$(ask faults.db 'SELECT COUNT(*) > 0 FROM counter_sample')"
else
	skip "counters are exported" "no perf events here" 14
fi

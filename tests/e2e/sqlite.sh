# export sqlite: the views of the database, and sums over its tables, are what xer_print's own tables say, to the digit, for every
# experiment that is kept; with filters and without; and a file is written whole or not at all.
golden=$(realpath "$(dirname "$0")/../golden")
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
import json, sqlite3, subprocess, sys
xer_print, name, *choices = sys.argv[1:]
database = sqlite3.connect(f"file:{name}.db?mode=ro", uri=True)

def ok(claim, holds, detail=""):
    print(("ok " if holds else "not ok ") + f"{name}: {claim}" + ("" if holds else f": {detail}"))

def sql(text):
    return database.execute(text).fetchall()

def table(wanted, *arguments):
    """Rows of a table of xer_print, as dictionaries by key, without <Total>."""
    text = subprocess.run([xer_print, "-limit", "0", "-printmode", "json", *choices, *arguments, f"{name}.er"], capture_output=True, timeout=120,
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

ok("the database is sound", sql("PRAGMA integrity_check") == [("ok",)])
ok("what refers to a row refers to one that is there", sql("PRAGMA foreign_key_check") == [], sql("PRAGMA foreign_key_check")[:3])

any_value = lambda rows: [row for row in rows if any(value for key, value in row[1])]
functions = table("functions", "-metrics", "e.any:i.any:name", "-functions")
same("functions", metrics(view("SELECT * FROM functions"), ("e_", "i_")), any_value(metrics(functions, ("e.", "i."))))
total = dict(metrics([{**row, "name": "all"} for row in functions if row["name"] == "<Total>"], ("i.",))[0][1]) if functions else {}
same("totals", [(f"i.{keyword}", value / 1e9 if unit == "ns" else float(value)) for keyword, _, value, unit in sql("SELECT * FROM totals") if value],
     [row for row in total.items() if row[1]])
same("threads", metrics(view("SELECT * FROM threads"), ("e_",)), any_value(metrics(table("threads", "-metrics", "e.any:name", "-threads"), ("e.",))))
# Times that are recorded in ticks are rounded to ns for each stack, so sums of them may differ in the last digit.
near = lambda rows: [(row, [(key, round(value, 7)) for key, value in values]) for row, values in rows]
same("processes", near(metrics(view("SELECT * FROM processes"), ("e_",))), near(any_value(metrics(table("processes", "-metrics", "e.any:name", "-processes"), ("e.",)))))

# The tree: ranges of ids are what is below a stack, and inclusive values are sums over them.
bad = sql("SELECT stack.id FROM stack JOIN stack AS up ON up.id = stack.parent WHERE stack.id NOT BETWEEN up.id + 1 AND up.last OR stack.last > up.last OR stack.depth != up.depth + 1")
ok("a stack is within the range of its parent", bad == [], bad[:5])
bad = sql("""SELECT m.stack, m.inclusive, SUM(below.exclusive) AS sum FROM stack_metric AS m JOIN stack ON stack.id = m.stack
    JOIN stack_metric AS below ON below.process = m.process AND below.metric = m.metric AND below.stack BETWEEN stack.id AND stack.last
    GROUP BY m.process, m.metric, m.stack HAVING sum != m.inclusive""")
ok("an inclusive value is the sum over that range", bad == [], bad[:5])

# Samples, one by one.
cpu = dict(sql("SELECT keyword, SUM(value) FROM thread_metric JOIN metric ON metric.id = metric GROUP BY metric"))
ok("samples add up to the CPU time", (sql("SELECT SUM(cpu_ns) FROM sample")[0][0] or 0) == cpu.get("totalcpu", 0))
same("samples are of the threads", sql("SELECT thread, SUM(cpu_ns) FROM sample GROUP BY thread HAVING SUM(cpu_ns) > 0"),
     sql("SELECT thread, value FROM thread_metric JOIN metric ON metric.id = metric WHERE keyword = 'totalcpu'"))
same("and of the stacks", sql("SELECT process, stack, SUM(cpu_ns) FROM sample JOIN thread ON thread.id = thread WHERE stack IS NOT NULL GROUP BY process, stack HAVING SUM(cpu_ns) > 0"),
     sql("SELECT process, stack, exclusive FROM stack_metric JOIN metric ON metric.id = metric JOIN stack ON stack.id = stack JOIN function ON function.id = stack.function "
         "WHERE keyword = 'totalcpu' AND exclusive > 0 AND NOT (parent IS NULL AND function.name = '<Unknown>')"))
END_OF_CHECK

# check NAME CHOICE...: export NAME.er with these choices, and compare
check()
{
	limited 60 "$xer_print" "${@:2}" -export sqlite "$1.db" "$1.er" >command.out 2>&1
	is "$1${2:+ with $2}: it is exported" 0 $?
	limited 300 python3 check.py "$xer_print" "$1" "${@:2}" 2>&1
}

for path in *.er; do
	if [ "$path" = damaged.er ]; then continue; fi
	check "${path%.er}"
done

# Output modes: every command that prints gives well-formed JSON, CSV and HTML, with the numbers of the text.
golden=$(realpath "$(dirname "$0")/../golden")
. "$(dirname "$0")/lib.sh"
have python3 || { skip "every command in every form" "no python3"; exit 0; }
cp -r "$golden/profile.er" "$golden/heap.er" "$golden/odd.er" "$golden/killed.er" "$golden/java.er" .
record io -p off -i on -- "$programs/io_known" >/dev/null 2>&1
record wall -w on -A off -- sleep 0.1
record wait -p off -s all -- "$programs/sync_known" 2 >/dev/null 2>&1
record calls -p off --functrace -- "$programs/ft_known" 2 5 >/dev/null 2>&1
gcc -O1 -fopenmp -o known "$golden/../programs/omp/known.c" && record omp -p hi --omp=on -- ./known >/dev/null 2>&1
# Few machines have MPI.
jobs=
for mpi in openmpi mpich; do
	have mpicc.$mpi mpirun.$mpi && [ -z "$jobs" ] || continue
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl=self,vader
	mpicc.$mpi -O1 -g -w -o job "$golden/../programs/mpi/known.c" 2>/dev/null &&
		record job -p hi -M on -- timeout -k 5 60 mpirun.$mpi -np 4 ./job job.file >/dev/null 2>&1
	[ ! -d job.er/M_r0.er ] || jobs=job
done
[ -n "$jobs" ] || skip "forms of MPI reports" "no job of MPI runs here"
record user -p off -- "$programs/user_work" >/dev/null 2>&1

# The commands are taken from the help: those without arguments, and some with one; those that only change settings print nothing.
"$xer_print" -help leaks >help.txt 2>help.err
is "-help COMMAND: that command alone, with its words in the manual" "0 1 1 1" \
	"$? $(grep -c '^  leaks ' help.txt) $(grep -c '^  [a-z]' help.txt) $(grep -c '^      .*kept blocks' help.txt)"
"$xer_print" -help nosuch >help.txt 2>help.err
is "-help of no command is an error" "2 0 xer_print: help: unknown command 'nosuch' (help lists the commands)" "$? $(wc -c <help.txt) $(cat help.err)"
"$xer_print" -help | sed -nE 's/^  ([a-z_-]+)(\[[a-z_?]+\])?( \[[^]]*\])?  +[a-z].*/\1/p' |
	grep -vxE 'quit|reload|setpath|pathmap|limit|name|viewmode|compare|per|filters|time|printmode|strict|[sd]thresh|context|asmsyntax|metrics|sort|folded-root|objects_default|account|stack|graph|ifreq|crmfirst|crmlast' >commands.txt
printf '%s\n' 'fsingle main' 'csingle main' 'source main' 'csource main' 'disasm main' 'metrics' 'sort' 'indxobj threads' \
	'memobj page' "check heapalloccnt>=0" >>commands.txt
within "commands that print" 30 200 "$(wc -l <commands.txt)"

cat >check.py <<'END'
import csv, io, json, re, subprocess, sys, xml.dom.minidom
xer_print, seen = sys.argv[1], set()

commands = [c for c in open("commands.txt").read().split("\n") if c]

# One run for all commands, each with its own output file; commands without data leave theirs empty.
def run_all(name, form):
    script = f"printmode {form}\nlimit 20\n" + "".join(f"outfile out.{i}\n{c}\n" for i, c in enumerate(commands))
    subprocess.run([xer_print, name + ".er"], input=script.encode(), capture_output=True, timeout=100)
    return {c: open(f"out.{i}", "rb").read() for i, c in enumerate(commands)}

def bad(name, form, command, why):
    print(f"not ok {name}: {command} as {form}: {why}")

def check_json(name, command, out):
    try:
        document = json.loads(out.decode("utf-8", "strict"))
    except ValueError as error:
        return bad(name, "json", command, error)
    for table in document["tables"]:
        keys = [column["key"] for column in table["columns"]]
        if len(set(keys)) != len(keys):
            bad(name, "json", command, f"two columns of {table['name']} have one key: {keys}")
        for row in table["rows"]:
            if len(row) != len(keys):
                bad(name, "json", command, f"a row of {table['name']} is not as long as its columns")
            for column, value in zip(table["columns"], row):
                wanted = {"number": (int, float), "text": str, "list": list}[column["kind"]]
                if value is not None and not isinstance(value, wanted):
                    bad(name, "json", command, f"{column['key']} is {value!r}")
    if document["command"] != command.split()[0]:
        bad(name, "json", command, f"is called {document['command']}")
    return document

def check_csv(name, form, delimiter, command, out, document):
    # Empty lines separate the tables; no field has one.
    blocks = [b for b in out.decode("utf-8", "strict").split("\n\n") if b]
    wanted = [t for t in document["tables"] if t["name"] != "quality"]
    if len(blocks) != len(wanted) + bool(document["text"]):
        return bad(name, form, command, f"{len(blocks)} tables, not {len(wanted)}")
    for block, table in zip(blocks, wanted):
        rows = list(csv.reader(io.StringIO(block), delimiter=delimiter, strict=True))
        if [c["key"] for c in table["columns"]] != rows[0]:
            return bad(name, form, command, f"heading {rows[0]}")
        if len(rows) - 1 != len(table["rows"]):
            return bad(name, form, command, f"{len(rows) - 1} rows, not {len(table['rows'])}")
        for row, values in zip(rows[1:], table["rows"]):
            if len(row) != len(values):
                return bad(name, form, command, f"a row of {len(row)} fields: {row}")
            for field, value in zip(row, values):
                same = field == ("" if value is None else value.replace("\n", "\\x0a")) if not isinstance(value, (int, float, list)) else \
                    field == "; ".join(value) if isinstance(value, list) else float(field) == value
                if not same:
                    return bad(name, form, command, f"{field!r} is not {value!r}")

def check_html(name, command, out):
    text = out.decode("utf-8", "strict")
    try:
        page = xml.dom.minidom.parseString(text.replace("<!DOCTYPE html>\n", "", 1))
    except Exception as error:
        return bad(name, "html", command, error)
    if len(page.getElementsByTagName("section")) != 1:
        bad(name, "html", command, "not one section")
    if re.search(r'(src|href)="?(https?:)?//|url\(|@import|<script', text):
        bad(name, "html", command, "something is loaded")

def check_markdown(name, command, out):
    rows = 0
    for line in out.decode("utf-8", "strict").split("\n"):
        cells = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
        if rows and cells and cells != rows:
            return bad(name, "markdown", command, f"{cells - 1} cells instead of {rows - 1}: {line}")
        rows = cells

for name in sys.argv[2:]:
    documents = {}
    for command, out in run_all(name, "json").items():
        document = check_json(name, command, out) if out else None
        if document is None:
            continue
        documents[command] = document
        if any(line.strip() for line in document["text"]):
            print("text", command.split()[0], file=sys.stderr)
    seen.update(documents)
    for form, delimiter in ("csv", ","), ("|", "|"):
        out = run_all(name, form)
        for command, document in documents.items():
            check_csv(name, form, delimiter, command, out[command], document)
    out = run_all(name, "html")
    for command in documents:
        check_html(name, command, out[command])
    out = run_all(name, "markdown")
    for command in documents:
        check_markdown(name, command, out[command])
never = set(commands) - seen
print("never printed:", *sorted(never))
print("ok every command in every form was looked at")
END
python3 check.py "$xer_print" profile heap odd killed io wait calls user omp java wall $jobs >checked.txt 2>text.txt
is "the checks ran" 0 $?
grep -E '^(not )?ok' checked.txt
sed -n 's/^never printed: //p' checked.txt >never.txt
[ -n "$jobs" ] || sed -i -E 's/ ?(mpimessages|mpiranks)//g' never.txt
is "of every command some experiment has data" "" "$(cat never.txt)"
# These are text in every mode: the settings of tables, and commands about xer_print itself.
is "every number is in a table" "cmetric_list help indx_metric_list metrics sort version xhelp " "$(sort -u text.txt | sed 's/^text //' | tr '\n' ' ')"

# ---- values
python3 - "$xer_print" >values.txt <<'END'
import json, subprocess, sys
def tables(*words):
    out = subprocess.run([sys.argv[1], "-printmode", "json", *words], capture_output=True).stdout
    return {t["name"]: [dict(zip([c["key"] for c in t["columns"]], row)) for row in t["rows"]] for t in json.loads(out)["tables"]}
functions = {row["name"]: row for row in tables("-functions", "heap.er")["functions"]}
print(functions["<Total>"]["i.heapallocbytes"], functions["leak_malloc"]["i.heapleakcnt"])
tree = tables("-calltree", "heap.er")["calltree"]
print(tree[0]["depth"], tree[0]["name"], next(row["depth"] for row in tree if row["name"] == "leak_malloc"))
panels = tables("-csingle", "leak_malloc", "heap.er")["callers-callees"]
print(*(f'{row["role"]}:{row["name"]}' for row in panels))
END
is "values of functions" "22610 7" "$(sed -n 1p values.txt)"
is "depths of the call tree" "0 <Total> 5" "$(sed -n 2p values.txt)"
is "roles of callers and callees" "caller:main function:leak_malloc" "$(sed -n 3p values.txt)"

# ---- the command itself
"$xer_print" -printmode x -functions profile.er >out.txt 2>err.txt
is "a letter is no separator" 2 $?
contains "and that is told" "'x' is not text, html, markdown, json, csv, tsv or a character" err.txt
"$xer_print" -printmode json -metrics e.totalcpu -sort name -limit 5 -functions profile.er | python3 -c 'import json, sys; json.load(sys.stdin)'
is "settings print nothing: one command is one object" 0 $?
printf 'printmode json\nfunctions\nprintmode text\nlimit 2\nlines\nprintmode csv\nfunctions\n' | "$xer_print" profile.er >mixed.txt
contains "forms may change: JSON" '^\{"command": "functions",$' mixed.txt
contains "then text" '^Lines sorted by metric' mixed.txt
contains "then CSV" '^name,e.totalcpu' mixed.txt
# As text, each file has the quality of its data once.
"$xer_print" -outfile one.txt -functions -lines -outfile two.txt -functions -lines -functions profile.er
is "each output file has one line about the quality of its data" "1 1" "$(grep -c '^# quality: ' one.txt) $(grep -c '^# quality: ' two.txt)"
"$xer_print" -printmode html -outfile one.html -functions -lines -outfile two.html -functions profile.er
if needs "a page for each file" 2 xmllint; then
	succeeds "a page for each file, and each whole" xmllint --noout one.html two.html
	is "with a section for each command" "2 1" "$(xmllint --xpath 'count(//section)' one.html) $(xmllint --xpath 'count(//section)' two.html)"
fi

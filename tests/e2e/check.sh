# -check, the gate for CI: expressions about totals and functions, compared with a base, as text, JSON and JUnit; exit statuses.
golden=$(realpath "$(dirname "$0")/../golden")
. "$(dirname "$0")/lib.sh"
cp -r "$golden/profile.er" "$golden/heap.er" "$golden/killed.er" .

# check STATUS CHECKS ARGUMENT...: run a check; its output goes to check.txt and check.err
check()
{
	local status=$1 checks=$2
	shift 2
	limited 20 "$xer_print" -check "$checks" "$@" >check.txt 2>check.err
	is "exit status of $checks" "$status said" "$? $(said_in check.txt check.err)"
}

# Known totals of the golden experiments.
check 0 'heapalloccnt == 4; heapallocbytes = 4696; heapleakbytes > 4 KiB' profile.er
is "all hold" 3 "$(grep -c '^holds' check.txt)"
check 3 'heapleakbytes == 0; heapalloccnt <= 4' profile.er
contains "the failing row has value and limit" '^FAILED +4672 +0 .*heapleakbytes == 0$' check.txt
contains "the other holds" '^holds .*heapalloccnt <= 4$' check.txt
contains "and a line says so" '^xer_print: 1 of 2 checks failed$' check.err
check 0 'e.totalcpu(work_a) > e.totalcpu(work_b); i.totalcpu(main) <= totalcpu; user/totalcpu > 50 %' profile.er
check 0 'totalcpu(work_a) + 1 us >= 175 ms' profile.er

# A base, after the check or before it; the totals of several bases are added up.
check 0 'totalcpu <= 1.05*base; base(heapallocbytes) == heapallocbytes' -base profile.er profile.er
check 3 'totalcpu < 0.5*base' -base profile.er profile.er
contains "the row has base and ratio" '^FAILED .* 1\.0000 +s +totalcpu < 0\.5\*base$' check.txt
limited 20 "$xer_print" -base profile.er -base profile.er -check 'heapalloccnt == 0.5*base' profile.er >check.txt 2>&1
is "an experiment twice is one" 3 $?
cp -r profile.er other.er
limited 20 "$xer_print" -base profile.er -base other.er -check 'heapalloccnt == 0.5*base' profile.er >check.txt 2>&1
is "two bases are added up" 0 $?
check 0 'heapalloccnt(leak_malloc) < base; base(heapalloccnt(leak_malloc)) == 7' -base heap.er profile.er
check 1 'totalcpu < base' -base missing.er profile.er
limited 20 "$xer_print" -filters 'FALSE' -check 'totalcpu <= base' -base profile.er profile.er >check.txt 2>check.err
is "filters and a base do not go together" 2 $?
check 2 'totalcpu < base' profile.er

# A check that cannot be decided never passes.
check 1 'e.totalcpu(work_aa) < 5' profile.er
contains "the nearest function is named" "did you mean 'work_a'" check.err
contains "its row says so" '^undecided' check.txt
check 1 'sync == 0' profile.er
check 1 'sync == 0; heapleakbytes > 0' profile.er
check 3 'sync == 0; heapleakbytes == 0' profile.er
check 2 'totalcp < 5' profile.er
contains "a wrong word has its column and the nearest one" "column 1: 'totalcp' is no measured metric \(did you mean 'totalcpu'" check.err

# Output for programs.
if have python3; then
	limited 20 "$xer_print" -printmode json -check 'heapleakbytes == 0; heapalloccnt == base' -base profile.er profile.er >check.json
	is "a failed check fails in JSON too" 3 $?
	is "JSON has every row" "FAILED 4672 0 4672 1 holds 4 4 4 1" "$(python3 - <<'END'
import json
table = [t for t in json.load(open("check.json"))["tables"] if t["name"] == "check"][0]
keys = [c["key"] for c in table["columns"]]
rows = [dict(zip(keys, row)) for row in table["rows"]]
print(*(f'{r["result"]} {r["value"]:g} {r["limit"]:g} {r["base"]:g} {r["ratio"]:g}' for r in rows))
END
)"
else
	skip "JSON has every row" "no python3"
fi

# JUnit: the usual form of the report, as a RELAX NG schema.
cat >junit.rng <<'END'
<grammar xmlns="http://relaxng.org/ns/structure/1.0" datatypeLibrary="http://www.w3.org/2001/XMLSchema-datatypes">
<define name="counts"><attribute name="tests"><data type="nonNegativeInteger"/></attribute>
<attribute name="failures"><data type="nonNegativeInteger"/></attribute><attribute name="errors"><data type="nonNegativeInteger"/></attribute></define>
<define name="verdict"><attribute name="type"/><attribute name="message"/><text/></define>
<start><element name="testsuites"><ref name="counts"/><oneOrMore><element name="testsuite"><ref name="counts"/>
<attribute name="name"/><attribute name="skipped"><data type="nonNegativeInteger"/></attribute><attribute name="time"><data type="decimal"/></attribute>
<oneOrMore><element name="testcase"><attribute name="classname"/><attribute name="name"/><attribute name="time"><data type="decimal"/></attribute>
<optional><choice><element name="failure"><ref name="verdict"/></element><element name="error"><ref name="verdict"/></element></choice></optional>
</element></oneOrMore></element></oneOrMore></element></start></grammar>
END
check 3 'heapleakbytes == 0; sync < 1; user(work_a) > 0' -junit gate.xml profile.er
if have xmllint; then
	succeeds "the JUnit report is valid" xmllint --noout --relaxng junit.rng gate.xml
	is "one failure, one error, three cases" "3 1 1" "$(xmllint --xpath 'concat(/testsuites/@tests, " ", /testsuites/@failures, " ", /testsuites/@errors)' gate.xml)"
else
	skip "the JUnit report is valid" "no xmllint"
fi
limited 20 "$xer_print" -junit two.xml -check 'user > 0' -check 'system >= 0' profile.er >check.txt 2>&1
is "checks of two commands are one report" 2 "$(grep -c '<testcase' two.xml)"
check 1 'user > 0' -junit /none/gate.xml profile.er
check 1 'user > 0' -junit /dev/full profile.er

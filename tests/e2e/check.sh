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
contains "the failing row has value, interval and limit" '^FAILED +4672 +4672 +4672 +0 .*heapleakbytes == 0$' check.txt
contains "and says why" '^# FAILED: heapleakbytes == 0: it is 4672 bytes, the limit is 0 bytes$' check.txt
contains "the other holds" '^holds .*heapalloccnt <= 4$' check.txt
contains "and a line says so" '^xer_print: 1 of 2 checks failed$' check.err
check 0 'e.totalcpu(work_a) > e.totalcpu(work_b); i.totalcpu(main) <= totalcpu; user/totalcpu > 50 %' profile.er

# Three outcomes: work_a has 0.1755 s in 25 samples of 43, which tell it to 0.130 to 0.217 s.
check 0 'e.totalcpu(work_a) <= 300 ms; e.totalcpu(work_a) >= 100 ms' profile.er
is "far from the limit" "holds holds" "$(awk '/^(holds|FAILED|undecided) / { print $1 }' check.txt | paste -sd' ')"
check 3 'e.totalcpu(work_a) <= 100 ms; e.totalcpu(work_a) == 500 ms' profile.er
is "or beyond it" "FAILED FAILED" "$(awk '/^(holds|FAILED|undecided) / { print $1 }' check.txt | paste -sd' ')"
check 0 'e.totalcpu(work_a) <= 180 ms; e.totalcpu(work_a) >= 180 ms; e.totalcpu(work_a) == 180 ms' profile.er
is "near the limit, in both directions" 3 "$(grep -c '^undecided .* 0\.1755 .* 0\.1304 .* 0\.2168 ' check.txt)"
contains "with what would help" '^# undecided: e.totalcpu.work_a. <= 180 ms: it is 0.1755 s, 0.1304 to 0.2168 with 95 % certainty; the limit is 0.18 s; more samples tell more: xcollect -p hi' check.txt
check 4 'e.totalcpu(work_a) <= 180 ms; totalcpu > 0' profile.er -strict
contains "which a strict gate does not let pass" '^xer_print: 1 of 2 checks are undecided$' check.err
check 3 'e.totalcpu(work_a) <= 180 ms; totalcpu == 0' profile.er -strict
check 0 'totalcpu > 0' profile.er -strict

# A base, after the check or before it; the totals of several bases are added up.
check 0 'totalcpu <= 1.2*base; base(heapallocbytes) == heapallocbytes' -base profile.er profile.er
is "both hold" 2 "$(grep -c '^holds' check.txt)"
check 0 'totalcpu <= 1.05*base' -base profile.er profile.er
contains "one run of each does not tell 5 %" '^# undecided: .*one run each does not tell how runs differ: xcollect --repeat=5$' check.txt
check 3 'totalcpu < 0.5*base' -base profile.er profile.er
contains "the row has base, ratio, runs and samples" '^FAILED .* 1\.0000 +s +1 +1 +43 +totalcpu < 0\.5\*base$' check.txt
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

# A check that cannot be evaluated never passes.
check 1 'e.totalcpu(work_aa) < 5' profile.er
contains "the nearest function is named" "did you mean 'work_a'" check.err
contains "its row says so" '^error' check.txt
check 1 'sync == 0' profile.er
check 1 'sync == 0; heapleakbytes > 0' profile.er
check 3 'sync == 0; heapleakbytes == 0' profile.er
check 2 'totalcp < 5' profile.er
contains "a wrong word has its column and the nearest one" "column 1: 'totalcp' is no measured metric \(did you mean 'totalcpu'" check.err

# Output for programs.
if have python3; then
	limited 20 "$xer_print" -printmode json -check 'heapleakbytes == 0; heapalloccnt == base' -base profile.er profile.er >check.json
	is "a failed check fails in JSON too" 3 $?
	is "JSON has every row" "FAILED 4672 4672 4672 0 4672 1 1 None holds 4 4 4 4 4 1 1 1" "$(python3 - <<'END'
import json
table = [t for t in json.load(open("check.json"))["tables"] if t["name"] == "check"][0]
keys = [c["key"] for c in table["columns"]]
rows = [dict(zip(keys, row)) for row in table["rows"]]
print(*(f'{r["result"]} {r["value"]:g} {r["low"]:g} {r["high"]:g} {r["limit"]:g} {r["base"]:g} {r["ratio"]:g} {r["runs"]} {r["base_runs"]}' for r in rows))
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
<define name="verdict"><attribute name="type"/><attribute name="message"/></define>
<start><element name="testsuites"><ref name="counts"/><oneOrMore><element name="testsuite"><ref name="counts"/>
<attribute name="name"/><attribute name="skipped"><data type="nonNegativeInteger"/></attribute><attribute name="time"><data type="decimal"/></attribute>
<oneOrMore><element name="testcase"><attribute name="classname"/><attribute name="name"/><attribute name="time"><data type="decimal"/></attribute>
<optional><choice><element name="failure"><ref name="verdict"/></element><element name="error"><ref name="verdict"/></element>
<element name="skipped"><attribute name="message"/></element></choice></optional><optional><element name="system-out"><text/></element></optional>
</element></oneOrMore></element></oneOrMore></element></start></grammar>
END
check 3 'heapleakbytes == 0; sync < 1; user(work_a) > 0; e.totalcpu(work_a) <= 180 ms' -junit gate.xml profile.er
check 3 'heapleakbytes == 0; sync < 1; user(work_a) > 0; e.totalcpu(work_a) <= 180 ms' -strict -junit strict.xml profile.er
if have xmllint; then
	counts='concat(/testsuites/@tests, " ", /testsuites/@failures, " ", /testsuites/@errors, " ", /testsuites/testsuite/@skipped)'
	succeeds "the JUnit report is valid" xmllint --noout --relaxng junit.rng gate.xml strict.xml
	is "one failure, one error, one skipped, four cases" "4 1 1 1" "$(xmllint --xpath "$counts" gate.xml)"
	is "strict: two failures" "4 2 1 0" "$(xmllint --xpath "$counts" strict.xml)"
else
	skip "the JUnit report is valid" "no xmllint" 3
fi
limited 20 "$xer_print" -junit two.xml -check 'user > 0' -check 'system >= 0' profile.er >check.txt 2>&1
is "checks of two commands are one report" 2 "$(grep -c '<testcase' two.xml)"
check 1 'user > 0' -junit /none/gate.xml profile.er
check 1 'user > 0' -junit /dev/full profile.er

# Groups of runs: values are means of a run, and their spread makes the interval. f_00 takes four times as long, so that its
# limits of 1.5 and 1.4 are some five half intervals away also where 15 busy threads share two CPUs; the others take as long as before.
limited 100 "$xcollect" -p hi -S off -A off --repeat=5 --versus -g base.erg -g new.erg "$programs/twenty" 150 100 -- "$programs/twenty" 150 400 >/dev/null 2>&1 </dev/null
is "two groups are recorded" 0 $?
check 3 'e.totalcpu(f_00) <= 1.5*base; e.totalcpu(f_00)/totalcpu <= 1.4*base; totalcpu <= 10*base; e.totalcpu(f_05) <= 10*base' -base base.erg new.erg
is "what is certain" "FAILED FAILED holds" "$(awk '/^(holds|FAILED|undecided) / { print $1 }' check.txt | head -3 | paste -sd' ')"
is "each side has its runs" 4 "$(grep -cE '^[a-zF].* +5 +5 +[0-9]+ +(e\.)?totalcpu' check.txt)"
contains "the value is that of a run" "^holds +0\\.[0-9]+ .* totalcpu <= 10\\*base\$" check.txt
check 0 'totalcpu <= 10*base' -base "$(grep -v '^#' base.erg | head -1)" new.erg
contains "a base of one run" ' +5 +1 +[0-9]+ +totalcpu <= 10' check.txt
# shellcheck disable=SC2046
check 0 'totalcpu <= 2*base' -base base.erg $(grep -v '^#' base.erg)
contains "runs may be named one by one" '^holds .* 1\.0000 +s +5 +5 ' check.txt
limited 30 "$xer_print" -printmode markdown -base base.erg -check 'totalcpu <= 10*base' new.erg >check.md
is "Markdown has a table" 2 "$(grep -cE '^\| (Result|holds) \|.*\|$' check.md)"

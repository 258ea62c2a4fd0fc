# User events: components that are switched while the program runs, which events a component with a size limit keeps, the report's
# options, filters, one time axis with other kinds of data.
tests=$(realpath "$(dirname "$0")/..")
. "$(dirname "$0")/lib.sh"
xer_trcrpt=$readers/xer_trcrpt
export XDG_CONFIG_HOME=$PWD/config

# trcrpt NAME OPTION...: the report of NAME.er goes to NAME.txt
trcrpt()
{
	local name=$1
	shift
	limited 100 "$xer_trcrpt" "$@" "$name.er" >"$name.txt" 2>"$name.txt.err"
}

# firsts NAME HOOK: the first data words of the hook's events, as ranges
firsts()
{
	limited 100 "$xer_trcrpt" -h -r -d "$2" "$1.er" | awk '/^0/ { print strtonum_hex($5) }
		function strtonum_hex(text, i, value) { value = 0; for (i = 1; i <= length(text); i++) value = value * 16 + index("0123456789ABCDEF", substr(text, i, 1)) - 1; return value }' |
		awk 'NR == 1 { from = last = $1; next } $1 == last + 1 { last = $1; next } { printf "%d-%d ", from, last; from = last = $1 } END { if (NR) printf "%d-%d\n", from, last }'
}

# ---- components at run time
record parts -p off --component=net:040 --component=disk:041:off -- "$programs/user_parts"
is "the program switches its components" 0 $?
is "one that goes off and on" "0-99 150-199" "$(firsts parts 040)"
is "one that begins off" "10-19" "$(firsts parts 041)"
is "the system trace goes on meanwhile" "0-4" "$(firsts parts 042)"
trcrpt parts -h
is "the switching stands between the events, by name" "OFF net|ON net|ON disk|OFF disk" \
	"$(sed -nE 's/^00[12] .* TRACE (ON|OFF) component (.*)$/\1 \2/p' parts.txt | paste -sd'|')"
record without -p off -- "$programs/user_parts"
is "without the components it cannot switch them" 1 $?
is "and all is in the system trace" "0-199 0-29" "$(firsts without 040) $(firsts without 041)"

# ---- which events components with a size limit keep
record ring -p off --component=cost:010:mode=circular:size=0.25 -- "$programs/user_cost" 20000
trcrpt ring -h -d 024
gone=$(sed -n 's/^# \([0-9]*\) events gave their place to newer ones$/\1/p' ring.txt)
within "a circular component gives places up" 1000 19000 "$gone"
is "and keeps exactly the newest" "$gone-19999" "$(firsts ring 010)"
record full -p off --component=cost:010:mode=single:size=0.25 -- "$programs/user_cost" 20000
trcrpt full -h -d 024
lost=$(sed -n 's/^# \([0-9]*\) events were lost$/\1/p' full.txt)
within "a single component loses events" 1000 19000 "$lost"
is "and keeps exactly the first" "0-$((19999 - lost))" "$(firsts full 010)"

# ---- the report's options
trcrpt parts -h -r -d 043 -O removedups=on
is "removedups leaves one of equal neighbours" "48 49 48" "$(awk '/^043/ { print $5 }' parts.txt | sed 's/.*30$/48/; s/.*31$/49/' | paste -sd' ')"
contains "and counts the others" '^# 4 ' parts.txt
trcrpt parts -d 042 -O pagesize=2
is "headings again on each page" 3 "$(grep -c '^ID ' parts.txt)"
trcrpt parts -d 042 -h -O 2line=on
is "the text in a line of its own" "5 5" "$(grep -cE '^042 +[0-9.]+ +[0-9.]+$' parts.txt) $(grep -cE '^ +UNDEFINED TRACE ID' parts.txt)"
trcrpt parts -d 042 -O filename=on
contains "the name of the file" 'parts\.er' parts.txt
for timestamp in '0:^042 +[0-9]+\.[0-9]{9} +[0-9]+\.[0-9]{6}   UNDEF' '1:^042 +[0-9]+\.[0-9]{6}   UNDEF' '2:^042 +[0-9]+\.[0-9]{3} +[0-9]+\.[0-9]{3}   UNDEF' '3:^042   UNDEF'; do
	trcrpt parts -h -d 042 -O "timestamp=${timestamp%%:*}"
	is "timestamp=${timestamp%%:*}" 5 "$(grep -cE "${timestamp#*:}" parts.txt)"
done
trcrpt parts -h -d 042 -O ids=off
absent "ids=off" '^042' parts.txt
third=$("$xer_trcrpt" -h -r -d 040 parts.er | awk 'NR == 51 { print $2 }')
trcrpt parts -h -r -d 040 -O "starttime=$third"
# The time is printed rounded: the event itself may be on either side of it.
within "starttime" 99 100 "$(grep -c '^040' parts.txt)"
trcrpt parts -h -r -d 040 -O "endtime=$third"
within "endtime" 50 51 "$(grep -c '^040' parts.txt)"
trcrpt parts -h -r -d 040 -s 010100000001
is "-s, a date long ago" 150 "$(grep -c '^040' parts.txt)"
trcrpt parts -r -d 040 -e 010100000001
absent "-e, the same" '^040' parts.txt
trcrpt parts -h -r -d 042 -C 0,1,2,3,4,5,6,7,8,9
one=$(grep -c '^042' parts.txt)
trcrpt parts -h -r -d 042 -C 99999
is "-C" "0" "$(grep -c '^042' parts.txt)"
within "of other CPUs" 0 5 "$one"
trcrpt parts -m -h -r -d 042 -o written
is "-o" "5 0" "$(grep -c '^042' written) $(wc -c <parts.txt)"
printf '010 1.0 L=APPL "x" word G12 D4\n' >warned
trcrpt parts -d 010 -t warned
is "warnings are silent" said "$(said_in parts.txt)$(cat parts.txt.err)"
trcrpt parts -h -d 010 -t warned -v
is "but with -v" 2 "$(grep -c warning parts.txt.err)"
"$xer_trcrpt" -c -t warned >out 2>err
is "or -c, and are no errors" "0 2" "$? $(grep -c warning err)"
printf '010 1.0 L=APPL "x" F3\n' >bad
"$xer_trcrpt" -c -q -t bad >out 2>err
is "-q tells only how many" "1 xer_trcrpt: 1 error in the templates" "$? $(cat out err)"
printf '0ab 1.0 L=APPL "a"\nABCD 1.0 "b"\n' >ids
is "-j prints ids in lower case" "0ab   a|abcd  b" "$("$xer_trcrpt" -j -t ids | paste -sd'|')"


# ---- templates as editors elsewhere write them
printf '# two\n042 1.0 L=APPL "forty-two" \\\n\tword D4\n\n040 1.0 "forty"\n' >plain
printf '\357\273\277' >dressed
sed 's/$/\r/' plain >>dressed
for templates in plain dressed; do
	trcrpt parts -h -d 042 -t $templates
	cp parts.txt "$templates.txt"
	"$xer_trcrpt" -j -t $templates >"$templates.ids" 2>&1
	is "templates in lines that end in $([ $templates = plain ] && echo LF || echo 'CR LF, behind a byte order mark'): their report" 5 "$(grep -cE '^042 .*forty-two' $templates.txt)"
done
is "both say the same" "same" "$(cmp plain.txt dressed.txt && cmp plain.ids dressed.ids && echo same)"
absent "and nothing of the CR" "$(printf '\r')" dressed.txt
"$xer_trcrpt" -c -t dressed >out 2>err
is "-c finds no fault" 0 $?

# ---- filters
for filter in 'HOOK == 0x044:6' 'SUBHOOK == 3:1' 'HOOK == 0x044 && D1 > 3:3' 'D2 == 8:1' 'D3 == 9 || D3 == 18:2' 'D4 == 4:1' 'D5 >= 25:2' 'HOOK == 0x044 && D2 != 2 * D1:0' 'HOOK == 0x045 && D2 == 1000:8'; do
	report parts -filters "${filter%:*}" -trcrpt "-h -r"
	is "filter ${filter%:*}" "${filter##*:}" "$(grep -cE '^04' parts.txt)"
done

# ---- with other kinds of data on one time axis
record beside -p on -H on -- "$programs/user_parts"
if have python3; then
	"$xer_print" -export chrome beside.json beside.er >command.out 2>&1
	is "events are listed between the allocations of their blocks" "1000 2000 2000 3000 3000 4000 4000 5000" "$(python3 -c 'import json, sys
trace = json.load(open(sys.argv[1]))
events = sorted((e for e in (trace["traceEvents"] if isinstance(trace, dict) else trace) if e["ph"] != "M"), key=lambda e: e["ts"])
live, seen = 0, []
for e in events:
    if e["name"] == "heap live bytes": live = e["args"]["bytes"]
    if e["name"] == "hook 045 0000": seen.append(live)
print(*seen)' beside.json 2>&1 | tail -1)"
fi
report beside -metrics e.userevents:e.heapalloccnt:name -seconds
contains "one table has events and blocks by time" '^256 +8 +<Total>$' beside.txt
